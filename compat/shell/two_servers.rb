# An HBase with two region servers: groups of servers, and commands on single servers.
def server_of(table)
  @shell.connection.regions(table).map { |region| region[:server].split(',').first(2).join(':') }.uniq
end
def groups
  @shell.connection.groups.to_h { |group| [group[:name], [group[:servers].size, group[:tables].reject { |t| t.start_with?('hbase:') }]] }
end

# Groups come into being when the table that they are kept in is on a server, which is after the master is ready.
ready_by = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60; nil
begin
  @shell.connection.add_group('ready')
rescue StandardError
  sleep 0.2
  retry if Process.clock_gettime(Process::CLOCK_MONOTONIC) < ready_by
end; nil
@shell.connection.remove_group('ready'); nil

first, second = @shell.admin.servers.map { |name| name.split(',').first(2).join(':') }.sort; nil
create_namespace 'n'
create 't', 'f', SPLITS => ['m']
create 'n:u', 'f'
put 't', 'a', 'f:q', 'v', 1
put 't', 'z', 'f:q', 'v', 1
add_rsgroup 'g'
move_servers_rsgroup 'g', [first]
puts groups.inspect
get_server_rsgroup first
move_tables_rsgroup 'g', ['t']
puts groups.inspect
puts server_of('t') == [first], server_of('n:u') == [second]
scan 't'
move_namespaces_rsgroup 'g', ['n']
puts groups.inspect
puts server_of('n:u') == [first]
move_servers_tables_rsgroup 'default', [first], ['t', 'n:u']
remove_rsgroup 'g'
puts groups.inspect
add_rsgroup 'h'
move_servers_namespaces_rsgroup 'h', [first], ['n']
puts groups.inspect
puts server_of('n:u') == [first], server_of('t') == [second]
begin
  move_servers_rsgroup 'h', [second]
rescue StandardError => e
  puts e.message
end; nil

wal_roll first.sub(':', ',')
hbck_chore_run
flush_master_store
list_security_capabilities
change_sft 't', 'FILE'
change_sft 'n:u', 'f', 'FILE'
puts @shell.connection.describe_table('t')[:attributes]['hbase.store.file-tracker.impl']

move_servers_tables_rsgroup 'default', [first], ['n:u']
remove_rsgroup 'h'
stop_regionserver second
deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60; nil
sleep 0.2 until server_of('t') == [first] || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline; nil
puts server_of('t') == [first]
scan 't'
stop_master
