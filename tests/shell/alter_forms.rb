# Every form of alter.
create 't', {NAME => 'f1', VERSIONS => 5}
alter 't', 'f1', {NAME => 'f2', IN_MEMORY => true}, {NAME => 'f3', VERSIONS => 5}
alter 't', NAME => 'f1', TTL => 60
describe 't'
alter 't', 'delete' => 'f2'
alter 't', NAME => 'f3', METHOD => 'delete'
alter 't', METHOD => 'table_att', 'coprocessor' => 'file:///x.jar|com.foo.Observer|1001|a=1,b=2'
alter 't', COPROCESSOR => {CLASSNAME => 'com.foo.Second'}
alter 't', MAX_FILESIZE => '134217728', READONLY => 'true', CONFIGURATION => {'k' => 'v'}
describe 't'
alter 't', METHOD => 'table_remove_coprocessor', CLASSNAME => 'com.foo.Second'
alter 't', METHOD => 'table_att_unset', NAME => ['coprocessor$1', 'READONLY']
alter 't', METHOD => 'table_conf_unset', NAME => 'k'
alter_async 't', {NAME => 'f4'}, {MAX_FILESIZE => 1000000000}, {NAME => 'f4', VERSIONS => 2}
alter_status 't'
describe 't'
