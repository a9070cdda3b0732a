# A waiting command can be interrupted, other threads continue meanwhile, and the shell stays usable.
create 't', 'f'
put 't', 'r', 'f:q', 'v', 1
table = @shell.connection.table('t'); nil
begin
  Thread.new { Process.kill('INT', Process.pid) }
  loop { table.get(row: 'r') }
rescue Interrupt
  puts 'interrupted'
end
require 'timeout'
begin
  Timeout.timeout(0.05) { loop { table.scan({}).next_rows(10) } }
rescue Timeout::Error
  puts 'timed out'
end
threads = (1..4).map { |i| Thread.new { 50.times { table.increment(row: 'c', columns: [['f', 'n', i]]) } } }; nil
threads.each(&:join).size
get_counter 't', 'r', 'f:none'
get_counter 't', 'c', 'f:n'
scanner = table.scan({}); errors = []; nil
4.times.map { Thread.new { 50.times { begin; scanner.next_rows(1); rescue Klip::Error => e; errors << e.message; end } } }.each(&:join).size
errors.uniq - ['another thread is using the scanner']
