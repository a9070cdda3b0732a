# Rows of a file.
File.write('/tmp/klip_people.csv', "id,name,city\n1,Ann,Rome\n2,Bob,Oslo\n")
create 'people', 'd'
header, *lines = File.readlines('/tmp/klip_people.csv').map { |line| line.chomp.split(',') }
lines.each do |id, *values|
  header.drop(1).zip(values).each { |column, value| put 'people', id, "d:#{column}", value, 1 }
end
File.delete('/tmp/klip_people.csv')
scan 'people'
