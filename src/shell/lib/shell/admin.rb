module Hbase
  # Administration of a store. Scripts reach it as @shell.admin and @hbase.admin.
  class Admin
    def initialize(connection)
      @connection = connection
    end

    # Names that match the pattern from start to end, as Java's Pattern.matches does.
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

    # Both do nothing if the table already is in that state.
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

    # The region with this encoded or full name; nil: none.
    def find_region(name)
      @connection.region(name.to_s.b)
    end

    def metrics
      @connection.cluster_metrics
    end

    # "host,port,startcode" of the live servers.
    def servers
      metrics[:live_servers].map { |server| server[:name] }
    end

    # The full names of these servers, which may be given as host, or "host,port".
    def server_names(names)
      live = nil
      names.flatten.compact.flat_map do |name|
        next name if name.count(',') == 2

        live ||= servers
        live.select { |one| "#{one},".start_with?("#{name},") }
      end
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
