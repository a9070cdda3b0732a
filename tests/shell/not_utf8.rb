create 't', 'f'
puts 'grüße', 'ü'.encoding
put 't', 'ü', 'f:q', 'ü'
scan 't'
put 't', 'r', 'f:q', 'z�'
puts 'not reached'
