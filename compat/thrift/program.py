"""Typical calls of happybase. The output of two servers can be compared: program.py PORT TRANSPORT PROTOCOL."""

import re
import struct
import sys
import threading
import time

import happybase
from thriftpy2.thrift import TApplicationException

PORT, TRANSPORT, PROTOCOL = int(sys.argv[1]), sys.argv[2], sys.argv[3]
NAME = b"program_%s_%s" % (TRANSPORT.encode(), PROTOCOL.encode())


def connect():
    return happybase.Connection("127.0.0.1", PORT, timeout=120000, transport=TRANSPORT, protocol=PROTOCOL)


def section(title):
    print("== " + title)


def complaint(call):
    """What it raised: a bad argument (as TApplicationException where HBase forgot to declare it), or the exception's class and the
    Java class that its text names, or else a short text."""
    try:
        call()
        return "no exception"
    except Exception as error:  # whatever comes is what is compared
        text = getattr(error, "message", None) or str(error)
        text = text.decode() if isinstance(text, bytes) else text
        classes = [name for name in re.findall(r"[\w.]+\.(\w+Exception)\b", text) if "RetriesExhausted" not in name]
        if isinstance(error, TApplicationException) or "IllegalArgumentException" in classes[:1]:
            return "bad argument"
        return " ".join([type(error).__name__, classes[0] if classes else text])


def tables(connection):
    section("tables")
    print(complaint(lambda: connection.create_table(b"bad name!", {"f": {}})))
    print(complaint(lambda: connection.create_table(NAME, {"f": {"compression": "nonsense"}})))
    print(complaint(lambda: connection.create_table(NAME, {"f": {"bloom_filter_type": "nonsense"}})))
    connection.create_table(NAME, {
        "a": dict(max_versions=5, compression="gz", bloom_filter_type="ROWCOL", block_cache_enabled=True),
        "b": dict(max_versions=1, in_memory=True, time_to_live=86400),
        "c": dict(),
        "d": dict(max_versions=2147483647, time_to_live=-1),
    })
    print(NAME in connection.tables(), connection.is_table_enabled(NAME))
    print(complaint(lambda: connection.create_table(NAME, {"a": {}})))
    table = connection.table(NAME)
    for name, family in sorted(table.families().items()):
        print(name, sorted(family.items()))
    for region in table.regions():
        print(region["start_key"], region["end_key"], region["version"], region["name"].startswith(NAME + b",,"))
    print(connection.table(b"not_there").regions())
    for call in [connection.disable_table, connection.enable_table, connection.is_table_enabled, connection.compact_table,
                 connection.delete_table, lambda name: connection.table(name).families(),
                 lambda name: connection.table(name).row(b"r"), lambda name: list(connection.table(name).scan())]:
        print(complaint(lambda: call(b"not_there")))
    print(complaint(lambda: connection.delete_table(NAME)), complaint(lambda: connection.enable_table(NAME)))
    connection.disable_table(NAME)
    print(connection.is_table_enabled(NAME), complaint(lambda: table.row(b"r")), complaint(lambda: connection.disable_table(NAME)))
    connection.enable_table(NAME)
    return table


