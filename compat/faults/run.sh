#!/usr/bin/env bash
# Tests klip's client while servers of a real HBase, and klip serve, stop and restart; see tests/hbase/fault_load.cc.
#
#   run.sh BUILD     the build's directory, with klip and tests/klip_fault_load
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
. "$here/../servers.sh"
empty_directory faults
. "$here/../distributed.sh"
# hurt SIGNAL NAME: sends the signal and waits for the exit.
hurt() {
  kill "-$1" "${pid[$2]}"
  wait "${pid[$2]}" 2> /dev/null || true
}

# start_load URI [OPTION]; tell LINE: writes to its standard input.
start_load() {
  mkfifo "$work/load.input"
  "$build/tests/klip_fault_load" "$@" < "$work/load.input" > "$work/load.txt" &
  load=$!
  servers+=($load)
  exec {tell}> "$work/load.input"
}
tell() { echo "$1" >&"$tell"; }
# progress WHAT: waits until the load makes progress.
progress() { told progress "$1"; }
# told COMMAND WHAT: waits for its last line.
told() {
  tell "$1 $2"
  told_of "$2"
}
told_of() {
  wait_for "$work/load.txt" "^$1:" && grep "^$1:" "$work/load.txt"
  ! grep -q 'WRONG\|NO PROGRESS' "$work/load.txt" || { grep 'WRONG\|NO PROGRESS' "$work/load.txt" >&2; exit 1; }
}
end_load() {
  tell end
  exec {tell}>&-
  wait "$load" || { cat "$work/load.txt" >&2; exit 1; }
  tail -n 1 "$work/load.txt"
  rm "$work/load.input"
}

# --- HBase ---
start_distributed "$work/hbase" hbase.client.retries.number=50 hbase.regionserver.storefile.refresh.period=500 \
  hbase.meta.replica.count=2 hbase.regionserver.meta.storefile.refresh.period=500

start_load "hbase+zk://127.0.0.1:$zookeeper"
progress 'no fault'
tell replicas
told_of replicas
for server in server1 server2; do  # each has some primaries, and one that of hbase:meta
  kill -STOP "${pid[$server]}"
  told timeline "$server stands still"
  told new "$server still stands"
  kill -CONT "${pid[$server]}"
done
tell 'split 1'
tell 'split 3'
progress 'regions split'
tell merge
progress 'regions merged'
hurt TERM server1
progress 'a region server stopped, its regions moved'
hbase server3 regionserver.HRegionServer
wait_for "$data/server3.log" 'Serving as'
hurt KILL server2
progress 'a region server killed'
kill -STOP "${pid[server3]}"
sleep 3  # the fault itself
kill -CONT "${pid[server3]}"
progress 'a region server stood still for 3 s'
hurt KILL master
progress 'no master'
hurt KILL zookeeper
progress 'no ZooKeeper'
hbase zookeeper zookeeper.HQuorumPeer
progress 'ZooKeeper is back'
end_load
end_all
servers=()

# --- klip serve: killed and started again, on its port ---
port=$(free_port)
serve() {
  spawn klip "$build/klip" serve --data "$work/klip" --rpc-port "$port" --zk-port 0 > "$work/klip.ready" 2> "$work/klip.log"
  wait_for "$work/klip.ready" '^ready'
}
serve
# The record of executed increments ends with the process: an unacknowledged one may be counted twice.
start_load "hbase+rpc://127.0.0.1:$port?compressor=snappy" --no-counters
for kill in 1 2 3; do
  progress "klip serve, kill $kill"
  hurt KILL klip
  serve
done
progress 'klip serve'
tell 'split 1'
progress 'klip serve, regions split'
end_load
