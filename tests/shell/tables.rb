# Tables as a whole.
create 'a1', 'f', SPLITS => ['m']
create 'a2', 'f'
exists 'a1'
exists 'zzz'
is_enabled 'a1'
is_disabled 'a1'
disable 'a1'
disable 'a1'
is_enabled 'a1'
describe 'a1'
enable 'a1'
enable 'a1'
put 'a1', 'r', 'f:q', 'v'
truncate_preserve 'a1'
get_splits 'a1'
truncate 'a1'
get_splits 'a1'
create 'b', 'f', {NUMREGIONS => 3, SPLITALGO => 'UniformSplit'}
clone_table_schema 'b', 'c'
clone_table_schema 'b', 'd', false
get_splits 'c'
get_splits 'd'
list 'a.*'
list('a.*').each { |t| disable t; drop t }
list
show_filters
list_regions 'b', '', ['START_KEY', 'END_KEY']
t = get_table 'd'
t.name
t.put 'r', 'f:q', 'v', 1000
t.get 'r'
t.scan LIMIT => 5
t.count
t.incr 'r', 'f:c'
t.get_counter 'r', 'f:c'
t.append 'r', 'f:s', 'x'
t.delete 'r', 'f:s'
t.deleteall 'r'
t.get_splits
t.get_all_columns
t.flush
t.snapshot 's'
t.disable
t.drop
get_table 'd'
