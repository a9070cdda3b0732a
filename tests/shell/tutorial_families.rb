# Families come and go.
create 't', 'f1'
alter 't', 'f2', 'f3'
put 't', 'r', 'f2:q', 'v', 1
alter 't', 'delete' => 'f2'
alter 't', {NAME => 'f3', METHOD => 'delete'}, {NAME => 'f1', BLOOMFILTER => 'ROWCOL', COMPRESSION => 'GZ'}
describe 't'
scan 't'
