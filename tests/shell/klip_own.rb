# What klip adds.
create 'd', 'f', SCHEMA => "username:text(10,'*') date:digits(8) domain:text(20,'*')"
row_key 'd'
[%w[alice 20140627 foo.com], %w[alice 20140628 foo.bar], %w[bob 20140628 foo.com]].each do |user, date, domain|
  put 'd', row_key('d', {username: user, date: date, domain: domain}), 'f:q', 'x', 1000
end
scan 'd', WHERE => 'date=20140628'
count 'd', WHERE => "username=alice"
row_key 'd', 'alice*****20140628foo.bar*************'
explain('d', WHERE => 'date=20140628') && nil
first_row 'd'
last_row 'd'
create 'p', 'f'
prepend 'p', 'f:q', 'first'
prepend 'p', 'f:q', 'second'
create 'e', 'f'
first_row 'e'
row_key 'e'
scan 'e', WHERE => 'x=1'
