#!/usr/bin/env bash
# SQL beside the real Phoenix 5.2.1 on HBase 2.6.4: the statements of statements/*.sql run by both, and what they give is compared line by
# line. Differences that are meant stand in statements/NAME.differences, which this script also checks. klip's own answers in a directory
# and on that HBase must be the same. The jars come from Maven Central.
# Usage: run.sh KLIP_SQL_SCRIPT [NAME...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$(realpath "$1")
shift
. "$here/../servers.sh"
. "$here/../java.sh"
empty_directory sql
jars=$work/../sql-jars
copy_jars "$here/pom.xml" "$jars"
jars=$(cd "$jars/lib" && pwd)
compile_java "$jars" "$work/classes" "$here/src/RunScript.java"
MORE_JARS="$jars/*" start hbase "$here/../standalone.sh" "$work/hbase" \
  hbase.regionserver.wal.codec=org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec
zookeeper=$(zookeeper_of hbase)

differing=0
for statements in "$here"/statements/*.sql; do
  name=$(basename "$statements" .sql)
  [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
  java "${java_flags[@]}" -cp "$work/classes:$jars/*" RunScript "jdbc:phoenix:$zookeeper" "$statements" \
    > "$work/$name.phoenix" 2> "$work/$name.phoenix.log" || { tail -n 20 "$work/$name.phoenix.log" >&2; exit 1; }
  "$script" "klip:$work/$name" "$statements" > "$work/$name.klip" 2> "$work/$name.klip.log"
  # The same statements on HBase, by klip's client, in tables of their own.
  "$script" "hbase+zk://$zookeeper" "$statements" KLIP > "$work/$name.hbase" 2> "$work/$name.hbase.log"
  diff "$work/$name.klip" "$work/$name.hbase" || { echo "sql: $name: klip on HBase answers otherwise than in a directory" >&2; differing=1; }
  diff -U 1000000 "$work/$name.phoenix" "$work/$name.klip" > "$work/$name.diff" || true
  # Each difference with its statement.
  awk '/^ > / { statement = substr($0, 2); told = 0; next } /^[-+][^-+]/ || /^[-+]$/ { if (!told) print statement; told = 1; print }' "$work/$name.diff" \
    > "$work/$name.differences"
  total=$(grep -c '^> ' "$work/$name.phoenix")
  differs=$(grep -c '^> ' "$work/$name.differences" || true)
  echo "sql: $name: $total statements, $differs answered otherwise"
  if ! diff "$here/statements/$name.differences" "$work/$name.differences" > "$work/$name.news" 2>&1; then
    differing=1
    cat "$work/$name.news"
  fi
done
exit $differing
