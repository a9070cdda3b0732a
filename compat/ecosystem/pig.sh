# Pig's HBaseStorage in local mode: a file into a table, and the table grouped, with a range of rows and a filter of columns.
fetch() { copy_jars "$here/pig/pom.xml" "$eco/pig"; }
pig() {
  java_of "$eco/pig/lib/*" org.apache.pig.Main -x local -log4jconf "$out/conf/log4j.properties" -f "$here/pig/$1" -p "out=$out" > "$out/pig.log" 2>&1 ||
    { tail -n 40 "$out/pig.log" "$out/client.log" >&2; return 1; }
}
run() {
  "$klip" create "hbase+zk://$1" pig_visits --family d --splits u0300
  seq 1 600 | awk '{printf "u%04d\t%s\t%d\n", $1, ($1 % 3 ? "Bern" : "Genf"), $1 * 11}' > "$out/visits.tsv"
  pig store.pig
  pig load.pig
  echo "stored: $("$klip" scan "hbase+zk://$1" pig_visits --csv | sed 's/,[0-9]\{13\},/,/' | cksum)"
  for what in by_city range wide; do echo "$what:"; sort "$out/$what"/part-*; done
}
