# Settings that tutorials like to show.
create 't1', {NAME => 'f1', VERSIONS => 1, TTL => 2592000, BLOCKCACHE => true}
create 't2', {NAME => 'f', IN_MEMORY => 'true', BLOCKSIZE => '16384', DATA_BLOCK_ENCODING => 'FAST_DIFF', COMPRESSION => 'snappy'}
create 't3', {NAME => 'f1', CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}}, METADATA => {'owner' => 'ann'}
alter 't1', MAX_FILESIZE => '134217728'
alter 't1', CONFIGURATION => {'hbase.hregion.scan.loadColumnFamiliesOnDemand' => 'true'}
%w[t1 t2 t3].each { |t| desc t }
