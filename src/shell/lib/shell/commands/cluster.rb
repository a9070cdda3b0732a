autoload :JSON, 'json'  # not at the start: it takes time to load

# Commands of the groups tools, configuration and procedures on a cluster. klip's own server has short answers.
Shell.extend_group 'tools' do
  command 'list_liveservers', "Lists the servers:\n\n  hbase> list_liveservers\n" do
    print_list('SERVERNAME', admin.servers)
  end

  command 'list_deadservers', "Lists servers that died:\n\n  hbase> list_deadservers\n" do
    print_list('SERVERNAME', admin.metrics[:dead_servers])
  end

  command 'list_unknownservers', "Lists unknown servers, to which hbase:meta assigns regions:\n\n  hbase> list_unknownservers\n" do
    print_list('SERVERNAME', admin.metrics[:unknown_servers])
  end

  command 'list_decommissioned_regionservers', <<~'HELP' do
    Lists decommissioned servers:

      hbase> list_decommissioned_regionservers
  HELP
    formatter.header(['DECOMMISSIONED REGION SERVERS'])
    connection.decommissioned_servers.each { |server| formatter.row([server]) }
    nil
  end

  command 'decommission_regionservers', <<~'HELP' do |servers, offload = false|
    Decommissions servers: they receive no more regions. With true, moves their regions to other servers. A server is 'host',
    'host,port' or its full name. klip serve refuses it:

      hbase> decommission_regionservers 'server'
      hbase> decommission_regionservers ['server1', 'server2,port', 'server3,port,startcode'], true
  HELP
    names = admin.server_names([servers])
    raise ArgumentError, "Could not find any server(s) with specified name(s): #{servers}" if names.empty?

    connection.decommission_servers(names, offload.to_s == 'true')
  end

  command 'recommission_regionserver', <<~'HELP' do |server, regions = []|
    Recommissions a server, and moves regions to it:

      hbase> recommission_regionserver 'server,port'
      hbase> recommission_regionserver 'server,port,startcode', ['encoded_region_name1', 'encoded_region_name2']
  HELP
    name = admin.server_names([server]).first or raise ArgumentError, "Could not find any server with name #{server}"
    connection.recommission_server(name, regions)
  end

  command 'clear_deadservers', <<~'HELP' do |*servers|
    Removes dead servers, all or those named, from the list, and prints those that could not be removed:

      hbase> clear_deadservers
      hbase> clear_deadservers 'host187.example.com,60020,1289493121758'
  HELP
    dead = servers.flatten.compact
    print_list('SERVERNAME', connection.clear_dead_servers(dead.empty? ? admin.metrics[:dead_servers] : dead))
  end

  command 'clear_compaction_queues', <<~'HELP' do |server, queues = nil|
    Removes the waiting compactions from a server's queues 'long', 'short' or both. klip has no such queue:

      hbase> clear_compaction_queues 'host187.example.com,60020'
      hbase> clear_compaction_queues 'host187.example.com,60020', 'long'
      hbase> clear_compaction_queues 'host187.example.com,60020', ['long', 'short']
  HELP
    queues = queues.nil? ? %w[short long] : Array(queues)
    queues.each do |queue|
      raise ArgumentError, "Unknown queue name #{queue}" unless %w[short long].include?(queue)
    end
    connection.clear_compaction_queues(server_named(server), queues)
  end

  command 'compact_rs', <<~'HELP' do |server, major = false|
    Compacts all regions of a server; with true, rewrites all files:

      hbase> compact_rs 'host187.example.com,60020'
      hbase> compact_rs 'host187.example.com,60020', true
  HELP
    connection.compact_server(server_named(server), major)
  end
end

Shell.extend_group 'tools' do
  { 'get_slowlog_responses' => %w[SlowLog long], 'get_largelog_responses' => %w[LargeLog large] }.each do |name, (log, kind)|
    command(name, <<~HELP) do |servers, options = {}|
      Prints the recent #{kind == 'long' ? 'slow calls' : 'calls with large responses'} of all servers ('*') or those named. Servers record them if
      hbase.regionserver.slowlog.buffer.enabled is set; klip serve always does. LIMIT: calls per server, 10 by default:

        hbase> #{name} '*'
        hbase> #{name} '*', {'LIMIT' => 50}
        hbase> #{name} ['SERVER_NAME1', 'SERVER_NAME2']
        hbase> #{name} '*', {'TABLE_NAME' => 't1', 'USER' => 'name', 'FILTER_BY_OP' => 'AND'}
        hbase> #{name} '*', {'REGION_NAME' => 'hbase:meta,,1', 'CLIENT_IP' => '192.162.1.40:60225'}
    HELP
      raise 'Filter parameters are not Hash' unless options.is_a?(Hash)

      calls = connection.slow_calls(servers_named(servers), slow_call_query(options).merge(large: kind == 'large'))
      puts "Retrieved #{log} Responses from RegionServers"
      calls.each { |call| puts slow_call_text(call) }
      nil
    end
  end

  command 'clear_slowlog_responses', <<~'HELP' do |servers = nil|
    Clears the recorded slow and large calls of all servers, or those named:

      hbase> clear_slowlog_responses
      hbase> clear_slowlog_responses ['SERVER_NAME1', 'SERVER_NAME2']
  HELP
    cleared = connection.clear_slow_calls(servers_named(servers))
    puts "Cleared Slowlog responses from #{cleared.values.count(true)}/#{cleared.size} RegionServers"
  end

  { 'get_balancer_decisions' => ['BalancerDecision', :balancer_decisions, 'plans that the balancer made'],
    'get_balancer_rejections' => ['BalancerRejection', :balancer_rejections, 'plans that the balancer did not follow'] }
    .each do |name, (log, call, what)|
    command(name, <<~HELP) do |options = {}|
      Prints the last #{what}, if the master is configured to record them:

        hbase> #{name}
        hbase> #{name} LIMIT => 10
    HELP
      raise 'Filter parameters are not Hash' unless options.is_a?(Hash)

      found = connection.public_send(call, options.fetch('LIMIT', 250))
      puts "Retrieved #{log} Responses"
      found.each { |one| puts JSON.pretty_generate(balancer_log_fields(one)) }
      nil
    end
  end
