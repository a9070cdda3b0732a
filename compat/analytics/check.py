"""Random tables, read by pyarrow, pandas, Polars and DuckDB as columns, as Parquet and as Arrow files, compared with the rows of the row API;
then written back. Usage: check.py [TABLES] [SEED]; needs the packages of requirements.txt, and klip."""

import datetime
import os
import random
import struct
import sys
import tempfile

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

import klip
import klip.files

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
DAY = datetime.date(2014, 1, 1)

# type -> (a random value, its bytes in a cell)
CELLS = {
    "i64": lambda r: packed(">q", r.randrange(-(2**63), 2**63)),
    "i32": lambda r: packed(">i", r.randrange(-(2**31), 2**31)),
    "u8": lambda r: packed(">B", r.randrange(256)),
    "f64": lambda r: packed(">d", r.uniform(-1e300, 1e300)),
    "f32": lambda r: packed(">f", struct.unpack(">f", struct.pack(">f", r.uniform(-1e30, 1e30)))[0]),
    "text": lambda r: (text := "".join(r.choice("aZ9 ü€😀'\"\\") for _ in range(r.randrange(20))), text.encode()),
    "bytes": lambda r: (data := r.randbytes(r.randrange(20)), data),
    "boolean": lambda r: (flag := r.random() < 0.5, b"\xff" if flag else b"\0"),
    "date": lambda r: (day := DAY + datetime.timedelta(r.randrange(9000)), day.strftime("%Y%m%d").encode()),
    "ts": lambda r: (
        EPOCH + datetime.timedelta(milliseconds=(ms := r.randrange(2**42))),
        struct.pack(">Q", ms),
    ),
}
# type of a key field -> a random value, as text and as Arrow has it
KEYS = {
    "text('|')": lambda r: twice("".join(r.choice("abcü") for _ in range(r.randrange(1, 5)))),
    "u32": lambda r: number(r.randrange(2**32)),
    "i64 desc": lambda r: number(r.randrange(-(2**63), 2**63)),
    "date": lambda r: (day := DAY + datetime.timedelta(r.randrange(300)), day.isoformat())[::-1],
    "digits(5)": lambda r: number(r.randrange(100000)),
    "reverse_ts": lambda r: (str(ms := r.randrange(2**42)), EPOCH + datetime.timedelta(milliseconds=ms)),
}


def packed(form, value):
    return value, struct.pack(form, value)


def twice(value):
    return value, value


def number(value):
    return str(value), value


def make_table(connection, r, number):
    """The table, its columns with types, and the expected rows as tuples: key fields, then columns."""
    keys = r.sample(sorted(KEYS), r.randrange(1, 4))
    schema = " ".join(f"k{i}:{key}" for i, key in enumerate(keys))
    columns = {f"{r.choice('de')}:c{i}": r.choice(sorted(CELLS)) for i in range(r.randrange(1, 6))}
    table = connection.create_table(f"t{number}", ["d", "e"], row_key=schema)
    rows = {}
    puts = []
    for _ in range(r.randrange(0, 400)):
        parts = [KEYS[key](r) for key in keys]
        key = table.schema.encode(*(part[0] for part in parts))
        if key in rows:
            continue
        cells = {name: CELLS[type](r) for name, type in columns.items() if r.random() < 0.8}
        if cells:
            puts.append(klip.Put(key, {name: data for name, (_, data) in cells.items()}))
            rows[key] = tuple(part[1] for part in parts) + tuple(cells[name][0] if name in cells else None for name in columns)
    table.put_all(puts)
    return table, columns, [rows[key] for key in sorted(rows)]


def plain(value):
    """As all libraries can be compared: times in UTC, bytes, no types of their own."""
    if isinstance(value, pandas.Timestamp):
        value = value.to_pydatetime()
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=datetime.timezone.utc) if value.tzinfo is None else value.astimezone(datetime.timezone.utc)
    return bytes(value) if isinstance(value, (bytearray, memoryview)) else value


def tuples(arrow_table):
    columns = [column.to_pylist() for column in arrow_table.columns]
    return [tuple(map(plain, row)) for row in zip(*columns)]


def check(got, expected, what):
    assert len(got) == len(expected), f"{what}: {len(got)} rows, not {len(expected)}"
    for one, other in zip(got, expected):
        assert tuple(one) == other, f"{what}: {one} is not {other}"


