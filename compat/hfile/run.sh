#!/usr/bin/env bash
# HFiles written by HBase, in every encoding and compression, are loaded by HBase's own tool into klip serve and into
# HBase: all cells, raw and visible, must be equal. Also tests HBase's client with each codec for cell blocks. See
# HFiles.java.
#
#   run.sh KLIP
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
. "$here/../servers.sh"
empty_directory hfile/run
jars=$(dirname "$work")
. "$here/../java.sh"
hbase_program "$here/HFiles.java" "$work/classes"
copy_jars "$here/pom.xml" "$jars"
echo '<configuration><property><name>hbase.io.compress.zstd.codec</name>
<value>org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec</value></property></configuration>' > "$work/classes/hbase-site.xml"
run_java() {
  timeout 200 java -Xmx700m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dklip.log="$work/client.log" "${java_flags[@]}" \
    -cp "$work/classes:$lib/*:$jars/lib/*" HFiles "$@"
}

MORE_JARS="$jars/lib/*" start hbase "$here/../standalone.sh" "$work/hbase" \
  hbase.io.compress.zstd.codec=org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec
start klip "$klip" serve --data "$work/klip" --rpc-port 0 --zk-port 0 --no-fsync
run_java write "$work/files"
for server in klip hbase; do
  zookeeper=$(zookeeper_of $server)
  run_java load "$zookeeper" "$work/files"
  run_java dump "$zookeeper" > "$work/$server.txt"
  run_java codecs "$zookeeper" > "$work/$server.codecs.txt"
done
cmp "$work/klip.txt" "$work/hbase.txt"
echo "$(find "$work/files" -name cells -o -name tags | wc -l) HFiles: $(grep -c . "$work/klip.txt") lines of cells equal"
cmp "$work/klip.codecs.txt" "$work/hbase.codecs.txt"
echo "codecs of cell blocks: $(wc -l < "$work/klip.codecs.txt") lines equal"

"$klip" create "$work/store" t -f f > "$work/load.txt"
"$klip" load "$work/store" t "$work/files/fast_diff_zstd" >> "$work/load.txt"
grep -q '^loaded .* cells of 2 HFiles' "$work/load.txt" || { cat "$work/load.txt" >&2; exit 1; }
echo "klip load: $(tail -n 1 "$work/load.txt")"
