#!/usr/bin/env bash
# Starts the stock HBase 2.6.4 as its own scripts do in local mode, with everything on free loopback ports, and prints
# `ready zookeeper=HOST:PORT`. Ends when its standard input does.
#
#   standalone.sh DIRECTORY [NAME=VALUE...]     of its data and logs, emptied first; and settings of hbase-site.xml
#
# In the environment: HSYNC=true fsyncs its log; LOGGERS="NAME=LEVEL ..." makes it say more.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/hbase.sh" prepare
settings=("${@:2}")
lib=$(cd "$here/../build/compat/lib" && pwd)
rm -rf "$1"
mkdir -p "$1/conf"
data=$(cd "$1" && pwd)

. "$here/servers.sh"
. "$here/java.sh"
zookeeper=$(free_port)

{
  echo '<configuration>'
  while read -r name value; do
    [ -z "$name" ] || echo "<property><name>$name</name><value>$value</value></property>"
  done << SETTINGS
hbase.rootdir file://$data/root
hbase.tmp.dir $data/tmp
hbase.wal.provider filesystem
hbase.unsafe.stream.capability.enforce false
hbase.zookeeper.property.clientPort $zookeeper
hbase.master.hostname 127.0.0.1
hbase.regionserver.hostname 127.0.0.1
hbase.master.ipc.address 127.0.0.1
hbase.regionserver.ipc.address 127.0.0.1
hbase.master.port 0
hbase.regionserver.port 0
hbase.master.info.port -1
hbase.regionserver.info.port -1
hbase.regionserver.handler.count 30
hbase.wal.hsync ${HSYNC:-false}
hbase.coprocessor.region.classes org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint,org.apache.hadoop.hbase.coprocessor.AggregateImplementation
$(printf '%s\n' "${settings[@]/=/ }")
SETTINGS
  echo '</configuration>'
} > "$data/conf/hbase-site.xml"
cp "$data/conf/hbase-site.xml" "$data/conf/core-site.xml"  # Hadoop's own settings may be among them
cp "$here/java/log4j.properties" "$data/conf/"
echo 'log4j.logger.org.apache.hadoop.hbase.master.HMaster=INFO' >> "$data/conf/log4j.properties"  # tells when it is ready
for logger in ${LOGGERS:-}; do echo "log4j.logger.$logger" >> "$data/conf/log4j.properties"; done

java "${java_flags[@]}" -Xmx1g -XX:+UseSerialGC -Dklip.log="$data/hbase.log" -cp "$data/conf:$lib/*" org.apache.hadoop.hbase.master.HMaster start \
  < /dev/null > "$data/stdout.log" 2> "$data/stderr.log" &
hbase=$!
trap 'kill -9 $hbase 2> /dev/null; wait $hbase 2> /dev/null || true' EXIT

for ((tries = 0; tries < 120; ++tries)); do
  kill -0 $hbase 2> /dev/null || { tail -n 20 "$data/stderr.log" "$data/hbase.log" >&2; exit 1; }
  if grep -q 'Master has completed initialization' "$data/hbase.log" 2> /dev/null; then
    echo "ready zookeeper=127.0.0.1:$zookeeper"
    cat > /dev/null
    exit 0
  fi
  sleep 1
done
echo "HBase was not ready after two minutes; see $data" >&2
exit 1
