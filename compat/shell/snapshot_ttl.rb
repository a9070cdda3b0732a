create 'expiring', 'f'
snapshot 'expiring', 'one_second', {TTL => 1}
sleep 1.2; nil
begin
  clone_snapshot 'one_second', 'too_late'
rescue StandardError => e
  puts e.message
end
delete_snapshot 'one_second'
