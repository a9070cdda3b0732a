// HBase's first Thrift interface, as the wire has it: names, field ids and types are those of HBase 2.6, since clients have
// their own copy of them. thrift1_handler.h describes the calls.
//
// A column is "family:qualifier"; without a colon it is a whole family. Rows, columns and values are any bytes.

namespace cpp klip.thrift1

typedef map<binary, binary> Attributes
typedef i32 ScannerId

struct TCell {
  1: binary value
  2: i64 timestamp
}

// The name ends in a colon. Omitted fields have the values below, which are not HBase's own defaults.
struct ColumnDescriptor {
  1: binary name
  2: i32 maxVersions = 3
  3: string compression = "NONE"
  4: bool inMemory = false
  5: string bloomFilterType = "NONE"
  6: i32 bloomFilterVectorSize = 0  // 6 and 7 mean nothing any more
  7: i32 bloomFilterNbHashes = 0
  8: bool blockCacheEnabled = false
  9: i32 timeToLive = 2147483647
}

struct TRegionInfo {
  1: binary startKey
  2: binary endKey
  3: i64 id
  4: binary name
  5: i8 version
  6: binary serverName
  7: i32 port
}

// A put or, of a column or a family, a delete.
struct Mutation {
  1: bool isDelete = false
  2: binary column
  3: binary value
  4: bool writeToWAL = true
}

struct BatchMutation {
  1: binary row
  2: list<Mutation> mutations
}

struct TIncrement {
  1: binary table
  2: binary row
  3: binary column
  4: i64 ammount  // sic
}

struct TAppend {
  1: binary table
  2: binary row
  3: list<binary> columns
  4: list<binary> values
}

struct TColumn {
  1: binary columnName
  2: TCell cell
}

// One of columns and sortedColumns is set.
struct TRowResult {
  1: binary row
  2: optional map<binary, TCell> columns
  3: optional list<TColumn> sortedColumns
}

struct TScan {
  1: optional binary startRow
  2: optional binary stopRow
  3: optional i64 timestamp
  4: optional list<binary> columns
  5: optional i32 caching
  6: optional binary filterString
  7: optional i32 batchSize
  8: optional bool sortColumns
  9: optional bool reversed
  10: optional bool cacheBlocks
}

enum TThriftServerType {
  ONE = 1
  TWO = 2
}

enum TPermissionScope {
  TABLE = 0
  NAMESPACE = 1
}

struct TAccessControlEntity {
  1: required string username
  2: required TPermissionScope scope
  4: required string actions
  5: optional binary tableName
  6: optional string nsName
}

exception IOError {
  1: string message
  2: bool canRetry
}

exception IllegalArgument {
  1: string message
}

exception AlreadyExists {
  1: string message
}

