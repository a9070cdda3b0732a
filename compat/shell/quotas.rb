# Quotas, slow calls, procedures and region replicas, on an HBase with these features enabled.
create 't', 'f'
create_namespace 'n'
create 'n:t', 'f'
list_quotas
set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => '10req/sec'
set_quota TYPE => THROTTLE, THROTTLE_TYPE => READ, USER => 'u1', TABLE => 't', LIMIT => '5K/min'
set_quota TYPE => THROTTLE, THROTTLE_TYPE => WRITE, USER => 'u1', NAMESPACE => 'n', LIMIT => '7cu/hour', SCOPE => CLUSTER
set_quota TYPE => THROTTLE, TABLE => 'n:t', LIMIT => '10M/day'
set_quota TYPE => THROTTLE, NAMESPACE => 'n', LIMIT => '1000req/min'
set_quota TYPE => THROTTLE, REGIONSERVER => 'all', LIMIT => '30000req/sec'
set_quota USER => 'u2', GLOBAL_BYPASS => true
set_quota TYPE => SPACE, TABLE => 't', LIMIT => '1G', POLICY => NO_INSERTS
list_quotas
list_quotas USER => 'u.*'
list_quotas USER => 'u1', TABLE => 't'
list_quotas TABLE => '.*', 'LIMIT' => 1
describe 't'
describe_namespace 'n'
describe_namespace 'default'
set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => NONE
set_quota TYPE => THROTTLE, THROTTLE_TYPE => 'READ_SIZE', USER => 'u1', TABLE => 't', LIMIT => NONE
set_quota TYPE => SPACE, TABLE => 't', LIMIT => NONE
set_quota USER => 'u2', GLOBAL_BYPASS => false
list_quotas
list_quota_table_sizes
list_quota_snapshots
disable_rpc_throttle
enable_rpc_throttle
set_quota TYPE => THROTTLE, REGIONSERVER => 'all', THROTTLE_TYPE => READ, LIMIT => '30000req/sec'
set_quota TYPE => THROTTLE, REGIONSERVER => 'all', THROTTLE_TYPE => WRITE, LIMIT => '30000req/sec'
enable_exceed_throttle_quota
disable_exceed_throttle_quota
list_snapshot_sizes
set_quota TYPE => SPACE, TABLE => 't', LIMIT => '1G', POLICY => NO_INSERTS
put 't', 'r', 'f:q', 'v'
snapshot 't', 's'
deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60; nil
sleep 0.2 until @shell.connection.snapshot_sizes.any? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline; nil
list_snapshot_sizes
delete_snapshot 's'
set_quota TYPE => SPACE, TABLE => 't', LIMIT => NONE

puts(@shell.connection.procedures.map { |one| one[:class_name][/\w+\z/] }.uniq.include?('CreateTableProcedure'))
put 't', 'r', 'f:q', 'v'
slow = @shell.connection.slow_calls([], { table: 't', limit: 1 }); nil
puts slow.map { |call| [call[:method], call[:region].start_with?('t,,'), call[:user].empty?].inspect }
clear_slowlog_responses

set_quota TYPE => THROTTLE, USER => 'u1', NAMESPACE => 'n', LIMIT => NONE
set_quota TYPE => THROTTLE, TABLE => 'n:t', LIMIT => NONE
set_quota TYPE => THROTTLE, NAMESPACE => 'n', LIMIT => NONE
set_quota TYPE => THROTTLE, REGIONSERVER => 'all', LIMIT => NONE
list_quotas

create 'replicas', 'f', {REGION_REPLICATION => 2}
put 'replicas', 'r', 'f:q', 'v', 1
flush 'replicas'
disable 'replicas'
enable 'replicas'
get 'replicas', 'r', {CONSISTENCY => 'TIMELINE', REGION_REPLICA_ID => 0}
get 'replicas', 'r', {CONSISTENCY => 'TIMELINE', REGION_REPLICA_ID => 1}
get 'replicas', 'r', {REGION_REPLICA_ID => 1}
scan 'replicas', {CONSISTENCY => 'TIMELINE', REGION_REPLICA_ID => 1}
