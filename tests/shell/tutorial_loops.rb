# Many rows by a loop.
create 't', 'f'
(1..5).each { |i| put 't', "row#{i}", 'f:q', "v#{i}", i }
1.upto(3) do |i|
  put 't', format('key%03d', i), 'f:n', i * i, 1
end
t = get_table 't'
t.scan LIMIT => 3
t.count INTERVAL => 4
