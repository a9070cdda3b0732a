#!/usr/bin/env bash
# Connectors and applications for HBase, unmodified from Maven Central and in local mode, on klip serve and on HBase
# 2.6.4: the output must be equal.
#
#   run.sh KLIP [PART...]     KLIP: the program to test; no part named: all. A part is a sourced script NAME.sh beside this one. It
#                             defines `fetch`, and `run ZOOKEEPER ITS_HOST ITS_PORT SERVER`, which works in $out. SERVER is klip or
#                             hbase.
#
# The stderr of a part is in build/compat/ecosystem/PART.SERVER.log. ONLY=klip skips HBase, and only shows that a part
# succeeds.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- spark mapreduce pig flume janusgraph opentsdb hive
. "$here/../java.sh"
mkdir -p "$here/../../build/compat/ecosystem"
eco=$(cd "$here/../../build/compat/ecosystem" && pwd)

# site DIRECTORY HOST PORT: hbase-site.xml for a client.
site() {
  mkdir -p "$1"
  cat > "$1/hbase-site.xml" << SITE
<configuration>
<property><name>hbase.zookeeper.quorum</name><value>$2</value></property>
<property><name>hbase.zookeeper.property.clientPort</name><value>$3</value></property>
<property><name>hbase.client.retries.number</name><value>4</value></property>
<property><name>hbase.fs.tmp.dir</name><value>$1/tmp</value></property>
<property><name>hadoop.tmp.dir</name><value>$1/tmp</value></property>
</configuration>
SITE
  cp "$here/../java/log4j.properties" "$1"
}

# java_of CLASS_PATH CLASS ARGUMENT...: runs it in the directory $out. JIT= in the environment: with all compilers, to measure.
java_of() {
  local jars=$1
  shift
  (cd "$out" && exec timeout ${LIMIT:-240} java -Xmx2g -XX:+UseSerialGC ${JIT--XX:TieredStopAtLevel=1} "${java_flags[@]}" --add-opens java.base/sun.security.action=ALL-UNNAMED \
    --add-opens java.base/sun.util.calendar=ALL-UNNAMED --add-opens java.base/sun.nio.cs=ALL-UNNAMED \
    --add-opens java.base/java.util.concurrent.atomic=ALL-UNNAMED -Dklip.log="$out/client.log" -cp "$out/conf:$jars" "$@")
}

for part in "$@"; do
  [ -f "$here/$part.sh" ] || { echo "ecosystem: no part $part" >&2; exit 2; }
done

. "$here/../servers.sh"
work=$eco
rm -rf "$eco/klip-data"
sides=klip
start klip "$klip" serve --data "$eco/klip-data" --rpc-port 0 --zk-port 0
if [ "${ONLY:-}" != klip ]; then
  start hbase "$here/../standalone.sh" "$eco/hbase-data"
  sides="hbase klip"
fi

failed=0
for part in "$@"; do
  since=$SECONDS
  unset -f fetch run
  . "$here/$part.sh"
  mkdir -p "$eco/$part"
  fetch > "$eco/$part.fetch.log" 2>&1 || { echo "$part: its jars could not be fetched" >&2; failed=1; continue; }
  for side in $sides; do
    zookeeper=$(zookeeper_of "$side")
    out=$eco/$part/$side
    rm -rf "$out"
    site "$out/conf" "${zookeeper%:*}" "${zookeeper##*:}"
    run "$zookeeper" "${zookeeper%:*}" "${zookeeper##*:}" "$side" > "$eco/$part.$side" 2> "$eco/$part.$side.log" || echo "exit $?" >> "$eco/$part.$side"
  done
  if [ -s "$eco/$part.klip" ] && ! grep -q '^exit ' "$eco/$part.klip" && { [ "$sides" = klip ] || diff -u "$eco/$part.hbase" "$eco/$part.klip" > "$eco/$part.diff"; }; then
    echo "$part: $(wc -l < "$eco/$part.klip") lines, $([ "$sides" = klip ] && echo "on klip" || echo equal), $((SECONDS - since)) s"
  else
    echo "$part: differs or failed; see $eco/$part.diff, $eco/$part.klip.log" >&2
    cat "$eco/$part.diff" >&2 2> /dev/null || true
    failed=1
  fi
done
exit $failed
