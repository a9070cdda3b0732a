# What the group tools, and those of configuration and procedures, ask a cluster: one server has short answers.
Shell.extend_group 'tools' do
  command 'list_liveservers', "Lists the servers:\n\n  hbase> list_liveservers\n" do
    print_list('SERVERNAME', admin.servers)
  end

  command 'list_deadservers', "Lists servers that died:\n\n  hbase> list_deadservers\n" do
    print_list('SERVERNAME', admin.metrics[:dead_servers])
  end

  command 'list_unknownservers', "Lists servers that nobody knows, with regions on them:\n\n  hbase> list_unknownservers\n" do
    print_list('SERVERNAME', admin.metrics[:unknown_servers])
  end

  command 'list_decommissioned_regionservers', <<~'HELP' do
    Lists servers taken out of use:

      hbase> list_decommissioned_regionservers
  HELP
    formatter.header(['DECOMMISSIONED REGION SERVERS'])
    connection.decommissioned_servers.each { |server| formatter.row([server]) }
    nil
  end

  command 'decommission_regionservers', <<~'HELP' do |servers, offload = false|
    Takes servers out of use: they get no regions any more. With true, those that they have move away. A server is its host,
    'host,port', or its whole name. klip's own server refuses it:

      hbase> decommission_regionservers 'server'
      hbase> decommission_regionservers ['server1', 'server2,port', 'server3,port,startcode'], true
  HELP
    names = admin.server_names([servers])
    raise ArgumentError, "Could not find any server(s) with specified name(s): #{servers}" if names.empty?

    connection.decommission_servers(names, offload.to_s == 'true')
  end

  command 'recommission_regionserver', <<~'HELP' do |server, regions = []|
    Takes a server into use again, and moves regions to it:

      hbase> recommission_regionserver 'server,port'
      hbase> recommission_regionserver 'server,port,startcode', ['encoded_region_name1', 'encoded_region_name2']
  HELP
    name = admin.server_names([server]).first or raise ArgumentError, "Could not find any server with name #{server}"
    connection.recommission_server(name, regions)
  end

  command 'clear_deadservers', <<~'HELP' do |*servers|
    Forgets servers that died, all or those named, and lists those that could not be forgotten:

      hbase> clear_deadservers
      hbase> clear_deadservers 'host187.example.com,60020,1289493121758'
  HELP
    dead = servers.flatten.compact
    print_list('SERVERNAME', connection.clear_dead_servers(dead.empty? ? admin.metrics[:dead_servers] : dead))
  end

  answers_of_one_server

  command 'clear_compaction_queues', <<~'HELP' do |*|
    Drops compactions that wait. klip's are not kept in a queue:

      hbase> clear_compaction_queues 'SERVERNAME'
  HELP
    nil
  end

  command 'compact_rs', <<~'HELP' do |_server = nil, major = false|
    Compacts all tables of the server; with true, rewrites all files:

      hbase> compact_rs 'SERVERNAME'
      hbase> compact_rs 'SERVERNAME', true
  HELP
    admin.list.each { |table| major ? connection.major_compact(table) : connection.compact(table) }
    nil
  end

  { 'get_slowlog_responses' => 'slow calls', 'get_largelog_responses' => 'large calls',
    'get_balancer_decisions' => "the balancer's decisions", 'get_balancer_rejections' => "the balancer's rejections" }
    .each do |name, what|
    command(name, "Prints #{what}. klip keeps none:\n\n  hbase> #{name}\n") do |*|
      puts 'Retrieved [] responses from servers'
    end
  end

  command 'clear_slowlog_responses', "Forgets slow calls. klip keeps none:\n\n  hbase> clear_slowlog_responses\n" do |*|
    puts 'Cleared Slowlog responses from 0/1 RegionServers'
  end
end

Shell.group 'configuration', 'ONLINE CONFIGURATION TOOLS' do
  answers_of_one_server

  unsupported "klip's options are those of its command line", 'update_config', 'update_all_config', 'update_rsgroup_config'
end

Shell.group 'procedures', 'PROCEDURES & LOCKS MANAGEMENT' do
  answers_of_one_server

  command 'list_procedures', "Lists procedures. klip's changes are done when they return:\n\n  hbase> list_procedures\n" do
    formatter.header(%w[PID Name State Submitted Last_Update Parameters])
    formatter.footer(0)
  end

  command 'list_locks', "Lists the locks of procedures. klip has none:\n\n  hbase> list_locks\n" do
    nil
  end
end
