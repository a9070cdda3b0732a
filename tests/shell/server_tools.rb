create 't', 'f'
put 't', 'r', 'f:q', 'v'
flush 't'
list_locks
compaction_switch true
compaction_switch true, @shell.admin.servers.first.split(',').first
clear_block_cache 't'
get_slowlog_responses '*'
get_slowlog_responses '*', {'TABLE_NAME' => 't', 'LIMIT' => 5}
get_largelog_responses [@shell.admin.servers.first]
get_balancer_decisions
get_balancer_rejections LIMIT => 5
update_config @shell.admin.servers.first
update_all_config
hbck_chore_run
list_security_capabilities
change_sft 't', 'FILE'
change_sft 't', 'f', 'FILE'
describe 't'
list_quotas
list_quotas USER => 'bob.*', TABLE => 't'
list_quota_snapshots
list_snapshot_sizes
list_quota_snapshots({REGIONSERVER => @shell.admin.servers.first})
get 't', 'r', {CONSISTENCY => 'TIMELINE', REGION_REPLICA_ID => 0}
scan 't', {CONSISTENCY => 'TIMELINE'}
