# Spark 3.5: hbase-spark's DataFrames (written, read with WHEREs, bulk loads), and newAPIHadoopRDD with TableInputFormat.
# HBase 2.6.4 lacks the filter of hbase-spark, so Spark filters the rows there. On klip, the connector pushes conditions
# down by default. SPARK_ROWS=N: also measures reads of N rows; see the TIME lines in the logs.
fetch() {
  copy_jars "$here/spark/pom.xml" "$eco/spark"
  mkdir -p "$eco/spark/classes"
  javac -nowarn -cp "$eco/spark/lib/*" -d "$eco/spark/classes" "$here/spark/Main.java"
  cp "$here/spark/log4j2.properties" "$eco/spark/classes"
}
run() {
  [ "${SPARK_ROWS:-0}" = 0 ] || local JIT= LIMIT=900
  java_of "$eco/spark/classes:$eco/spark/lib/*" Main "$2" "$3" "$([ "$4" = klip ] && echo true || echo false)" "$out/hfiles" "${SPARK_ROWS:-0}"
}
