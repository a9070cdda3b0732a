#!/usr/bin/env bash
# Loads klip serve with HBase's Java client under a memory limit, and prints its peak memory; see MemoryLoad.java. Fails
# if the peak exceeds the limit by more than a tenth.
#
# mixes.py has greedy clients that write HBase's RPC by hand.
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
