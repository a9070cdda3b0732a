"""Compares ways to read a table in Python, on the store of klip_arrow_rates: single rows, columns, pandas, DuckDB, and happybase
through klip serve. Rows per second of wall time, medians of three. Usage: arrow_rates.py STORE; needs duckdb, pandas, pyarrow, happybase."""

import collections
import struct
import sys
import time

import duckdb
import happybase
import pandas
import pyarrow

import klip
import klip.testing

TYPES = {"d:note": "text", "d:visits": "i64"}
store = sys.argv[1]


def median(name, run):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        rows = run()
        times.append(time.perf_counter() - start)
    took = sorted(times)[1]
    print(f"{name:44} {took * 1000:8.0f} ms   {rows / took / 1e6:6.2f} M rows/s", flush=True)


def rows_of(table):
    return sum(1 for _ in table.scan())


def typed_rows_of(table):
    decode = table.schema.decode
    return sum(1 for key, row in table.scan() if decode(key) and struct.unpack(">q", row[b"d:visits"]))


def rows_to_pandas(table):
    decode = table.schema.decode
    frame = pandas.DataFrame([{**decode(key), "visits": struct.unpack(">q", row[b"d:visits"])[0]} for key, row in table.scan()])
    return int(frame.groupby("day").size().sum())


def duck(rows):
    return sum(count for _, count in duckdb.sql("SELECT day, count(*) FROM rows GROUP BY day").fetchall())


with klip.connect("klip:" + store, block_cache_bytes=2 << 30, sync_wal=False) as connection:
    table = connection.table("visits")
    median("rows, as they come", lambda: rows_of(table))
    median("rows, decoded", lambda: typed_rows_of(table))
    median("columns, one thread", lambda: pyarrow.table(table.arrow(TYPES)).num_rows)
    median("columns, two threads", lambda: pyarrow.table(table.arrow(TYPES, threads=2)).num_rows)
    median("count by day: pandas of rows", lambda: rows_to_pandas(table))
    median("count by day: DuckDB of columns", lambda: duck(table.arrow(TYPES)))
    median("count by day: DuckDB of columns, two threads", lambda: duck(table.arrow(TYPES, threads=2)))
    median("count by day: DuckDB of keys alone", lambda: duck(table.arrow()))
    median("count by day: DuckDB of keys alone, two threads", lambda: duck(table.arrow(threads=2)))

with klip.testing.server(directory=store) as server:
    table = happybase.Connection(port=server.ports["thrift"], timeout=600000).table("visits")

    def happy():
        days = collections.Counter(key[10:18] for key, _ in table.scan(batch_size=1000))
        return sum(days.values())

    median("count by day: happybase, klip serve", happy)
