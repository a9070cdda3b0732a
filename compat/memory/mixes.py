#!/usr/bin/env python3
"""Loads klip serve by mixes of greedy clients that speak HBase's RPC, REST and Thrift by hand, and prints for each the peak memory of
the server, its limit, and the speed of a client with small Gets. Fails if the peak exceeds the limit by more than a tenth. Mixes
"alone-..." load `klip rest` or `klip thrift` as programs of their own; their small Gets come by the same door.

  mixes.py KLIP [LIMIT_MB [SECONDS [MIX ...]]]     default 256, 8, all; LIMIT_MB 0: the server's own limit
"""
import gzip
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from protobuf_wire import field, varint  # noqa: E402

MB = 1 << 20
ROW_CELLS = 60
SMALL_ROWS = 20000


def parse(message):
    """Field number to values of a message."""
    fields, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        fields.setdefault(key >> 3, []).append(value)
    return fields


def region(name):
    return field(1, field(1, 1) + field(2, name))


def get_request(name, row):
    return region(name) + field(2, field(1, row))


def put_request(name, row, qualifier, value):
    column = field(1, 'f') + field(2, field(1, qualifier) + field(2, value))
    return region(name) + field(2, field(1, row) + field(2, 2) + field(3, column))


def scan_request(name, rows, start=b'', max_bytes=100 * MB, filtered=b''):
    scan = (field(3, start) if start else b'') + filtered + field(10, max_bytes)
    return region(name) + field(2, scan) + field(4, rows) + field(7, 1) + field(8, 1)


class Client:
    """A connection to the ClientService."""

    def __init__(self, port, cell_blocks=True, compressor=None, user='greedy'):
        self.socket = socket.create_connection(('127.0.0.1', port))
        self.socket.settimeout(60)
        header = field(1, field(1, user)) + field(2, 'ClientService')
        if cell_blocks:
            header += field(3, 'org.apache.hadoop.hbase.codec.KeyValueCodec')
        if compressor:
            header += field(4, compressor)
        version = b''.join(field(i + 1, '2.6.4') for i in range(6)) + field(7, 2) + field(8, 6)
        header += field(5, version)
        self.socket.sendall(b'HBas\0\x50' + struct.pack('>I', len(header)) + header)
        self.calls = 0

    def send(self, method, message, cells=b''):
        self.calls += 1
        header = field(1, self.calls) + field(3, method) + field(4, 1)
        if cells:
            header += field(5, field(1, len(cells)))
        body = varint(len(header)) + header + varint(len(message)) + message
        self.socket.sendall(struct.pack('>I', len(body) + len(cells)) + body + cells)

    def receive(self, keep=MB):
        """The exception's class, or None, and the first bytes of the answer."""
        size = struct.unpack('>I', self.take(4))[0]
        front = self.take(min(size, keep))
        left, waste = size - len(front), bytearray(MB)
        while left > 0:
            got = self.socket.recv_into(waste, min(left, MB))
            if got == 0:
                raise ConnectionError('cut')
            left -= got
        length, shift, at = 0, 0, 0
        while True:
            length |= (front[at] & 0x7F) << shift
            shift += 7
            at += 1
            if front[at - 1] < 0x80:
                break
        header = parse(front[at:at + length])
        error = parse(header[2][0])[1][0].decode().rsplit('.', 1)[-1] if 2 in header else None
        return error, front[at + length:], size

    def take(self, count):
        parts = bytearray()
        while len(parts) < count:
            got = self.socket.recv(count - len(parts))
            if not got:
                raise ConnectionError('cut')
            parts += got
        return bytes(parts)

    def call(self, method, message, cells=b''):
        self.send(method, message, cells)
        return self.receive()


def http_request(method, path, body=b'', headers=''):
    head = '%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n%s\r\n' % (method, path, len(body), headers)
    return head.encode() + body


def http_answer(stream):
    """Reads an answer to its end, and returns its status."""
    status, length = int(stream.readline().split()[1]), 0
    for line in iter(stream.readline, b'\r\n'):
        if line.lower().startswith(b'content-length:'):
            length = int(line.split(b':')[1])
    while length > 0:
        got = len(stream.read(min(length, MB)))
        if got == 0:
            raise ConnectionError('cut')
        length -= got
    return None if status < 400 else 'HTTP%d' % status


