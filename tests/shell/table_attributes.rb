# Every attribute of a table that the shell knows: set, shown, kept, taken away.
create 't', 'f', {MAX_FILESIZE => '10737418240', READONLY => false, COMPACTION_ENABLED => true, SPLIT_ENABLED => false, MERGE_ENABLED => false,
  NORMALIZATION_ENABLED => true, NORMALIZER_TARGET_REGION_COUNT => 3, NORMALIZER_TARGET_REGION_SIZE_MB => 100,
  MEMSTORE_FLUSHSIZE => '134217728', DURABILITY => 'ASYNC_WAL', PRIORITY => 5, REGION_REPLICATION => 1,
  FLUSH_POLICY => 'org.apache.hadoop.hbase.regionserver.FlushAllLargeStoresPolicy',
  SPLIT_POLICY => 'org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy',
  METADATA => {'own' => 'x'}, CONFIGURATION => {'hbase.hregion.scan.loadColumnFamiliesOnDemand' => 'true'}}
describe 't'
alter 't', {DURABILITY => 'SYNC_WAL', REOPEN_REGIONS => 'true'}
describe 't'
alter 't', METHOD => 'table_att_unset', NAME => ['PRIORITY', 'own']
alter 't', METHOD => 'table_conf_unset', NAME => 'hbase.hregion.scan.loadColumnFamiliesOnDemand'
describe 't'
create 'o', 'f', OWNER => 'me'
create 'd', 'f', {NUMREGIONS => 4, SPLITALGO => 'DecimalStringSplit'}
get_splits 'd'
