#!/usr/bin/env bash
# Loads klip serve with HBase's Java client under a memory limit, and tells the most memory that it took; see MemoryLoad.java.
# Fails above the limit by more than a tenth.
#
# Greedy clients that speak HBase's RPC by hand are in mixes.py.
#
#   run.sh KLIP [LIMIT_MB [SECONDS]]     default 256, 60
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
limit=${2:-256}
. "$here/../servers.sh"
empty_directory memory
. "$here/../java.sh"
hbase_program "$here/MemoryLoad.java" "$work/classes"
start klip "$klip" serve --data "$work/data" --rpc-port 0 --zk-port 0 --no-fsync --memory-limit "${limit}MB"
zookeeper=$(zookeeper_of klip)
java -Xmx700m -Dklip.log="$work/client.log" "${java_flags[@]}" \
  -cp "$work/classes:$lib/*" MemoryLoad "$zookeeper" "${servers[0]}" "$limit" "${3:-60}"
