Shell.group 'rsgroup', 'RSGroups' do
  command 'list_rsgroups', <<~'HELP' do |regex = '.*'|
    Lists the groups of region servers, with their servers and tables: all, or those whose names contain a match of a regular expression.
    Groups need the master's coprocessor RSGroupAdminEndpoint. klip serve is one group:

      hbase> list_rsgroups
      hbase> list_rsgroups 'abc.*'
  HELP
    formatter.header(['NAME', 'SERVER / TABLE'])
    groups = connection.groups.select { |group| group[:name].match?(regex) }
    groups.each do |group|
      members = group[:servers].map { |server| "server #{server}" } + group[:tables].map { |table| "table #{table}" }
      members = [''] if members.empty?
      members.each_with_index { |member, index| formatter.row([index.zero? ? group[:name] : '', member]) }
    end
    formatter.footer(groups.size)
  end

  command 'get_rsgroup', "Prints the servers and tables of a group:\n\n  hbase> get_rsgroup 'default'\n" do |name|
    group = group!(name)
    { 'SERVERS' => :servers, 'TABLES' => :tables }.each do |title, key|
      formatter.header([title])
      group[key].each { |one| formatter.row([one]) }
      formatter.footer(group[key].size)
    end
    nil
  end

  command 'add_rsgroup', "Creates a group:\n\n  hbase> add_rsgroup 'my_group'\n" do |name|
    connection.add_group(name.to_s)
  end

  command 'remove_rsgroup', <<~'HELP' do |name|
    Removes a group, which must have neither servers nor tables:

      hbase> remove_rsgroup 'my_group'
  HELP
    connection.remove_group(name.to_s)
  end

  command 'rename_rsgroup', "Renames a group:\n\n  hbase> rename_rsgroup 'oldname', 'newname'\n" do |name, new_name|
    connection.rename_group(name.to_s, new_name.to_s)
  end

  command 'balance_rsgroup', <<~'HELP' do |name, *options|
    Balances the regions of a group over its servers, and prints whether the balancer ran. Options as of 'balancer':

      hbase> balance_rsgroup 'my_group'
      hbase> balance_rsgroup 'my_group', 'ignore_rit'
      hbase> balance_rsgroup 'my_group', 'dry_run', 'ignore_rit'
  HELP
    print_balance(connection.balance_group(name.to_s, *balance_options(options)))
  end

  command 'move_servers_rsgroup', <<~'HELP' do |name, servers|
    Moves servers into a group, and regions of other groups off these servers:

      hbase> move_servers_rsgroup 'dest', ['server1:port', 'server2:port']
  HELP
    connection.move_to_group(name.to_s, Array(servers), [])
  end

  command 'move_tables_rsgroup', <<~'HELP' do |name, tables|
    Moves tables into a group, and their regions to its servers:

      hbase> move_tables_rsgroup 'dest', ['table1', 'table2']
  HELP
    connection.move_to_group(name.to_s, [], Array(tables))
  end

  command 'move_namespaces_rsgroup', <<~'HELP' do |name, namespaces|
    Moves the tables of namespaces into a group:

      hbase> move_namespaces_rsgroup 'dest', ['ns1', 'ns2']
  HELP
    connection.move_to_group(name.to_s, [], tables_of(namespaces))
  end

  command 'move_servers_tables_rsgroup', <<~'HELP' do |name, servers, tables|
    Moves servers and tables into a group as one step:

      hbase> move_servers_tables_rsgroup 'dest', ['server1:port', 'server2:port'], ['table1', 'table2']
  HELP
    connection.move_to_group(name.to_s, Array(servers), Array(tables))
  end

  command 'move_servers_namespaces_rsgroup', <<~'HELP' do |name, servers, namespaces|
    Moves servers and the tables of namespaces into a group as one step:

      hbase> move_servers_namespaces_rsgroup 'dest', ['server1:port', 'server2:port'], ['ns1', 'ns2']
  HELP
    connection.move_to_group(name.to_s, Array(servers), tables_of(namespaces))
  end

  command 'remove_servers_rsgroup', <<~'HELP' do |*servers|
    Removes servers from their groups. They must be dead or decommissioned:

      hbase> remove_servers_rsgroup ['server1:port', 'server2:port']
  HELP
    connection.remove_group_servers(servers.flatten.compact)
  end

  { 'get_server_rsgroup' => ['server', :group_of_server, "'server1:port1'", 'Server has no group: '],
    'get_table_rsgroup' => ['table', :group_of_table, "'myTable'", 'Table has no group: '] }
    .each do |name, (what, call, example, none)|
    command(name, "Prints the group of a #{what}:\n\n  hbase> #{name} #{example}\n") do |one|
      group = connection.public_send(call, one.to_s) or raise ArgumentError, "#{none}#{one}"
      formatter.row([group[:name]])
      formatter.footer(1)
      group[:name]
    end
  end

  command 'get_namespace_rsgroup', "Prints the group of a namespace:\n\n  hbase> get_namespace_rsgroup 'ns'\n" do |name|
    group = namespace_properties(name).fetch('hbase.rsgroup.name', 'default')
    formatter.row([group])
    formatter.footer(1)
    group
  end

  command 'alter_rsgroup_config', <<~'HELP' do |name, *changes|
    Sets or removes settings of a group:

      hbase> alter_rsgroup_config 'rsgroup1', {METHOD => 'set', 'PROPERTY_NAME' => 'PROPERTY_VALUE'}
      hbase> alter_rsgroup_config 'rsgroup1', {METHOD => 'unset', NAME => 'PROPERTY_NAME'}
  HELP
    raise ArgumentError, 'RSGroup name must be of type String' unless name.is_a?(String)

    settings = (connection.group(name) or raise ArgumentError, 'RSGroup does not exist')[:configuration]
    changes.flatten.compact.each do |change|
      raise ArgumentError, "#{change.class} of #{change.inspect} is not of Hash type" unless change.is_a?(Hash)

      rest = change.reject { |key, _value| key == 'METHOD' }
      case change['METHOD']
      when 'set' then rest.each { |key, value| settings[key.to_s] = value.to_s }
      when 'unset' then settings.delete(change['NAME'])
      else raise ArgumentError, "Unknown method #{change['METHOD']}"
      end
    end
    connection.configure_group(name, settings)
  end

  command 'show_rsgroup_config', "Prints the settings of a group:\n\n  hbase> show_rsgroup_config 'group'\n" do |name|
    formatter.header(%w['KEY' 'VALUE'])  # as HBase prints it
    settings = group!(name)[:configuration]
    settings.each { |pair| formatter.row(pair) }
    formatter.footer(settings.size)
  end
end

class Shell::Command
  private

  def group!(name)
    connection.group(name.to_s) or raise ArgumentError, "Group does not exist: #{name}"
  end

  def tables_of(namespaces)
    Array(namespaces).flat_map do |name|
      raise ArgumentError, "Can't find a namespace: #{name}" if connection.namespaces.assoc(name.to_s).nil?

      tables_in(name)
    end
  end

  # [dry_run, ignore_rit]
  def balance_options(options)
    options = options.map(&:to_s)
    unknown = options - %w[dry_run ignore_rit force]
    raise ArgumentError, "Invalid argument in balance request: #{unknown.first}" if unknown.any?

    [options.include?('dry_run'), options.any? { |one| one != 'dry_run' }]
  end

  # [ran, moves planned, moves made]; the first of them.
  def print_balance(balanced)
    ran, planned, made = balanced
    formatter.row([ran ? 'Balancer ran' : 'Balancer did not run. See logs for details.'])
    formatter.row(["Moves calculated: #{planned}, moves executed: #{made}"]) if ran
    ran
  end
end
