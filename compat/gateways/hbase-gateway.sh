#!/usr/bin/env bash
# HBase's own gateway, 2.6.1, for a running HBase: prints `ready port=N` once it answers, and exits at the end of its
# standard input.
#
#   hbase-gateway.sh prepare                                            fetches the jars
#   hbase-gateway.sh thrift|thrift2|rest ZOOKEEPER DIRECTORY [OPTION...]   DIRECTORY: for its settings and log
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jars=$here/../../build/compat/gateways
mkdir -p "$jars"
jars=$(cd "$jars" && pwd)
. "$here/../java.sh"
copy_jars "$here/pom.xml" "$jars"
[ "$1" != prepare ] || exit 0
kind=$1 zookeeper=$2 directory=$3
shift 3
rm -rf "$directory"
mkdir -p "$directory/conf"
. "$here/../servers.sh"
port=$(free_port)

cat > "$directory/conf/hbase-site.xml" << SETTINGS
<configuration>
<property><name>hbase.zookeeper.quorum</name><value>${zookeeper%:*}</value></property>
<property><name>hbase.zookeeper.property.clientPort</name><value>${zookeeper#*:}</value></property>
<property><name>hbase.thrift.info.port</name><value>-1</value></property>
<property><name>hbase.rest.info.port</name><value>-1</value></property>
</configuration>
SETTINGS
cp "$here/../java/log4j.properties" "$directory/conf/"

case $kind in
  thrift) main=(org.apache.hadoop.hbase.thrift.ThriftServer -p "$port" "$@" start) ;;
  thrift2) main=(org.apache.hadoop.hbase.thrift2.ThriftServer -p "$port" "$@" start) ;;
  rest) main=(org.apache.hadoop.hbase.rest.RESTServer start -p "$port" "$@") ;;
  *) sed -n '2,6p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac

java "${java_flags[@]}" -Xmx1g -XX:+UseSerialGC -Dklip.log="$directory/gateway.log" -cp "$directory/conf:$jars/lib/*" "${main[@]}" \
  < /dev/null > "$directory/stdout.log" 2> "$directory/stderr.log" &
gateway=$!
trap 'kill -9 $gateway 2> /dev/null; wait $gateway 2> /dev/null || true' EXIT

for ((tries = 0; tries < 180; ++tries)); do
  kill -0 $gateway 2> /dev/null || { tail -n 20 "$directory/stderr.log" "$directory/gateway.log" >&2; exit 1; }
  if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
    echo "ready port=$port"
    cat > /dev/null
    exit 0
  fi
  sleep 1
done
echo "HBase's $kind gateway was not ready after three minutes; see $directory" >&2
exit 1
