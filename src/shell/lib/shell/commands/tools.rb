Shell.group 'tools', 'HBASE SURGERY TOOLS',
            "WARNING: Above commands are for 'experts'-only as misuse can damage an install" do
  command 'flush', <<~'HELP' do |name, _family = nil|
    Writes what is in memory to files: of a table, or of the table of a region. klip flushes all families:

      hbase> flush 'TABLENAME'
      hbase> flush 'TABLENAME', 'FAMILYNAME'
      hbase> flush 'REGIONNAME'
  HELP
    connection.flush(table_of(name))
  end

  command 'compact', <<~'HELP' do |name, _family = nil, _type = 'NORMAL'|
    Merges files: of a table, or of the table of a region. klip compacts all families and regions:

      hbase> compact 'ns1:t1'
      hbase> compact 'r1'
      hbase> compact 't1', 'c1'
  HELP
    connection.compact(table_of(name))
  end

  command 'major_compact', <<~'HELP' do |name, _family = nil, _type = 'NORMAL'|
    Rewrites all files, and drops what was deleted or has expired. Cells still in memory stay: flush first. klip compacts all
    families and regions:

      hbase> major_compact 't1'
      hbase> major_compact 'ns1:t1'
      hbase> major_compact 't1', 'c1'
  HELP
    connection.major_compact(table_of(name))
  end

  command 'compaction_state', <<~'HELP' do |table|
    Prints whether a table is being compacted, NONE or MINOR. klip tells of all tables together:

      hbase> compaction_state 't1'
  HELP
    raise "Unknown table #{table}!" unless admin.exists?(table)

    formatter.row([connection.compacting? ? 'MINOR' : 'NONE'])
  end

  command 'split', <<~'HELP' do |name, key = nil|
    Splits the regions of a table, or one region, in the middle or at a key:

      hbase> split 'TABLENAME'
      hbase> split 'REGIONNAME'
      hbase> split 'ENCODED_REGIONNAME'
      hbase> split 'TABLENAME', 'splitKey'
      hbase> split 'REGIONNAME', 'splitKey'
  HELP
    if key.nil? && !admin.exists?(name)
      raise "A split of the region #{name} needs a key: klip splits all regions of a table, or at a key"
    end

    connection.split(table_of(name), Shell::Columns.bytes(key || ''))
  end

  command 'merge_region', <<~'HELP' do |*regions|
    Merges neighbouring regions, given by encoded or full name; true at the end: also those that are not neighbours:

      hbase> merge_region 'FULL_REGIONNAME', 'FULL_REGIONNAME'
      hbase> merge_region 'ENCODED_REGIONNAME', 'ENCODED_REGIONNAME', true
      hbase> merge_region ['ENCODED_REGIONNAME', 'ENCODED_REGIONNAME']
  HELP
    regions.flatten!
    forcible = [true, false].include?(regions.last) ? regions.pop : false
    connection.merge_regions(regions.map { |name| Shell::Columns.bytes(name) }, forcible)
  end

  command 'regioninfo', "Prints a region, by its encoded or full name:\n\n  hbase> regioninfo 'REGIONNAME'\n" do |name|
    found = region!(name)
    formatter.header(%w[HOST REGION])
    formatter.row([admin.address, region_text(found)])
    formatter.footer(1)
  end

  answers_of_one_server

  command 'rit', "Lists regions in transition. klip never has any:\n\n  hbase> rit\n" do
    puts '0 regions in transition'
  end

  command 'normalize', "Asks for the sizes of regions to be evened out. klip has no need to:\n\n  hbase> normalize\n" do |*|
    formatter.row(['true'])
    true
  end

  command 'balancer', "Asks for regions to be spread over the servers. klip is one server:\n\n  hbase> balancer\n" do |*|
    formatter.row(['false'])
    false
  end

  command 'is_in_maintenance_mode', "Tells whether the master is in maintenance mode:\n\n  hbase> is_in_maintenance_mode\n" do
    formatter.row(['false'])
    false
  end

  command 'catalogjanitor_run', "Asks for the catalog to be cleaned. klip's is always clean:\n\n  hbase> catalogjanitor_run\n" do
    formatter.row(['0'])
    0
  end

  command 'cleaner_chore_run', "Asks for old files to be deleted. klip deletes them by itself:\n\n  hbase> cleaner_chore_run\n" do
    formatter.row(['true'])
    true
  end

  command 'hbck_chore_run', "Asks for the store to be checked. klip checks it when it is opened:\n\n  hbase> hbck_chore_run\n" do
    formatter.row(['true'])
    true
  end

  command 'clear_block_cache', <<~'HELP' do |table|
    Asks for a table's blocks to leave the cache. klip's cache is shared by all tables, and nothing leaves it by request:

      hbase> clear_block_cache 'TABLENAME'
  HELP
    raise "Unknown table #{table}!" unless admin.exists?(table)

    raise 'clear_block_cache is not supported: the cache is shared by all tables'
  end

  command 'zk_dump', "Prints what ZooKeeper knows. klip has none:\n\n  hbase> zk_dump\n" do
    server = admin.server_name
    puts 'HBase is rooted at /hbase', "Active master address: #{server}", "Region server holding hbase:meta: #{server}"
    puts 'Region servers:', " #{server}", '(klip has no ZooKeeper: this is what a client would be told)'
  end

  unsupported 'klip is one server, and its regions are always on it',
              'assign', 'unassign', 'move', 'close_region', 'decommission_regionservers', 'recommission_regionserver',
              'stop_master', 'stop_regionserver'
  unsupported 'klip has one log, which RocksDB looks after', 'wal_roll', 'hlog_roll', 'flush_master_store'
  unsupported 'klip has one way to store files', 'change_sft', 'change_sft_all'
  unsupported 'klip has no tracing', 'trace'
end

class Shell::Command
  private

  # A table's own name, or the table of the region of that name.
  def table_of(name)
    name = name.to_s
    return name if admin.exists?(name)

    found = admin.find_region(name)
    raise "Unknown table #{name}!" if found.nil?

    found[:table]
  end
end
