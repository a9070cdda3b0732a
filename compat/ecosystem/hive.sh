# Hive's HBaseStorageHandler with an embedded metastore and local MapReduce: tables of HBase written, read by conditions on
# the row key and without, grouped, joined and dropped. Hive 3 is made for Java 8: see Main.java and SubListSerializer.java.
# Before hive.optimize.ppd.storage=false, two queries return too many rows, on HBase as well: Hive drops their conditions.
fetch() {
  copy_jars "$here/hive/pom.xml" "$eco/hive"
  mkdir -p "$eco/hive/classes"
  javac -nowarn -cp "$eco/hive/lib/*" -d "$eco/hive/classes" "$here"/hive/*.java
  cp "$here/hive/hive-site.xml" "$here/spark/log4j2.properties" "$eco/hive/classes"
}
run() {
  local store=hbase+zk://$1
  "$klip" create "$store" hive_orders --family f --family m --splits o0300,o0600
  seq 1 900 | awk '{printf "o%04d\t%s\t%d\n", $1, ($1 % 3 ? "Bern" : "Genf"), $1 * 11}' > "$out/orders.tsv"
  LIMIT=${LIMIT:-900} java_of "$eco/hive/classes:$eco/hive/lib/*" --add-opens java.base/java.time=ALL-UNNAMED Main \
    "$here/hive/statements.sql" || return 1
  echo "stored: $("$klip" scan "$store" hive_orders --csv | sed 's/,[0-9]\{13\},/,/' | cksum)"
  "$klip" scan "$store" hive_keyed --csv | sed 's/,[0-9]\{13\},/,/'
  "$klip" scan "$store" hive_stamps --csv 2>&1 && return 1
  return 0
}
