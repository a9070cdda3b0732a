# A table of employees with two families, read and changed.
create 'emp', 'personal', 'work'
put 'emp', '1', 'personal:name', 'ravi', 1000
put 'emp', '1', 'personal:city', 'chennai', 1000
put 'emp', '1', 'work:role', 'manager', 1000
put 'emp', '2', 'personal:name', 'sona', 1000
put 'emp', '2', 'work:salary', '30000', 1000
scan 'emp'
put 'emp', '1', 'personal:city', 'delhi', 2000
get 'emp', '1', {COLUMN => 'personal:city'}
get 'emp', '1', 'personal'
delete 'emp', '1', 'personal:city', 2000
get 'emp', '1', {COLUMN => 'personal:city'}
deleteall 'emp', '2'
count 'emp'
truncate 'emp'
scan 'emp'
