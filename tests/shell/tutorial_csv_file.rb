# Rows of a file.
File.write("#{ENV['HOME']}/people.csv", "id,name,city\n1,Ann,Rome\n2,Bob,Oslo\n")
create 'people', 'd'
header, *lines = File.readlines("#{ENV['HOME']}/people.csv").map { |line| line.chomp.split(',') }
lines.each do |id, *values|
  header.drop(1).zip(values).each { |column, value| put 'people', id, "d:#{column}", value, 1 }
end
File.delete("#{ENV['HOME']}/people.csv")
scan 'people'
