#!/usr/bin/env bash
# Tests Java coprocessors. First, a fake klip tests the host process. Then a program with HBase's client uses tables with
# coprocessors from a jar, and published ones, on klip serve and on HBase 2.6.4: the output must be equal.
#
# Finally, kills the host (default 4 times) during writes: every operation must be complete or absent.
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
  --rates) tests=(-DskipTests) rates=1 fsync= ;;
esac
retry maven -f "$here/../../java/pom.xml" package "${tests[@]}"
host=$(cd "$here/../../java/target/klip-coprocessor-host" && pwd)
mkdir "$work/classes"
javac -nowarn -proc:none -cp "$host/*:$lib/*" -d "$work/classes" "$here"/src/session/*.java 2> "$work/javac.log" || { cat "$work/javac.log" >&2; exit 1; }
jar cf "$work/observers.jar" -C "$work/classes" .
cp "$here/../java/log4j.properties" "$work/classes"

setting=hbase.coprocessor.master.classes
HSYNC=${rates:+true} MORE_JARS=$(echo "$host"/hbase-examples-*.jar):$work/observers.jar \
  start hbase "$here/../standalone.sh" "$work/hbase-data" hbase.coprocessor.abortonerror=false $setting=session.Guard
echo "<configuration><property><name>$setting</name><value>session.Guard</value></property></configuration>" > "$work/site.xml"
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 $fsync --hbase-site "$work/site.xml" \
  --coprocessor-class-path "$host/*:$work/observers.jar"
klip_process=${servers[1]}
# client SERVER CLASS ARGUMENT...
client() {
  timeout 900 java -XX:TieredStopAtLevel=1 "${java_flags[@]}" -Dklip.log="$work/$1.client.log" \
    -cp "$work/classes:$lib/*:$host/*" "$2" "$(zookeeper_of "$1")" "file://$work/observers.jar" "${@:3}" 2> "$work/$1.err"
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
client klip session.KillHost "$klip_process" "${2:-4}" || { tail -n 20 "$work/klip.err" >&2; exit 1; }