def thrift_call(method, *fields):
    """A framed call of the binary protocol; fields are strings, numbers, a map without entries, a tuple of
    strings, or a list of structs as they are sent."""
    name = method.encode()
    message = struct.pack('>II', 0x80010001, len(name)) + name + struct.pack('>I', 1)
    for number, value in enumerate(fields, 1):
        if isinstance(value, dict):
            message += struct.pack('>bhbbI', 13, number, 11, 11, 0)
        elif isinstance(value, int):
            message += struct.pack('>bhi', 8, number, value)
        elif isinstance(value, tuple):
            message += struct.pack('>bhbI', 15, number, 11, len(value)) + b''.join(
                struct.pack('>I', len(one)) + one for one in value)
        elif isinstance(value, list):
            message += struct.pack('>bhbI', 15, number, 12, len(value)) + b''.join(value)
        else:
            message += struct.pack('>bhI', 11, number, len(value)) + value
    message += b'\0'
    return struct.pack('>I', len(message)) + message


def thrift_mutation(column, value):
    return (struct.pack('>bhb', 2, 1, 0) + struct.pack('>bhI', 11, 2, len(column)) + column +
            struct.pack('>bhI', 11, 3, len(value)) + value + b'\0')


def thrift_answer(stream):
    """Reads an answer to its end; the message's type, or the first field's number, tells of exceptions."""
    front = stream.read(4)
    if len(front) < 4:
        raise ConnectionError('cut')
    left, head = struct.unpack('>I', front)[0], b''
    while left > 0:
        got = stream.read(min(left, MB))
        if not got:
            raise ConnectionError('cut')
        head, left = head or got, left - len(got)
    at = 8 + struct.unpack('>I', head[4:8])[0] + 4
    failed = head[3] == 3 or (head[at] != 0 and struct.unpack('>h', head[at + 1:at + 3])[0] != 0)
    return 'exception' if failed else None


