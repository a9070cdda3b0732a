# Commands of the group general on the state of the cluster.
Shell.extend_group 'general' do
  command 'status', <<~'HELP' do |format = 'summary', type = 'both'|
    Prints the state of the cluster: 'summary' (the default), 'simple', 'detailed', 'tasks' or 'replication':

      hbase> status
      hbase> status 'simple'
      hbase> status 'summary'
      hbase> status 'detailed'
      hbase> status 'tasks'
      hbase> status 'replication'
      hbase> status 'replication', 'source'
      hbase> status 'replication', 'sink'
  HELP
    Shell::StatusText.new(admin.metrics).print(format.to_s, type.to_s.downcase)
    nil
  end

  command 'processlist', <<~'HELP' do |*args|
    Prints the tasks that servers last reported to the master: 'all', 'general' (other than calls), 'handler' (threads for
    calls), 'rpc' or 'operation' (those that run a call); of all servers, or of those named:

      hbase> processlist
      hbase> processlist 'all'
      hbase> processlist 'all', 'host187.example.com'
      hbase> processlist 'all', 'host187.example.com,16020'
  HELP
    filter = Shell::TaskTable::FILTERS.key?(args.first) ? args.shift : 'general'
    Shell::TaskTable.new(admin.metrics[:live_servers], args).print(filter)
  end
end

