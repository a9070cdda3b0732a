Shell.group 'general', 'GENERAL HBASE SHELL COMMANDS' do
  command 'version', "Prints the version of HBase that klip behaves as, and klip's own:\n\n  hbase> version\n" do
    puts Shell::VERSION_TEXT
  end

  command 'table_help', "Prints how to use references to tables:\n\n  hbase> table_help\n" do
    puts Hbase::Table::HELP
  end

  command 'whoami', "Prints the user:\n\n  hbase> whoami\n" do
    require 'etc'
    groups = Process.groups.filter_map { |id| Etc.getgrgid(id)&.name rescue nil }
    puts "#{Etc.getpwuid&.name || Process.uid} (auth:SIMPLE)"
    puts "    groups: #{groups.join(', ')}" unless groups.empty?
  end

  answers_of_one_server

  command 'status', <<~'HELP' do |format = 'summary', type = 'both'|
    Prints how the store is: 'summary' (the default), 'simple', 'detailed', 'tasks' or 'replication':

      hbase> status
      hbase> status 'simple'
      hbase> status 'summary'
      hbase> status 'detailed'
      hbase> status 'replication', 'source'
  HELP
    Shell::StatusText.new(connection, admin).print(format.to_s, type.to_s)
  end

  command 'processlist', <<~'HELP' do |filter = 'general', _host = nil|
    Prints the tasks of the servers: 'all', 'general', 'handler', 'rpc' or 'operation'. klip has none that a client can see:

      hbase> processlist
      hbase> processlist 'all'
  HELP
    kinds = %w[all general handler rpc operation]
    raise ArgumentError, "Unknown filter #{filter}: #{kinds.join(', ')}" unless kinds.include?(filter)

    puts filter == 'all' ? 'No tasks currently running.' : "No #{filter} tasks currently running."
  end
end

module Shell
  # What `status` prints.
  class StatusText
    def initialize(connection, admin)
      @connection = connection
      @admin = admin
    end

    def print(format, type)
      case format
      when 'simple' then simple
      when 'detailed' then detailed
      when 'replication' then replication(type)
      when 'tasks' then puts "0 tasks"
      else summary
      end
    end

    private

    def summary
      puts format('1 active master, 0 backup masters, 1 servers, 0 dead, %.4f average load', @admin.region_count)
    end

    def simple
      master
      puts '1 live servers', server_line, "        #{load_line}"
      puts '0 dead servers', "Aggregate load: 0, regions: #{@admin.region_count}"
    end

    def detailed
      puts "version #{VERSION_TEXT}", '0 regionsInTransition'
      master
      puts 'master coprocessors: []', '1 live servers', server_line, "        #{load_line}"
      @connection.tables.each do |table|
        @connection.regions(table).each do |region|
          puts "        \"#{Texts.binary(region[:name])}\"", "            storefileSizeMB=#{megabytes(region)}"
        end
      end
      puts '0 dead servers'
    end

    def replication(type)
      puts "version #{VERSION_TEXT}", '1 live servers', "    #{@admin.host}:"
      puts '       SOURCE: no peers' unless type == 'sink'
      puts '       SINK: no peers' unless type == 'source'
    end

    def master
      host, port, start = @admin.server_name.split(',')
      puts "active master:  #{host}:#{port} #{start}", '0 backup masters'
    end

    def server_line
      host, port, start = @admin.server_name.split(',')
      "    #{host}:#{port} #{start}"
    end

    def load_line
      size = @connection.tables.sum { |table| @connection.regions(table).sum { |region| region[:size_bytes] } }
      "numberOfOnlineRegions=#{@admin.region_count}, storefileSizeMB=#{size >> 20}"
    end

    def megabytes(region)
      region[:size_bytes] >> 20
    end
  end
end
