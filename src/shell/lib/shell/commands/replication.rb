require 'shell/peers'

class Shell::GroupBuilder
  # A command that changes a peer's configuration. The block receives it and the arguments after the peer's id.
  def peer_change(name, help, &change)
    command(name, help) do |id, *args|
      config = connection.peer(id.to_s)
      instance_exec(config, *args, &change)
      connection.update_peer(id.to_s, config)
    end
  end
end

Shell.group 'replication', 'CLUSTER REPLICATION TOOLS' do
  command 'add_peer', <<~'HELP' do |id, args = {}, tables = nil|
    Adds a peer to replicate to: another cluster, by CLUSTER_KEY (its ZooKeeper servers, their port and its
    root), or a custom endpoint, ENDPOINT_CLASSNAME. All user tables are replicated unless NAMESPACES or TABLE_CFS name
    some; of them, the families with REPLICATION_SCOPE => 1. klip serve replicates, a store in a directory does not:

      hbase> add_peer '1', CLUSTER_KEY => 'server1.cie.com:2181:/hbase'
      hbase> add_peer '1', CLUSTER_KEY => 'zk1,zk2,zk3:2182:/hbase-prod', STATE => 'DISABLED'
      hbase> add_peer '2', CLUSTER_KEY => 'zk1:2182:/hbase', TABLE_CFS => {'table1' => [], 'ns2:table2' => ['cf1', 'cf2']}
      hbase> add_peer '2', CLUSTER_KEY => 'zk1:2182:/hbase', NAMESPACES => ['ns1', 'ns2']
      hbase> add_peer '3', ENDPOINT_CLASSNAME => 'org.example.Endpoint', DATA => {'k' => 'v'}, CONFIG => {'c' => 'v'}
  HELP
    raise ArgumentError, 'peer_tableCFs should be specified as TABLE_CFS in args' unless tables.nil?

    connection.add_peer(id.to_s, Shell::Peers.parse(args, session.uri), args['STATE'] != 'DISABLED')
  end

  command 'remove_peer', "Ends the replication to a peer, and removes the peer:\n\n  hbase> remove_peer '1'\n" do |id|
    connection.remove_peer(id.to_s)
  end

  command 'enable_peer', "Resumes the replication to a peer:\n\n  hbase> enable_peer '1'\n" do |id|
    connection.enable_peer(id.to_s)
  end

  command 'disable_peer', <<~'HELP' do |id|
    Pauses the replication to a peer. Later writes are replicated when the peer is enabled again:

      hbase> disable_peer '1'
  HELP
    connection.disable_peer(id.to_s)
  end

  command 'list_peers', <<~'HELP' do
    Lists replication peers. If REPLICATE_ALL is true, the namespaces and tables are the excluded ones:

      hbase> list_peers
  HELP
    formatter.header(%w[PEER_ID CLUSTER_KEY ENDPOINT_CLASSNAME STATE REPLICATE_ALL NAMESPACES TABLE_CFS BANDWIDTH SERIAL])
    peers = connection.peers
    peers.each do |peer|
      config = peer[:config]
      formatter.row([peer[:id], config[:cluster_key], config[:endpoint_class], peer[:enabled] ? 'ENABLED' : 'DISABLED',
                     config[:replicate_all], *Shell::Peers.scope_texts(config), config[:bandwidth], config[:serial]])
    end
    formatter.footer(peers.size)
  end

  command 'get_peer_config', "Prints the settings of a replication peer:\n\n  hbase> get_peer_config '1'\n" do |id|
    print_peer_config(connection.peer(id.to_s))
  end

  command 'list_peer_configs', "Prints the settings of all replication peers:\n\n  hbase> list_peer_configs\n" do
    connection.peers.each do |peer|
      formatter.row(['PeerId', peer[:id]])
      print_peer_config(peer[:config])
      formatter.row([' '])
    end
    nil
  end

  peer_change 'update_peer_config', <<~'HELP' do |config, args = {}|
    Changes settings of a peer, or of its endpoint; others keep their values:

      hbase> update_peer_config '1', CONFIG => {'replication.source.ratio' => '0.5'}
      hbase> update_peer_config '1', DATA => {'k' => 'v'}
  HELP
    config[:configuration].update(Shell::Peers.texts(args['CONFIG']))
    config[:data].update(Shell::Peers.texts(args['DATA']))
  end

  peer_change 'set_peer_replicate_all', <<~'HELP' do |config, all|
    Replicates all user tables except the excluded ones, or only those named:

      hbase> set_peer_replicate_all '1', true
      hbase> set_peer_replicate_all '1', false
  HELP
    config[:replicate_all] = all.to_s == 'true'
  end

  peer_change 'set_peer_serial', <<~'HELP' do |config, serial|
    Whether a peer receives edits in the order of the writes, even if regions move or split:

      hbase> set_peer_serial '1', true
  HELP
    config[:serial] = serial.to_s == 'true'
  end

  peer_change 'set_peer_bandwidth', <<~'HELP' do |config, bandwidth = 0|
    Limits how many bytes per second each server sends to a peer; 0, the default: no limit:

      hbase> set_peer_bandwidth '1', 1048576
      hbase> set_peer_bandwidth '1'
  HELP
    config[:bandwidth] = bandwidth
  end

  { '' => ['are replicated (with set_peer_replicate_all false)', :namespaces, :table_families],
    'exclude_' => ['are not replicated (with set_peer_replicate_all true)', :exclude_namespaces, :exclude_table_families] }
    .each do |infix, (what, namespaces, tables)|
    peer_change "set_peer_#{infix}namespaces", <<~HELP do |config, names|
      Sets the namespaces that #{what}:

        hbase> set_peer_#{infix}namespaces '1', ['ns1', 'ns2']
        hbase> set_peer_#{infix}namespaces '1', []
    HELP
      config[namespaces] = Shell::Peers.names(names)
    end

    peer_change "append_peer_#{infix}namespaces", <<~HELP do |config, names|
      Adds to the namespaces that #{what}:

        hbase> append_peer_#{infix}namespaces '1', ['ns1', 'ns2']
    HELP
      config[namespaces] |= Shell::Peers.names(names)
    end

    peer_change "remove_peer_#{infix}namespaces", <<~HELP do |config, names|
      Removes from the namespaces that #{what}:

        hbase> remove_peer_#{infix}namespaces '1', ['ns1', 'ns2']
    HELP
      config[namespaces] -= Shell::Peers.names(names)
    end

    peer_change "set_peer_#{infix}tableCFs", <<~HELP do |config, families|
      Sets the tables and families that #{what}; an empty list means all families:

        hbase> set_peer_#{infix}tableCFs '1', {'table1' => [], 'ns2:table2' => ['cf1', 'cf2']}
    HELP
      config[tables] = Shell::Peers.tables(families)
    end

    peer_change "append_peer_#{infix}tableCFs", <<~HELP do |config, families|
      Adds to the tables and families that #{what}:

        hbase> append_peer_#{infix}tableCFs '1', {'table1' => ['cf1'], 'ns2:table2' => []}
    HELP
      config[tables] = Shell::Peers.merge(config[tables], Shell::Peers.tables(families))
    end

    command "remove_peer_#{infix}tableCFs", <<~HELP do |id, families|
      Removes from the tables and families that #{what}:

        hbase> remove_peer_#{infix}tableCFs '1', {'table1' => [], 'ns2:table2' => ['cf1']}
    HELP
      config = connection.peer(id.to_s)
      kind = "#{infix.tr('_', '-')}table-cfs"
      raise "#{kind.sub('table-cfs', 'Table-Cfs')} for peer: #{id} is null" if config[tables].empty?

      config[tables] = Shell::Peers.remove(config[tables], Shell::Peers.tables(families), id, kind)
      connection.update_peer(id.to_s, config)
    end
  end

  command 'show_peer_tableCFs', <<~'HELP' do |id|
    Prints the tables and families that are replicated to a peer, unless all are:

      hbase> show_peer_tableCFs '1'
  HELP
    text = Shell::Peers.tables_text(connection.peer(id.to_s)[:table_families])
    puts text
    text
  end

  command 'list_replicated_tables', <<~'HELP' do |regex = '.*'|
    Lists the families that are replicated, if there are peers:

      hbase> list_replicated_tables
      hbase> list_replicated_tables 'abc.*'
  HELP
    families = admin.list(regex).flat_map do |table|
      connection.describe_table(table)[:families].filter_map do |family|
        "#{table}:#{family[:name]}" unless family[:attributes]['REPLICATION_SCOPE'] == '0'
      end
    end
    formatter.header(%w[TABLE:COLUMNFAMILY ReplicationType], [32])
    families.each { |family| formatter.row([family, 'GLOBAL'], true, [32]) }
    formatter.footer(families.size)
  end

  command 'enable_table_replication', <<~'HELP' do |table|
    Replicates all families of a table. Creates the table on peers that do not have it:

      hbase> enable_table_replication 'table_name'
  HELP
    table = table.to_s
    make_on_peers(table)
    set_replication(table, '1')
    puts "The replication of table '#{table}' successfully enabled"
  end

  command 'disable_table_replication', <<~'HELP' do |table|
    Stops the replication of all families of a table:

      hbase> disable_table_replication 'table_name'
  HELP
    set_replication(table.to_s, '0')
    puts "Replication of table '#{table}' successfully disabled."
  end

  command 'peer_modification_enabled', "Prints whether peers may be changed:\n\n  hbase> peer_modification_enabled\n" do
    on = connection.switch_on?('peer modification')
    formatter.row([on.to_s])
    on
  end

  command 'peer_modification_switch', <<~'HELP' do |on, drain = false|
    Allows or forbids changes of peers, and prints the previous state. With a second true, it first waits for changes in
    progress:

      hbase> peer_modification_switch true
      hbase> peer_modification_switch false, true
  HELP
    raise ArgumentError, "#{on.inspect} is not true or false" unless %w[true false].include?(on.to_s)

    before = connection.set_switch('peer modification', on.to_s == 'true')
    connection.drain_peer_modifications if drain
    formatter.row(["Previous peer modification state : #{before}"])
    before
  end

  unsupported 'it is not of HBase 2, whose replication is asynchronous', 'transit_peer_sync_replication_state'
