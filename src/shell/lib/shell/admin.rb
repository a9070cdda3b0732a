module Hbase
  # What commands ask of a store besides its data. @shell.admin and @hbase.admin, for scripts.
  class Admin
    def initialize(connection, embedded: true)
      @connection = connection
      @embedded = embedded
    end

    # Names that match the whole of the pattern, as Java's Pattern.matches would have it.
    def list(regex = '.*')
      @connection.tables.grep(/\A(?:#{regex})\z/)
    end

    def exists?(table)
      @connection.table_exists?(table.to_s)
    end

    def enabled?(table)
      @connection.table_enabled?(table.to_s)
    end

    def disabled?(table)
      !enabled?(table)
    end

    # Both do nothing when it is so already.
    def enable(table)
      must_exist(table)
      @connection.enable_table(table.to_s) unless enabled?(table)
    end

    def disable(table)
      must_exist(table)
      @connection.disable_table(table.to_s) if enabled?(table)
    end

    def drop(table)
      must_exist(table)
      raise ArgumentError, "Table #{table} is enabled. Disable it first." if enabled?(table)

      @connection.delete_table(table.to_s)
    end

    # Yields what it is about to do.
    def truncate(table, preserve_splits)
      name = table.to_s
      if enabled?(name)
        yield 'Disabling table...'
        @connection.disable_table(name)
      end
      yield 'Truncating table...'
      @connection.truncate_table(name, preserve_splits)
    end

    # The region whose encoded or full name this is; nil: there is none.
    def find_region(name)
      name = name.to_s.b
      @connection.tables.each do |table|
        found = @connection.regions(table).find { |region| [region[:name], region[:encoded_name]].include?(name) }
        return found if found
      end
      nil
    end

    # A store in this process has one server, which is this process; the port is HBase's. Where a cluster's regions are, klip's API
    # does not tell.
    def server_name
      @embedded ? "#{host},16020,#{@started ||= (Time.now.to_f * 1000).to_i}" : '?,?,?'
    end

    # "host:port"
    def address
      server_name.split(',').first(2).join(':')
    end

    def host
      require 'etc'
      @host ||= Etc.uname[:nodename]
    end

    # Whether things are on that klip does not do.
    def switches
      @switches ||= Hash.new(true)
    end

    def region_count
      @connection.tables.sum { |table| @connection.regions(table).size }
    end

    private

    def must_exist(table)
      raise ArgumentError, "Table #{table} does not exist." unless exists?(table)
    end
  end

  # @hbase, for scripts.
  class Client
    def initialize(shell)
      @shell = shell
    end

    def connection
      @shell.connection
    end

    def admin
      @shell.admin
    end

    def table(name, _shell = nil)
      Table.new(name, @shell)
    end
  end
end
