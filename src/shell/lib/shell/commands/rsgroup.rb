Shell.group 'rsgroup', 'RSGroups' do
  answers_of_one_server

  command 'list_rsgroups', "Lists groups of servers. klip is one server:\n\n  hbase> list_rsgroups\n" do |*|
    formatter.header(%w[NAME SERVER\ /\ TABLE])
    formatter.row(['default', "server #{admin.servers.first.split(',').first(2).join(':')}"])
    admin.list.each { |table| formatter.row(['', "table #{table}"]) }
    formatter.footer(1)
  end

  unsupported 'klip is one server',
              'get_rsgroup', 'add_rsgroup', 'remove_rsgroup', 'balance_rsgroup', 'move_servers_rsgroup',
              'move_tables_rsgroup', 'move_namespaces_rsgroup', 'move_servers_tables_rsgroup',
              'move_servers_namespaces_rsgroup', 'get_server_rsgroup', 'get_table_rsgroup', 'remove_servers_rsgroup',
              'rename_rsgroup', 'alter_rsgroup_config', 'show_rsgroup_config', 'get_namespace_rsgroup'
end
