# A table in a variable.
t = create 't', 'f'
t.put 'r', 'f', 'v', 1
t.scan
t.describe
t.disable
t.drop
tables = list 't.*'
tables.length
