# Groups of region servers, on an HBase with the endpoint for them and one server.
server = @shell.admin.servers.first.split(',').first(2).join(':'); nil
create 't', 'f'
create_namespace 'n'
create 'n:u', 'f'
list_rsgroups 'def.*'
get_server_rsgroup server
get_table_rsgroup 't'
get_namespace_rsgroup 'n'
add_rsgroup 'g'
list_rsgroups 'g'
get_rsgroup 'g'
show_rsgroup_config 'g'
alter_rsgroup_config 'g', {METHOD => 'set', 'k' => 'v', 'l' => 1}
show_rsgroup_config 'g'
alter_rsgroup_config 'g', {METHOD => 'unset', NAME => 'k'}
show_rsgroup_config 'g'
rename_rsgroup 'g', 'h'
list_rsgroups 'h'
update_rsgroup_config 'default'
balance_rsgroup 'default'
[['add_rsgroup', 'h'], ['add_rsgroup', 'no-such name'], ['get_rsgroup', 'none'], ['remove_rsgroup', 'none'],
 ['remove_rsgroup', 'default'], ['rename_rsgroup', 'none', 'x'], ['balance_rsgroup', 'none'],
 ['get_server_rsgroup', 'nowhere:1'], ['get_table_rsgroup', 'none'], ['move_tables_rsgroup', 'h', ['t']],
 ['move_tables_rsgroup', 'none', ['t']], ['move_servers_rsgroup', 'h', ['nowhere:1']], ['move_servers_rsgroup', 'h', [server]],
 ['move_servers_tables_rsgroup', 'h', [server], ['t']], ['remove_servers_rsgroup', server],
 ['alter_rsgroup_config', 'none', { 'METHOD' => 'set' }]].each do |name, *args|
  @shell.command(name, *args)
rescue StandardError => e
  puts e.message
end; nil
move_namespaces_rsgroup 'default', ['n']
get_rsgroup 'default'
remove_rsgroup 'h'
list_rsgroups
