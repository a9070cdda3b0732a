#!/usr/bin/env bash
# HBase's own tools and integration tests, from its jars, on klip serve: load generators, MapReduce jobs in the local
# runner, the canary, rows that are read while they are written, lists through all rows. Each must succeed, and its counts
# must match the written data.
#
#   run.sh KLIP
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
. "$here/../servers.sh"
empty_directory tools
mkdir -p "$work/conf" "$here/../../build/compat/tck"
jars=$(cd "$here/../../build/compat/tck" && pwd)
. "$here/../tck/jars.sh"
fetch_jars "$jars"
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 --no-fsync
zookeeper=$(zookeeper_of klip)

cat > "$work/conf/hbase-site.xml" << SITE
<configuration>
<property><name>hbase.zookeeper.quorum</name><value>${zookeeper%:*}</value></property>
<property><name>hbase.zookeeper.property.clientPort</name><value>${zookeeper##*:}</value></property>
<property><name>hbase.fs.tmp.dir</name><value>$work/tmp</value></property>
<property><name>hadoop.tmp.dir</name><value>$work/tmp</value></property>
</configuration>
SITE
cat > "$work/conf/log4j.properties" << LOG
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
LOG
# tool WHAT EXPECTED CLASS ARGUMENT...: it must succeed, and its output must have the expected line or count.
failed=0
tool() {
  local what=$1 expected=$2 log=$work/$1.log
  shift 2
  if (cd "$work" && timeout 300 java "${java_flags[@]}" -Xmx800m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$work/conf:$jars/lib/*:$jars/tests/*" "org.apache.hadoop.hbase.$@" \
    > "$log" 2>&1 < /dev/null) && grep -qE -e "$expected" "$log"; then
    echo "$what: ok"
  else
    echo "$what: failed, or no '$expected' in $log" >&2
    tail -n 5 "$log" >&2
    failed=1
  fi
}

tool write 'Finished TestClient-1 ' PerformanceEvaluation --nomapred --rows=500 --presplit=3 sequentialWrite 2
tool random-read 'Finished TestClient-1 ' PerformanceEvaluation --nomapred --rows=500 randomRead 2
tool scan 'Finished TestClient-1 ' PerformanceEvaluation --nomapred --rows=500 scan 2
tool increment 'Finished TestClient-0 ' PerformanceEvaluation --nomapred --rows=100 increment 1
tool row-counter 'ROWS=1000$' mapreduce.RowCounter TestTable
tool export 'Map output records=1000$' mapreduce.Export TestTable "$work/export"
tool create '' util.RegionSplitter -c 4 -f info0:cf Copy HexStringSplit
tool import 'Map input records=1000$' mapreduce.Import Copy "$work/export"
tool row-counter-of-import 'ROWS=1000$' mapreduce.RowCounter Copy
tool copy-table 'Map input records=1000$' mapreduce.CopyTable --new.name=Copy TestTable
seq 1 200 | sed 's/.*/tsv&\tvalue&/' > "$work/input.tsv"
tool import-tsv 'Map input records=200$' mapreduce.ImportTsv -Dimporttsv.columns=HBASE_ROW_KEY,cf:a Copy "$work/input.tsv"
tool row-counter-of-tsv 'ROWS=200$' mapreduce.RowCounter Copy --range=tsv,tsw
seq 1 300 | sed 's/.*/bulk&\tvalue&/' > "$work/bulk.tsv"
tool import-tsv-to-hfiles 'Map input records=300$' mapreduce.ImportTsv -Dimporttsv.columns=HBASE_ROW_KEY,cf:a \
  -Dimporttsv.bulk.output="$work/hfiles" Copy "$work/bulk.tsv"
tool complete-bulk-load '' tool.BulkLoadHFilesTool "$work/hfiles" Copy
tool row-counter-of-bulk 'ROWS=300$' mapreduce.RowCounter Copy --range=bulk,bulm
tool cell-counter 'Map input records=1500$' mapreduce.CellCounter Copy "$work/cells"
tool load-test 'Failed to write keys: 0$' util.LoadTestTool -tn Load -write 2:200 -read 100:2 -num_keys 500 -num_regions_per_server 2
tool canary 'Read from ' tool.CanaryTool -t 30000 TestTable

# integration_test NAME [OPTION...]: runs one with JUnit.
integration_test() {
  tool "$1" '^OK ' IntegrationTestsDriver "${@:2}" -r ".*$1\$"
}
# linked_list NAME NODES WRAP [OPTION...]: two mappers write NODES rows each, each of which refers to another one; then a
# job follows all references.
linked_list() {
  tool "$1" 'Verify finished with success' test.IntegrationTestBigLinkedList -Dgenerator.multiple.columnfamilies=true "${@:4}" \
    Loop 1 2 "$2" "$work/$1" 2 "$3" 5
}
integration_test IntegrationTestLazyCfLoading -Dhbase.IntegrationTestLazyCfLoading.keysToWrite=3000
integration_test IntegrationTestManyRegions -Dhbase.IntegrationTestManyRegions.regions=50
tool acid-guarantees 'Finished test' AcidGuaranteesTestTool -millis 10000 -numWriters 4 -numGetters 2 -numScanners 2 -numUniqueRows 3
tool bulk-loaded-lists 'completed successfully' mapreduce.IntegrationTestBulkLoad -Dhbase.IntegrationTestBulkLoad.chainLength=20000 \
  -Dhbase.IntegrationTestBulkLoad.numMaps=1
tool import-tsv-test 'completed successfully' mapreduce.IntegrationTestImportTsv
linked_list linked-list 50000 25000

# The same, while the server is killed every two seconds.
restless() {
  trap 'kill $!; exit' TERM
  while true; do
    timeout -s KILL 2 "$klip" serve --data "$work/killed-data" --rpc-port "$1" --zk-port "$2" &
    wait $! || true
  done
}
killed=$(free_port)
restless "$(free_port)" "$killed" > "$work/killed.log" 2>&1 &
servers+=($!)
linked_list linked-list-of-killed-server 200000 50000 -Dhbase.zookeeper.property.clientPort="$killed"
exit $failed
