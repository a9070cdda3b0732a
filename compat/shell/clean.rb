# Removes the tables and settings of the previous script.
store = @shell.connection
store.tables.each do |table|
  store.disable_table(table) if store.table_enabled?(table)
  store.delete_table(table)
end
store.snapshots.each { |name, _table, _time| store.delete_snapshot(name) }
store.namespaces.each { |name, _properties| store.delete_namespace(name) unless %w[default hbase].include?(name) }
