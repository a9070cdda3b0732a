#!/usr/bin/env bash
# Compares SQL with the real Phoenix 5.2.1 on HBase 2.6.4: both run the statements of statements/*.sql, and the results
# are compared line by line. statements/NAME.differences has the intended differences, which this script checks as well.
# klip's own answers in a directory and on that HBase must be the same. The jars come from Maven Central. The part
# `tables`: random tables that Phoenix created, read by klip on HBase and from copies, and written by klip. The part
# `created`: tables and views of tables/, with local indexes and tenants, read by all.
# Usage: [TABLES=4] [SEED=1] run.sh KLIP_SQL_SCRIPT KLIP [NAME...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$(realpath "$1")
klip=$(realpath "$2")
shift 2
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

# phoenix FILE LOG: runs the statements.
phoenix() {
  java "${java_flags[@]}" -cp "$work/classes:$jars/*" RunScript "jdbc:phoenix:$zookeeper" "$1" 2> "$2" || { tail -n 20 "$2" >&2; exit 1; }
}

# The same cells, except for their timestamps.
cells() { "$klip" scan "hbase+zk://$zookeeper" "$1" | sed 's/ timestamp=[0-9]*,//; s/ in [0-9.]* [^ ]*s$//'; }

random_tables() {
  local tables=${TABLES:-4} seed=${SEED:-1} at=$work/tables i name
  rm -rf "$at"
  mkdir "$at"
  python3 "$here/random_tables.py" "$seed" "$tables" "$at"
  phoenix "$at/create.sql" "$at/create.log" > "$at/create.phoenix"
  "$script" "hbase+zk://$zookeeper" "$at/write.sql" > "$at/write.klip" 2> "$at/write.log"
  cat "$at/map.sql" "$at/read.sql" > "$at/map-read.sql"
  phoenix "$at/map-read.sql" "$at/read.log" > "$at/map-read.phoenix"
  sed -n '/^> SELECT/,$p' "$at/map-read.phoenix" > "$at/read.phoenix"
  ! grep -B 1 '^error' "$at"/*.phoenix "$at/write.klip" || { echo "sql: tables: seed $seed: a statement failed" >&2; return 1; }
  "$script" "hbase+zk://$zookeeper" "$at/read.sql" > "$at/read.hbase" 2>> "$at/read.log"
  "$klip" create "$at/store" SYSTEM.CATALOG --family 0 > "$at/copy.log"
  for name in SYSTEM.CATALOG $(sed -n 's/^CREATE .*TABLE \([RKC][0-9]*\) .*/\1/p' "$at/create.sql" "$at/write.sql"); do
    "$klip" copy --restart --no-coprocessors "hbase+zk://$zookeeper/$name" "$at/store/$name" >> "$at/copy.log" 2>&1
  done
  "$script" "klip:$at/store" "$at/read.sql" > "$at/read.store" 2>> "$at/read.log"
  diff "$at/read.phoenix" "$at/read.hbase" || return 1
  diff "$at/read.phoenix" "$at/read.store" || return 1
  for ((i = 0; i < tables; ++i)); do
    for name in "K$i" $(grep -o "TABLE E$i " "$at/write.sql" | cut -d ' ' -f 2); do
      diff <(cells "R$i") <(cells "$name") || { echo "sql: tables: klip wrote other cells than Phoenix to $name" >&2; return 1; }
    done
  done
  echo "sql: tables: $tables tables, $(grep -c '^> ' "$at/read.phoenix") queries, seed $seed: the same answers and cells"
}

# Tables and views that Phoenix created, read by all: tables/.
created_tables() {
  local at=$work/created name
  rm -rf "$at"
  mkdir "$at"
  phoenix "$here/tables/create.sql" "$at/create.log" > "$at/create.phoenix"
  ! grep -B 1 '^error' "$at/create.phoenix" || return 1
  phoenix "$here/tables/read.sql" "$at/read.log" > "$at/read.phoenix"
  "$script" "hbase+zk://$zookeeper" "$here/tables/read.sql" > "$at/read.hbase" 2>> "$at/read.log"
  "$klip" create "$at/store" SYSTEM.CATALOG --family 0 > "$at/copy.log"
  for name in SYSTEM.CATALOG $(sed -n 's/^CREATE TABLE \([a-z]*\) .*/\U\1/p' "$here/tables/create.sql"); do
    "$klip" copy --restart --no-coprocessors "hbase+zk://$zookeeper/$name" "$at/store/$name" >> "$at/copy.log" 2>&1
  done
  "$script" "klip:$at/store" "$here/tables/read.sql" > "$at/read.store" 2>> "$at/read.log"
  diff "$at/read.phoenix" "$at/read.hbase" && diff "$at/read.phoenix" "$at/read.store" || return 1
  echo "sql: created: $(grep -c '^> ' "$at/read.phoenix") queries of Phoenix's tables and views: the same answers"
}

differing=0
for statements in "$here"/statements/*.sql; do
  name=$(basename "$statements" .sql)
  [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
  phoenix "$statements" "$work/$name.phoenix.log" > "$work/$name.phoenix"
  "$script" "klip:$work/$name" "$statements" > "$work/$name.klip" 2> "$work/$name.klip.log"
  # The same statements on HBase, by klip's client, in separate tables.
  if ! grep -q '^--.*Only in a directory' "$statements"; then
    "$script" "hbase+zk://$zookeeper" "$statements" KLIP > "$work/$name.hbase" 2> "$work/$name.hbase.log"
    diff "$work/$name.klip" "$work/$name.hbase" || { echo "sql: $name: klip on HBase answers otherwise than in a directory" >&2; differing=1; }
  fi
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
if [ $# = 0 ] || [[ " $* " == *" tables "* ]]; then
  random_tables || differing=1
fi
if [ $# = 0 ] || [[ " $* " == *" created "* ]]; then
  created_tables || differing=1
fi
exit $differing
