# Source this after java.sh. HBase's settings, and its processes.

# write_conf DIRECTORY ZOOKEEPER_PORT [NAME=VALUE...]: DIRECTORY/conf, everything on free loopback ports; settings of
# hbase-site.xml. In the environment: HSYNC=true: HBase fsyncs its log; LOGGERS="NAME=LEVEL ...": log levels; MORE_JARS:
# more jars for its class path.
write_conf() {
  local data=$1 zookeeper=$2 name value logger
  shift 2
  mkdir -p "$data/conf"
  {
    echo '<configuration>'
    while read -r name value; do
      [ -z "$name" ] || echo "<property><name>$name</name><value>$value</value></property>"
    done << SETTINGS
hbase.rootdir file://$data/root
hbase.tmp.dir $data/tmp
hbase.wal.provider filesystem
hbase.unsafe.stream.capability.enforce false
hbase.zookeeper.property.clientPort $zookeeper
hbase.master.hostname 127.0.0.1
hbase.regionserver.hostname 127.0.0.1
hbase.master.ipc.address 127.0.0.1
hbase.regionserver.ipc.address 127.0.0.1
hbase.master.port 0
hbase.regionserver.port 0
hbase.master.info.port -1
hbase.regionserver.info.port -1
hbase.regionserver.handler.count 30
hbase.wal.hsync ${HSYNC:-false}
hbase.coprocessor.region.classes org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint,org.apache.hadoop.hbase.coprocessor.AggregateImplementation
$(printf '%s\n' "${@/=/ }")
SETTINGS
    echo '</configuration>'
  } > "$data/conf/hbase-site.xml"
  cp "$data/conf/hbase-site.xml" "$data/conf/core-site.xml"  # Hadoop's own settings may be among them
  cp "$java_sh/java/log4j.properties" "$data/conf/"
  echo 'log4j.logger.org.apache.hadoop.hbase.master.HMaster=INFO' >> "$data/conf/log4j.properties"  # reports when it is ready
  for logger in ${LOGGERS:-}; do echo "log4j.logger.$logger" >> "$data/conf/log4j.properties"; done
}

# hbase_process DIRECTORY NAME CLASS ARGUMENT...: runs it with the settings in DIRECTORY/conf; logs to DIRECTORY/NAME.log.
# Run it in the background.
hbase_process() {
  local data=$1 name=$2
  shift 2
  exec java "${java_flags[@]}" -Xmx${HEAP:-1g} -XX:+UseSerialGC -Dklip.log="$data/$name.log" -cp "$data/conf:$lib/*${MORE_JARS:+:$MORE_JARS}" "$@" \
    < /dev/null > "$data/$name.out" 2> "$data/$name.err"
}
