# Every form of create, and what describe shows of it.
create 't1', 'f1', 'f2'
create 't2', {NAME => 'f1', VERSIONS => 5}, {NAME => 'f2', TTL => 86400, BLOCKCACHE => false, IN_MEMORY => true}
create 't3', ['f1', 'f2']
create 't4', 'f', SPLITS => ['10', "20\\x00", '30']
create 't5', 'f', {NUMREGIONS => 4, SPLITALGO => 'HexStringSplit'}
create 't6', {NAME => 'f', BLOOMFILTER => 'ROWCOL', COMPRESSION => 'SNAPPY', VERSIONS => 3, MIN_VERSIONS => 2, KEEP_DELETED_CELLS => 'TTL', TTL => '1 DAY 2 HOURS', BLOCKSIZE => '128KB', NEW_VERSION_BEHAVIOR => true, METADATA => {'meta' => 'm'}, CONFIGURATION => {'a' => 'b'}}, MAX_FILESIZE => '10GB', MEMSTORE_FLUSHSIZE => 134217728, DURABILITY => 'ASYNC_WAL', READONLY => false, SPLIT_POLICY => 'org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy', METADATA => {'mykey' => 'myvalue'}, CONFIGURATION => {'x.y' => '1'}
create 't7', 'f', 'f', 'FROB' => 1
create 't8', {NAME => 'f', 'VERSION' => 5}
create 't9', {NAME => 'f', BLOOMFILTER => 'ROWPREFIX_FIXED_LENGTH', CONFIGURATION => {'RowPrefixBloomFilter.prefix_length' => 4}}
%w[t2 t4 t6 t9].each { |t| describe t }
get_splits 't4'
get_splits 't5'
t = create 'ta', 'f', COPROCESSOR => {CLASSNAME => 'com.foo.Observer', PRIORITY => 1001, PROPERTIES => {'k' => 'v'}}
t.describe
list 't[12]'
