#!/usr/bin/env bash
# Runs the same random operations with one observer: as a Java class on HBase 2.6.4 and on klip serve, and as a
# WebAssembly module on klip serve. The answers and the tables must be equal, cell by cell. Needs KLIP_WASM_RUNTIME and
# clang++-19.
#
#   modules.sh KLIP [SEED]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
seed=${2:-1}
. "$here/../servers.sh"
empty_directory modules
. "$here/../java.sh"
"$here/../hbase.sh" prepare
lib=$(cd "$here/../../build/compat/lib" && pwd)

retry maven -f "$here/../../java/pom.xml" package -DskipTests
host=$(cd "$here/../../java/target/klip-coprocessor-host" && pwd)
mkdir "$work/classes"
javac -nowarn -proc:none -cp "$host/*:$lib/*" -d "$work/classes" "$here"/src/session/{Twin,Observers,LogReader,Reversing,RandomOperations}.java \
  2> "$work/javac.log" || { cat "$work/javac.log" >&2; exit 1; }
jar cf "$work/twin.jar" -C "$work/classes" .
cp "$here/../java/log4j.properties" "$work/classes"
clang++-19 --target=wasm32 -std=c++20 -O2 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -Wl,--no-entry \
  -I "$here/../../include" "$here/twin.cc" -o "$work/twin.wasm"

start hbase "$here/../standalone.sh" "$work/hbase-data" hbase.coprocessor.abortonerror=false
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 --no-fsync \
  --coprocessor-class-path "$host/*:$work/twin.jar"
# run NAME SERVER ATTRIBUTE
run() {
  timeout 300 java -XX:TieredStopAtLevel=1 "${java_flags[@]}" -Dklip.log="$work/$1.client.log" -cp "$work/classes:$lib/*" \
    session.RandomOperations "$(zookeeper_of "$2")" "$3" "$1" "$seed" > "$work/$1.txt" 2> "$work/$1.err" || { tail -n 20 "$work/$1.err" >&2; exit 1; }
}
run java_hbase hbase "file://$work/twin.jar|session.Twin|1001|"
run java_klip klip "file://$work/twin.jar|session.Twin|1001|"
run module_klip klip "file://$work/twin.wasm|twin|1001|"
diff -u "$work/java_hbase.txt" "$work/java_klip.txt"
diff -u "$work/java_hbase.txt" "$work/module_klip.txt"
echo "seed $seed: $(wc -l < "$work/module_klip.txt") lines, three times equal"