service Hbase {
  // --- Tables ---
  void enableTable(1: binary tableName) throws (1: IOError io)
  void disableTable(1: binary tableName) throws (1: IOError io)
  bool isTableEnabled(1: binary tableName) throws (1: IOError io)
  void compact(1: binary tableNameOrRegionName) throws (1: IOError io)
  void majorCompact(1: binary tableNameOrRegionName) throws (1: IOError io)
  list<binary> getTableNames() throws (1: IOError io)
  map<binary, bool> getTableNamesWithIsTableEnabled() throws (1: IOError io)
  map<binary, ColumnDescriptor> getColumnDescriptors(1: binary tableName) throws (1: IOError io)
  list<TRegionInfo> getTableRegions(1: binary tableName) throws (1: IOError io)
  void createTable(1: binary tableName, 2: list<ColumnDescriptor> columnFamilies)
    throws (1: IOError io, 2: IllegalArgument ia, 3: AlreadyExists exist)
  void deleteTable(1: binary tableName) throws (1: IOError io)
  TRegionInfo getRegionInfo(1: binary row) throws (1: IOError io)

  // --- Reading rows ---
  list<TCell> get(1: binary tableName, 2: binary row, 3: binary column, 4: Attributes attributes) throws (1: IOError io)
  list<TCell> getVer(1: binary tableName, 2: binary row, 3: binary column, 4: i32 numVersions, 5: Attributes attributes)
    throws (1: IOError io)
  list<TCell> getVerTs(1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: i32 numVersions,
    6: Attributes attributes) throws (1: IOError io)
  list<TRowResult> getRow(1: binary tableName, 2: binary row, 3: Attributes attributes) throws (1: IOError io)
  list<TRowResult> getRowWithColumns(1: binary tableName, 2: binary row, 3: list<binary> columns, 4: Attributes attributes)
    throws (1: IOError io)
  list<TRowResult> getRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: Attributes attributes)
    throws (1: IOError io)
  list<TRowResult> getRowWithColumnsTs(1: binary tableName, 2: binary row, 3: list<binary> columns, 4: i64 timestamp,
    5: Attributes attributes) throws (1: IOError io)
  list<TRowResult> getRows(1: binary tableName, 2: list<binary> rows, 3: Attributes attributes) throws (1: IOError io)
  list<TRowResult> getRowsWithColumns(1: binary tableName, 2: list<binary> rows, 3: list<binary> columns,
    4: Attributes attributes) throws (1: IOError io)
  list<TRowResult> getRowsTs(1: binary tableName, 2: list<binary> rows, 3: i64 timestamp, 4: Attributes attributes)
    throws (1: IOError io)
  list<TRowResult> getRowsWithColumnsTs(1: binary tableName, 2: list<binary> rows, 3: list<binary> columns,
    4: i64 timestamp, 5: Attributes attributes) throws (1: IOError io)

  // --- Writing ---
  void mutateRow(1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: Attributes attributes)
    throws (1: IOError io, 2: IllegalArgument ia)
  void mutateRowTs(1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: i64 timestamp,
    5: Attributes attributes) throws (1: IOError io, 2: IllegalArgument ia)
  void mutateRows(1: binary tableName, 2: list<BatchMutation> rowBatches, 3: Attributes attributes)
    throws (1: IOError io, 2: IllegalArgument ia)
  void mutateRowsTs(1: binary tableName, 2: list<BatchMutation> rowBatches, 3: i64 timestamp, 4: Attributes attributes)
    throws (1: IOError io, 2: IllegalArgument ia)
  i64 atomicIncrement(1: binary tableName, 2: binary row, 3: binary column, 4: i64 value)
    throws (1: IOError io, 2: IllegalArgument ia)
  void increment(1: TIncrement increment) throws (1: IOError io)
  void incrementRows(1: list<TIncrement> increments) throws (1: IOError io)
  list<TCell> append(1: TAppend append) throws (1: IOError io)
  // `value` left out: the column must not be there.
  bool checkAndPut(1: binary tableName, 2: binary row, 3: binary column, 5: binary value, 6: Mutation mput,
    7: Attributes attributes) throws (1: IOError io, 2: IllegalArgument ia)
  void deleteAll(1: binary tableName, 2: binary row, 3: binary column, 4: Attributes attributes) throws (1: IOError io)
  void deleteAllTs(1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: Attributes attributes)
    throws (1: IOError io)
  void deleteAllRow(1: binary tableName, 2: binary row, 3: Attributes attributes) throws (1: IOError io)
  void deleteAllRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: Attributes attributes)
    throws (1: IOError io)

  // --- Scanning ---
  ScannerId scannerOpenWithScan(1: binary tableName, 2: TScan scan, 3: Attributes attributes) throws (1: IOError io)
  ScannerId scannerOpen(1: binary tableName, 2: binary startRow, 3: list<binary> columns, 4: Attributes attributes)
    throws (1: IOError io)
  ScannerId scannerOpenWithStop(1: binary tableName, 2: binary startRow, 3: binary stopRow, 4: list<binary> columns,
    5: Attributes attributes) throws (1: IOError io)
  ScannerId scannerOpenWithPrefix(1: binary tableName, 2: binary startAndPrefix, 3: list<binary> columns,
    4: Attributes attributes) throws (1: IOError io)
  ScannerId scannerOpenTs(1: binary tableName, 2: binary startRow, 3: list<binary> columns, 4: i64 timestamp,
    5: Attributes attributes) throws (1: IOError io)
  ScannerId scannerOpenWithStopTs(1: binary tableName, 2: binary startRow, 3: binary stopRow, 4: list<binary> columns,
    5: i64 timestamp, 6: Attributes attributes) throws (1: IOError io)
  list<TRowResult> scannerGet(1: ScannerId id) throws (1: IOError io, 2: IllegalArgument ia)
  list<TRowResult> scannerGetList(1: ScannerId id, 2: i32 nbRows) throws (1: IOError io, 2: IllegalArgument ia)
  void scannerClose(1: ScannerId id) throws (1: IOError io, 2: IllegalArgument ia)

  // --- The server ---
  TThriftServerType getThriftServerType()
  string getClusterId()
  bool grant(1: required TAccessControlEntity info) throws (1: IOError io)
  bool revoke(1: required TAccessControlEntity info) throws (1: IOError io)
}
