#!/usr/bin/env bash
# Measures the speed and memory of klip copy, compare, export and import on the demo's year of data.
#
#   bench.sh KLIP [DAYS]     1,000 users, 30 domains a day, so 30,000 rows a day (default 33, about a million rows)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
days=${2:-33}
. "$here/../servers.sh"
empty_directory copy-bench
export XDG_STATE_HOME=$work

# measure NAME ARGUMENT...: prints klip's output, CPU time and peak memory.
measure() {
  local name=$1
  shift
  /usr/bin/time -f '%U+%S s CPU, %M kB' -o "$work/time" "$klip" "$@" > "$work/out"
  printf '%-24s %s; %s\n' "$name" "$(tail -n 1 "$work/out")" "$(cat "$work/time")"
}

"$klip" demo --users 1000 --days "$days" --domains 30 --store "$work/a" > /dev/null
measure 'store -> store' copy "$work/a/visits" "$work/b/visits"
measure 'compare' compare "$work/a/visits" "$work/b/visits"
measure 'store -> files' export "$work/a" visits "$work/files"
measure 'files -> store' import "$work/c" visits "$work/files"
start klip "$klip" serve --data "$work/served" --rpc-port 0 --zk-port 0
served=hbase+zk://$(zookeeper_of klip)
measure 'store -> klip serve' copy "$work/a/visits" "$served/visits"
measure 'klip serve -> store' copy "$served/visits" "$work/d/visits"
start hbase "$here/../standalone.sh" "$work/data"
hbase=hbase+zk://$(zookeeper_of hbase)
measure 'store -> HBase' copy "$work/a/visits" "$hbase/visits" --compression NONE
measure 'compare with HBase' compare "$work/a/visits" "$hbase/visits"
measure 'HBase -> store' copy "$hbase/visits" "$work/e/visits"
