# A little report on all tables.
create 'a', 'f'
create 'b', 'f'
put 'a', 'r', 'f:q', 'v'
names = list
names.each do |name|
  rows = count name
  puts "#{name}: #{rows} rows"
end
disable 'b'
names.reject { |name| is_enabled(name) }.each { |name| puts "#{name} is off" }
status
