# Replication to another HBase. ARGV: its cluster key.
key = ARGV[0]; nil
other = Klip::Connection.open(Shell::Peers.uri(key), {}); nil
# A peer's settings have the key, which differs from run to run.
def settings(id)
  config = @shell.connection.peer(id)
  puts config.except(:cluster_key).inspect
end

create 't', 'f', {NAME => 'g'}
create_namespace 'n'
create 'n:u', 'f'
add_peer '1', CLUSTER_KEY => key, STATE => 'DISABLED', TABLE_CFS => {'t' => ['f']}, CONFIG => {'c' => 'v'}, DATA => {'d' => 'w'}
settings '1'
show_peer_tableCFs '1'
append_peer_tableCFs '1', {'t' => ['g'], 'n:u' => []}
show_peer_tableCFs '1'
append_peer_tableCFs '1', {'n:u' => ['f']}
show_peer_tableCFs '1'
remove_peer_tableCFs '1', {'t' => ['g']}
show_peer_tableCFs '1'
set_peer_tableCFs '1', {'n:u' => ['f']}
show_peer_tableCFs '1'
set_peer_tableCFs '1', {}
append_peer_namespaces '1', ['n', 'default']
remove_peer_namespaces '1', ['n']
settings '1'
set_peer_namespaces '1', []
set_peer_replicate_all '1', true
set_peer_exclude_namespaces '1', ['n']
append_peer_exclude_namespaces '1', ['default']
remove_peer_exclude_namespaces '1', ['default']
append_peer_exclude_tableCFs '1', {'t' => ['g']}
append_peer_exclude_tableCFs '1', {'t' => ['h']}
remove_peer_exclude_tableCFs '1', {'t' => ['h']}
set_peer_bandwidth '1', 1048576
update_peer_config '1', CONFIG => {'c2' => 'v2'}
settings '1'
set_peer_exclude_tableCFs '1', {}
set_peer_bandwidth '1'
enable_peer '1'

puts other.table_exists?('t').inspect
enable_table_replication 't'
puts other.table_exists?('t').inspect
list_replicated_tables
put 't', 'r', 'f:q', 'v', 1
deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60; nil
found = nil
while found.nil? && Process.clock_gettime(Process::CLOCK_MONOTONIC) < deadline
  row = other.table('t').get({ row: 'r' })
  found = row[1].first unless row.nil? || row[1].empty?
  sleep 0.2 if found.nil?
end
puts "replicated: #{found&.value}"
disable_table_replication 't'
list_replicated_tables
peer_modification_switch false, true
peer_modification_enabled
peer_modification_switch true
disable_peer '1'
puts(@shell.connection.peers.map { |peer| [peer[:id], peer[:enabled]].inspect })
[['add_peer', '1', { 'CLUSTER_KEY' => key }], ['enable_peer', '2'], ['disable_peer', '2'], ['remove_peer', '2'],
 ['get_peer_config', '2'], ['set_peer_serial', '2', true], ['remove_peer_tableCFs', '1', { 't' => [] }],
 ['set_peer_tableCFs', '1', { 't' => [] }]].each do |name, *args|
  @shell.command(name, *args)
rescue StandardError => e
  puts e.message
end; nil
remove_peer '1'
list_peers
