# A backup by snapshot, and restoring it.
create 'orders', 'f'
put 'orders', '1', 'f:state', 'new', 1
snapshot 'orders', 'orders_backup'
put 'orders', '1', 'f:state', 'broken', 2
disable 'orders'
restore_snapshot 'orders_backup'
enable 'orders'
scan 'orders'
clone_snapshot 'orders_backup', 'orders_copy'
scan 'orders_copy'
delete_snapshot 'orders_backup'
