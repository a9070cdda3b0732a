module Shell
  # Replication peers as they are typed and printed. A configuration is as Klip::Connection#peer gives it; tables in it are
  # [[table, [family, ...]], ...], and no family stands for all.
  module Peers
    module_function

    # The argument of Klip::Connection#add_peer for the typed hash. `uri`: of the cluster whose peer it becomes.
    def parse(args, uri)
      raise ArgumentError, 'args must be a Hash' unless args.is_a?(Hash)
      if args.values_at('CLUSTER_KEY', 'ENDPOINT_CLASSNAME').none?
        raise ArgumentError, 'Either ENDPOINT_CLASSNAME or CLUSTER_KEY must be specified.'
      end

      only = args.values_at('NAMESPACES', 'TABLE_CFS').any?
      # A custom endpoint may not need it, but HBase requires it.
      key = args['CLUSTER_KEY'] || cluster_key(uri)
      { cluster_key: key, endpoint_class: args['ENDPOINT_CLASSNAME'], configuration: texts(args['CONFIG']),
        data: texts(args['DATA']), replicate_all: !only, table_families: tables(args['TABLE_CFS']),
        namespaces: names(args['NAMESPACES']), exclude_table_families: [], exclude_namespaces: [], bandwidth: 0, serial: false }
    end

    def texts(hash)
      (hash || {}).to_h { |key, value| [key.to_s, value.to_s] }
    end

    def names(list)
      Array(list).map(&:to_s)
    end

    def tables(hash)
      (hash || {}).map { |table, families| [table.to_s, names(families)] }
    end

    # Tables of both. Families of a table that are all families stay so.
    def merge(tables, more)
      merged = tables.to_h
      more.each do |table, families|
        all = families.empty? || merged[table]&.empty?
        merged[table] = all ? [] : (merged[table] || []) | families
      end
      merged.to_a
    end

    # Without these tables, or these families of them. `what`: table-cfs, for HBase's errors.
    def remove(tables, less, peer, what)
      left = tables.to_h
      less.each do |table, families|
        had = left[table] or raise "No table: #{table} in #{what} config of peer: #{peer}"
        if had.empty? && families.any?
          raise "Cannot remove cf of table: #{table} which doesn't specify cfs from #{what} config in peer: #{peer}"
        elsif had.any? && families.empty?
          raise "Cannot remove table: #{table} which has specified cfs from #{what} config in peer: #{peer}"
        end
        (had - families).empty? ? left.delete(table) : left[table] = had - families
      end
      left.to_a
    end

    # "default.t1:f1,f2;ns.t2"
    def tables_text(tables)
      tables.map do |table, families|
        name = table.include?(':') ? table.sub(':', '.') : "default.#{table}"
        families.empty? ? name : "#{name}:#{families.join(',')}"
      end.join(';')
    end

    # The namespaces and tables of list_peers: what is replicated, or what is not.
    def scope_texts(config)
      return [config[:namespaces].join(';'), tables_text(config[:table_families])] unless config[:replicate_all]

      [config[:exclude_namespaces].join(';'), tables_text(config[:exclude_table_families])].map do |text|
        text.empty? ? text : "!#{text}"
      end
    end

    def replicates?(config, table)
      namespace = ::Shell.namespace_of(table)
      unless config[:replicate_all]
        return config[:namespaces].include?(namespace) || config[:table_families].to_h.key?(table)
      end

      excluded = config[:exclude_table_families].to_h[table]
      !config[:exclude_namespaces].include?(namespace) && (excluded.nil? || excluded.any?)
    end

    # Of a cluster that is reached by ZooKeeper.
    def cluster_key(uri)
      servers, znode = uri.match(%r{\Ahbase\+zk://([^/?]+)(/[^?]*)?})&.captures
      raise ArgumentError, 'CLUSTER_KEY must be specified: the connection does not go by ZooKeeper' if servers.nil?

      servers = servers.split(',').map { |server| server.match?(/:\d+\z/) ? server : "#{server}:2181" }
      port = servers.first[/\d+\z/]
      same = servers.all? { |server| server.end_with?(":#{port}") }
      hosts = same ? servers.map { |server| server.delete_suffix(":#{port}") } : servers
      "#{hosts.join(',')}:#{port}:#{znode || '/hbase'}"
    end

    # The cluster whose key is "host1,host2:2181:/hbase"; a host may have its own port.
    def uri(cluster_key)
      hosts, port, znode = cluster_key.match(%r{\A(.+):(\d+):(/.*)\z})&.captures
      raise "Invalid cluster key: #{cluster_key}" if hosts.nil?

      servers = hosts.split(',').map { |host| host.include?(':') ? host : "#{host}:#{port}" }
      "hbase+zk://#{servers.join(',')}#{znode}"
    end
  end
end
