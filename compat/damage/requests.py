#!/usr/bin/env python3
"""Sends damaged requests to every port of klip serve: garbage, lengths of 2 GB, requests that are cut off or nested deeply, bombs of gzip,
connections that are half closed, that send a byte at a time, and 10,000 that send nothing. After each group, a Get by RPC, one by REST and
/health must succeed within seconds, and the memory must be within a tenth of its limit. Prints a table.

  requests.py KLIP DIRECTORY      DIRECTORY must not exist
"""
import gzip
import os
import pathlib
import random
import re
import resource
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from protobuf_wire import field, varint  # noqa: E402

LIMIT_MB = 512
PATIENCE_S = 5
MANY = 10_000


def int32(number):
    return struct.pack('>I', number & 0xFFFFFFFF)


def nested(number, size):
    """A message in a message in a message, ..."""
    message = field(number, b'')
    while len(message) < size:
        message = field(number, message)
    return message


GARBAGE = random.Random(5).randbytes(65536)
LENGTHS = [0, 1, 5, 1 << 28, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
GENERIC = [b'', GARBAGE, bytes(65536), b'\xff' * 65536, bytes.fromhex('16030100a5010000a10303') + GARBAGE[:160],
           b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + bytes(9)]
BOMB = gzip.compress(bytes(300 << 20), 9)


def rpc_call(number, method, message, announced=None, cells=None):
    header = field(1, number) + field(3, method) + field(4, 1) + (field(5, field(1, cells)) if cells else b'')
    body = varint(len(header)) + header + varint(len(message) if announced is None else announced) + message
    return int32(len(body)) + body


def rpc_cases():
    preamble = b'HBas\0\x50'
    yield from (preamble + int32(length) + GARBAGE[:100] for length in LENGTHS)
    header = field(1, field(1, b'root')) + field(2, b'ClientService')
    opened = preamble + int32(len(header)) + header
    yield from (opened + int32(length) + GARBAGE[:200] for length in LENGTHS)
    pick = random.Random(6)
    for method in [b'Get', b'Mutate', b'Multi', b'Scan', b'BulkLoadHFile', b'ExecService', b'None', b'Get\0', b'G' * 5000]:
        for _ in range(3):
            at = pick.randrange(60000)
            yield opened + b''.join(rpc_call(i, method, GARBAGE[at:at + pick.randrange(60)]) for i in range(20))
    yield opened + rpc_call(1, b'Multi', b'', cells=1 << 30)
    yield opened + rpc_call(1, b'Get', b'abc', announced=1 << 31)
    yield opened + rpc_call(1, b'Get', nested(1, 50000))


def zookeeper_cases():
    yield from (int32(length) + GARBAGE[:100] for length in LENGTHS)
    connect = int32(44) + bytes(12) + int32(30000) + bytes(8) + int32(16) + bytes(16)
    yield from (connect + int32(length) + GARBAGE[:100] for length in LENGTHS)
    for kind in [-11, -1, 0, 1, 2, 3, 4, 8, 9, 11, 12, 14, 100, 101, 105, 9999]:
        yield connect + int32(16) + int32(1) + int32(kind) + int32(0x7FFFFFFF) + b'/hba'
    yield from [b'ruok', b'stat', b'mntr', b'none']


def thrift_cases():
    strict = int32(0x80010001)
    yield from [strict + int32(0x7FFFFFFF) + GARBAGE[:50], int32(0x7FFFFFFF) + GARBAGE[:50], int32(0x7FFFFFF0) + strict]
    for name in [b'getRow', b'mutateRow', b'mutateRows', b'get', b'put', b'putMultiple', b'scannerOpenWithScan']:
        call = strict + int32(len(name)) + name + int32(1)
        for kind in range(11, 16):
            for length in LENGTHS:
                yield call + bytes([kind]) + b'\0\1' + int32(length) + GARBAGE[:30]
        yield call + b'\x0f\0\3\x0c' + int32(0x7FFFFFFF) + bytes(200)
        yield call + b'\x0c\0\x09' * 100000
        yield call + b'\x0f\0\x09' + (b'\x0f' + int32(1)) * 100000
        yield call + b'\0'


def post(path, kind, body, headers='', length=None):
    head = (f'POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nAccept: {kind}\r\nConnection: close\r\n{headers}'
            f'Content-Length: {len(body) if length is None else length}\r\n\r\n')
    return head.encode() + body


def http_cases(paths):
    host = b' HTTP/1.1\r\nHost: 127.0.0.1\r\n'
    yield b'GET /' + b'a' * (8 << 20)
    yield b'GET / HTTP/1.1\r\nX: ' + b'a' * (8 << 20)
    yield b'GET / HTTP/1.1\r\n' + b''.join(b'X%d: 1\r\n' % i for i in range(200000))
    yield from [b'GET / HTTP/1.1\n\n', b'GET /%%%zz%00%2e%2e/%ff' + host + b'\r\n', b'GET /../../../../etc/passwd' + host + b'\r\n',
                b'\0\1\2 /' + host + b'\r\n', b'TRACE /' + host + b'\r\n', b'GET / HTTP/9.9\r\n\r\n', b'GET / HTTP/1.1\r\n\r\n']
    for length in [b'5\r\nContent-Length: 500', b'-5', b'1' + b'0' * 30, b'9223372036854775807']:
        yield b'POST /' + host + b'Content-Length: ' + length + b'\r\n\r\nhello'
    for chunk in [b'ffffffffffffffff\r\nhello', b'zz\r\nhello', b'5;' + b'x' * (4 << 20)]:
        yield b'POST /' + host + b'Transfer-Encoding: chunked\r\n\r\n' + chunk
    yield b'POST /' + host + b'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    bodies = [GARBAGE[:5000], b'[' * 2000000, b'{"a":' * 500000, b'{"request":"openConnection","connectionId":' + b'9' * 100000 + b'}', b'', b'{',
              b'<a>' * 1000000, b'<!DOCTYPE a [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><CellSet>&b;</CellSet>', nested(1, 30000)]
    for path, kinds in paths.items():
        for kind in kinds:
            yield from (post(path, kind, body) for body in bodies)
            yield post(path, kind, BOMB, 'Content-Encoding: gzip\r\n')
            yield post(path, kind, BOMB[:100], 'Content-Encoding: gzip\r\n')
            yield post(path, kind, b'{}', length=1000)
            yield post(path, kind, b'{}', length=10 << 30)


def cases(port):
    json, three = ['application/json'], ['application/json', 'text/xml', 'application/x-protobuf']
    return {
        'rpc': rpc_cases, 'zookeeper': zookeeper_cases, 'thrift': thrift_cases, 'thrift2': thrift_cases,
        'rest': lambda: http_cases({'/t/r': three, '/t/scanner': three, '/u/schema': three, '/t/%ff/f:q': ['application/octet-stream']}),
        'sql': lambda: http_cases({'/': ['application/json', 'application/x-google-protobuf']}),
        'http': lambda: http_cases({'/health': json, '/console/api/sql': json, '/console/api/put': json}),
        'console': lambda: http_cases({'/console/api/sql': json}),
    }[port]()


class Server:
    def __init__(self, klip, directory):
        self.klip = klip
        ports = [word for name in ['rpc', 'zk', 'http', 'thrift', 'thrift2', 'rest', 'sql', 'console'] for word in (f'--{name}-port', '0')]
        self.process = subprocess.Popen([klip, 'serve', directory, '--allow-changes', '--memory-limit', f'{LIMIT_MB}MB'] + ports,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.ports = {name: int(port) for name, port in re.findall(r'(\w+)=(?:[\d.]+:)?(\d+)\b', self.process.stdout.readline())}
        self.uri = f'hbase+rpc://127.0.0.1:{self.ports["rpc"]}'
        for command in [['create', self.uri, 't', '--family', 'f'], ['put', self.uri, 't', 'r', 'f:q=1']]:
            subprocess.run([klip] + command, check=True, stdout=subprocess.DEVNULL)

    def get(self, port, path):
        with socket.create_connection(('127.0.0.1', self.ports[port]), PATIENCE_S) as client:
            client.settimeout(PATIENCE_S)
            client.sendall(f'GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nConnection: close\r\n\r\n'.encode())
            return client.makefile('rb').readline().startswith(b'HTTP/1.1 200')

    def faults(self):
        """What is wrong with the server now."""
        if self.process.poll() is not None:
            sys.exit(f'the server ended: {self.process.returncode}')
        wrong = []
        for port, path in [('rest', '/t/r'), ('http', '/health')]:
            try:
                wrong += [] if self.get(port, path) else [f'{port} refuses {path}']
            except OSError as error:
                wrong.append(f'{port}: {error}')
        try:
            read = subprocess.run([self.klip, 'get', self.uri, 't', 'r'], stdout=subprocess.DEVNULL, timeout=PATIENCE_S, check=False)
            wrong += [] if read.returncode == 0 else ['a Get by RPC fails']
        except subprocess.TimeoutExpired:
            wrong.append('a Get by RPC hangs')
        return wrong + ([f'{self.memory_mb()} MB'] if self.memory_mb() > 1.1 * LIMIT_MB else [])

    def memory_mb(self):
        with open(f'/proc/{self.process.pid}/status', encoding='ascii') as status:
            return int(re.search(r'VmHWM:\s+(\d+)', status.read()).group(1)) >> 10


def send(port, request, half):
    """Sends it and reads what comes; `half`: closes the sending half first."""
    try:
        with socket.create_connection(('127.0.0.1', port), PATIENCE_S) as client:
            client.settimeout(0.2 if half else 0.05)
            client.sendall(request)
            if half:
                client.shutdown(socket.SHUT_WR)
            while client.recv(65536):
                pass
    except OSError:
        pass


def connect(port, count):
    return [socket.create_connection(('127.0.0.1', port), PATIENCE_S) for _ in range(count)]


def drip(server, port, count):
    """So many clients send a request byte by byte."""
    clients, request, wrong = connect(port, count), b'GET /t/r HTTP/1.1\r\nX: aaaaaaaa', []
    for at in range(len(request)):
        for client in clients:
            try:
                client.send(request[at:at + 1])
            except OSError:
                pass
        wrong += server.faults() if at % 8 == 0 else []
    for client in clients:
        client.close()
    return wrong


def idle(server, port, count):
    clients = connect(port, count)
    wrong = server.faults()
    for client in clients:
        client.close()
    return wrong


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    server = Server(os.path.abspath(sys.argv[1]), sys.argv[2])
    failed = False
    print('| port | requests | slow clients | connections | peak, MB | faults |\n|---|---|---|---|---|---|')
    for name, port in server.ports.items():
        wrong, requests = [], GENERIC + list(cases(name))
        last = time.monotonic()
        for request in requests:
            for half in [True, False]:
                send(port, request, half)
            if time.monotonic() - last > 1:
                wrong += server.faults()
                last = time.monotonic()
        wrong += drip(server, port, 1000) + idle(server, port, MANY) + server.faults()
        print(f'| {name} | {2 * len(requests)} | 1000 | {MANY} | {server.memory_mb()} | {", ".join(wrong) or "none"} |', flush=True)
        failed = failed or bool(wrong)
    server.process.terminate()
    return 1 if server.process.wait() != 0 or failed else 0


if __name__ == '__main__':
    sys.exit(main())
