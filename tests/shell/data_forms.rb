# put, get, scan and their options.
create 't', {NAME => 'f', VERSIONS => 4}, 'g'
put 't', 'r1', 'f:a', 'v1', 1000
put 't', 'r1', 'f:a', 'v2', 2000
put 't', 'r1', 'f:a', 'v3', 3000
put 't', 'r1', 'g:', 'empty qualifier', 3000
put 't', 'r1', 'f:n', "\x00\x00\x00\x2a", 3500
put 't', 12, 'f:number', 3.5, 4000
put 't', 'r2', 'f:b:c', 'colon', 5000
put 't', "r\x00\xff\\", 'f:a', "tab\tnew\nline é", 6000
put 't', 'r3', 'f:a', 'attributes', 7000, {ATTRIBUTES => {'k' => 'v'}}
put 't', 'gone', 'f:a', 'soon', {TTL => 1}
get 't', 'r1'
get 't', 'r1', 'f'
get 't', 'r1', 'f:a', 'g'
get 't', 'r1', ['f:a', 'f:n:toInt']
get 't', 'r1', {COLUMN => 'f:n:c(org.apache.hadoop.hbase.util.Bytes).toInt'}
get 't', 'r1', {COLUMN => 'f:a', VERSIONS => 2}
get 't', 'r1', {VERSIONS => 3}
get 't', 'r1', {COLUMN => 'f:a', TIMESTAMP => 2000}
get 't', 'r1', {COLUMNS => ['f:a'], TIMERANGE => [0, 2000], VERSIONS => 9}
get 't', 'r1', {FILTER => "ValueFilter(=, 'binary:v3')"}
get 't', 'r1', {COLUMN => 'f:a', FORMATTER => 'toHex'}
get 't', 'r1', {COLUMN => 'f', MAXLENGTH => 15}
get 't', 'nope'
get 't', 12
scan 't', {COLUMNS => ['f:a', 'g'], STARTROW => 'r1', STOPROW => 'r3'}
scan 't', {STARTROW => 'r1', STOPROW => 'r1'}
scan 't', {STARTROW => 'r1', ENDROW => 'r2', VERSIONS => 2, COLUMN => 'f:a'}
scan 't', {ROWPREFIXFILTER => 'r', LIMIT => 2, COLUMNS => 'f:a', CACHE => 100, CACHE_BLOCKS => false}
scan 't', {'LIMIT' => 1, 'REVERSED' => true}
scan 't', {TIMERANGE => [3000, 5000]}
scan 't', {TIMESTAMP => 2000}
scan 't', {FILTER => "QualifierFilter(=, 'binary:n')", FORMATTER => 'toInt', FORMATTER_CLASS => 'org.apache.hadoop.hbase.util.Bytes'}
put 't', 'numbers', 'f:d', "\x00\x00\x00\x02\x04\xd2", 1
put 't', 'numbers', 'f:e', Bytes.toBytes(2.5), 1
put 't', 'numbers', 'f:s', "\xff\xfe", 1
put 't', 'numbers', 'f:t', "\xff", 1
get 't', 'numbers', 'f:d:toBigDecimal', 'f:e:toDouble', 'f:s:toShort', 'f:t:toBoolean'
delete 't', 'r1', 'f:a'
delete 't', 'r1', 'f:a', 1000
deleteall 't', 'r1', 'g', 3000
scan 't', {RAW => true, VERSIONS => 10, STARTROW => 'r1', STOPROW => 'r2'}
scan 't', {COLUMNS => ['f:a'], VERSIONS => 9, LIMIT => 2}
deleteall 't', 'r1', 'f:a'
deleteall 't', 'r1'
deleteall 't', {ROWPREFIXFILTER => 'r', CACHE => 2}
scan 't'
scan 't', {RAW => true, COLUMNS => 'f:a'}