class Mixes:
    def __init__(self, ports, name):
        self.ports, self.port, self.name = ports, ports.get('rpc'), name
        self.stop = threading.Event()
        self.counts, self.lock = {}, threading.Lock()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def repeat(self, method, message, cells=b'', **connection):
        """A client that does the same again and again, and waits after a refusal."""
        while not self.stop.is_set():
            try:
                client = Client(self.port, **connection)
                while not self.stop.is_set():
                    error = client.call(method, message, cells)[0]
                    self.count(error or 'done')
                    if error:
                        time.sleep(0.1)
            except OSError as error:
                self.count(type(error).__name__)
                time.sleep(0.1)

    def ask(self, door, request, answer):
        """The same by REST or Thrift: `answer` reads what comes back."""
        while not self.stop.is_set():
            try:
                with socket.create_connection(('127.0.0.1', self.ports[door])) as client:
                    client.settimeout(60)
                    stream = client.makefile('rb', buffering=MB)
                    while not self.stop.is_set():
                        client.sendall(request)
                        error = answer(stream)
                        self.count(error or 'done')
                        if error:
                            time.sleep(0.1)
            except (OSError, IndexError) as error:
                self.count(type(error).__name__)
                time.sleep(0.1)

    def ask_unread(self, door, request, calls):
        """A client of REST or Thrift that asks for much, and reads nothing."""
        with socket.create_connection(('127.0.0.1', self.ports[door])) as client:
            client.settimeout(1)
            try:
                for _ in range(calls):
                    client.sendall(request)
            except OSError:
                pass
            self.stop.wait()

    def scan_by_rest(self, scanners):
        """A client that keeps so many scanners open, and reads a row of each."""
        with socket.create_connection(('127.0.0.1', self.ports['rest'])) as client:
            client.settimeout(60)
            stream = client.makefile('rb', buffering=MB)
            for _ in range(scanners):
                client.sendall(http_request('PUT', '/t/scanner', b'<Scanner batch="1"/>', 'Content-Type: text/xml\r\n'))
                headers = {}
                status = int(stream.readline().split()[1])
                for line in iter(stream.readline, b'\r\n'):
                    headers[line.partition(b':')[0].lower()] = line.partition(b':')[2].strip().decode()
                stream.read(int(headers.get(b'content-length', 0)))
                self.count('opened' if status == 201 else 'HTTP%d' % status)
                if status == 201:
                    path = '/t/scanner/' + headers[b'location'].rpartition('/')[2]
                    client.sendall(http_request('GET', path, headers='Accept: application/x-protobuf\r\n'))
                    self.count(http_answer(stream) or 'read')
            self.stop.wait()

    def scan_by_thrift(self, scanners):
        """The same by Thrift."""
        with socket.create_connection(('127.0.0.1', self.ports['thrift'])) as client:
            client.settimeout(60)
            stream = client.makefile('rb', buffering=MB)
            for _ in range(scanners):
                client.sendall(thrift_call('scannerOpen', b't', b'', (b'f',), {}))
                front = stream.read(4)
                body = stream.read(struct.unpack('>I', front)[0])
                at = 8 + struct.unpack('>I', body[4:8])[0] + 4
                opened = body[at:at + 3] == b'\x08\0\0'
                self.count('opened' if opened else 'exception')
                if opened:
                    scanner = struct.unpack('>i', body[at + 3:at + 7])[0]
                    client.sendall(thrift_call('scannerGet', scanner))
                    self.count(thrift_answer(stream) or 'read')
            self.stop.wait()

    def unread(self, calls):
        """A client that asks for much, and reads nothing."""
        client = Client(self.port)
        client.socket.settimeout(1)
        try:
            for _ in range(calls):
                client.send('Scan', scan_request(self.name, 1000, b'big'))
        except OSError:
            pass
        self.stop.wait()

    def flood(self, scans):
        """A client that always has so many dear scans under way: each looks at every small row and finds none."""
        package = 'org.apache.hadoop.hbase.filter.'
        value = field(1, package + 'BinaryComparator') + field(2, field(1, field(1, 'none')))
        none = field(5, field(1, package + 'ValueFilter') + field(2, field(1, field(1, 2) + field(2, value))))
        message = scan_request(self.name, 1000, b'small', filtered=none)
        client = Client(self.port)
        try:
            for _ in range(scans):
                client.send('Scan', message)
            while not self.stop.is_set():
                self.count(client.receive()[0] or 'done')
                client.send('Scan', message)
        except OSError as error:
            self.count(type(error).__name__)

    def threads(self, mix):
        start, big = [], get_request(self.name, 'big')
        gzipped = b''
        if mix.startswith('gzip'):
            megabytes = int(mix.partition('-')[2] or 250)
            gzipped = gzip.compress(bytes(megabytes * MB), 1)
            codec = 'org.apache.hadoop.io.compress.GzipCodec'
            start = [(self.repeat, ('Get', get_request(self.name, 'none'), gzipped), {'compressor': codec})] * 20
        elif mix == 'rows-30':
            start = [(self.repeat, ('Get', big), {})] * 30
        elif mix == 'rows-30-inline':
            start = [(self.repeat, ('Get', big), {'cell_blocks': False})] * 30
        elif mix == 'rows-100':
            start = [(self.repeat, ('Get', big), {})] * 100
        elif mix == 'scans-30':
            start = [(self.repeat, ('Scan', scan_request(self.name, 1000, b'big')), {})] * 30
        elif mix == 'unread-40':
            start = [(self.unread, (40,), {})]
        elif mix == 'unread-50x40':
            start = [(self.unread, (40,), {})] * 50
        elif mix == 'puts-30':
            puts = put_request(self.name, 'put', 'q', bytes(9 * MB))
            start = [(self.repeat, ('Mutate', puts), {})] * 30
        elif mix == 'flood-60x20':
            start = [(self.flood, (20,), {})] * 60
        elif mix.startswith('rest-rows') or mix.startswith('rest-mid'):
            row, clients = ('big' if 'rows' in mix else 'mid'), int(mix.split('-')[2])
            request = http_request('GET', '/t/' + row, headers='Accept: application/json\r\n')
            start = [(self.ask, ('rest', request, http_answer), {})] * clients
        elif mix == 'rest-puts-30':
            request = http_request('PUT', '/t/put/f:q', bytes(9 * MB), 'Content-Type: application/octet-stream\r\n')
            start = [(self.ask, ('rest', request, http_answer), {})] * 30
        elif mix == 'rest-gzip-30':
            request = http_request('PUT', '/t/put/f:q', gzip.compress(bytes(60 * MB), 1),
                                   'Content-Type: application/octet-stream\r\nContent-Encoding: gzip\r\n')
            start = [(self.ask, ('rest', request, http_answer), {})] * 30
        elif mix.startswith('thrift-rows') or mix.startswith('thrift-mid'):
            row, clients = (b'big' if 'rows' in mix else b'mid'), int(mix.split('-')[2])
            start = [(self.ask, ('thrift', thrift_call('getRow', b't', row, {}), thrift_answer), {})] * clients
        elif mix == 'thrift-puts-30':
            request = thrift_call('mutateRow', b't', b'put', [thrift_mutation(b'f:q', bytes(9 * MB))], {})
            start = [(self.ask, ('thrift', request, thrift_answer), {})] * 30
        elif mix.startswith('rest-unread'):
            request = http_request('GET', '/t/mid', headers='Accept: application/json\r\n')
            start = [(self.ask_unread, ('rest', request, 40), {})] * int(mix.split('-')[2])
        elif mix.startswith('thrift-unread'):
            start = [(self.ask_unread, ('thrift', thrift_call('getRow', b't', b'mid', {}), 40), {})] * int(mix.split('-')[2])
        elif mix.startswith('rest-scanners'):
            start = [(self.scan_by_rest, (64,), {})] * int(mix.split('-')[2])
        elif mix.startswith('thrift-scanners'):
            start = [(self.scan_by_thrift, (64,), {})] * int(mix.split('-')[2])
        elif mix != 'idle':
            raise SystemExit('no such mix: ' + mix)
        return [threading.Thread(target=run, args=a, kwargs=k, daemon=True) for run, a, k in start]


