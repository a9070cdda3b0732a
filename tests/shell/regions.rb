# Where regions are.
create 'b', 'f', {NUMREGIONS => 3, SPLITALGO => 'UniformSplit'}
create 'd', 'f'
locate_region 'b', 'row'
locate_region 'b', '\xFF'
list_regions 'b', 'nosuchserver'
list_regions 'd', '', ['REGION_NAME', 'START_KEY', 'SIZE', 'REQ', 'LOCALITY']
list_regions 'd', {SERVER_NAME => '', LOCALITY_THRESHOLD => 0.5}, ['START_KEY', 'FROB']
