# Families whose cells expire.
create 'sessions', {NAME => 'f', TTL => 86400}
create 'logs', {NAME => 'f', TTL => '2 HOURS 30 MINUTES'}
alter 'sessions', NAME => 'f', TTL => 60
put 'sessions', 's1', 'f:user', 'ann', 1000
get 'sessions', 's1'
describe 'sessions'
describe 'logs'
