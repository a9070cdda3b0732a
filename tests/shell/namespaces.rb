create_namespace 'n1'
create_namespace 'n2', {'owner' => 'ann'}
list_namespace
list_namespace 'n.*'
alter_namespace 'n1', {METHOD => 'set', 'k' => 'v'}
describe_namespace 'n1'
alter_namespace 'n1', {METHOD => 'unset', NAME => 'k'}
describe_namespace 'n1'
create 'n1:t', 'f'
create 'n1:abc', 'f'
create 'abc', 'f'
list 'n1:abc.*'
list 'n1:.*'
list 'abc.*'
list_namespace_tables 'n1'
put 'n1:t', 'r', 'f:q', 'v', 1000
scan 'n1:t'
describe 'n1:t'
drop_namespace 'n2'
begin
  @shell.connection.delete_namespace('n1')
rescue Klip::Error => e
  puts "#{e.code}: #{e.message}"
end
drop_namespace 'n1'  # not empty
