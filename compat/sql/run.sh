#!/usr/bin/env bash
# Compares SQL with the real Phoenix 5.2.1 on HBase 2.6.4: it runs the statements of tests/sql/phoenix/*.test, and must answer
# as these files say; so must klip's client on that HBase. With --record, their answers are written into the files. What klip
# answers in a directory, klip_sql_files_test checks without Java. The jars come from Maven Central. The part `tables`: random
# tables that Phoenix created, read by klip on HBase and from copies, and written by klip. The part `created`: tables and
# views of tables/, with local indexes and tenants, read by all.
# Usage: [TABLES=4] [SEED=1] run.sh KLIP_SQL_SCRIPT KLIP [--record] [NAME...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$(realpath "$1")
klip=$(realpath "$2")
shift 2
record=
[ "${1:-}" != --record ] || { record=1; shift; }
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

# phoenix FILE LOG [drop]: runs the statements; drop: and drops all tables then, as each file begins without any.
phoenix() {
  java "${java_flags[@]}" -Dklip.log="$2.hbase" -cp "$work/classes:$jars/*" RunScript "jdbc:phoenix:$zookeeper" "$1" "${@:3}" 2> "$2" || { tail -n 20 "$2" >&2; exit 1; }
}

# The same cells, except for their timestamps.
cells() { "$klip" scan "hbase+zk://$zookeeper" "$1" | sed 's/ timestamp=[0-9]*,//; s/ in [0-9.]* [^ ]*s$//'; }

random_tables() {
  local tables=${TABLES:-4} seed=${SEED:-1} at=$work/tables i name
  rm -rf "$at"
  mkdir "$at"
  python3 "$here/random_tables.py" "$seed" "$tables" "$at"
  phoenix "$at/create.test" "$at/create.log" > "$at/create.phoenix"
  "$script" "hbase+zk://$zookeeper" "$at/write.test" > "$at/write.klip" 2> "$at/write.log"
  cat "$at/map.test" "$at/read.test" > "$at/map-read.test"
  phoenix "$at/map-read.test" "$at/read.log" > "$at/map-read.phoenix"
  sed -n '/^SELECT/,$p' "$at/map-read.phoenix" > "$at/read.phoenix"
  ! grep -B 2 '^error' "$at"/*.phoenix "$at/write.klip" || { echo "sql: tables: seed $seed: a statement failed" >&2; return 1; }
  "$script" "hbase+zk://$zookeeper" "$at/read.test" > "$at/read.hbase" 2>> "$at/read.log"
  "$klip" create "$at/store" SYSTEM.CATALOG --family 0 > "$at/copy.log"
  for name in SYSTEM.CATALOG $(sed -n 's/^CREATE .*TABLE \([RKC][0-9]*\) .*/\1/p' "$at/create.test" "$at/write.test"); do
    "$klip" copy --restart --no-coprocessors "hbase+zk://$zookeeper/$name" "$at/store/$name" >> "$at/copy.log" 2>&1
  done
  "$script" "klip:$at/store" "$at/read.test" > "$at/read.store" 2>> "$at/read.log"
  diff "$at/read.phoenix" "$at/read.hbase" || return 1
  diff "$at/read.phoenix" "$at/read.store" || return 1
  for ((i = 0; i < tables; ++i)); do
    for name in "K$i" $(grep -o "TABLE E$i " "$at/write.test" | cut -d ' ' -f 2); do
      diff <(cells "R$i") <(cells "$name") || { echo "sql: tables: klip wrote other cells than Phoenix to $name" >&2; return 1; }
    done
  done
  echo "sql: tables: $tables tables, $(grep -c '^----$' "$at/read.phoenix") queries, seed $seed: the same answers and cells"
}

# Tables and views that Phoenix created, read by all: tables/.
created_tables() {
  local at=$work/created name
  rm -rf "$at"
  mkdir "$at"
  phoenix "$here/tables/create.test" "$at/create.log" > "$at/create.phoenix"
  ! grep -B 2 '^error' "$at/create.phoenix" || return 1
  phoenix "$here/tables/read.test" "$at/read.log" > "$at/read.phoenix"
  "$script" "hbase+zk://$zookeeper" "$here/tables/read.test" > "$at/read.hbase" 2>> "$at/read.log"
  "$klip" create "$at/store" SYSTEM.CATALOG --family 0 > "$at/copy.log"
  for name in SYSTEM.CATALOG $(sed -n 's/^CREATE TABLE \([a-z]*\) .*/\U\1/p' "$here/tables/create.test"); do
    "$klip" copy --restart --no-coprocessors "hbase+zk://$zookeeper/$name" "$at/store/$name" >> "$at/copy.log" 2>&1
  done
  "$script" "klip:$at/store" "$here/tables/read.test" > "$at/read.store" 2>> "$at/read.log"
  diff "$at/read.phoenix" "$at/read.hbase" && diff "$at/read.phoenix" "$at/read.store" || return 1
  echo "sql: created: $(grep -c '^----$' "$at/read.phoenix") queries of Phoenix's tables and views: the same answers"
}

differing=0
for statements in "$here"/../../tests/sql/phoenix/*.test; do
  name=$(basename "$statements" .test)
  [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
  phoenix "$statements" "$work/$name.phoenix.log" drop > "$work/$name.phoenix"
  # The same statements by klip's client, in a schema of their own.
  "$script" "hbase+zk://$zookeeper" "$statements" "KLIP_${name^^}" > "$work/$name.hbase" 2> "$work/$name.hbase.log"
  cp "$statements" "$work/$name.test"
  "$script" --merge Phoenix "$work/$name.test" "$work/$name.phoenix"
  "$script" --merge 'klip on HBase' "$work/$name.test" "$work/$name.hbase"
  if [ -n "$record" ]; then
    cp "$work/$name.test" "$statements"
  elif ! diff "$statements" "$work/$name.test"; then
    echo "sql: $name: other answers than recorded; --record writes them" >&2
    differing=1
  fi
  echo "sql: $name: $(grep -c '^----$\|^---- klip$\|^---- klip:' "$statements") statements, $(grep -c '^---- Phoenix$' "$statements" || true) answered otherwise on purpose"
done
if [ $# = 0 ] || [[ " $* " == *" tables "* ]]; then
  random_tables || differing=1
fi
if [ $# = 0 ] || [[ " $* " == *" created "* ]]; then
  created_tables || differing=1
fi
exit $differing
