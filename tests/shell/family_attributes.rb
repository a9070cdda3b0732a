# Every attribute of a family that the shell knows: set, shown, kept.
create 't', {NAME => 'f', VERSIONS => 7, MIN_VERSIONS => 2, TTL => '1 DAY 2 HOURS', BLOCKSIZE => '32KB', BLOCKCACHE => false,
  IN_MEMORY => true, IN_MEMORY_COMPACTION => 'BASIC', BLOOMFILTER => 'ROWCOL', COMPRESSION => 'GZ', COMPRESSION_COMPACT => 'NONE',
  DATA_BLOCK_ENCODING => 'FAST_DIFF', KEEP_DELETED_CELLS => 'TTL', NEW_VERSION_BEHAVIOR => true, REPLICATION_SCOPE => 0,
  CACHE_DATA_ON_WRITE => true, CACHE_INDEX_ON_WRITE => true, CACHE_BLOOMS_ON_WRITE => true, EVICT_BLOCKS_ON_CLOSE => true,
  PREFETCH_BLOCKS_ON_OPEN => true, COMPRESS_TAGS => false, DFS_REPLICATION => 1, STORAGE_POLICY => 'HOT',
  METADATA => {'own' => 'x'}, CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}}
describe 't'
alter 't', NAME => 'f', VERSIONS => 3
describe 't'
create 'mob', {NAME => 'f', IS_MOB => true, MOB_THRESHOLD => 1000, MOB_COMPACT_PARTITION_POLICY => 'weekly'}
describe 'mob'
create 'forever', {NAME => 'f', TTL => 'FOREVER', INDEX_BLOCK_ENCODING => 'NONE', COMPRESSION_COMPACT_MAJOR => 'GZ', COMPRESSION_COMPACT_MINOR => 'NONE'}
describe 'forever'
create 'odd', {NAME => 'f', 'NO_SUCH' => 'x'}
describe 'odd'