class Getter:
    """A connection for small Gets by one of the doors."""

    def __init__(self, door, port, name):
        self.door, self.name = door, name
        if door == 'rpc':
            self.client = Client(port, user='good')
        else:
            self.socket = socket.create_connection(('127.0.0.1', port))
            self.socket.settimeout(60)
            self.stream = self.socket.makefile('rb', buffering=MB)

    def get(self):
        """The error, or None."""
        row = b'small%08d' % 7
        if self.door == 'rpc':
            return self.client.call('Get', get_request(self.name, row))[0]
        if self.door == 'rest':
            self.socket.sendall(http_request('GET', '/t/' + row.decode(), headers='Accept: application/json\r\n'))
            return http_answer(self.stream)
        self.socket.sendall(thrift_call('getRow', b't', row, {}))
        return thrift_answer(self.stream)


def probe(door, port, name, seconds):
    """The client that must not notice, in a process of its own: small Gets. Prints what each took, and errors."""
    getter, end = Getter(door, port, name), time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            error = getter.get()
        except (OSError, IndexError) as cut:
            error = type(cut).__name__
            getter = Getter(door, port, name)
        print(time.monotonic() - began, error or '')
        time.sleep(0.005)


ALL = ['idle', 'rows-30', 'rows-30-inline', 'rows-100', 'scans-30', 'unread-40', 'unread-50x40', 'gzip-250', 'gzip-20', 'puts-30',
       'flood-60x20', 'rest-rows-30', 'rest-mid-30', 'rest-puts-30', 'rest-gzip-30', 'thrift-rows-30', 'thrift-mid-30',
       'thrift-puts-30']
ALONE = [door + mix for door in ('alone-rest-', 'alone-thrift-')
         for mix in ('idle', 'rows-30', 'mid-30', 'puts-30', 'unread-50', 'scanners-1', 'scanners-4')] + ['alone-rest-gzip-30']


def peak_mb(pid):
    with open('/proc/%d/status' % pid, encoding='ascii') as status:
        return int(re.search(r'VmHWM:\s+(\d+)', status.read()).group(1)) / 1024


