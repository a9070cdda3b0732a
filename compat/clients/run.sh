#!/usr/bin/env bash
# Runs one program per HBase client, unmodified from its registry, against klip and against HBase 2.6.4: the output must
# be equal.
#
#   run.sh KLIP [go|asynchbase|node|java1.7|java2.5|java3.0 ...]     KLIP: the program to test; no client named: all
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- go asynchbase node java1.7 java2.5 java3.0
work=$here/../../build/compat/clients
mkdir -p "$work"
work=$(cd "$work" && pwd)

. "$here/../java.sh"

. "$here/../go.sh"

build_go() { (cd "$here/go" && retry go_command build -o "$work/go" .); }
build_asynchbase() {
  copy_jars "$here/asynchbase/pom.xml" "$work/asynchbase"
  javac -cp "$work/asynchbase/lib/*" -d "$work/asynchbase" "$here/asynchbase/Main.java"
  cp "$here/asynchbase/logback.xml" "$work/asynchbase"
}
build_java1.7() {
  copy_jars "$here/java1/pom.xml" "$work/java1"
  javac -Xlint:all,-deprecation,-classfile,-processing,-options -Werror -cp "$work/java1/lib/*" -d "$work/java1" "$here/java1/Main.java"
  cp "$here/java1/log4j.properties" "$work/java1"
}
# build_java VERSION ENDPOINT: builds the session with HBase's own client of that version, and that of the endpoint.
build_java() {
  copy_jars "$here/java/pom.xml" "$work/java-$1" -Dclient.version="$1" -Dendpoint.version="$2"
  compile_java "$work/java-$1/lib" "$work/java-$1" "$here"/java/session/*.java
}
build_java2.5() { build_java 2.5.13-hadoop3 2.5.13-hadoop3; }
build_java3.0() { build_java 3.0.0-beta-1 3.0.0-alpha-3; }
build_node() {
  mkdir -p "$work/node"
  cp "$here"/node/* "$work/node"
  (cd "$work/node" && retry npm install --silent --no-audit --no-fund >&2)
}

# run_CLIENT ZOOKEEPER
run_go() { "$work/go" "$1"; }
run_asynchbase() {
  "$work/go" "$1" create compat_asynchbase > /dev/null
  java -cp "$work/asynchbase:$work/asynchbase/lib/*" Main "$1" compat_asynchbase
}
run_java() {
  java -XX:TieredStopAtLevel=1 "${java_flags[@]}" -Dklip.log="$work/java-$1/log" \
    -cp "$work/java-$1:$work/java-$1/lib/*" session.Main "$2"
}
run_java1.7() {
  java -XX:TieredStopAtLevel=1 "${java_flags[@]}" -Dklip.log="$work/java1/log" -cp "$work/java1:$work/java1/lib/*" Main "$1"
}
run_java2.5() { run_java 2.5.13-hadoop3 "$1"; }
run_java3.0() { run_java 3.0.0-beta-1 "$1"; }
run_node() {
  "$work/go" "$1" create compat_node > /dev/null
  (cd "$work/node" && node main.js "$1" compat_node)
}

build_go
for client in "$@"; do
  [ "$client" = go ] || "build_$client"
done

. "$here/../servers.sh"
rm -rf "$work/klip-data"
start hbase "$here/../standalone.sh" "$work/hbase-data" hbase.regionserver.slowlog.buffer.enabled=true \
  hbase.ipc.warn.response.size=100000
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 --large-response 100000
hbase=$(zookeeper_of hbase)
own=$(zookeeper_of klip)

failed=0
for client in "$@"; do
  for server in "$hbase" "$own"; do
    out=$work/$client.$([ "$server" = "$hbase" ] && echo hbase || echo klip)
    work=$work timeout 240 bash -c "$(declare -p java_flags); $(declare -f run_java "run_$client"); run_$client $server" > "$out" 2>&1 || echo "exit $?" >> "$out"
  done
  if diff -u "$work/$client.hbase" "$work/$client.klip" > "$work/$client.diff"; then
    echo "$client: $(wc -l < "$work/$client.klip") lines, equal"
  else
    echo "$client: differs" >&2
    cat "$work/$client.diff" >&2
    failed=1
  fi
done
exit $failed
