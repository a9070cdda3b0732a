Shell.group 'replication', 'CLUSTER REPLICATION TOOLS' do
  answers_of_one_server

  command 'list_peers', "Lists replication peers. klip has none:\n\n  hbase> list_peers\n" do
    formatter.header(%w[PEER_ID CLUSTER_KEY ENDPOINT_CLASSNAME STATE REPLICATE_ALL NAMESPACES TABLE_CFS BANDWIDTH SERIAL])
    formatter.footer(0)
  end

  command 'list_peer_configs', "Prints the settings of replication peers. klip has none:\n\n  hbase> list_peer_configs\n" do
    nil
  end

  command 'list_replicated_tables', <<~'HELP' do |regex = '.*'|
    Lists the families that are to be replicated. klip keeps REPLICATION_SCOPE, and nothing acts on it:

      hbase> list_replicated_tables
      hbase> list_replicated_tables 'abc.*'
  HELP
    families = admin.list(regex).flat_map do |table|
      connection.describe_table(table)[:families].filter_map do |family|
        "#{table}:#{family[:name]}" unless family[:attributes]['REPLICATION_SCOPE'] == '0'
      end
    end
    formatter.header(%w[TABLE:COLUMNFAMILY ReplicationType])
    families.each { |family| formatter.row([family, 'GLOBAL']) }
    formatter.footer(families.size)
  end

  command 'peer_modification_enabled', "Tells whether peers may be changed:\n\n  hbase> peer_modification_enabled\n" do
    formatter.row(['false'])
    false
  end

  unsupported 'klip has no replication',
              'add_peer', 'remove_peer', 'enable_peer', 'disable_peer', 'set_peer_replicate_all', 'set_peer_serial',
              'set_peer_namespaces', 'append_peer_namespaces', 'remove_peer_namespaces', 'set_peer_exclude_namespaces',
              'append_peer_exclude_namespaces', 'remove_peer_exclude_namespaces', 'show_peer_tableCFs',
              'set_peer_tableCFs', 'append_peer_tableCFs', 'remove_peer_tableCFs', 'set_peer_exclude_tableCFs',
              'append_peer_exclude_tableCFs', 'remove_peer_exclude_tableCFs', 'set_peer_bandwidth',
              'enable_table_replication', 'disable_table_replication', 'get_peer_config', 'update_peer_config',
              'transit_peer_sync_replication_state', 'peer_modification_switch'
end
