"""Compares reads by the Python package with C++ on the same store, ctypes on the same libklip.so, and happybase through `klip thrift`.

    python.py BUILD_DIRECTORY [ROWS [ROUNDS]]

Rows have three columns of about 10 bytes. Each reader runs in its own process; they alternate in every round, and the best round
counts. Times are CPU times of the reading process only. happybase also loads its server, so its wall time is shown too.
"""

import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

TABLE = "rates"
FAMILY = "d"


def key(number):
    return b"user%09d" % number


def values(number):
    return {b"d:city": b"city%06d" % (number % 1000), b"d:name": b"name%09d" % number, b"d:visits": b"%010d" % number}


def spread(count, rows):
    return (key(i * 7919 % rows) for i in range(count))


class Clock:
    def __enter__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *error):
        self.wall, self.cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu


def report(name, count, clock):
    print(json.dumps({"what": name, "count": count, "cpu": clock.cpu, "wall": clock.wall}))


# --- The ways ---


def by_klip(store, rows, gets):
    import klip

    with klip.connect(f"klip:{store}", create_if_missing=False) as connection:
        table = connection.table(TABLE)
        with Clock() as clock:
            count = sum(1 for _ in table.scan())
        report("scan", count, clock)
        with Clock() as clock:
            count = sum(1 for row in spread(gets, rows) if table.row(row))
        report("get", count, clock)


def by_ctypes(store, rows, gets):
    """What a package without an extension module would do: the same dicts, cell by cell."""
    lib = ctypes.CDLL(os.environ["KLIP_LIBRARY"])

    class Bytes(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    class Cell(ctypes.Structure):
        _fields_ = [(name, Bytes) for name in ("row", "family", "qualifier", "value", "tags")] + [
            ("timestamp", ctypes.c_int64),
            ("type", ctypes.c_int32),
            ("reserved", ctypes.c_int32),
        ]

    class Row(ctypes.Structure):
        _fields_ = [("cells", ctypes.POINTER(Cell)), ("cell_count", ctypes.c_size_t)]

    lib.klip_rows_get.restype = ctypes.POINTER(Row)
    lib.klip_rows_get.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    lib.klip_rows_size.restype = ctypes.c_size_t
    lib.klip_rows_size.argtypes = [ctypes.c_void_p]
    lib.klip_scanner_next.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    string_at = ctypes.string_at

    connection, table, scanner, batch = (ctypes.c_void_p() for _ in range(4))
    assert lib.klip_connection_open(f"klip:{store}".encode(), None, ctypes.byref(connection), None) == 0
    assert lib.klip_table_open(connection, TABLE.encode(), ctypes.byref(table), None) == 0
    with Clock() as clock:
        assert lib.klip_table_scan(table, None, ctypes.byref(scanner), None) == 0
        count = 0
        while True:
            assert lib.klip_scanner_next(scanner, 1024, ctypes.byref(batch), None) == 0
            size = lib.klip_rows_size(batch)
            if size == 0:
                break
            for index in range(size):
                row = lib.klip_rows_get(batch, index).contents
                made = {}
                cells = row.cells
                for i in range(row.cell_count):
                    cell = cells[i]
                    family, qualifier, value = cell.family, cell.qualifier, cell.value
                    name = string_at(family.data, family.size) + b":" + string_at(qualifier.data, qualifier.size)
                    made[name] = string_at(value.data, value.size)
                (string_at(cells[0].row.data, cells[0].row.size), made)
                count += 1
    report("scan", count, clock)
    lib.klip_connection_free(connection)


def by_happybase(port, rows, gets):
    import happybase

    table = happybase.Connection("127.0.0.1", int(port), timeout=600000).table(TABLE)
    with Clock() as clock:
        count = sum(1 for _ in table.scan(batch_size=1000))
    report("scan", count, clock)
    gets //= 20  # each is a round trip
    with Clock() as clock:
        count = sum(1 for row in spread(gets, rows) if table.row(row))
    report("get", count, clock)


WAYS = {"klip": by_klip, "ctypes": by_ctypes, "happybase": by_happybase}


# --- Running them ---


def load(store, rows):
    import klip

    with klip.connect(f"klip:{store}", sync_wal=False) as connection:
        connection.create_table(TABLE, [FAMILY])
        with connection.loader(TABLE) as loader:
            for number in range(rows):
                loader.put(key(number), values(number))


def outcomes(lines):
    return {one["what"]: one for one in map(json.loads, lines.splitlines())}


def run_cpp(build, store, gets):
    lines = subprocess.check_output([build / "bench/klip_read_rates", store, TABLE, str(gets)], text=True)
    fields = (line.split() for line in lines.splitlines())
    return {what: {"count": int(count), "cpu": float(cpu), "wall": None} for what, count, cpu in fields}


def main(build, rows=300000, rounds=3):
    gets = 100000
    work = tempfile.mkdtemp(prefix="klip_python_bench_")
    server = None
    try:
        store = f"{work}/store"
        load(store, rows)
        shutil.copytree(store, f"{work}/served")  # one process at a time has a store
        server = subprocess.Popen(
            [build / "klip", "thrift", f"{work}/served", "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        port = server.stdout.readline().split("thrift=")[1].split()[0].rsplit(":", 1)[-1]
        environment = {**os.environ, "KLIP_LIBRARY": str(build / "libklip.so")}

        def run(way, where):
            command = [sys.executable, __file__, "--way", way, where, str(rows), str(gets)]
            return outcomes(subprocess.check_output(command, text=True, env=environment))

        best = {}
        for _ in range(rounds):
            for way, done in (
                ("C++", run_cpp(build, store, gets)),
                ("klip", run("klip", store)),
                ("ctypes", run("ctypes", store)),
                ("happybase", run("happybase", port)),
            ):
                for what, one in done.items():
                    assert one["count"] in (rows, gets, gets // 20), (way, what, one)
                    if (way, what) not in best or one["cpu"] < best[way, what]["cpu"]:
                        best[way, what] = one
        print(f"{rows} rows of 3 columns, best of {rounds}; klip = 1.00")
        for what in ("scan", "get"):
            base = best["klip", what]["cpu"] / best["klip", what]["count"]
            for way in ("C++", "klip", "ctypes", "happybase"):
                if (way, what) in best:
                    one = best[way, what]
                    cpu = one["cpu"] / one["count"]
                    wall = f"   {one['count'] / one['wall']:10.0f} /s of wall time" if one["wall"] else ""
                    print(f"{what:5} {way:10} {1 / cpu:10.0f} /s of processor time  {cpu / base:6.2f} x{wall}")
    finally:
        if server is not None:
            server.terminate()
            server.wait()
            server.stdout.close()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1] == "--way":
        WAYS[sys.argv[2]](sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main(pathlib.Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:]))
