#!/usr/bin/env bash
# Compares klip serve with HBase 2.6.4 under HBase's Java client, alternating in one run; see ServerBench.java. Unless
# CASES is set, first measures their start, with klip on a new store and on one of 10,950,000 rows.
#
#   run.sh KLIP [USERS DAYS DOMAINS]     default 1000 90 10; FSYNC=1: both fsync each write, else neither;
#                                        SECONDS_EACH=10: to warm up a case, and again to measure it; CASES=REGEX: only these
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
work=$here/../../build/compat/bench
mkdir -p "$work"
work=$(cd "$work" && pwd)
. "$here/../java.sh"
hbase_program "$here/ServerBench.java" "$work/classes"

. "$here/../servers.sh"
rm -rf "$work/klip-data"
sync=()
[ -n "${FSYNC:-}" ] || sync=(--no-fsync)
if [ -z "${CASES:-}" ]; then
  rm -rf "$work/year" "$work/new"
  "$klip" demo --full --store "$work/year" > "$work/year.txt"
  for store in new year; do
    python3 "$here/start.py" "$klip" "$work/$store"
  done
  rm -rf "$work/year" "$work/new"
fi
began=$SECONDS
start hbase env HSYNC="${FSYNC:+true}" "$here/../standalone.sh" "$work/hbase-data"
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 "${sync[@]}"
hbase=$(zookeeper_of hbase)
"$klip" list "hbase+zk://$hbase" > /dev/null
echo "HBase: first answer after $((SECONDS - began)) s"
own=$(zookeeper_of klip)
hbase_pid=$(pgrep -P "${servers[0]}" -f HMaster)
memory() {
  local process
  for process in "${servers[1]}" "$hbase_pid"; do
    awk '$1 == "VmRSS:" { printf "%d MB ", $2 / 1024 }' "/proc/$process/status"
  done
}
echo "Resident memory of klip and HBase, idle: $(memory)"
java -Xmx1g -Dklip.seconds="${SECONDS_EACH:-10}" -Dklip.cases="${CASES:-.}" -Dklip.log="$work/client.log" \
  "${java_flags[@]}" -cp "$work/classes:$lib/*" \
  ServerBench "${2:-1000}" "${3:-90}" "${4:-10}" "klip=$own,${servers[1]}" "HBase=$hbase,$hbase_pid"
echo "Resident memory of klip and HBase, after the load: $(memory)"
