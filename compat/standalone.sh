#!/usr/bin/env bash
# Starts the stock HBase 2.6.4 as its own scripts do in local mode, with everything on free loopback ports, and prints
# `ready zookeeper=HOST:PORT`. Exits at the end of its standard input.
#
#   standalone.sh DIRECTORY [NAME=VALUE...]     for its data and logs, emptied first; and settings of hbase-site.xml
#
# hbase-conf.sh lists the environment variables.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/hbase.sh" prepare
lib=$(cd "$here/../build/compat/lib" && pwd)
rm -rf "$1"
mkdir -p "$1"
data=$(cd "$1" && pwd)

. "$here/servers.sh"
. "$here/java.sh"
. "$here/hbase-conf.sh"
zookeeper=$(free_port)
write_conf "$data" "$zookeeper" "${@:2}"
hbase_process "$data" hbase org.apache.hadoop.hbase.master.HMaster start &
hbase=$!
trap 'kill -9 $hbase 2> /dev/null; wait $hbase 2> /dev/null || true' EXIT

for ((tries = 0; tries < 300; ++tries)); do
  kill -0 $hbase 2> /dev/null || { tail -n 20 "$data/hbase.err" "$data/hbase.log" >&2; exit 1; }
  if grep -q 'Master has completed initialization' "$data/hbase.log" 2> /dev/null; then
    echo "ready zookeeper=127.0.0.1:$zookeeper"
    cat > /dev/null
    exit 0
  fi
  sleep 1
done
echo "HBase was not ready after five minutes; see $data" >&2
exit 1
