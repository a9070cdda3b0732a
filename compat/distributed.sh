# Source this after servers.sh. An HBase of a quorum peer, a master and two region servers, each in its own process, which
# can be stopped and killed.
. "$servers_sh/java.sh"
. "$servers_sh/hbase-conf.sh"
"$servers_sh/hbase.sh" prepare
lib=$(cd "$servers_sh/../build/compat/lib" && pwd)
export HEAP=384m
# A region server without its master does not stop on SIGTERM.
end_all() {
  kill -9 "${servers[@]}" 2> /dev/null || true
  wait "${servers[@]}" 2> /dev/null || true
}
trap end_all EXIT

# spawn NAME COMMAND...: its process id is in ${pid[NAME]}.
declare -A pid
spawn() {
  local name=$1
  shift
  "$@" &
  pid[$name]=$!
  servers+=($!)
}
# wait_for FILE TEXT
wait_for() {
  local tries
  for ((tries = 0; tries < 1200; ++tries)); do
    grep -q "$2" "$1" 2> /dev/null && return 0
    sleep 0.1
  done
  echo "compat: no '$2' in $1" >&2
  return 1
}

# ended NAME: waits until it exits.
ended() {
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    kill -0 "${pid[$1]}" 2> /dev/null || return 0
    sleep 0.1
  done
  echo "compat: $1 has not ended" >&2
  return 1
}

# hbase NAME CLASS: starts one of its processes, which logs to $data/NAME.log.
hbase() { spawn "$1" hbase_process "$data" "$1" "org.apache.hadoop.hbase.$2" start; }
# start_distributed DIRECTORY [NAME=VALUE...]: sets $data, the directory, and $zookeeper, the port of its quorum.
start_distributed() {
  data=$1
  zookeeper=$(free_port)
  mkdir -p "$data"
  LOGGERS=org.apache.hadoop.hbase.regionserver.HRegionServer=INFO write_conf "$data" "$zookeeper" hbase.cluster.distributed=true \
    hbase.zookeeper.quorum=127.0.0.1 hbase.zookeeper.property.tickTime=1000 hbase.zookeeper.property.admin.enableServer=false \
    zookeeper.session.timeout=10000 hbase.master.wait.on.regionservers.mintostart=2 "${@:2}"
  hbase zookeeper zookeeper.HQuorumPeer
  hbase master master.HMaster
  hbase server1 regionserver.HRegionServer
  hbase server2 regionserver.HRegionServer
  wait_for "$data/master.log" 'Master has completed initialization'
}