def rows(table):
    section("rows")
    table.put(b"r1", {b"a:q": b"v1", b"a:": b"empty qualifier", b"b:\x00\xff": b"\x00\x01\xfe\xff", b"c:long": b"x" * 100000})
    table.put(b"r1", {b"a:q": b"v2"}, timestamp=1000)
    table.put(b"r1", {b"a:q": b"v3"}, timestamp=2000, wal=False)
    table.put(b"\x00\xff row", {b"a:q": b""})
    print({column: len(value) for column, value in table.row(b"r1").items()})
    print(table.row(b"r1", columns=[b"a"]), table.row(b"r1", columns=[b"a:q", b"b:"]), table.row(b"r1", columns=[b"a:"]))
    for timestamp in [0, 1, 1000, 1001, 2001]:
        print(timestamp, table.row(b"r1", timestamp=timestamp, include_timestamp=True), table.cells(b"r1", b"a:q", timestamp=timestamp),
              table.rows([b"r1", b"none"], columns=[b"a"], timestamp=timestamp))
    print(len(table.cells(b"r1", b"a:q")), table.cells(b"r1", b"a:q", versions=1), [v for v in table.cells(b"r1", b"a")])
    print(table.cells(b"r1", b"a:q", versions=2, timestamp=2001, include_timestamp=True))
    print(table.rows([b"\x00\xff row", b"none", b"r1", b"r1"], columns=[b"a:q"]))
    print(table.row(b"none"), table.cells(b"none", b"a:q"), table.rows([]))
    print(complaint(lambda: table.row(b"")), complaint(lambda: table.put(b"", {b"a:q": b"v"})))
    print(complaint(lambda: table.row(b"r1", columns=[b"nofamily:x"])), complaint(lambda: table.put(b"r", {b"nofamily:x": b"v"})))
    print(complaint(lambda: table.put(b"r", {b"a": b"v"})), complaint(lambda: table.cells(b"r1", b"a:q", versions=0)) != "")
    print(complaint(lambda: table.row(b"r1", timestamp=-1)), complaint(lambda: table.put(b"x" * 40000, {b"a:q": b"v"})))
    section("deletes")
    table.delete(b"r1", columns=[b"a:q"], timestamp=1500)
    print(table.cells(b"r1", b"a:q", include_timestamp=False))
    table.delete(b"r1", columns=[b"a"])
    print(sorted(table.row(b"r1")))
    table.delete(b"r1", timestamp=5)
    print(sorted(table.row(b"r1")))
    table.delete(b"r1")
    table.delete(b"\x00\xff row")
    table.delete(b"none")
    print(table.row(b"r1"), list(table.scan()))


