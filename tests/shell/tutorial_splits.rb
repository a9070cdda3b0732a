# Tables that begin with several regions.
create 'users', 'info', SPLITS => ['1000', '2000', '3000']
get_splits 'users'
create 'hashed', 'f', {NUMREGIONS => 3, SPLITALGO => 'HexStringSplit'}
get_splits 'hashed'
File.write("#{ENV['HOME']}/splits.txt", "a\nm\nt\n")
create 'fromfile', 'f', SPLITS_FILE => "#{ENV['HOME']}/splits.txt"
File.delete("#{ENV['HOME']}/splits.txt")
get_splits 'fromfile'
list_regions 'users', '', ['START_KEY', 'END_KEY', 'SIZE']
