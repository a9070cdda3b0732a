#!/usr/bin/env bash
# klip copy: a store -> a real HBase -> a store. The result must have the same cells. klip compare checks each leg, and
# must name a row that was damaged on the way.
#
#   run.sh KLIP [ROWS]     the program; rows of 10 cells each (default 10,000)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
rows=${2:-10000}
. "$here/../servers.sh"
empty_directory copy
export XDG_STATE_HOME=$work

fail() { printf 'compat: %s\n' "$*" >&2; exit 1; }
start hbase "$here/../standalone.sh" "$work/data"
zookeeper=$(zookeeper_of hbase)
cluster=hbase+zk://$zookeeper

# Five columns in two families, two versions of each; markers of all four kinds; a large cell; odd bytes.
"$klip" create "$work/a" visits -f d,VERSIONS=5 -f e,VERSIONS=2,KEEP_DELETED_CELLS=TRUE --row-key 'user:digits(6) day:date' \
  --splits 025000,050000,075000
awk -v rows="$rows" 'BEGIN {
  for (i = 0; i < rows; ++i) {
    printf "{\"row\":\"%06d20140628\"", i * int(100000 / rows > 1 ? 100000 / rows : 1)
    for (c = 0; c < 5; ++c)
      printf ",\"%s:c%d\":[{\"timestamp\":2000,\"value\":\"new %d of %d\"},{\"timestamp\":1000,\"value\":\"\\\\x00\\\\xFF%d\"}]", c < 3 ? "d" : "e", c, c, i, i
    print "}"
  }
}' > "$work/rows.json"
"$klip" load "$work/a" visits "$work/rows.json" --bulk
first=$(sed -n '2s/{"row":"\([^"]*\)".*/\1/p' "$work/rows.json")
third=$(sed -n '4s/{"row":"\([^"]*\)".*/\1/p' "$work/rows.json")
"$klip" delete "$work/a" visits "$first" d --timestamp 1500
"$klip" delete "$work/a" visits "$first" e:c3 --timestamp 2000
"$klip" delete "$work/a" visits "$first" e:c4 --timestamp 1000 --one-version
"$klip" put "$work/a" visits "$third" "d:large=$(head -c 100000 /dev/zero | tr '\0' 'x')" d:=empty

"$klip" copy "$work/a/visits" "$cluster/visits" --verify
"$klip" copy "$cluster/visits" "$work/b/visits" --verify
"$klip" compare "$work/a/visits" "$work/b/visits" --raw
# The same check without klip compare.
for side in a b; do
  "$klip" scan "$work/$side" visits --raw --versions 2147483647 --json | sha256sum > "$work/$side.sum"
  "$klip" describe "$work/$side" visits | sed '/^REGIONS/,$d' > "$work/$side.descriptor"
  "$klip" describe "$work/$side" visits | sed -n "s/^ .*\(\['.*)\).*/\1/p" > "$work/$side.regions"
done
cmp "$work/a.sum" "$work/b.sum" || fail 'the cells that came back are others'
cmp "$work/a.regions" "$work/b.regions" || fail 'the regions that came back are others'
diff "$work/a.descriptor" "$work/b.descriptor" || fail 'the descriptor that came back is another'

"$klip" put "$cluster" visits "$third" d:c1=damaged
found=0
"$klip" compare "$work/a/visits" "$cluster/visits" > "$work/damaged.txt" || found=$?
[ "$found" = 1 ] && grep -q "^$third  d:c1@.*: only in the target" "$work/damaged.txt" && grep -q '^1 rows differ' "$work/damaged.txt" ||
  fail "the damaged row was not found: $(cat "$work/damaged.txt")"
echo "klip copy: $((rows * 10)) cells to HBase and back are the same; the damaged row is named"
