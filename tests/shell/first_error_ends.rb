list
drop 'nope'
list
