# Settings of reads that change how they are made, not what they find.
create 't', {NAME => 'f', VERSIONS => 3}
(1..3).each { |i| (1..2).each { |j| put 't', "r#{i}", "f:#{j}", "v#{i}#{j}", i } }
scan 't', {CONSISTENCY => 'TIMELINE', ISOLATION_LEVEL => 'READ_UNCOMMITTED', READ_TYPE => 'PREAD', CACHE => 1, CACHE_BLOCKS => false, LIMIT => 1}
scan 't', {BATCH => 1, COLUMNS => ['f']}
scan 't', {ALLOW_PARTIAL_RESULTS => true, MAX_RESULT_SIZE => 1, LIMIT => 2}
scan 't', {READ_TYPE => 'STREAM', ATTRIBUTES => {'mykey' => 'myvalue'}, REVERSED => true, STARTROW => 'r2'}
get 't', 'r1', {COLUMN => 'f:1', CONSISTENCY => 'STRONG', ATTRIBUTES => {'mykey' => 'myvalue'}}
count 't', CACHE => 1000, INTERVAL => 2
