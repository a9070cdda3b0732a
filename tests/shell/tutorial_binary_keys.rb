# Bytes in keys and values.
create 't', 'f'
put 't', "key\x03\x3f\xcd", 'f:a', "\x01\x33\x40", 1
put 't', "key\003\023\011", 'f:a', 'octal', 1
put 't', 'key\x00', 'f:a', 'no escapes in single quotes', 1
get 't', "key\x03\x3f\xcd"
scan 't'
deleteall 't', {ROWPREFIXFILTER => "key\x03"}
scan 't'
