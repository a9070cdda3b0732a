puts "a byte order mark"
list
