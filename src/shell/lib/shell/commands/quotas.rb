require 'shell/quota_text'

Shell.group 'quotas', 'CLUSTER QUOTAS TOOLS' do
  command 'set_quota', <<~'HELP' do |args = {}|
    Limits the requests of a user, table, namespace or region server, or the space of a table or namespace; LIMIT => NONE
    removes a limit. Takes effect if hbase.quota.enabled is set. klip's own store has no quotas:

      hbase> set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => '10req/sec'
      hbase> set_quota TYPE => THROTTLE, THROTTLE_TYPE => READ, USER => 'u1', TABLE => 't2', LIMIT => '5K/min'
      hbase> set_quota TYPE => THROTTLE, NAMESPACE => 'ns1', LIMIT => '10req/sec', SCOPE => CLUSTER
      hbase> set_quota TYPE => THROTTLE, REGIONSERVER => 'all', LIMIT => '30000req/sec'
      hbase> set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => NONE
      hbase> set_quota TYPE => THROTTLE, THROTTLE_TYPE => 'READ_NUMBER', USER => 'u1', LIMIT => NONE
      hbase> set_quota USER => 'u1', GLOBAL_BYPASS => true
      hbase> set_quota TYPE => SPACE, TABLE => 't1', LIMIT => '1G', POLICY => NO_INSERTS
      hbase> set_quota TYPE => SPACE, TABLE => 't1', LIMIT => NONE
  HELP
    raise ArgumentError, 'Arguments should be a Hash' unless args.is_a?(Hash)

    connection.set_quota(Shell::QuotaText.parse(args))
  end

  command 'list_quotas', <<~'HELP' do |args = {}|
    Lists the quotas of users, tables, namespaces and region servers whose names match regular expressions:

      hbase> list_quotas
      hbase> list_quotas USER => 'bob.*'
      hbase> list_quotas USER => 'bob.*', TABLE => 't1'
      hbase> list_quotas TABLE => 'myTable', 'LIMIT' => 5
  HELP
    raise ArgumentError, 'Arguments should be a Hash' unless args.is_a?(Hash)

    formatter.header(%w[OWNER QUOTAS])
    quotas = Shell::QuotaText.select(connection.quotas, args)
    quotas.each { |quota| formatter.row([Shell::QuotaText.owner(quota), Shell::QuotaText.setting(quota)]) }
    formatter.footer(quotas.size)
  end

  command 'list_quota_table_sizes', <<~'HELP' do |*|
    Lists the sizes of tables, as the master computes them for space quotas:

      hbase> list_quota_table_sizes
  HELP
    formatter.header(%w[TABLE SIZE])
    sizes = connection.quota_table_sizes
    sizes.each { |table, bytes| formatter.row([table, bytes.to_s]) }
    formatter.footer(sizes.size)
  end

  command 'list_quota_snapshots', <<~'HELP' do |args = {}|
    Lists tables with space quotas, and whether they exceed them, according to the master or to a region server:

      hbase> list_quota_snapshots
      hbase> list_quota_snapshots({TABLE => 'table1'})
      hbase> list_quota_snapshots({NAMESPACE => 'org1'})
      hbase> list_quota_snapshots({REGIONSERVER => 'server1.domain,16020,1483482894742'})
  HELP
    formatter.header(%w[TABLE USAGE LIMIT IN_VIOLATION POLICY])
    server = args['REGIONSERVER'] && servers_named(args['REGIONSERVER']).first
    states = connection.space_quota_states(server).select do |state|
      namespace = ::Shell.namespace_of(state[:table])
      table = state[:table].delete_prefix("#{namespace}:")
      [nil, table].include?(args['TABLE']) && [nil, namespace].include?(args['NAMESPACE'])
    end
    states.each do |state|
      formatter.row([state[:table], state[:used_bytes], state[:limit_bytes], !state[:violated].nil?,
                     state[:violated] || 'None'])
    end
    formatter.footer(states.size)
  end

  { 'enable_rpc_throttle' => true, 'disable_rpc_throttle' => false }.each do |name, on|
    command(name, <<~HELP) do
      Turns request quotas #{on ? 'on' : 'off'}, and prints the previous state. klip's own store has none, and only stores the setting:

        hbase> #{name}
    HELP
      before = connection.set_switch('rpc throttle', on)
      formatter.row(["Previous rpc throttle state : #{before}"])
      before
    end
  end

  command 'list_snapshot_sizes', <<~'HELP' do |*|
    Lists the sizes of snapshots of tables with space quotas: of the files that only the snapshot uses. klip's own store has none:

      hbase> list_snapshot_sizes
  HELP
    formatter.header(%w[SNAPSHOT SIZE])
    sizes = connection.snapshot_sizes
    sizes.each { |snapshot, bytes| formatter.row([snapshot, bytes.to_s]) }
    formatter.footer(sizes.size)
  end

  { 'enable_exceed_throttle_quota' => true, 'disable_exceed_throttle_quota' => false }.each do |name, on|
    command(name, <<~HELP) do
      #{on ? 'Lets' : 'Does not let'} requests exceed the quotas of users, tables and namespaces while the region server's own
      quota, which must be per second, has room. Prints the previous state. klip's own store has no quotas:

        hbase> #{name}
    HELP
      before = connection.exceed_throttle_quota(on)
      formatter.row(["Previous exceed throttle quota enabled : #{before}"])
      before.to_s
    end
  end
end

class Shell::Command
  private

  # Prints those of a table or namespace, below its description. HBase creates the table of quotas when they are enabled.
  def print_quotas(owner, name)
    return puts('Quota is disabled') unless admin.exists?('hbase:quota')

    puts
    formatter.header(%w[QUOTAS])
    quotas = Shell::QuotaText.select(connection.quotas, { owner => Regexp.escape(name.to_s) })
    quotas.each { |quota| formatter.row([Shell::QuotaText.setting(quota)]) }
    formatter.footer(quotas.size)
  end
end
