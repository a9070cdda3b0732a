# Page views.
create 'counters', 'daily', 'weekly'
incr 'counters', '20110101', 'daily:hits', 1
incr 'counters', '20110101', 'daily:hits', 1
get_counter 'counters', '20110101', 'daily:hits'
incr 'counters', '20110101', 'weekly:hits', 10
get 'counters', '20110101', {COLUMNS => ['daily:hits:toLong', 'weekly:hits:toLong']}
