# What bob of access.rb can see and do. He may read and write family f of t, and read namespace n.
scan 't'
scan 't', {AUTHORIZATIONS => ['private']}
scan 't', {COLUMNS => 'f', AUTHORIZATIONS => []}
put 't', 'r4', 'f:q', 'v', 1
deleteall 't', 'r4', 'f:q'
scan 'n:u'
[['put', 't', 'r4', 'g:q', 'v'], ['put', 'n:u', 'r', 'f:q', 'v'], ['create', 'x', 'f'], ['disable', 't'], ['grant', 'bob', 'A'],
 ['revoke', 'bob'], ['user_permission'], ['add_labels', 'more'], ['list_labels'], ['set_auths', 'bob', ['secret']],
 ['scan', 't', { 'AUTHORIZATIONS' => ['secret'] }], ['put', 't', 'r4', 'f:q', 'v', { 'VISIBILITY' => 'secret' }]].each do |name, *args|
  @shell.command(name, *args)
rescue StandardError => e
  puts e.message
end; nil
