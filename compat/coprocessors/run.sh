#!/usr/bin/env bash
# Java coprocessors. First the tests of klip's host for them, which a fake klip drives. Then a program of HBase's client uses
# tables with coprocessors of a jar, and published ones, on klip serve and on HBase 2.6.4: what it prints must be equal.
#
#   run.sh KLIP [--no-host-tests]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
. "$here/../servers.sh"
empty_directory coprocessors
. "$here/../java.sh"
"$here/../hbase.sh" prepare
lib=$(cd "$here/../../build/compat/lib" && pwd)

tests=()
[ "${2:-}" != --no-host-tests ] || tests=(-DskipTests)
retry maven -f "$here/../../java/pom.xml" package "${tests[@]}"
host=$(cd "$here/../../java/target/klip-coprocessor-host" && pwd)
mkdir "$work/classes"
javac -nowarn -proc:none -cp "$host/*:$lib/*" -d "$work/classes" "$here"/src/session/*.java 2> "$work/javac.log" || { cat "$work/javac.log" >&2; exit 1; }
jar cf "$work/observers.jar" -C "$work/classes" .
cp "$here/../java/log4j.properties" "$work/classes"

MORE_JARS=$(echo "$host"/hbase-examples-*.jar) \
  start hbase "$here/../standalone.sh" "$work/hbase-data" hbase.coprocessor.abortonerror=false
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 --no-fsync --coprocessor-class-path "$host/*"
for server in hbase klip; do
  timeout 300 java -XX:TieredStopAtLevel=1 "${java_flags[@]}" -Dklip.log="$work/$server.client.log" \
    -cp "$work/classes:$lib/*:$host/*" session.Main "$(zookeeper_of $server)" "file://$work/observers.jar" \
    > "$work/$server.txt" 2> "$work/$server.err" || echo "exit $?" >> "$work/$server.txt"
done
diff -u "$work/hbase.txt" "$work/klip.txt"
echo "$(wc -l < "$work/klip.txt") lines, equal"
