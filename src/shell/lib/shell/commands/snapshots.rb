Shell.group 'snapshots', 'CLUSTER SNAPSHOT TOOLS' do
  command 'snapshot', <<~'HELP' do |table, name, options = {}|
    Takes a snapshot of a table:

      hbase> snapshot 'sourceTable', 'snapshotName'
      hbase> snapshot 'namespace:sourceTable', 'snapshotName'

    TTL: seconds after which it expires. MAX_FILESIZE: for tables created from it, unless its table sets one. SKIP_FLUSH: data that is
    only in memory may be missing (klip's own store always includes it):

      hbase> snapshot 'sourceTable', 'snapshotName', {TTL => 86400}
      hbase> snapshot 'sourceTable', 'snapshotName', {SKIP_FLUSH => true, MAX_FILESIZE => 21474836480}
  HELP
    ttl, bytes, skip = options.values_at('TTL', 'MAX_FILESIZE', 'SKIP_FLUSH')
    connection.snapshot(name.to_s, table.to_s, ttl || 0, bytes || 0, skip)
  end

  command 'list_snapshots', <<~'HELP' do |regex = '.*'|
    Lists all snapshots, or those whose full name matches a regular expression:

      hbase> list_snapshots
      hbase> list_snapshots 'abc.*'
  HELP
    print_snapshots(connection.snapshots.select { |name, _table, _time| fits?(regex, name) })
  end

  command 'list_table_snapshots', <<~'HELP' do |table_regex, regex = '.*'|
    Lists the snapshots of the tables whose names match a regular expression:

      hbase> list_table_snapshots 'tableName'
      hbase> list_table_snapshots 'tableName.*', 'snapshotName.*'
  HELP
    print_snapshots(snapshots_of(table_regex, regex))
  end

  command 'clone_snapshot', <<~'HELP' do |name, table, options = {}|
    Creates a table from a snapshot:

      hbase> clone_snapshot 'snapshotName', 'tableName'
      hbase> clone_snapshot 'snapshotName', 'namespace:tableName'
  HELP
    refuse_acls(options)
    connection.clone_snapshot(name.to_s, table.to_s)
  end

  command 'restore_snapshot', <<~'HELP' do |name, options = {}|
    Restores a snapshot's table to the snapshot. The table must be disabled:

      hbase> restore_snapshot 'snapshotName'
  HELP
    refuse_acls(options)
    connection.restore_snapshot(name.to_s)
  end

  command 'delete_snapshot', "Deletes a snapshot:\n\n  hbase> delete_snapshot 'snapshotName'\n" do |name|
    connection.delete_snapshot(name.to_s)
  end

  command 'delete_all_snapshot', <<~'HELP' do |regex|
    Deletes the snapshots whose names match a regular expression:

      hbase> delete_all_snapshot 's.*'
  HELP
    delete_snapshots(connection.snapshots.select { |name, _table, _time| fits?(regex, name) }, regex)
  end

  command 'delete_table_snapshots', <<~'HELP' do |table_regex, regex = '.*'|
    Deletes the snapshots of the tables whose names match a regular expression:

      hbase> delete_table_snapshots 'tableName'
      hbase> delete_table_snapshots 'tableName.*', 'snapshotName.*'
  HELP
    delete_snapshots(snapshots_of(table_regex, regex), regex)
  end
end

class Shell::Command
  private

  def fits?(regex, name)
    name.match?(/\A(?:#{regex})\z/)
  end

  def snapshots_of(table_regex, regex)
    connection.snapshots.select { |name, table, _time| fits?(table_regex, table) && fits?(regex, name) }
  end

  def print_snapshots(snapshots)
    formatter.header(['SNAPSHOT', 'TABLE + CREATION TIME'])
    snapshots.each do |name, table, time|
      formatter.row([name, "#{table} (#{Time.at(0, time, :millisecond).strftime('%Y-%m-%d %H:%M:%S %Z')})"])
    end
    formatter.footer(snapshots.size)
    snapshots.map(&:first)
  end

  def delete_snapshots(snapshots, regex)
    print_snapshots(snapshots)
    return puts("No snapshots matched the regex #{regex}") if snapshots.empty?
    return unless ask("Delete the above #{snapshots.size} snapshots (y/n)?")

    snapshots.each { |name, _table, _time| connection.delete_snapshot(name) }
    puts "#{snapshots.size} snapshots successfully deleted."
  end

  def refuse_acls(options)
    raise 'RESTORE_ACL is not supported: klip has no ACLs' if options['RESTORE_ACL']
  end
end
