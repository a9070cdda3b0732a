# Secondary indexes: what klip adds.
create 'p', 'f'
put 'p', 'ann', 'f:city', 'Rome', 1000
put 'p', 'bob', 'f:city', 'Oslo', 1000
create_index 'p', 'by_city', 'f:city text'
list_indexes 'p'
describe 'p'
put 'p', 'cid', 'f:city', 'Oslo', 1000
scan 'p', FILTER => "SingleColumnValueFilter('f', 'city', =, 'binary:Oslo', true, true)"
verify_index 'p', 'by_city'
verify_index 'p', 'by_city', {'REPAIR' => true}
help 'create_index'
drop_index 'p', 'by_city'
list_indexes 'p'
