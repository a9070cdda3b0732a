#!/usr/bin/env bash
# klip's own client on a real HBase: the golden op files, and the commands of `klip`, by the RPC registry and by ZooKeeper.
#
#   run.sh BUILD     the build's directory, with klip and tests/klip_native_parity
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
golden=$(realpath "$here/../../tests/golden")
work=$here/../../build/compat/native
mkdir -p "$work"
. "$here/../servers.sh"

start hbase "$here/../standalone.sh" "$work/data"
zookeeper=$(zookeeper_of hbase)
uri=hbase+zk://$zookeeper
"$build/tests/klip_native_parity" "$uri" "$golden"

# The commands, with a plan that HBase runs: 12,000 rows in four regions, two of them asked for.
klip() { "$build/klip" "$1" "$uri" "${@:2}"; }
klip create visits -f d --row-key 'user:digits(4) day:date' --splits 1000,2000,3000
for user in {0..3999..4}; do
  for day in 20140627 20140628 20140629; do printf '%04d%s\t%s\n' "$user" "$day" "$user"; done
done > "$work/rows.tsv"
klip load visits "$work/rows.tsv" --format tsv --columns HBASE_ROW_KEY,d:n > "$work/load.txt"
expect() {
  [ "$1" = "$2" ] && return 0
  printf 'compat: %s\n  expected %s\n  got      %s\n' "$3" "$2" "$1" >&2
  exit 1
}
expect "$(klip scan visits --where 'day=20140628' --json | wc -l)" 1000 'rows of one day'
expect "$(klip scan visits --where 'user=0100,3900 day=20140628' --json | wc -l)" 2 'rows of two users'
klip explain visits --where 'day=20140628' > "$work/explain.txt"
grep -q FuzzyRowFilter "$work/explain.txt" || expect "$(cat "$work/explain.txt")" FuzzyRowFilter 'the plan that is sent'
echo "klip's commands on $uri: as expected"
