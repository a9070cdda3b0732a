# Two nested loops, and a range of the rows.
create 'test', 'cf'
for i in 'a'..'c' do for j in 'a'..'c' do put 'test', "row-#{i}#{j}", "cf:#{j}", "#{j}", 1 end end
scan 'test', {STARTROW => 'row-ab', STOPROW => 'row-bc'}
count 'test'
