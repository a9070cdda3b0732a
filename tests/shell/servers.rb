# Servers and regions, as a cluster of any size shows them: numbers, names of servers and figures of files are left out.
require 'stringio'

def shape
  screen = $stdout
  $stdout = StringIO.new
  yield
  text = $stdout.string
  $stdout = screen
  servers = @shell.connection.cluster_metrics[:live_servers].map { |server| server[:name] }
  servers.each { |name| text = text.gsub(name, 'SERVER').gsub(name.split(',').first, 'HOST') }
  text = text.gsub(/coprocessors=\[.*?\]/, 'coprocessors=[...]').gsub(/compressionRatio=[^,]*, /, '').gsub(/-?\b\d+(\.\d+)?\b/, 'N').gsub(/ +/, ' ').gsub(/-+/, '-')
  puts text.lines.reject { |line| line.start_with?('Took') }
end

create 't', 'f', SPLITS => ['m']
put 't', 'a', 'f:q', 'v'
put 't', 'z', 'f:q', 'v'
flush 't'
shape { status }
shape { status 'simple' }
regions = @shell.connection.regions('t'); regions.size
server = regions.first[:server]; nil
regions.map { |region| [region[:start_key], region[:end_key], region[:server] == server] }
shape { list_regions 't' }
shape { list_regions 't', 'nosuchserver' }
shape { list_regions 't', server, ['start_key', 'END_KEY', 'SERVER_NAME'] }
shape { list_regions 't', {SERVER_NAME => server, LOCALITY_THRESHOLD => 1.0}, ['START_KEY', 'SIZE'] }
shape { locate_region 't', 'a' }
shape { locate_region 't', 'x' }
shape { regioninfo regions.last[:encoded_name] }
shape { regioninfo regions.last[:name] }

move regions.first[:encoded_name]
move regions.first[:encoded_name], server
get 't', 'a'
flush regions.last[:encoded_name]
compact regions.last[:encoded_name]
major_compact regions.last[:encoded_name]
split regions.last[:encoded_name], 't'
get_splits 't'
shape { list_liveservers }
list_deadservers
list_unknownservers
list_decommissioned_regionservers
rit
is_in_maintenance_mode

balance_switch true
balance_switch false
balancer_enabled
balancer
balance_switch true
balancer
balancer 'dry_run'
normalizer_switch false
normalizer_enabled
normalizer_switch true
normalizer_enabled
normalize
catalogjanitor_switch false
catalogjanitor_enabled
catalogjanitor_switch true
cleaner_chore_switch false
cleaner_chore_enabled
cleaner_chore_switch true
snapshot_cleanup_switch false
snapshot_cleanup_enabled
snapshot_cleanup_switch true
splitormerge_switch 'SPLIT', false
splitormerge_enabled 'SPLIT'
splitormerge_switch 'SPLIT', true
splitormerge_enabled 'MERGE'
