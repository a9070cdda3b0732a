#!/usr/bin/env bash
# Replication between klip serve and HBase 2.6.4, both ways at once: random writes on both, while klip serve is killed and
# HBase's peer is disabled for a while. In the end, both must have the same cells.
#
#   run.sh BUILD     the build's directory, with klip, klip-shell and tests/klip_replication_load
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
. "$here/../servers.sh"
empty_directory replication
start hbase "$here/../standalone.sh" "$work/hbase"
rpc=$(free_port)
zk=$(free_port)
serve() {
  "$build/klip" serve --data "$work/klip" --rpc-port "$rpc" --zk-port "$zk" --no-fsync > "$work/klip.ready" 2>> "$work/klip.log" &
  klip=$!
  servers+=($klip)
  zookeeper_of klip > "$work/klip.zookeeper"
}
serve
hbase=$(zookeeper_of hbase)
here_uri=hbase+zk://127.0.0.1:$zk
there_uri=hbase+zk://$hbase
shell() { # shell URI: commands by standard input
  cat > "$work/script.rb"
  "$build/klip-shell" -n "$1" "$work/script.rb" < /dev/null > "$work/shell.out" 2>&1 || { cat "$work/shell.out" >&2; return 1; }
}
# same TABLE: waits until both have the same cells.
same() {
  local tries
  for ((tries = 0; tries < 120; ++tries)); do
    "$build/klip" compare "$here_uri/$1" "$there_uri/$1" > "$work/compare.txt" 2>&1 && return 0
    sleep 0.5
  done
  echo "compat: table $1 differs after a minute" >&2
  cat "$work/compare.txt" "$work/klip.log" >&2
  return 1
}

# The table that exists before the peer is created on both sides. enable_table_replication creates the other one.
table="create 't', {NAME => 'f', VERSIONS => 1000, REPLICATION_SCOPE => 1}, {NAME => 'g', VERSIONS => 1000, REPLICATION_SCOPE => 1}, SPLITS => ['a', 'b1']"
shell "$here_uri" <<< "$table
add_peer 'hbase', CLUSTER_KEY => '$hbase:/hbase'"
shell "$there_uri" <<< "$table
add_peer 'klip', CLUSTER_KEY => '127.0.0.1:$zk:/hbase'"
"$build/tests/klip_replication_load" "$here_uri" t 1 6000 a &
first=$!
"$build/tests/klip_replication_load" "$there_uri" t 2 3000 b &
second=$!
sleep 1.5
kill -9 "$klip"
wait "$klip" 2> /dev/null || true
serve
shell "$there_uri" <<< "disable_peer 'klip'"
wait $first
shell "$there_uri" <<< "enable_peer 'klip'"
wait $second
same t
echo "both ways, with a kill: the same cells; $(head -n 1 "$work/compare.txt")"

shell "$here_uri" <<< "create 'u', 'f', 'g'
enable_table_replication 'u'"
"$build/tests/klip_replication_load" "$here_uri" u 3 500 c
shell "$there_uri" <<< "enable_table_replication 'u'"
"$build/tests/klip_replication_load" "$there_uri" u 4 500 d
same u
echo 'a table made by enable_table_replication: the same cells'
shell "$here_uri" <<< "status 'replication'
remove_peer 'hbase'"
grep -q 'PeerID=hbase' "$work/shell.out" || { cat "$work/shell.out" >&2; exit 1; }
