#!/usr/bin/env bash
# Starts HBase 2.6.4 and the runner of op files in one JVM, on free loopback ports; see java/klip/compat/Runner.java.
# Downloads jars from Maven Central and keeps them in build/compat. Exits at the end of its standard input.
#
#   hbase.sh prepare        fetches the jars and compiles the runner
#   hbase.sh run THREADS    runs it
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$here/../build/compat
mkdir -p "$work"
work=$(cd "$work" && pwd)
. "$here/java.sh"

compile_runner() {
  local wanted
  wanted=$(cat "$here"/java/klip/compat/*.java "$here/java/log4j.properties" | cksum)
  [ "$(cat "$work/classes.sum" 2> /dev/null)" = "$wanted" ] && return 0
  rm -rf "$work/classes"
  mkdir -p "$work/classes"
  javac -Xlint:all,-options,-processing,-classfile,-try,-path -Werror -d "$work/classes" -cp "$work/lib/*" \
    "$here"/java/klip/compat/*.java >&2
  cp "$here/java/log4j.properties" "$work/classes/"
  echo "$wanted" > "$work/classes.sum"
}

run() {
  local data
  data=$work/data
  rm -rf "$data"
  mkdir -p "$data"
  exec java "${java_flags[@]}" -Xmx1g -XX:+UseSerialGC -XX:-OmitStackTraceInFastThrow -Dklip.log="$data/hbase.log" -cp "$work/classes:$work/lib/*" \
    klip.compat.Runner "$data" "$1" 2> "$data/stderr.log"
}

case ${1:-} in
  prepare) copy_jars "$here/pom.xml" "$work" && compile_runner ;;
  run) run "${2:-4}" ;;
  *) sed -n '2,7p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
