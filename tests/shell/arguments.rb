# A script sees its name and arguments, and can choose the exit code.
p ARGV, $0
create 't', 'f'
exit 5 if is_enabled 't'
list