module Shell
  # What `status` prints.
  class StatusText
    def initialize(metrics)
      @metrics = metrics
      @servers = metrics[:live_servers]
    end

    def print(format, type)
      case format
      when 'simple' then simple
      when 'detailed' then detailed
      when 'replication' then replication(type)
      when 'tasks' then tasks
      else summary
      end
    end

    private

    def summary
      puts format('1 active master, %d backup masters, %d servers, %d dead, %.4f average load',
                  @metrics[:backup_masters].size, @servers.size, @metrics[:dead_servers].size, @metrics[:average_load])
    end

    def simple
      masters
      servers { nil }
      dead
      puts "Aggregate load: #{@servers.sum { |one| one[:requests_per_second] }}, " \
           "regions: #{@servers.sum { |one| one[:regions].size }}"
    end

    def detailed
      puts "version #{@metrics[:version]}", "#{@metrics[:regions_in_transition].size} regionsInTransition"
      @metrics[:regions_in_transition].each { |region| puts "    #{LoadText.transition(region)}" }
      masters { |task| puts "    #{LoadText.task(task)}" }
      puts "master coprocessors: [#{@metrics[:master_coprocessors].join(', ')}]"
      servers do |server|
        server[:regions].each do |region|
          puts "        \"#{Texts.binary(region[:name])}\"", "            #{LoadText.region(region)}"
        end
        server[:tasks].each { |task| puts "        #{LoadText.task(task)}" }
      end
      dead
    end

    def tasks
      master = @metrics[:active_master]
      puts "active master:  #{place(master)}" if master
      running_tasks(@metrics[:master_tasks], '    ') if master
      puts "#{@servers.size} live servers"
      @servers.each do |server|
        puts "    #{place(server[:name])}"
        running_tasks(server[:tasks], '        ')
      end
    end

    def running_tasks(tasks, indent)
      running = tasks.select { |task| task[:state] == 'RUNNING' }
      running.each { |task| puts "#{indent}#{LoadText.task(task)}" }
      puts "#{indent}no active tasks" if running.empty?
    end

    def replication(type)
      puts "version #{@metrics[:version]}", "#{@servers.size} live servers"
      @servers.each do |server|
        sink = server[:replication_sink] or next
        puts "    #{server[:name].split(',').first}:"
        puts "       SOURCE:#{ReplicationText.sources(server[:replication_sources])}" unless type == 'sink'
        puts "       SINK:#{ReplicationText.sink(sink)}" unless type == 'source'
      end
    end

    # Yields the active master's tasks.
    def masters(&block)
      master = @metrics[:active_master]
      puts "active master:  #{place(master)}" if master
      @metrics[:master_tasks].each(&block) if block && master
      puts "#{@metrics[:backup_masters].size} backup masters"
      @metrics[:backup_masters].each { |one| puts "    #{place(one)}" }
    end

    def servers
      puts "#{@servers.size} live servers"
      @servers.each do |server|
        puts "    #{place(server[:name])}", "        #{LoadText.server(server)}"
        yield server
      end
    end

    def dead
      puts "#{@metrics[:dead_servers].size} dead servers"
      @metrics[:dead_servers].each { |name| puts "    #{name}" }
    end

    # "host:port startcode"
    def place(name)
      host, port, start = name.split(',')
      "#{host}:#{port} #{start}"
    end
  end

  # Loads as HBase's client writes them.
  module LoadText
    module_function

    def server(server)
      sum = server[:regions].each_with_object(Hash.new(0)) { |region, all| amounts(region).each { |k, v| all[k] += v } }
      join('requestsPerSecond' => server[:requests_per_second].to_f, 'numberOfOnlineRegions' => server[:regions].size,
           'usedHeapMB' => server[:used_heap_bytes] >> 20, 'maxHeapMB' => server[:max_heap_bytes] >> 20,
           'numberOfStores' => sum[:stores], 'numberOfStorefiles' => sum[:store_files],
           **files(sum),
           'memstoreSizeMB' => sum[:memstore], 'storefileIndexSizeKB' => sum[:index],
           'readRequestsCount' => sum[:reads], 'filteredReadRequestsCount' => sum[:filtered],
           'writeRequestsCount' => sum[:writes], **indexes(sum), **compaction(sum),
           'coprocessors' => "[#{server[:coprocessors].join(', ')}]")
    end

    def region(region)
      own = amounts(region)
      join('numberOfStores' => own[:stores], 'numberOfStorefiles' => own[:store_files],
           'storeRefCount' => region[:store_references], **files(own, region[:last_major_compaction_ms]),
           'memstoreSizeMB' => own[:memstore],
           'readRequestsCount' => own[:reads], 'writeRequestsCount' => own[:writes], **indexes(own), **compaction(own),
           'completeSequenceId' => region[:completed_sequence_id], 'dataLocality' => region[:data_locality])
    end

    def task(task)
      "#{task[:description]}: status=#{task[:status]}, state=#{task[:state]}, startTime=#{task[:start_ms]}, " \
        "completionTime=#{task[:completion_ms]}"
    end

    def transition(region)
      "{#{Texts.binary(region[:region])} state=#{region[:state]}, ts=#{region[:since_ms]}}"
    end

    # Whole megabytes, and at least one where there is anything, as HBase's servers round them.
    def megabytes(bytes)
      bytes.zero? ? 0 : [bytes >> 20, 1].max
    end

    def join(pairs)
      pairs.map { |name, value| "#{name}=#{value}" }.join(', ')
    end

    def amounts(region)
      { stores: region[:stores], store_files: region[:store_files],
        uncompressed: megabytes(region[:uncompressed_file_bytes]), files: megabytes(region[:file_bytes]),
        memstore: megabytes(region[:memstore_bytes]), index: region[:index_bytes] >> 10,
        root_index: region[:root_index_bytes] >> 10, static_index: region[:static_index_bytes] >> 10,
        bloom: region[:static_bloom_bytes] >> 10, reads: region[:read_requests],
        filtered: region[:filtered_read_requests], writes: region[:write_requests],
        compacting: region[:compacting_cells], compacted: region[:compacted_cells] }
    end

    def files(amounts, last_major = nil)
      text = { 'storefileUncompressedSizeMB' => amounts[:uncompressed] }
      text['lastMajorCompactionTimestamp'] = last_major if last_major
      text['storefileSizeMB'] = amounts[:files]
      unless amounts[:uncompressed].zero?
        text['compressionRatio'] = format('%.4f', amounts[:files].to_f / amounts[:uncompressed])
      end
      text
    end

    def indexes(amounts)
      { 'rootIndexSizeKB' => amounts[:root_index], 'totalStaticIndexSizeKB' => amounts[:static_index],
        'totalStaticBloomSizeKB' => amounts[:bloom] }
    end

    def compaction(amounts)
      share = amounts[:compacting].zero? ? 'NaN' : amounts[:compacted].to_f / amounts[:compacting]
      { 'totalCompactingKVs' => amounts[:compacting], 'currentCompactedKVs' => amounts[:compacted],
        'compactionProgressPct' => share }
    end
  end

  # What `status 'replication'` prints of a server.
  module ReplicationText
    module_function

    def sink(sink)
      text = " TimeStampStarted=#{sink[:started_ms]}"
      return "#{text}, Waiting for OPs... " if sink[:last_applied_ms] == sink[:started_ms]

      "#{text}, AgeOfLastAppliedOp=#{sink[:age_of_last_applied_ms]}, TimeStampsOfLastAppliedOp=#{date(sink[:last_applied_ms])}"
    end

    def sources(sources)
      sources.group_by { |source| source[:peer_id] }.map { |peer, of_peer| " PeerID=#{peer}#{of_peer.map { |one| source(one) }.join}" }.join
    end

    def source(source)
      title = "\n         #{source[:recovered] ? 'Recovered' : 'Normal'} Queue: #{source[:queue_id]}\n           "
      return "#{title}No Reader/Shipper threads runnning yet." unless source[:running]  # sic

      "#{title}#{shipped(source)}, SizeOfLogQueue=#{source[:queued_logs]}, EditsReadFromLogQueue=#{source[:edits_read]}, " \
        "OpsShippedToTarget=#{source[:operations_shipped]}#{next_edit(source)}, Replication Lag=#{source[:lag_ms]}"
    end

    def shipped(source)
      return 'No Ops shipped since last restart' if source[:last_shipped_ms].zero?

      "AgeOfLastShippedOp=#{source[:age_of_last_shipped_ms]}, TimeStampOfLastShippedOp=#{date(source[:last_shipped_ms])}"
    end

    def next_edit(source)
      return ', No edits for this source since it started' unless source[:edits_since_restart]

      ", TimeStampOfNextToReplicate=#{date(source[:next_to_replicate_ms])}"
    end

    # As java.util.Date prints it.
    def date(milliseconds)
      Time.at(milliseconds / 1000).strftime('%a %b %d %H:%M:%S %Z %Y')
    end
  end

  # What `processlist` prints.
  class TaskTable
    HANDLER = /\ARpcServer\./.freeze
    FILTERS = {
      'all' => ->(_task) { true },
      'general' => ->(task) { !task[:description].match?(HANDLER) },
      'handler' => ->(task) { task[:description].match?(HANDLER) },
      'rpc' => ->(task) { task[:description].match?(HANDLER) && task[:state] == 'RUNNING' },
      'operation' => ->(task) { task[:description].match?(HANDLER) && task[:state] == 'RUNNING' }
    }.freeze

    # `names`: host, "host,port" or a whole name; none: all servers.
    def initialize(servers, names)
      @servers = servers.select do |server|
        names.empty? || names.any? { |name| "#{server[:name]},".start_with?("#{name},") }
      end
    end

    def print(filter)
      tasks = @servers.flat_map do |server|
        server[:tasks].select(&FILTERS[filter]).map { |task| task.merge(host: server[:name].split(',').first) }
      end
      puts "#{tasks.size} tasks as of: #{text(Time.now)}"
      return puts("No #{filter} tasks currently running.") if tasks.empty?

      widths = { host: 15, start: 19, state: 8, description: [32, longest(tasks, :description)].min,
                 status: [36, longest(tasks, :status) + 27].min }
      line = "+#{widths.values.map { |width| '-' * (width + 2) }.join('+')}+"
      puts line, row(['Host', 'Start Time', 'State', 'Description', 'Status'], widths)
      tasks.each { |task| puts line, row(cells(task), widths) }
      puts line
    end

    private

    def longest(tasks, key)
      tasks.map { |task| task[key].length }.max
    end

    def cells(task)
      start = Time.at(task[:start_ms] / 1000)
      [task[:host], text(start), task[:state], task[:description],
       "#{task[:status]} (since #{(Time.now - start).to_i} seconds ago)"]
    end

    def row(cells, widths)
      "| #{cells.zip(widths.values).map { |cell, width| fit(cell, width) }.join(' | ')} |"
    end

    def fit(cell, width)
      cell.length > width ? "#{cell[0, [width - 3, 0].max]}..." : cell.ljust(width)
    end

    def text(time)
      time.strftime('%Y-%m-%d %H:%M:%S')
    end
  end
end
