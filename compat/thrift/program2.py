"""HBase's second Thrift interface, by thriftpy2 and klip's own thrift2.thrift. The output of two servers can be compared:
program2.py THRIFT_FILE PORT TRANSPORT PROTOCOL."""

import re
import sys

import thriftpy2
from thriftpy2 import protocol, transport
from thriftpy2.rpc import make_client
from thriftpy2.thrift import TApplicationException

thrift2 = thriftpy2.load(sys.argv[1], module_name="thrift2_thrift")
PORT, TRANSPORT, PROTOCOL = int(sys.argv[2]), sys.argv[3], sys.argv[4]
TRANSPORTS = {"buffered": transport.TBufferedTransportFactory, "framed": transport.TFramedTransportFactory}
PROTOCOLS = {"binary": protocol.TBinaryProtocolFactory, "compact": protocol.TCompactProtocolFactory}
from thrift2_thrift import *  # noqa: E402,F403

client = make_client(thrift2.THBaseService, "127.0.0.1", PORT, timeout=120000,
                     trans_factory=TRANSPORTS[TRANSPORT](), proto_factory=PROTOCOLS[PROTOCOL](decode_response=False))
BARE = b"second_%s_%s" % (TRANSPORT.encode(), PROTOCOL.encode())
NAME = TTableName(ns=b"default", qualifier=BARE)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def complaint(call):
    try:
        return "no exception: %r" % (call(),)
    except Exception as error:  # whatever comes is what is compared
        message = text(getattr(error, "message", None) or "") or str(error)
        classes = [name for name in re.findall(r"[\w.]+\.(\w+Exception)\b", message) if "RetriesExhausted" not in name]
        if isinstance(error, TApplicationException) or "IllegalArgumentException" in classes[:1]:
            return "bad argument"
        return " ".join([type(error).__name__, classes[0] if classes else message])


def show(result):
    at = lambda value: value.timestamp if value.timestamp < 10 ** 6 else "now"
    return (result.row, [(v.family, v.qualifier, v.value, at(v), v.type, v.tags) for v in result.columnValues], result.stale, result.partial)


def get(row, **options):
    return show(client.get(BARE, TGet(row=row, **options)))


def value(family, qualifier, content, **options):
    return TColumnValue(family=family, qualifier=qualifier, value=content, **options)


if client.tableExists(NAME):
    client.disableTable(NAME)
    client.deleteTable(NAME)

print("== tables")
families = [
    TColumnFamilyDescriptor(name=b"a", maxVersions=5, bloomnFilterType=TBloomFilterType.ROWCOL, compressionType=TCompressionAlgorithm.GZ),
    TColumnFamilyDescriptor(name=b"b", timeToLive=1000000, inMemory=True, keepDeletedCells=TKeepDeletedCells.TRUE, minVersions=1,
                            dataBlockEncoding=TDataBlockEncoding.FAST_DIFF, cacheDataOnWrite=True, blockSize=131072),
]
client.createTable(TTableDescriptor(tableName=NAME, columns=families, durability=TDurability.ASYNC_WAL), [b"g", b"p"])
print(client.tableExists(NAME), client.isTableEnabled(NAME), client.isTableDisabled(NAME), client.isTableAvailable(NAME))
print(complaint(lambda: client.createTable(TTableDescriptor(tableName=NAME, columns=families), [])))


def describe(table):
    print(table.tableName.ns, table.tableName.qualifier, table.durability)
    for family in table.columns:
        print(family.name, family.blockSize, family.bloomnFilterType, family.compressionType, family.dataBlockEncoding, family.keepDeletedCells,
              family.maxVersions, family.minVersions, family.scope, family.timeToLive, family.blockCacheEnabled, family.cacheBloomsOnWrite,
              family.cacheDataOnWrite, family.cacheIndexesOnWrite, family.evictBlocksOnClose, family.inMemory)


describe(client.getTableDescriptor(NAME))
print([table.tableName.qualifier for table in client.getTableDescriptors([NAME])])
print([name.qualifier for name in client.getTableNamesByPattern(text(BARE)[:-1] + ".", False)], [name.qualifier for name in client.getTableNamesByPattern("nothing.*", False)])
print([table.tableName.qualifier for table in client.getTableDescriptorsByPattern(text(BARE), False)])
print(BARE in [name.qualifier for name in client.getTableNamesByNamespace("default")], BARE in [t.tableName.qualifier for t in client.getTableDescriptorsByNamespace("default")])
client.disableTable(NAME)
client.addColumnFamily(NAME, TColumnFamilyDescriptor(name=b"c"))
client.modifyColumnFamily(NAME, TColumnFamilyDescriptor(name=b"c", maxVersions=3))
client.enableTable(NAME)
describe(client.getTableDescriptor(NAME))
print([(place.regionInfo.tableName, place.regionInfo.startKey, place.regionInfo.endKey) for place in client.getAllRegionLocations(BARE)])
print([client.getRegionLocation(BARE, row, False).regionInfo.startKey for row in [b"a", b"g", b"zz"]])
missing = TTableName(ns=b"default", qualifier=b"not_there")
for call in [client.enableTable, client.disableTable, client.deleteTable, client.getTableDescriptor, client.isTableEnabled, client.tableExists]:
    print(complaint(lambda: call(missing)).split()[:1])  # some of its texts are the table's name alone
