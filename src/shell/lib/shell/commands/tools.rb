Shell.group 'tools', 'HBASE SURGERY TOOLS',
            "WARNING: Above commands are for 'experts'-only as misuse can damage an install" do
  command 'flush', <<~'HELP' do |name, _family = nil|
    Writes what is in memory to files: of a table, or a region. All families are flushed; klip's own server flushes the whole table:

      hbase> flush 'TABLENAME'
      hbase> flush 'TABLENAME', 'FAMILYNAME'
      hbase> flush 'REGIONNAME'
      hbase> flush 'ENCODED_REGIONNAME'
  HELP
    admin.exists?(name) ? connection.flush(name.to_s) : connection.flush_region(region_of(name))
  end

  command 'compact', <<~'HELP' do |name, _family = nil, _type = 'NORMAL'|
    Merges files: of a table, or a region. All families are compacted; klip's own server compacts the whole table:

      hbase> compact 'ns1:t1'
      hbase> compact 'r1'
      hbase> compact 't1', 'c1'
  HELP
    admin.exists?(name) ? connection.compact(name.to_s) : connection.compact_region(region_of(name), false)
  end

  command 'major_compact', <<~'HELP' do |name, _family = nil, _type = 'NORMAL'|
    Rewrites all files, and drops what was deleted or has expired: of a table, or a region. Cells still in memory stay: flush first.
    All families are compacted; klip's own server compacts the whole table:

      hbase> major_compact 't1'
      hbase> major_compact 'ns1:t1'
      hbase> major_compact 'r1'
      hbase> major_compact 't1', 'c1'
  HELP
    admin.exists?(name) ? connection.major_compact(name.to_s) : connection.compact_region(region_of(name), true)
  end

  command 'compaction_state', <<~'HELP' do |table|
    Prints whether a table is being compacted: NONE, MINOR, MAJOR or MAJOR_AND_MINOR. A store in a directory tells of all tables
    together:

      hbase> compaction_state 't1'
  HELP
    states = connection.region_metrics(table.to_s).map { |region| region[:compaction] } - ['NONE']
    formatter.row([states.uniq.size > 1 ? 'MAJOR_AND_MINOR' : states.first || 'NONE'])
  end

  command 'split', <<~'HELP' do |name, key = nil|
    Splits the regions of a table, or one region, in the middle or at a key:

      hbase> split 'TABLENAME'
      hbase> split 'REGIONNAME'
      hbase> split 'ENCODED_REGIONNAME'
      hbase> split 'TABLENAME', 'splitKey'
      hbase> split 'REGIONNAME', 'splitKey'
  HELP
    key = Shell::Columns.bytes(key || '')
    admin.exists?(name) ? connection.split(name.to_s, key) : connection.split_region(region_of(name), key)
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
    print_location(region!(name))
  end

  command 'move', <<~'HELP' do |region, server = nil|
    Moves a region to a server, or to any. A server's name is its host, port and start code, as 'list_liveservers' prints them:

      hbase> move 'ENCODED_REGIONNAME'
      hbase> move 'ENCODED_REGIONNAME', 'SERVER_NAME'
  HELP
    connection.move_region(region.to_s, server)
  end

  command 'assign', <<~'HELP' do |region|
    Opens a region on a server, by its encoded or full name. Does nothing where it is open:

      hbase> assign 'REGIONNAME'
      hbase> assign 'ENCODED_REGIONNAME'
  HELP
    connection.assign_region(region.to_s)
  end

  command 'unassign', <<~'HELP' do |region, _force = nil|
    Takes a region off line, by its encoded or full name, until it is assigned again. klip's own server refuses it:

      hbase> unassign 'REGIONNAME'
      hbase> unassign 'ENCODED_REGIONNAME'
  HELP
    connection.unassign_region(region.to_s)
  end

  command 'close_region', "Was removed from HBase; use unassign:\n\n  hbase> unassign 'REGIONNAME'\n" do |*|
    raise 'close_region is not supported: it was removed from HBase; use unassign'
  end

  command 'rit', "Lists regions in transition, from one state or server to another:\n\n  hbase> rit\n" do
    regions = admin.metrics[:regions_in_transition]
    regions.each { |region| formatter.row([Shell::LoadText.transition(region)]) }
    formatter.footer(regions.size)
  end

  command 'normalize', <<~'HELP' do
    Asks for the sizes of regions to be evened out; tells whether that was begun, which it is not while the normalizer is off:

      hbase> normalize
  HELP
    ran = connection.normalize
    formatter.row([ran.to_s])
    ran
  end

  command 'balancer', <<~'HELP' do |*options|
    Asks for regions to be spread over the servers; tells whether the balancer ran, which it does not while it is switched off.
    'dry_run' only plans; 'ignore_rit' does not mind regions in transition:

      hbase> balancer
      hbase> balancer 'ignore_rit'
      hbase> balancer 'dry_run'
      hbase> balancer 'dry_run', 'ignore_rit'
  HELP
    print_balance(connection.balance(*balance_options(options)))
  end

  command 'is_in_maintenance_mode', "Tells whether the master is in maintenance mode:\n\n  hbase> is_in_maintenance_mode\n" do
    on = connection.in_maintenance_mode?
    formatter.row([on.to_s])
    on
  end

  command 'catalogjanitor_run', <<~'HELP' do
    Asks for hbase:meta to be cleaned of regions that were split or merged; prints how much was. klip's own store has none:

      hbase> catalogjanitor_run
  HELP
    cleaned = connection.run_catalog_janitor
    formatter.row([cleaned.to_s])
    cleaned
  end

  command 'cleaner_chore_run', <<~'HELP' do
    Asks for old files to be deleted; tells whether that was done. klip's own store deletes them by itself:

      hbase> cleaner_chore_run
  HELP
    ran = connection.run_cleaner_chore
    formatter.row([ran.to_s])
    ran
  end

  command 'clear_block_cache', <<~'HELP' do |table|
    Drops the blocks of a table from the caches, and prints how many. klip's cache is shared by all tables: all of it is emptied:

      hbase> clear_block_cache 'TABLENAME'
  HELP
    blocks, _bytes, size = connection.clear_block_cache(table.to_s)
    formatter.row(["CacheEvictionStats{evictedBlocks=#{blocks}, maxCacheSize=#{size}}"])
    nil
  end

  command 'zk_dump', <<~'HELP' do
    Prints what ZooKeeper knows of the cluster. A store in a directory has none, and a connection by hbase+rpc:// does not go there:

      hbase> zk_dump
  HELP
    puts connection.zookeeper_dump
  end

  answers_of_one_server

  command 'hbck_chore_run', "Asks for the store to be checked. klip checks it when it is opened:\n\n  hbase> hbck_chore_run\n" do
    formatter.row(['true'])
    true
  end

  unsupported "klip's API stops no servers", 'stop_master', 'stop_regionserver'
  unsupported 'klip has one log, which RocksDB looks after', 'wal_roll', 'hlog_roll', 'flush_master_store'
  unsupported 'klip has one way to store files', 'change_sft', 'change_sft_all'
  unsupported 'klip has no tracing', 'trace'
end

class Shell::Command
  private

  # The encoded name of what is no table.
  def region_of(name)
    found = admin.find_region(name) or raise "Unknown table #{name}!"
    found[:encoded_name]
  end
end
