Shell.group 'quotas', 'CLUSTER QUOTAS TOOLS' do
  answers_of_one_server

  { 'list_quotas' => %w[OWNER QUOTAS], 'list_quota_table_sizes' => %w[TABLE SIZE],
    'list_quota_snapshots' => %w[TABLE USAGE LIMIT IN_VIOLATION POLICY], 'list_snapshot_sizes' => %w[SNAPSHOT SIZE] }
    .each do |name, columns|
    command(name, "Lists what its name says. klip has no quotas:\n\n  hbase> #{name}\n") do |*|
      formatter.header(columns)
      formatter.footer(0)
    end
  end

  unsupported 'klip has no quotas', 'set_quota', 'enable_rpc_throttle', 'disable_rpc_throttle',
              'enable_exceed_throttle_quota', 'disable_exceed_throttle_quota'
end