print(complaint(lambda: client.deleteTable(NAME)))

print("== rows")
client.put(BARE, TPut(row=b"r", columnValues=[value(b"a", b"q", b"1", timestamp=10), value(b"a", b"q", b"2", timestamp=20), value(b"b", b"", b"\x00\xff")],
                      durability=TDurability.SKIP_WAL))
client.put(BARE, TPut(row=b"r", columnValues=[value(b"a", b"q", b"3"), value(b"a", b"z", b"4")], timestamp=30))
client.putMultiple(BARE, [TPut(row=b"m%d" % i, columnValues=[value(b"a", b"n", b"%d" % i), value(b"c", b"n", b"x")]) for i in range(10)])
print(get(b"r"), get(b"none"))
print(get(b"r", maxVersions=2), get(b"r", timestamp=20), get(b"r", timeRange=TTimeRange(minStamp=10, maxStamp=21), maxVersions=5))
print(get(b"r", columns=[TColumn(family=b"b")]), get(b"r", columns=[TColumn(family=b"a", qualifier=b"z", timestamp=1)]))
print(get(b"r", filterString=b"QualifierFilter(=, 'binary:z')"), get(b"r", storeLimit=1), get(b"r", storeOffset=1))
print(client.exists(BARE, TGet(row=b"r")), client.exists(BARE, TGet(row=b"none")), client.existsAll(BARE, [TGet(row=b"r"), TGet(row=b"none")]))
print([show(result) for result in client.getMultiple(BARE, [TGet(row=b"m1"), TGet(row=b"none"), TGet(row=b"m2", columns=[TColumn(family=b"c")])])])
print(complaint(lambda: client.get(BARE, TGet(row=b""))), complaint(lambda: client.get(b"not_there", TGet(row=b"r"))).split()[:1])
print(complaint(lambda: client.get(BARE, TGet(row=b"r", columns=[TColumn(family=b"nofamily")]))))
print(complaint(lambda: client.get(BARE, TGet(row=b"r", filterString=b"Nonsense()"))))

print("== checks and steps")
one = lambda content: TPut(row=b"k", columnValues=[value(b"a", b"q", content)])
print(client.checkAndPut(BARE, b"k", b"a", b"q", None, one(b"first")), client.checkAndPut(BARE, b"k", b"a", b"q", None, one(b"again")))
print(client.checkAndPut(BARE, b"k", b"a", b"q", b"first", one(b"second")), client.checkAndPut(BARE, b"k", b"a", b"q", b"first", one(b"never")), get(b"k"))
mutations = TRowMutations(row=b"k", mutations=[TMutation(put=TPut(row=b"k", columnValues=[value(b"b", b"x", b"y")])),
                                               TMutation(deleteSingle=TDelete(row=b"k", columns=[TColumn(family=b"a", qualifier=b"q")]))])
print([client.checkAndMutate(BARE, b"k", b"a", b"q", op, b"t", TRowMutations(row=b"k", mutations=[TMutation(put=one(b"second"))])) for op in range(6)])
print(client.checkAndMutate(BARE, b"k", b"a", b"q", TCompareOperator.EQUAL, b"second", mutations), get(b"k"))
client.mutateRow(BARE, TRowMutations(row=b"k", mutations=[TMutation(put=TPut(row=b"k", columnValues=[value(b"c", b"x", b"z")]))]))
print(client.checkAndDelete(BARE, b"k", b"c", b"x", b"no", TDelete(row=b"k")), client.checkAndDelete(BARE, b"k", b"c", b"x", b"z", TDelete(row=b"k")), get(b"k"))
print(show(client.increment(BARE, TIncrement(row=b"i", columns=[TColumnIncrement(family=b"a", qualifier=b"n", amount=5), TColumnIncrement(family=b"a", qualifier=b"o")]))))
print(show(client.increment(BARE, TIncrement(row=b"i", columns=[TColumnIncrement(family=b"a", qualifier=b"n", amount=-7)], returnResults=False))), get(b"i"))
print(show(client.append(BARE, TAppend(row=b"i", columns=[value(b"b", b"t", b"ab")]))), show(client.append(BARE, TAppend(row=b"i", columns=[value(b"b", b"t", b"cd")]))))

