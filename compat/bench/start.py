#!/usr/bin/env python3
"""Measures the time from the start of klip serve to its first answer, and its idle memory.

    start.py KLIP STORE [TIMES]     default 15 times; prints the median, the worst, and memory

The call is a Get on hbase:meta over HBase's RPC, encoded by hand: the start of a client would take most of the time.
"""
import socket
import statistics
import subprocess
import sys
import time


def field(number, value):
    """One protobuf field: an int as varint, bytes as such."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    assert len(value) < 128
    return bytes([number << 3 | 2, len(value)]) + value


def delimited(message):
    assert len(message) < 128
    return bytes([len(message)]) + message


def framed(body):
    return len(body).to_bytes(4, "big") + body


OPENING = b"HBas\0\x50" + framed(field(1, field(1, b"bench")) + field(2, b"ClientService"))
REGION = field(1, field(1, 1) + field(2, b"hbase:meta,,1"))
GET = framed(delimited(field(1, 7) + field(3, b"Get") + field(4, 1)) + delimited(REGION + field(2, field(1, b"x"))))


def receive(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise SystemExit("start.py: the server closed the connection")
        data += part
    return data


def first_answer(port):
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            break
        except ConnectionRefusedError:
            time.sleep(0.0002)
    with connection:
        connection.sendall(OPENING + GET)
        answer = receive(connection, int.from_bytes(receive(connection, 4), "big"))
    if answer[1:3] != field(1, 7) or answer[0] != 2:
        raise SystemExit(f"start.py: not an answer to call 7: {answer!r}")


def memory_mb(process, what):
    with open(f"/proc/{process}/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(klip, store, times=15):
    took, own, resident = [], [], []
    for _ in range(int(times)):
        port = free_port()
        command = [klip, "serve", "--data", store, "--rpc-port", str(port), "--zk-port", "0"]
        start = time.perf_counter()
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
            try:
                first_answer(port)
                took.append((time.perf_counter() - start) * 1000)
                time.sleep(0.5)
                own.append(memory_mb(server.pid, "RssAnon:"))
                resident.append(memory_mb(server.pid, "VmRSS:"))
            finally:
                server.terminate()
    print(f"{store}: first answer after {statistics.median(took):.0f} ms, at worst {max(took):.0f} ms; "
          f"idle {max(own):.1f} MB, with pages of the program and its libraries {max(resident):.1f} MB ({times} starts)")


if __name__ == "__main__":
    main(*sys.argv[1:])
