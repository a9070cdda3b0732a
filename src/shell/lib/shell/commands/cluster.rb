# What the group tools, and those of configuration and procedures, ask a cluster: one server has short answers.
Shell.extend_group 'tools' do
  answers_of_one_server

  command 'list_liveservers', "Lists the servers:\n\n  hbase> list_liveservers\n" do
    print_list('SERVERNAME', [admin.server_name])
  end

  { 'list_deadservers' => 'servers that died', 'list_unknownservers' => 'servers that nobody knows',
    'list_decommissioned_regionservers' => 'servers taken out of use' }.each do |name, what|
    command(name, "Lists #{what}. klip never has any:\n\n  hbase> #{name}\n") { print_list('SERVERNAME', []) }
  end

  command 'clear_deadservers', "Forgets servers that died. klip never has any:\n\n  hbase> clear_deadservers\n" do |*|
    print_list('SERVERNAME', [])
  end

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
