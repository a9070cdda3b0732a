# Secondary indexes: what klip adds.
create 'p', 'f'
put 'p', 'ann', 'f:city', 'Rome', 1000
put 'p', 'bob', 'f:city', 'Oslo', 1000
create_index 'p', 'by_city', 'f:city text'
list_indexes 'p'
describe 'p'
put 'p', 'cid', 'f:city', 'Oslo', 1000
scan 'p', FILTER => "SingleColumnValueFilter('f', 'city', =, 'binary:Oslo', true, true)"
scan 'p.klip_index.by_city'
scan 'p.klip_index.by_city', {WHERE => 'city=Oslo'}
get 'p.klip_index.by_city', "Rome\x00ann"
count 'p.klip_index.by_city'
describe 'p.klip_index.by_city'
verify_index 'p', 'by_city'
verify_index 'p', 'by_city', {'REPAIR' => true}
help 'create_index'
drop_index 'p', 'by_city'
list_indexes 'p'
create_index 'p', 'by_upper', 'upper(f:city) text, bucket(f:city, 4)'
put 'p', 'dan', 'f:city', 'OSLO', 1000
scan 'p', {WHERE => 'upper(f:city)=OSLO'}
create_index 'p', 'by_letter', 'f:city text(4) SKIP INVALID'
put 'p', 'eve', 'f:city', 'Madrid', 1000
scan 'p', {WHERE => 'f:city=M*'}
list_indexes 'p'
verify_index 'p', 'by_letter'
create_index 'p', 'by_length', "sql('LENGTH(CITY)') u32 FOR 'CREATE VIEW \"p\" (K VARCHAR PRIMARY KEY, \"f\".\"city\" VARCHAR)'"
put 'p', 'fay', 'f:city', 'Aix', 1000
scan 'p.klip_index.by_length', LIMIT => 1
verify_index 'p', 'by_length'
