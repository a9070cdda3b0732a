# Flume's agent: lines of a file through a channel into the HBase 2 sink, with the serializer that splits by a regular
# expression.
fetch() { copy_jars "$here/flume/pom.xml" "$eco/flume"; }
run() {
  local rows=0 tries agent store=hbase+zk://$1
  "$klip" create "$store" flume_lines --family d
  mkdir -p "$out/spool"
  seq 1 300 | awk '{printf "k%04d;value %d\n", $1, $1 * 3}' > "$out/spool/lines.txt"
  sed "s|OUT|$out|g; s|QUORUM|$1|g" "$here/flume/agent.conf" > "$out/agent.conf"
  (cd "$out" && exec java -Xmx500m "${java_flags[@]}" -Dklip.log="$out/client.log" -cp "$out/conf:$eco/flume/lib/*" org.apache.flume.node.Application -n a -f "$out/agent.conf") \
    > "$out/flume.log" 2>&1 < /dev/null &
  agent=$!
  for ((tries = 0; tries < 60 && rows < 300; ++tries)); do
    sleep 1
    rows=$("$klip" count "$store" flume_lines | sed 's/[^0-9]*\([0-9]*\).*/\1/')
  done
  kill "$agent"
  wait "$agent" || true
  tail -n 20 "$out/flume.log" "$out/client.log" >&2
  echo "$rows rows"
  "$klip" scan "$store" flume_lines --csv | sed 's/,[0-9]\{13\},/,/' | sed -n '1,5p;$p'
}
