# Counters, append, count.
create 't', 'f'
incr 't', 'r', 'f:c'
incr 't', 'r', 'f:c', 10
incr 't', 'r', 'f:c', -3
get_counter 't', 'r', 'f:c'
get_counter 't', 'r', 'f:none'
append 't', 'r', 'f:s', 'abc'
append 't', 'r', 'f:s', "\x00def"
25.times { |i| @shell.connection.table('t').put(row: format('k%02d', i), columns: [['f', 'q', 'v', 1]]) }
count 't'
count 't', INTERVAL => 10, CACHE => 5
count 't', 20
count 't', {STARTROW => 'k20', STOPROW => 'k24'}
count 't', FILTER => "PrefixFilter('k1')", COLUMNS => ['f:q']
c = count 't', COLUMNS => 'f:none'
puts "#{c} rows"
truncate 't'
count 't'
