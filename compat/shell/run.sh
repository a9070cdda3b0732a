#!/usr/bin/env bash
# Runs the shell's golden scripts (tests/shell) by klip's client on klip serve and on HBase 2.6.4. The output must be the
# same as on a store in a directory.
#
#   run.sh KLIP [NAME ...]     KLIP: the program, with klip-shell beside it; no script named: all but those below
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
# Scripts with klip's own commands, and those that print the number of regions of a whole store: a cluster has additional
# ones.
here_only=" cluster index_errors indexes klip_own refusals tutorial_reports "
# And on HBase coprocessors of no class, which it refuses, ColumnCountGetFilter over several rows (docs/compatibility.md), and how
# much of a region is on its server's disk.
not_hbase=" alter_forms create_forms tutorial_filter_language regions "
work=$here/../../build/compat/shell
mkdir -p "$work"
work=$(cd "$work" && pwd)

. "$here/../servers.sh"
rm -rf "$work/klip" "$work/hbase" "$work/more" "$work/two" "$work/access"
start hbase "$here/../standalone.sh" "$work/hbase"
"$klip" serve --data "$work/klip" --rpc-port 0 --zk-port 0 --no-coprocessors > "$work/klip.ready" 2> "$work/klip.log" &
servers+=($!)
failed=0
for server in klip hbase; do
  scripts=("$@")
  if [ $# = 0 ]; then
    left_out=$here_only
    [ $server = klip ] || left_out+=$not_hbase
    for script in "$here"/../../tests/shell/*.out; do
      script=$(basename "$script" .out)
      [[ $left_out == *" $script "* ]] || scripts+=("$script")
    done
  fi
  zookeeper=$(zookeeper_of "$server")
  echo "compat: the shell on $server"
  "$here/../../tests/shell/golden_test" --on "hbase+zk://$zookeeper" "$(dirname "$klip")/klip-shell" "${scripts[@]}" || failed=1
done

# What an HBase has where it is configured: permissions and labels; quotas, slow calls and region replicas; groups of servers;
# replication, to the HBase above; and what several servers are for. NAME.out has what NAME.rb must print.
# check NAME URI [ARGUMENT]
check() {
  echo "compat: $1 by the shell on $2"
  "$(dirname "$klip")/klip-shell" -n "$2" "$here/$1.rb" "${@:3}" < /dev/null 2>&1 |
    sed -E -e 's/Took [0-9.]+ seconds/Took N seconds/' -e 's/127\.0\.0\.1[:,][0-9]+(,[0-9]+)?/HOST:PORT/g' \
      -e 's/timestamp=20[0-9T:.-]+/timestamp=NOW/' -e "s/^ $(id -un) / ADMIN /" > "$work/$1.got" || failed=1
  diff -u "$here/$1.out" "$work/$1.got" || failed=1
}
if [ $# = 0 ]; then
  check snapshot_ttl "hbase+zk://$(zookeeper_of klip)"
  check snapshot_ttl "hbase+zk://$(zookeeper_of hbase)"
  package=org.apache.hadoop.hbase.rsgroup
  groups=(hbase.coprocessor.master.classes=$package.RSGroupAdminEndpoint hbase.master.loadbalancer.class=$package.RSGroupBasedLoadBalancer)
  access=org.apache.hadoop.hbase.security.access.AccessController
  labels=org.apache.hadoop.hbase.security.visibility.VisibilityController
  start access "$here/../standalone.sh" "$work/access" hbase.security.authorization=true \
    hbase.coprocessor.master.classes=$access,$labels hbase.coprocessor.region.classes=$access,$labels \
    hbase.coprocessor.regionserver.classes=$access hbase.security.access.early_out=false
  uri=hbase+zk://$(zookeeper_of access)
  check access "$uri"
  check access_of_bob "$uri?user=bob"
  start more "$here/../standalone.sh" "$work/more" hbase.quota.enabled=true hbase.master.quotas.snapshot.chore.period=500 \
    hbase.regionserver.slowlog.buffer.enabled=true hbase.ipc.warn.response.time=0 "${groups[@]}"
  uri=hbase+zk://$(zookeeper_of more)
  # klip serve has peers as well.
  for one in "quotas $uri" "groups $uri" "peers $uri" "peers hbase+zk://$(zookeeper_of klip)"; do
    read -r script on <<< "$one"
    for each in "$on" "hbase+zk://$(zookeeper_of hbase)"; do
      "$(dirname "$klip")/klip-shell" -n "$each" "$here/clean.rb" < /dev/null > "$work/clean" 2>&1 || cat "$work/clean"
    done
    check "$script" "$on" "$(zookeeper_of hbase):/hbase"
  done
  stop_servers
  servers=()
  . "$here/../distributed.sh"
  start_distributed "$work/two" "${groups[@]}"
  check two_servers "hbase+zk://127.0.0.1:$zookeeper"
  ended master || failed=1
fi
exit $failed