end

class Shell::Command
  private

  def print_peer_config(config)
    { 'Cluster Key' => :cluster_key, 'Replication Endpoint' => :endpoint_class }.each do |title, key|
      formatter.row([title, config[key]]) unless config[key].empty?
    end
    config[:configuration].each { |pair| formatter.row(pair) }
    nil
  end

  def set_replication(table, scope)
    descriptor = connection.describe_table(table)
    return if descriptor[:families].all? { |family| family[:attributes]['REPLICATION_SCOPE'] == scope }

    descriptor[:families].each { |family| family[:attributes]['REPLICATION_SCOPE'] = scope }
    connection.modify_table(descriptor)
  end

  # Creates the table on the peers that lack it. An existing one must be the same except for its replication scopes.
  def make_on_peers(table)
    descriptor = connection.describe_table(table)
    splits = connection.regions(table).map { |region| region[:start_key] }.reject(&:empty?)
    peers = connection.peers
    raise ArgumentError, 'Found no peer cluster for replication.' if peers.empty?

    peers.each do |peer|
      next unless Shell::Peers.replicates?(peer[:config], table)

      other = Klip::Connection.open(Shell::Peers.uri(peer[:config][:cluster_key]), {})
      if !other.table_exists?(table)
        other.create_table(descriptor, splits)
      elsif without_scopes(other.describe_table(table)) != without_scopes(descriptor)
        raise ArgumentError, "Table #{table} exists in peer cluster #{peer[:id]}, but the table descriptors are not same when " \
                             "compared with source cluster. Thus can not enable the table's replication switch."
      end
    ensure
      other&.close
    end
  end

  def without_scopes(descriptor)
    families = descriptor[:families].map do |family|
      family.merge(attributes: family[:attributes].reject { |name, _value| name == 'REPLICATION_SCOPE' })
    end
    descriptor.merge(families: families)
  end
end
