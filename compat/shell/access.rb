# Permissions and visibility labels, on an HBase with the coprocessors for both; access_of_bob.rb is what bob may do then.
list_security_capabilities
create 't', 'f', 'g'
create_namespace 'n'
create 'n:u', 'f'
grant 'bob', 'RW', 't', 'f'
grant 'bob', 'X', 't', 'f', 'q'
grant 'bob', 'R', '@n'
grant '@staff', 'RWXCA', 'n:u'
grant 'alice', 'CA'
grant 'alice', 'R'
user_permission
user_permission 't'
user_permission 'n:.*'
user_permission '@n'
revoke 'alice'
revoke 'bob', 't', 'f', 'q'
revoke '@staff', 'n:u'
user_permission '.*'
list_labels
add_labels ['secret', 'private'], 'public'
list_labels
list_labels 'p.*'
set_auths 'bob', ['private', 'public']
get_auths 'bob'
clear_auths 'bob', ['public']
get_auths 'bob'
put 't', 'r1', 'f:all', '1', 1
put 't', 'r1', 'f:private', '2', 1, {VISIBILITY => 'private'}
put 't', 'r1', 'f:secret', '3', 1, {VISIBILITY => 'secret'}
put 't', 'r1', 'f:either', '4', 1, {VISIBILITY => '(secret|private)&!public'}
put 't', 'r1', 'g:q', '5', 1
put 't', 'r2', 'f:q', '6', 1
put 't', 'r2', 'f:r', '7', 1, {ATTRIBUTES => {'mine' => 'x'}}
incr 't', 'r3', 'f:n', 5, {VISIBILITY => 'secret'}
append 't', 'r3', 'f:m', 'x', {VISIBILITY => 'private'}
set_visibility 't', 'secret', {COLUMNS => 'f:q'}
put 'n:u', 'r', 'f:q', 'v', 1
scan 't', {AUTHORIZATIONS => ['private']}
get 't', 'r1', {AUTHORIZATIONS => ['secret']}
put 't', 'r1', 'g:r', '8', 1
grant 't', { 'bob' => 'R' }, { COLUMNS => 'g:q' }
[['grant', 'bob', ''], ['grant', 'bob', 'Z'], ['grant', 'bob', 'R', 'none'], ['grant', 'bob', 'R', '@none'],
 ['grant', 'bob', 'R', 't', 'none'], ['grant', 't', { 'bob' => 'RZ' }, {}], ['grant', 1], ['grant', 'bob', 1],
 ['grant', 't', { 'bob' => 'R' }], ['revoke', 'nobody', 't'], ['add_labels'], ['add_labels', 'secret'],
 ['set_auths', 'bob', ['none']], ['clear_auths', 'bob', ['public']], ['get_auths', 'nobody'],
 ['put', 't', 'r1', 'f:q', 'v', { 'VISIBILITY' => 'none' }], ['put', 't', 'r1', 'f:q', 'v', { 'VISIBILITY' => 'a&' }],
 ['scan', 't', { 'AUTHORIZATIONS' => 'private' }], ['put', 't', 'r', 'f:q', 'v', { 'ATTRIBUTES' => 'x' }]].each do |name, *args|
  @shell.command(name, *args)
rescue StandardError => e
  puts e.message
end; nil