def check_readers(rows, keys, expected):
    check(tuples(pyarrow.table(rows)), expected, "pyarrow")
    check([tuple(map(plain, row)) for row in polars.DataFrame(rows).iter_rows()], expected, "Polars")
    duckdb.sql("SET TimeZone = 'UTC'")
    check([tuple(map(plain, row)) for row in duckdb.sql("SELECT * FROM rows").fetchall()], expected, "DuckDB")
    # pandas makes numbers with gaps into floats, so of it the key is compared, which has none.
    frame = pyarrow.table(pandas.DataFrame.from_arrow(rows)).select(range(keys))
    check(tuples(frame), [row[:keys] for row in expected], "pandas")


def check_files(connection, table, columns, expected, directory, number):
    for ending, all_cells in (("parquet", False), ("arrow", False), ("parquet", True)):
        path = f"{directory}/{number}.{all_cells}.{ending}"
        assert klip.files.export_table(table, path, columns=None if all_cells else columns) == len(expected)
        if ending == "parquet" and not all_cells:
            check(tuples(pyarrow.parquet.read_table(path)), expected, "Parquet")
        copy = connection.create_table(f"copy{number}", ["d", "e"], row_key=str(table.schema))
        assert klip.files.import_table(copy, path) == len(expected)
        assert list(copy.scan()) == list(table.scan()), path
        connection.delete_table(copy.name, disable=True)


PIECES = (b"\0", b"\xff", b"\r\n", b"\n", b'"', b"\xef\xbb\xbf", b"\\x41", b"a", b",", b"\t", b":int", "ü".encode(), b"\x80")


def hostile(r):
    return b"".join(r.choice(PIECES) for _ in range(r.randrange(7)))


def check_hostile(connection, directory, r, number):
    """Any bytes, as keys, qualifiers and values, come back from each kind of file, through links too; of no rows as well."""
    table = connection.create_table(f"hostile{number}", ["d"])
    qualifiers = [b"v", b"", b"a:int", hostile(r) + b"x"]
    large = r.randrange(3)
    for row in range(r.choice((0, 1, 50))):
        value = b"\xff" * (1 << 20) if row == large else hostile(r)
        table.put(hostile(r) + b"k", {b"d:" + one: value for one in r.sample(qualifiers, r.randrange(1, 4))})
    for ending in ("parquet", "arrow"):
        for columns in (None, [("d", one) for one in qualifiers]):
            link = f"{directory}/link{number}.{ending}"
            if not os.path.islink(link):
                os.symlink(f"target{number}.{ending}", link)
            klip.files.export_table(table, link, columns=columns)
            assert os.path.islink(link)
            copy = connection.create_table(f"copy{number}", ["d"])
            klip.files.import_table(copy, link)
            assert list(copy.scan()) == list(table.scan()), link
            connection.delete_table(copy.name, disable=True)
    connection.delete_table(table.name, disable=True)


def check_written(connection, table, columns, rows, number):
    """What each library holds makes the same cells again."""
    targets = {name.partition(":")[2]: (name, type) for name, type in columns.items()}
    for make in (pyarrow.table, polars.DataFrame, lambda rows: duckdb.from_arrow(pyarrow.table(rows)).to_arrow_table()):
        copy = connection.create_table(f"copy{number}", ["d", "e"], row_key=str(table.schema))
        copy.write_arrow(make(rows), targets)
        assert list(copy.scan()) == list(table.scan())
        connection.delete_table(copy.name, disable=True)


def main():
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)
    print(f"{tables} tables, seed {seed}", flush=True)
    total = 0
    with tempfile.TemporaryDirectory(prefix="klip_") as directory:
        with klip.connect(f"klip:{directory}/store", sync_wal=False) as connection:
            for number in range(tables):
                r = random.Random(seed + number)
                table, columns, expected = make_table(connection, r, number)
                rows = table.arrow(columns, batch_rows=r.choice((1, 7, 100000)), threads=r.choice((1, 2)))
                check_readers(rows, len(table.schema.fields), expected)
                check_written(connection, table, columns, rows, number)
                check_files(connection, table, columns, expected, directory, number)
                check_hostile(connection, directory, r, number)
                connection.delete_table(table.name, disable=True)
                total += len(expected)
    print(f"{total} rows of {tables} tables: equal by pyarrow, pandas, Polars, DuckDB, Parquet and Arrow files, and written back")


if __name__ == "__main__":
    main()
