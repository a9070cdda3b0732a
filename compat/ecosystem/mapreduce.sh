# HBase's own MapReduce tools in the local runner: ImportTsv by puts and by HFiles, RowCounter, Export, Import, CopyTable, HashTable, SyncTable.
fetch() {
  mkdir -p "$eco/../tck"
  (. "$here/../tck/jars.sh" && fetch_jars "$eco/../tck")
}
# job CLASS ARGUMENT...: prints its counters.
job() {
  echo "$1:"
  java_of "$eco/../tck/lib/*:$eco/../tck/tests/*" "org.apache.hadoop.hbase.$@" > "$out/job.log" 2>&1 || { tail -n 20 "$out/job.log" >&2; return 1; }
  cat "$out/job.log" >&2
  sed -nE 's/^.*\s((ROWS|Map input records|Map output records|HASHES_(NOT_)?MATCHED|RANGES(NOT)?MATCHED|ROWSWITHDIFFS|BATCHES|MATCHINGCELLS|MATCHINGROWS|DIFFERENTCELLVALUES|TARGETMISSINGCELLS|SOURCEMISSINGCELLS|SOURCEMISSINGROWS|TARGETMISSINGROWS)=[0-9]+)$/  \1/p' "$out/job.log" | sort -u
}
run() {
  local store=hbase+zk://$1 table
  cat > "$out/conf/log4j.properties" << LOG
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
LOG
  seq 1 500 | awk '{printf "r%05d\t%d\tv%d\n", $1, $1 * 7, $1 % 13}' > "$out/rows.tsv"
  seq 501 900 | awk '{printf "r%05d\t%d\tv%d\n", $1, $1 * 7, $1 % 13}' > "$out/more.tsv"
  for table in tsv imported copied synced; do "$klip" create "$store" "mr_$table" --family d --splits r00300,r00600; done
  # Compares values only: the timestamps are current times.
  job mapreduce.ImportTsv -Dimporttsv.columns=HBASE_ROW_KEY,d:n,d:v mr_tsv "file:$out/rows.tsv"
  job mapreduce.ImportTsv -Dimporttsv.columns=HBASE_ROW_KEY,d:n,d:v -Dimporttsv.bulk.output="file:$out/hfiles" mr_tsv "file:$out/more.tsv"
  job tool.BulkLoadHFilesTool "file:$out/hfiles" mr_tsv
  job mapreduce.RowCounter mr_tsv
  job mapreduce.RowCounter mr_tsv --range=r00100,r00700 d:n
  job mapreduce.Export mr_tsv "file:$out/export"
  job mapreduce.Import mr_imported "file:$out/export"
  job mapreduce.CopyTable --new.name=mr_copied mr_tsv
  job mapreduce.CopyTable --new.name=mr_synced --stoprow=r00800 mr_tsv
  "$klip" put "$store" mr_synced r00007 d:n=wrong
  "$klip" put "$store" mr_synced r99999 d:n=surplus
  job mapreduce.HashTable --batchsize=2000 --numhashfiles=2 mr_tsv "file:$out/hashes"
  job mapreduce.SyncTable --dryrun=true "file:$out/hashes" mr_tsv mr_synced
  job mapreduce.SyncTable "file:$out/hashes" mr_tsv mr_synced
  for table in tsv imported copied synced; do
    echo "mr_$table: $("$klip" scan "$store" "mr_$table" --csv | sed 's/,[0-9]\{13\},/,/' | cksum)"
  done
}
