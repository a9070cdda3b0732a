Shell.group 'tools', 'HBASE SURGERY TOOLS',
            "WARNING: Above commands are for 'experts'-only as misuse can damage an install" do
  command 'flush', <<~'HELP' do |name, family = nil|
    Writes data in memory to files: of a table or a region, all families or one. klip's own store flushes all regions:

      hbase> flush 'TABLENAME'
      hbase> flush 'TABLENAME', 'FAMILYNAME'
      hbase> flush 'REGIONNAME'
      hbase> flush 'REGIONNAME', 'FAMILYNAME'
      hbase> flush 'ENCODED_REGIONNAME'
      hbase> flush 'ENCODED_REGIONNAME', 'FAMILYNAME'
  HELP
    admin.exists?(name) ? connection.flush(name.to_s, family.to_s) : connection.flush_region(region_of(name), family.to_s)
  end

  command 'compact', <<~'HELP' do |name, family = nil, _type = 'NORMAL'|
    Merges files: of a table or a region, all families or one. klip's own store compacts all regions:

      hbase> compact 'ns1:t1'
      hbase> compact 'r1'
      hbase> compact 'r1', 'c1'
      hbase> compact 't1', 'c1'
  HELP
    next connection.compact(name.to_s, family.to_s) if admin.exists?(name)

    connection.compact_region(region_of(name), false, family.to_s)
  end

  command 'major_compact', <<~'HELP' do |name, family = nil, _type = 'NORMAL'|
    Rewrites all files, and drops deleted and expired cells: of a table or a region, all families or one. It leaves cells in
    memory alone: flush first. klip's own store compacts all regions:

      hbase> major_compact 't1'
      hbase> major_compact 'ns1:t1'
      hbase> major_compact 'r1'
      hbase> major_compact 'r1', 'c1'
      hbase> major_compact 't1', 'c1'
  HELP
    next connection.major_compact(name.to_s, family.to_s) if admin.exists?(name)

    connection.compact_region(region_of(name), true, family.to_s)
  end

  command 'compaction_state', <<~'HELP' do |table|
    Prints whether a table is being compacted: NONE, MINOR, MAJOR or MAJOR_AND_MINOR. A store in a directory prints the state
    of all tables together:

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
    Merges adjacent regions, given by encoded or full name; with true at the end, also regions that are not adjacent:

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
    Moves a region to a server, or to a random one. A server's name is its host, port and start code, as 'list_liveservers' prints them:

      hbase> move 'ENCODED_REGIONNAME'
      hbase> move 'ENCODED_REGIONNAME', 'SERVER_NAME'
  HELP
    connection.move_region(region.to_s, server)
  end

  command 'assign', <<~'HELP' do |region|
    Opens a region on a server, by its encoded or full name. Does nothing if it is open:

      hbase> assign 'REGIONNAME'
      hbase> assign 'ENCODED_REGIONNAME'
  HELP
    connection.assign_region(region.to_s)
  end

  command 'unassign', <<~'HELP' do |region, _force = nil|
    Takes a region offline, by its encoded or full name, until it is assigned again. klip serve refuses it:

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
    Splits and merges regions to even out their sizes. Prints whether that started, which needs the normalizer on:

      hbase> normalize
  HELP
    ran = connection.normalize
    formatter.row([ran.to_s])
    ran
  end

  command 'balancer', <<~'HELP' do |*options|
    Balances the regions over the servers, and prints whether the balancer ran, which needs the balancer on.
    'dry_run' only plans; 'ignore_rit' runs even with regions in transition:

      hbase> balancer
      hbase> balancer 'ignore_rit'
      hbase> balancer 'dry_run'
      hbase> balancer 'dry_run', 'ignore_rit'
  HELP
    print_balance(connection.balance(*balance_options(options)))
  end

  command 'is_in_maintenance_mode', "Prints whether the master is in maintenance mode:\n\n  hbase> is_in_maintenance_mode\n" do
    on = connection.in_maintenance_mode?
    formatter.row([on.to_s])
    on
  end

  command 'catalogjanitor_run', <<~'HELP' do
    Removes regions that were split or merged from hbase:meta, and prints how many. klip's own store has none:

      hbase> catalogjanitor_run
  HELP
    cleaned = connection.run_catalog_janitor
    formatter.row([cleaned.to_s])
    cleaned
  end

  command 'cleaner_chore_run', <<~'HELP' do
    Deletes old files, and prints whether that was done. klip's own store deletes them automatically:

      hbase> cleaner_chore_run
  HELP
    ran = connection.run_cleaner_chore
    formatter.row([ran.to_s])
    ran
  end

  command 'clear_block_cache', <<~'HELP' do |table|
    Drops the blocks of a table from the caches, and prints how many. klip's tables share one cache, which it empties:

      hbase> clear_block_cache 'TABLENAME'
  HELP
    blocks, _bytes, size = connection.clear_block_cache(table.to_s)
    formatter.row(["CacheEvictionStats{evictedBlocks=#{blocks}, maxCacheSize=#{size}}"])
    nil
  end

  command 'zk_dump', <<~'HELP' do
    Prints the state of the cluster in ZooKeeper. A store in a directory and connections by hbase+rpc:// do not use it:

      hbase> zk_dump
  HELP
    puts connection.zookeeper_dump
  end

  command 'hbck_chore_run', <<~'HELP' do
    Makes the master check that hbase:meta, servers and files agree on regions. Its web page has the report. klip's own store is
    checked when it opens:

      hbase> hbck_chore_run
  HELP
    connection.run_hbck_chore
  end

  command 'stop_master', "Stops the active master. A store in a directory has none:\n\n  hbase> stop_master\n" do
    connection.stop_master
  end

  command 'stop_regionserver', <<~'HELP' do |server|
    Stops a region server, by its host and port. A store in a directory has none:

      hbase> stop_regionserver 'host187.example.com:16020'
  HELP
    connection.stop_server(server_named(server.to_s.sub(/:(\d+)\z/, ',\1')))
  end

  command 'wal_roll', <<~'HELP', aliases: ['hlog_roll'] do |server|
    Makes a server start a new log file. klip has one log, which RocksDB manages:

      hbase> wal_roll 'host187.example.com,60020,1289493121758'
  HELP
    connection.roll_wal(server_named(server))
  end

  command 'flush_master_store', <<~'HELP' do
    Flushes the master's own store. klip serve has none:

      hbase> flush_master_store
  HELP
    connection.flush_master_store
  end

  command 'change_sft', <<~'HELP' do |*names|
    Changes the store file tracker of a table or a family to 'DEFAULT' or 'FILE'. klip's own store has no such trackers:

      hbase> change_sft 't1', 'FILE'
      hbase> change_sft 't2', 'cf1', 'FILE'
  HELP
    raise ArgumentError, 'Argument length should be two or three.' unless names.size.between?(2, 3)

    table, *family, tracker = names.map(&:to_s)
    connection.modify_store_file_tracker(table, family.first || '', tracker)
  end

  command 'change_sft_all', <<~'HELP' do |*names|
    Like change_sft, for all tables whose names match a regular expression. Asks for confirmation:

      hbase> change_sft_all 't.*', 'FILE'
      hbase> change_sft_all 'ns:.*', 'FILE'
  HELP
    raise ArgumentError, 'Argument length should be two.' unless names.size == 2

    pattern, tracker = names.map(&:to_s)
    tables = admin.list(pattern)
    tables.each { |table| formatter.row([table]) }
    return puts("No tables matched the regex #{pattern}") if tables.empty?
    return unless ask("Change the above #{tables.size} tables's sft (y/n)?")

    tables.each { |table| connection.modify_store_file_tracker(table, '', tracker) }
    nil
  end
  unsupported 'klip has no tracing', 'trace'
end

class Shell::Command
  private

  # An encoded name that belongs to no table.
  def region_of(name)
    found = admin.find_region(name) or raise "Unknown table #{name}!"
    found[:encoded_name]
  end
end
