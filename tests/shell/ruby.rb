# It is Ruby: loops, methods, strings, files, regular expressions.
create 't', 'c'
for i in 'a'..'c' do for j in 'x'..'y' do put 't', "row-#{i}#{j}", "c:#{j}", "#{i}#{j}", 1 end end
scan 't'
def fill(table, rows)
  rows.each do |row|
    put table, row, 'c:q', row.upcase, 1
  end
end
fill 't', %w[one two]
text = <<~END
  three
  four
END
text.each_line { |line| put 't', line.chomp, 'c:q', line.length, 1 }
keys = []
@shell.connection.table('t').scan({}).next_rows(100).each { |row, cells| keys << row if row =~ /^[ot]/ }
keys.map { |k| k.force_encoding('UTF-8') }
h = { 'a' => 1,
      'b' => 2 }
h.each { |k, v| puts "#{k}=#{v}" }
File.write("#{ENV['HOME']}/shell_test.rb", "x = 5\nputs x * 2\nlist\n"); load "#{ENV['HOME']}/shell_test.rb"; File.delete("#{ENV['HOME']}/shell_test.rb")
if count('t') > 3 then puts 'many' end
1 + \
  2
nil
begin
  scan 'nope'
rescue => e
  puts "rescued: #{e.message}"
end
raise ArgumentError, 'the end'