def counters(table):
    section("counters")
    print(table.counter_get(b"n", b"c:count"), table.counter_inc(b"n", b"c:count"), table.counter_inc(b"n", b"c:count", 41))
    print(table.counter_dec(b"n", b"c:count", 2), table.counter_get(b"n", b"c:count"))
    table.counter_set(b"n", b"c:count", 2 ** 63 - 1)
    print(table.counter_inc(b"n", b"c:count"), table.row(b"n"))
    table.put(b"n", {b"c:text": b"abc"})
    print(complaint(lambda: table.counter_inc(b"n", b"c:text")), complaint(lambda: table.counter_inc(b"n", b"nofamily:x")))
    print(table.counter_inc(b"n", b"c", 7), table.row(b"n", columns=[b"c:"]))
    threads = [threading.Thread(target=lambda: [c.table(NAME).counter_inc(b"n", b"c:many") for c in [connect()] for _ in range(50)])
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(table.counter_get(b"n", b"c:many"))
    # Each increment is at least a millisecond newer than the one before it, so on a fast machine the last one is in the future, where
    # a delete of now does not mask it.
    (_, newest_ms), = table.cells(b"n", b"c:many", versions=1, include_timestamp=True)
    while time.time() * 1000 <= newest_ms:
        time.sleep(0.001)
    table.delete(b"n")


def batches(table):
    section("batches")
    with table.batch(batch_size=100) as batch:
        for i in range(1000):
            batch.put(b"row-%04d" % i, {b"a:n": b"%d" % i, b"b:mod": b"%d" % (i % 7), b"c:be": struct.pack(">q", i)})
        for i in range(0, 1000, 10):
            batch.delete(b"row-%04d" % i)
    print(sum(1 for _ in table.scan()), table.row(b"row-0010"), table.row(b"row-0011"))
    try:
        with table.batch(transaction=True) as batch:
            batch.put(b"row-0010", {b"a:n": b"never"})
            raise KeyError("on purpose")
    except KeyError:
        print("rolled back", table.row(b"row-0010"))
    batch = table.batch(timestamp=123, wal=False)
    batch.put(b"both", {b"a:x": b"1"})
    batch.put(b"both", {b"a:y": b"2", b"b:z": b"3"})
    batch.delete(b"both", columns=[b"b:z"])
    batch.delete(b"both", columns=[b"c"])
    batch.send()
    print(table.row(b"both", include_timestamp=True))
    batch = table.batch()
    batch.put(b"half", {b"a:x": b"1"})
    batch.put(b"other", {b"nofamily:x": b"1"})
    print(complaint(batch.send))
    table.delete(b"half")
    table.delete(b"both")


def scans(table):
    section("scans")
    keys = lambda **options: [key for key, _ in table.scan(**options)]
    print(len(keys()), len(keys(batch_size=7)), keys(limit=3), keys(limit=2500, batch_size=3)[-1])
    print(keys(row_start=b"row-0995"), keys(row_stop=b"row-0004"), keys(row_start=b"row-0101", row_stop=b"row-0104"))
    print(keys(row_prefix=b"row-000"), keys(row_start=b"z"), keys(row_start=b"row-0005", row_stop=b"row-0005"))
    print(keys(reverse=True, limit=3), keys(reverse=True, row_start=b"row-0005", row_stop=b"row-0002"))
    print(list(table.scan(row_start=b"row-0001", limit=1, include_timestamp=False, columns=[b"a", b"b:mod"])))
    print([list(data.items()) for _, data in table.scan(row_start=b"row-0001", limit=2, sorted_columns=True)])
    print([data for _, data in table.scan(row_start=b"row-0001", limit=4, scan_batching=2)])
    for text in [b"PrefixFilter('row-001')", b"SingleColumnValueFilter('b', 'mod', =, 'binary:3') AND PageFilter(4)",
                 b"KeyOnlyFilter() AND FirstKeyOnlyFilter() AND PageFilter(2)", b"RowFilter(=, 'regexstring:row-00[12]1')",
                 b"ColumnPrefixFilter('m') AND ValueFilter(>, 'binary:5')", b"QualifierFilter(=, 'substring:e') AND PageFilter(1)",
                 b"ColumnPaginationFilter(1, 1) AND PageFilter(2)", b"InclusiveStopFilter('row-0003')"]:
        found = list(table.scan(filter=text))
        print(text, len(found), found[:2])
    print(complaint(lambda: keys(filter=b"NoSuchFilter()")), complaint(lambda: keys(filter=b"PrefixFilter('x'")))
    print(complaint(lambda: keys(columns=[b"nofamily"])), complaint(lambda: keys(timestamp=-1)))
    print(keys(timestamp=1), len(keys(timestamp=2 ** 62)))

    section("scanners")
    client = table.connection.client
    first = client.scannerOpen(NAME, b"row-0001", [b"a"], {})
    second = client.scannerOpenWithStop(NAME, b"row-0001", b"row-0003", [], {})
    third = client.scannerOpenWithPrefix(NAME, b"row-000", [b"b:mod"], {})
    fourth = client.scannerOpenWithStopTs(NAME, b"", b"", [], 1, {})
    sixth = client.scannerOpenWithStop(NAME, b"row-0002", b"row-0002", [], {})
    fifth = client.scannerOpenTs(NAME, b"row-0998", [b"a"], 2 ** 62, {})
    print([row.row for row in client.scannerGet(first)], [row.row for row in client.scannerGetList(first, 3)])
    print([row.row for row in client.scannerGetList(second, 10)], client.scannerGetList(second, 10), client.scannerGetList(second, 10))
    print([(row.row, sorted(row.columns)) for row in client.scannerGetList(third, 3)], client.scannerGetList(fourth, 1))
    print([row.row for row in client.scannerGetList(fifth, 3)], client.scannerGetList(first, 0),
          [row.row for row in client.scannerGetList(sixth, 3)])
    for scanner in [first, second, third, fourth, fifth, sixth]:
        client.scannerClose(scanner)
    for call in [lambda: client.scannerGet(first), lambda: client.scannerGetList(123456, 1), lambda: client.scannerClose(first)]:
        print(complaint(call))


def calls_without_a_happybase_method(connection):
    section("other calls")
    client = connection.client
    from Hbase_thrift import BatchMutation, Mutation, TIncrement
    client.mutateRow(NAME, b"m", [Mutation(column=b"a:x", value=b"1"), Mutation(column=b"a:y", value=b"2")], {})
    client.mutateRowTs(NAME, b"m", [Mutation(column=b"a:old", value=b"3")], 77, {})
    client.mutateRow(NAME, b"m", [Mutation(isDelete=True, column=b"a:y"), Mutation(column=b"a", value=b"passed over")], {})
    cells = lambda found: [(cell.value, cell.timestamp if cell.timestamp < 10 ** 6 else "now") for cell in found]
    rows = lambda found: [(row.row, sorted((name, cell.value) for name, cell in row.columns.items())) for row in found]
    print(cells(client.get(NAME, b"m", b"a:x", {})), cells(client.get(NAME, b"m", b"a", {})), cells(client.get(NAME, b"m", b"a:", {})))
    print(rows(client.getRow(NAME, b"m", {})), rows(client.getRowTs(NAME, b"m", 78, {})), rows(client.getRowTs(NAME, b"m", 77, {})))
    print(rows(client.getRows(NAME, [b"m", b"n"], {})), rows(client.getRowsTs(NAME, [b"m"], 78, {})))
    client.increment(TIncrement(table=NAME, row=b"m", column=b"c:i", ammount=5))
    client.incrementRows([TIncrement(table=NAME, row=b"m", column=b"c:i", ammount=-2), TIncrement(table=NAME, row=b"k", column=b"c:i", ammount=1)])
    print(rows(client.getRowWithColumns(NAME, b"m", [b"c:i"], {})), rows(client.getRow(NAME, b"k", {})))
    print(complaint(lambda: client.increment(TIncrement(table=NAME, row=b"", column=b"c:i", ammount=1))))
    client.mutateRowsTs(NAME, [BatchMutation(row=b"k", mutations=[Mutation(column=b"a:z", value=b"9")])], 99, {})
    client.deleteAll(NAME, b"k", b"c:i", {})
    print(rows(client.getRow(NAME, b"k", {})))
    client.deleteAllTs(NAME, b"k", b"a:z", 98, {})
    print(rows(client.getRow(NAME, b"k", {})))
    client.deleteAllRowTs(NAME, b"k", 99, {})
    print(rows(client.getRow(NAME, b"k", {})))
    client.deleteAllRow(NAME, b"m", {})
    print(rows(client.getRow(NAME, b"m", {})))
    region = client.getRegionInfo(NAME + b",row-0001,99999999999999")
    print(region.startKey, region.endKey, region.name.startswith(NAME))
    print(complaint(lambda: client.getRegionInfo(b"\x01")))
    client.majorCompact(NAME)


def pools():
    section("pools")
    pool = happybase.ConnectionPool(3, host="127.0.0.1", port=PORT, timeout=120000, transport=TRANSPORT, protocol=PROTOCOL)
    seen = []

    def work(number):
        for i in range(20):
            with pool.connection(timeout=60) as connection:
                table = connection.table(NAME)
                table.put(b"pool-%d-%d" % (number, i), {b"a:x": b"1"})
                seen.append(len(table.row(b"pool-%d-%d" % (number, i))))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pool.connection() as connection:
        print(len(seen), sum(seen), sum(1 for _ in connection.table(NAME).scan(row_prefix=b"pool-")))


def pauses(table):
    section("a scan with pauses")
    count = 0
    for key, _ in table.scan(row_prefix=b"row-", batch_size=300):
        count += 1
        if count % 300 == 0:
            time.sleep(1)
            table.put(b"during", {b"a:x": b"1"})  # a call between two of the scan, on its connection
    print(count)


connection = connect()
if NAME in connection.tables():
    connection.delete_table(NAME, disable=True)
table = tables(connection)
rows(table)
counters(table)
batches(table)
scans(table)
calls_without_a_happybase_method(connection)
pools()
pauses(table)
connection.delete_table(NAME, disable=True)
print(NAME in connection.tables())