end

Shell.group 'configuration', 'ONLINE CONFIGURATION TOOLS' do
  command 'update_config', <<~'HELP' do |server|
    Makes a server reload its settings (hbase-site.xml). klip serve has no such file:

      hbase> update_config 'SERVERNAME'
  HELP
    connection.update_configuration(servers_named(server.to_s))
  end

  command 'update_all_config', <<~'HELP' do
    Makes all servers and masters reload their settings (hbase-site.xml). klip serve has no such file:

      hbase> update_all_config
  HELP
    connection.update_configuration([])
  end

  command 'update_rsgroup_config', <<~'HELP' do |group|
    Makes the servers of a group reload their settings (hbase-site.xml):

      hbase> update_rsgroup_config 'my_group'
  HELP
    servers = group!(group)[:servers].map { |server| server.sub(/:(\d+)\z/, ',\1') }
    connection.update_configuration(servers_named(servers)) if servers.any?
  end
end

Shell.group 'procedures', 'PROCEDURES & LOCKS MANAGEMENT' do
  command 'list_procedures', <<~'HELP' do
    Lists the master's running and recent procedures, with the names of the values that they keep. Changes of klip's own store are
    complete when they return:

      hbase> list_procedures
  HELP
    formatter.header(%w[PID Name State Submitted Last_Update Parameters])
    procedures = connection.procedures
    procedures.each do |one|
      formatter.row([one[:id], one[:class_name], one[:state], time_text(one[:submitted_ms]), time_text(one[:last_update_ms]),
                     one[:state_types]])
    end
    formatter.footer(procedures.size)
  end

  command 'list_locks', "Lists the locks that procedures hold or wait for. klip's own store has none:\n\n  hbase> list_locks\n" do
    connection.locks.each do |lock|
      puts "#{lock[:resource_type]}(#{lock[:resource_name]})"
      puts(lock[:exclusive] ? "Lock type: EXCLUSIVE, procedure: #{procedure_fields(lock[:owner])}" :
                              "Lock type: SHARED, count: #{lock[:shared_count]}")
      if lock[:waiting].any?
        formatter.header(['Waiting procedures'])
        lock[:waiting].each { |one| formatter.row([procedure_fields(one)]) }
        formatter.footer(lock[:waiting].size)
      end
      puts
    end
    nil
  end
end

class Shell::Command
  private

  SLOW_CALL_FILTERS = { 'REGION_NAME' => :region, 'TABLE_NAME' => :table, 'CLIENT_IP' => :client, 'USER' => :user }.freeze

  def slow_call_query(options)
    query = { limit: options.fetch('LIMIT', 10), match_all: options['FILTER_BY_OP'].to_s == 'AND' }
    SLOW_CALL_FILTERS.each { |name, key| query[key] = options[name].to_s if options[name] }
    query
  end

  # As HBase's OnlineLogRecord prints itself.
  def slow_call_text(call)
    fields = { 'startTime' => call[:start_ms], 'processingTime' => call[:processing_ms], 'queueTime' => call[:queue_ms],
               'responseSize' => call[:response_bytes], 'blockBytesScanned' => call[:block_bytes_scanned],
               'fsReadTime' => call[:file_read_ms], 'clientAddress' => call[:client], 'serverClass' => call[:server_class],
               'methodName' => call[:method], 'callDetails' => call[:call], 'param' => call[:parameters],
               'userName' => call[:user] }
    counts = { 'multiGetsCount' => call[:gets], 'multiMutationsCount' => call[:mutations],
               'multiServiceCalls' => call[:service_calls] }
    JSON.pretty_generate(fields.merge(counts.reject { |_name, count| count.zero? }))
  end

  def balancer_log_fields(one)
    return { 'reason' => one[:reason], 'costFuncInfoList' => one[:function_costs] } if one.key?(:reason)

    { 'initialFunctionCosts' => one[:initial_function_costs], 'finalFunctionCosts' => one[:final_function_costs],
      'initTotalCost' => one[:initial_cost], 'computedTotalCost' => one[:final_cost], 'computedSteps' => one[:steps],
      'regionPlans' => one[:region_plans] }
  end

  # As HBase's shell prints a procedure: by the names of its JSON.
  def procedure_fields(one)
    { 'className' => one[:class_name], 'parentId' => one[:parent_id]&.to_s, 'procId' => one[:id].to_s,
      'submittedTime' => one[:submitted_ms].to_s, 'owner' => one[:owner], 'state' => one[:state],
      'lastUpdate' => one[:last_update_ms].to_s }.compact
  end
end