print("== deletes")
client.put(BARE, TPut(row=b"d", columnValues=[value(f, q, b"%d" % t, timestamp=t) for f in [b"a", b"c"] for q in [b"", b"q"] for t in [1, 2, 3]]))
all_of = lambda: get(b"d", maxVersions=9)
client.deleteSingle(BARE, TDelete(row=b"d", columns=[TColumn(family=b"a", qualifier=b"q", timestamp=2)], deleteType=TDeleteType.DELETE_COLUMN))
print(all_of())
client.deleteSingle(BARE, TDelete(row=b"d", columns=[TColumn(family=b"a", qualifier=b"q", timestamp=2)]))
print(all_of())
client.deleteSingle(BARE, TDelete(row=b"d", columns=[TColumn(family=b"c")], deleteType=TDeleteType.DELETE_COLUMNS))
print(all_of())
client.deleteSingle(BARE, TDelete(row=b"d", columns=[TColumn(family=b"a", timestamp=3)], deleteType=TDeleteType.DELETE_FAMILY_VERSION))
print(all_of(), complaint(lambda: client.deleteSingle(BARE, TDelete(row=b"d", columns=[TColumn(family=b"a")], deleteType=TDeleteType.DELETE_FAMILY_VERSION))))
client.deleteSingle(BARE, TDelete(row=b"d", columns=[TColumn(family=b"a")], deleteType=TDeleteType.DELETE_FAMILY))
print(all_of(), client.deleteMultiple(BARE, [TDelete(row=b"d"), TDelete(row=b"i", timestamp=1), TDelete(row=b"m0")]), all_of(), get(b"m0"))

print("== scans")
scan = lambda **options: [show(result) for result in client.getScannerResults(BARE, TScan(**options), 100)]
keys = lambda **options: [result.row for result in client.getScannerResults(BARE, TScan(**options), 100)]
print(scan(startRow=b"m1", stopRow=b"m3"), keys(startRow=b"m8"), keys(startRow=b"m5", stopRow=b"m5"), keys(limit=2), keys(reversed=True, limit=2))
print(scan(startRow=b"r", maxVersions=5, timeRange=TTimeRange(minStamp=0, maxStamp=30)), scan(startRow=b"r", batchSize=2))
print(scan(startRow=b"r", colFamTimeRangeMap={b"a": TTimeRange(minStamp=0, maxStamp=15)}), keys(filterString=b"PrefixFilter('m') AND PageFilter(3)"))
print(complaint(lambda: scan(columns=[TColumn(family=b"nofamily")])), complaint(lambda: client.openScanner(b"not_there", TScan())) != "")
scanner = client.openScanner(BARE, TScan(columns=[TColumn(family=b"a", qualifier=b"n")], startRow=b"m"))
print([r.row for r in client.getScannerRows(scanner, 4)], [r.row for r in client.getScannerRows(scanner, 100)], client.getScannerRows(scanner, 1))
client.closeScanner(scanner)
print(complaint(lambda: client.getScannerRows(scanner, 1)), complaint(lambda: client.closeScanner(12345678)))

print("== namespaces")
space = "space_%s_%s" % (TRANSPORT, PROTOCOL)
if space in [text(name) for name in client.listNamespaces()]:
    client.deleteNamespace(space)
client.createNamespace(TNamespaceDescriptor(name=space, configuration={"k": "v"}))
print(complaint(lambda: client.createNamespace(TNamespaceDescriptor(name=space))), text(client.getNamespaceDescriptor(space).configuration))
client.modifyNamespace(TNamespaceDescriptor(name=space, configuration={"k": "w"}))
print(text(client.getNamespaceDescriptor(space).configuration), space in [text(name) for name in client.listNamespaces()], space in [text(d.name) for d in client.listNamespaceDescriptors()])
inside = TTableName(ns=space.encode(), qualifier=b"t")
client.createTable(TTableDescriptor(tableName=inside, columns=[TColumnFamilyDescriptor(name=b"f")]), [])
print([(name.ns, name.qualifier) for name in client.getTableNamesByNamespace(space)], complaint(lambda: client.deleteNamespace(space)))
client.disableTable(inside)
client.truncateTable(inside, False)
print(client.isTableEnabled(inside))
client.disableTable(inside)
client.deleteTable(inside)
client.deleteNamespace(space)
print(complaint(lambda: client.getNamespaceDescriptor(space)), client.getThriftServerType())

client.disableTable(NAME)
client.deleteColumnFamily(NAME, b"c")
print([family.name for family in client.getTableDescriptor(NAME).columns])
client.deleteTable(NAME)
print(client.tableExists(NAME))
