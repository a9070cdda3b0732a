#!/usr/bin/env bash
# Tests Java coprocessors. First, a fake klip tests the host process. Then a program with HBase's client uses tables with
# coprocessors from a jar, and published ones of HBase, on klip serve and on HBase 2.6.4: the output must be equal. So must that
# of a program with the published client, timestamp server and coprocessors of Omid.
#
# Finally, kills the host (default 4 times) during writes, and then klip itself as often: every operation must be complete
# or absent.
#
#   run.sh KLIP [--no-host-tests] [KILLS]
#   run.sh KLIP --rates     instead: the cost of an empty observer on both, with fsync
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
. "$here/../servers.sh"
empty_directory coprocessors
. "$here/../java.sh"
"$here/../hbase.sh" prepare
lib=$(cd "$here/../../build/compat/lib" && pwd)

tests=()
rates= fsync=--no-fsync
case ${2:-} in
  --no-host-tests) tests=(-DskipTests) && shift ;;
  --rates) tests=(-DskipTests) rates=1 fsync= && shift ;;
esac
kills=${2:-4}
retry maven -f "$here/../../java/pom.xml" package "${tests[@]}"
host=$(cd "$here/../../java/target/klip-coprocessor-host" && pwd)
copy_jars "$here/pom.xml" "$here/../../build/compat/published"
published=$(cd "$here/../../build/compat/published/lib" && pwd)
mkdir "$work/classes"
javac -nowarn -proc:none -cp "$host/*:$lib/*:$published/*" -d "$work/classes" "$here"/src/session/*.java 2> "$work/javac.log" || { cat "$work/javac.log" >&2; exit 1; }
jar cf "$work/observers.jar" -C "$work/classes" .
cp "$here/../java/log4j.properties" "$work/classes"

setting=hbase.coprocessor.master.classes
log_setting=hbase.coprocessor.wal.classes
log_class=${rates:-session.LogReader}
log_class=${log_class/#1/}
HSYNC=${rates:+true} MORE_JARS="$(echo "$host"/hbase-examples-*.jar):$work/observers.jar:$published/*" \
  start hbase "$here/../standalone.sh" "$work/hbase-data" hbase.coprocessor.abortonerror=false $setting=session.Guard \
  $log_setting=$log_class hbase.backup.enable=true
cat > "$work/site.xml" << EOF
<configuration>
<property><name>$setting</name><value>session.Guard</value></property>
<property><name>$log_setting</name><value>$log_class</value></property>
<property><name>hbase.backup.enable</name><value>true</value></property>
</configuration>
EOF
serve_klip() { # DIRECTORY PORT_OF_ZOOKEEPER
  start klip "$klip" serve --data "$1" --rpc-port 0 --zk-port "$2" $fsync --hbase-site "$work/site.xml" \
    --coprocessor-class-path "$host/*:$work/observers.jar:$published/*"
  klip_process=${servers[-1]}
}
serve_klip "$work/klip-data" 0
# client SERVER CLASS ARGUMENT...
client() {
  timeout $((900 + 60 * kills)) java -XX:TieredStopAtLevel=1 "${java_flags[@]}" -Dklip.log="$work/$1.client.log" \
    -cp "$work/classes:$lib/*:$host/*:$published/*" "$2" "$(zookeeper_of "$1")" "file://$work/observers.jar" "${@:3}" 2> "$work/$1.err"
}
if [ -n "$rates" ]; then
  for server in hbase klip hbase klip; do
    echo "$server:"
    client $server session.Rates
  done
  exit
fi
for server in hbase klip; do
  client $server session.Main > "$work/$server.txt" || echo "exit $?" >> "$work/$server.txt"
done
diff -u "$work/hbase.txt" "$work/klip.txt"
echo "$(wc -l < "$work/klip.txt") lines, equal"

# Omid reads its settings of HBase from the class path.
compile_java "$lib/*:$published" "$work/omid-classes" "$here/omid/Main.java"
for server in hbase klip; do
  zookeeper=$(zookeeper_of $server)
  mkdir "$work/$server.conf"
  cat > "$work/$server.conf/hbase-site.xml" << EOF
<configuration>
<property><name>hbase.zookeeper.quorum</name><value>${zookeeper%:*}</value></property>
<property><name>hbase.zookeeper.property.clientPort</name><value>${zookeeper##*:}</value></property>
<property><name>hbase.client.retries.number</name><value>3</value></property>
</configuration>
EOF
  timeout 300 java -XX:TieredStopAtLevel=1 "${java_flags[@]}" -Dklip.log="$work/$server.omid.log" \
    -cp "$work/$server.conf:$work/omid-classes:$lib/*:$published/*" omid.Main "$(free_port)" \
    > "$work/$server.omid.txt" 2> "$work/$server.omid.err" || { tail -n 20 "$work/$server.omid.err" >&2; exit 1; }
done
diff -u "$work/hbase.omid.txt" "$work/klip.omid.txt"
echo "Omid: $(wc -l < "$work/klip.omid.txt") lines, equal"
client klip session.KillHost "$klip_process" "$kills" | tail -n 1 || { tail -n 20 "$work/klip.err" >&2; exit 1; }

# The clients see a restarted server at the same address.
kill "$klip_process" && wait "$klip_process" || true
zookeeper=$(free_port)
serve_klip "$work/killed-data" "$zookeeper"
client klip session.KillHost "$work/stop" > "$work/killed.txt" &
load=$!
until grep -q writing "$work/killed.txt"; do sleep 0.5; done
acknowledged() { tail -n 1 "$work/killed.txt"; }
for ((killed = 0; killed < kills; ++killed)); do
  before=$(acknowledged) tries=0
  until [ "$(acknowledged)" != "$before" ]; do  # it is back, and so is the host
    ((++tries < 600)) || { echo "no put has succeeded for a minute" >&2; exit 1; }
    sleep 0.1
  done
  sleep 0.$((RANDOM % 10))
  kill -9 "$klip_process" && wait "$klip_process" 2> /dev/null || true
  serve_klip "$work/killed-data" "$zookeeper"
done
touch "$work/stop"
wait $load || { tail -n 20 "$work/klip.err" >&2; exit 1; }
echo "klip killed $kills times: $(tail -n 1 "$work/killed.txt")"