def start(klip, store, limit, door='rpc'):
    """The server with this door; klip serve has all of them."""
    options = ['--no-fsync'] + (['--memory-limit', '%dMB' % limit] if limit else [])
    serve = ['serve', '--data', store, '--rpc-port', '0', '--zk-port', '0', '--rest-port', '0', '--thrift-port', '0']
    command = serve if door == 'rpc' else [door, store, '--port', '0']
    server = subprocess.Popen([klip] + command + options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        ports = {one: int(port) for one, port in re.findall(r'(rpc|rest|thrift)=127\.0\.0\.1:(\d+)', line)}
        if door in ports:
            threading.Thread(target=lambda: [None for _ in server.stdout], daemon=True).start()
            return server, ports
    raise SystemExit('the server did not start')


def fill(port, name):
    client = Client(port)
    for i in range(ROW_CELLS):
        while client.call('Mutate', put_request(name, 'big', 'q%03d' % i, os.urandom(MB)))[0]:
            time.sleep(0.1)
    for i in range(6):  # a row that fits many times
        while client.call('Mutate', put_request(name, 'mid', 'q%03d' % i, os.urandom(MB // 2)))[0]:
            time.sleep(0.1)
    for first in range(0, SMALL_ROWS, 1000):
        for i in range(first, first + 1000):
            client.send('Mutate', put_request(name, b'small%08d' % i, 'q', b'v' * 100))
        for _ in range(1000):
            client.receive()


def region_of(port):
    for _ in range(2):
        answer = Client(port, cell_blocks=False)
        rows = answer.call('Scan', scan_request('hbase:meta,,1', 100))[1]
        found = re.search(rb't,,\d+\.[0-9a-f]{32}\.', rows)
        if found:
            return found.group(0)
    raise SystemExit('the table has no region')


def main():
    if sys.argv[1] == '--probe':
        return probe(sys.argv[2], int(sys.argv[3]), sys.argv[4].encode(), float(sys.argv[5]))
    klip = os.path.abspath(sys.argv[1])
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 256
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 8
    mixes = sys.argv[4:] or ALL + ALONE
    failed = False
    with tempfile.TemporaryDirectory() as work:
        store = os.path.join(work, 'store')
        subprocess.run([klip, 'create', store, 't', '--family', 'f'], check=True, stdout=subprocess.DEVNULL)
        server, ports = start(klip, store, limit)
        fill(ports['rpc'], region_of(ports['rpc']))
        server.terminate()
        server.wait()
        print('| mix | peak, MB | after, MB | good client: Gets, p99 ms, refused | others |\n|---|---|---|---|---|')
        for mix in mixes:
            door = mix.split('-')[1] if mix.startswith('alone-') else 'rpc'
            load = mix.removeprefix('alone-').replace(door + '-idle', 'idle')
            server, ports = start(klip, store, limit, door)
            all_of_it = Mixes(ports, region_of(ports['rpc']) if door == 'rpc' else b'')
            for thread in all_of_it.threads(load):
                thread.start()
            time.sleep(1)
            good = subprocess.run([sys.executable, __file__, '--probe', door, str(ports[door]), all_of_it.name.decode(), str(seconds)],
                                  stdout=subprocess.PIPE, text=True, check=False)
            times = [line.partition(' ') for line in good.stdout.splitlines()]
            all_of_it.stop.set()
            peak = peak_mb(server.pid)
            with open('/proc/%d/clear_refs' % server.pid, 'w', encoding='ascii') as clear:
                clear.write('5')
            after = peak_mb(server.pid)
            took = sorted(float(one) for one, _, _ in times)
            p99 = took[len(took) * 99 // 100] * 1000 if took else -1
            refused = sum(1 for _, _, error in times if error)
            print('| %s | %.0f | %.0f | %d, %.1f, %d | %s |' % (mix, peak, after, len(times), p99, refused, all_of_it.counts),
                  flush=True)
            failed = failed or server.poll() is not None or (limit > 0 and peak > 1.1 * limit)
            server.kill()
            server.wait()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
