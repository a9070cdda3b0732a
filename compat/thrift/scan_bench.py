"""A scan of many rows by happybase through two servers, alternating: scan_bench.py ROWS ROUNDS NAME=PORT NAME=PORT. Prints the wall
time of each scan, and the medians' ratio (second : first)."""

import statistics
import sys
import time

import happybase

ROWS, ROUNDS = int(sys.argv[1]), int(sys.argv[2])
SERVERS = [argument.split("=") for argument in sys.argv[3:]]
NAME = b"scan_bench"


def connect(port):
    return happybase.Connection("127.0.0.1", int(port), timeout=600000)


for name, port in SERVERS:
    connection = connect(port)
    if NAME in connection.tables():
        connection.delete_table(NAME, disable=True)
    connection.create_table(NAME, {"f": dict(max_versions=1)})
    start = time.monotonic()
    with connection.table(NAME).batch(batch_size=5000) as batch:
        for i in range(ROWS):
            batch.put(b"user%09d" % i, {b"f:name": b"name of user %d" % i})
    print("%s: %d rows written in %.1f s" % (name, ROWS, time.monotonic() - start), flush=True)

times = {name: [] for name, _ in SERVERS}
for _ in range(ROUNDS):
    for name, port in SERVERS:
        start = time.monotonic()
        count = sum(1 for _ in connect(port).table(NAME).scan(batch_size=1000))
        times[name].append(time.monotonic() - start)
        assert count == ROWS, (name, count)
        print("%s: %d rows scanned in %.1f s" % (name, count, times[name][-1]), flush=True)

medians = [statistics.median(times[name]) for name, _ in SERVERS]
print("%s : %s = %.2f" % (SERVERS[1][0], SERVERS[0][0], medians[1] / medians[0]))
for name, port in SERVERS:
    connect(port).delete_table(NAME, disable=True)
