# The three ways to delete, as seen by a raw scan.
create 't', {NAME => 'f', VERSIONS => 3}
put 't', 'r', 'f:a', 'a1', 1
put 't', 'r', 'f:a', 'a2', 2
put 't', 'r', 'f:b', 'b1', 1
delete 't', 'r', 'f:a', 2
get 't', 'r'
deleteall 't', 'r', 'f:a', 5
get 't', 'r'
deleteall 't', 'r', '', 9
get 't', 'r'
scan 't', {RAW => true, VERSIONS => 10}
flush 't'
major_compact 't'
scan 't', {RAW => true, VERSIONS => 10}
