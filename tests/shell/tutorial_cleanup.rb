# What tests leave behind, removed by a loop over list.
create 'tmp_a', 'f'
create 'tmp_b', 'f'
create 'kept', 'f'
list('tmp_.*').each { |t| disable t; drop t }
list
list.map { |t| is_enabled t }
