# How versions come and go.
create 'v', 'cf'
put 'v', 'r', 'cf:a', 'one', 1
put 'v', 'r', 'cf:a', 'two', 2
get 'v', 'r', {COLUMN => 'cf:a', VERSIONS => 2}
alter 'v', NAME => 'cf', VERSIONS => 2
put 'v', 'r', 'cf:a', 'three', 3
put 'v', 'r', 'cf:a', 'in between', 2
get 'v', 'r', {COLUMN => 'cf:a', VERSIONS => 5}
alter 'v', {NAME => 'cf', VERSIONS => 1}
get 'v', 'r', {COLUMN => 'cf:a', VERSIONS => 5}
