#!/usr/bin/env bash
# Compares an index of klip serve with a global index of Phoenix 5.2.1 on HBase 2.6.4, alternating in one run; see IndexBench.java. Neither
# fsyncs its log. Not a part of ./x compat.
#
#   index.sh KLIP [ROWS [ROUNDS [SECONDS]]]     default 100000 5 3
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
. "$here/../servers.sh"
. "$here/../java.sh"
empty_directory index
jars=$work/../sql-jars
copy_jars "$here/../sql/pom.xml" "$jars"
jars=$(cd "$jars/lib" && pwd)
compile_java "$jars" "$work/classes" "$here/IndexBench.java"
MORE_JARS="$jars/*" start hbase "$here/../standalone.sh" "$work/hbase" \
  hbase.regionserver.wal.codec=org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec
start klip "$klip" serve --data "$work/klip" --rpc-port 0 --zk-port 0 --no-fsync
hbase=$(zookeeper_of hbase)
own=$(zookeeper_of klip)
hbase_pid=$(pgrep -P "${servers[0]}" -f HMaster)
uptime >&2
java -Xmx1g "${java_flags[@]}" -cp "$work/classes:$jars/*" IndexBench "${2:-100000}" "${3:-5}" "${4:-3}" \
  "$own,${servers[1]}" "$hbase,$hbase_pid" 2> "$work/client.log" || { tail -n 20 "$work/client.log" >&2; exit 1; }
uptime >&2
