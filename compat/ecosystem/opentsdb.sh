# OpenTSDB on asynchbase: points by puts and by appends, and queries with tags, aggregation and downsampling.
fetch() {
  copy_jars "$here/opentsdb/pom.xml" "$eco/opentsdb"
  mkdir -p "$eco/opentsdb/classes"
  javac -nowarn -cp "$eco/opentsdb/lib/*" -d "$eco/opentsdb/classes" "$here/opentsdb/Main.java"
  cp "$here/../clients/asynchbase/logback.xml" "$eco/opentsdb/classes"
}
run() {
  local table
  for table in tsdb-uid "tsdb-tree" tsdb-meta tsdb; do
    case $table in
      tsdb-uid) "$klip" create "hbase+zk://$1" "$table" --family id --family name ;;
      tsdb-meta) "$klip" create "hbase+zk://$1" "$table" --family name ;;
      *) "$klip" create "hbase+zk://$1" "$table" --family t,VERSIONS=1 ;;
    esac
  done
  for mode in false true; do
    java_of "$eco/opentsdb/classes:$eco/opentsdb/lib/*" Main "$1" "$mode"
  done
}
