#!/usr/bin/env bash
# The shell's golden scripts (tests/shell) on klip serve and on HBase 2.6.4, by klip's client: what they print must be what they
# print on a store in a directory.
#
#   run.sh KLIP [NAME ...]     KLIP: the program, with klip-shell beside it; no script named: all below
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
# Left out: what asks the one server; coprocessors of no class, which HBase refuses; ColumnCountGetFilter over several rows
# (docs/compatibility.md).
[ $# -gt 0 ] || set -- all_questions counters data_forms errors filters namespaces snapshots tables tutorial_binary_keys \
  tutorial_counters tutorial_deletes tutorial_families tutorial_first_steps tutorial_java_filters tutorial_schema_settings \
  tutorial_students tutorial_time_stamps tutorial_versions tutorial_web_pages
work=$here/../../build/compat/shell
mkdir -p "$work"
work=$(cd "$work" && pwd)

. "$here/../servers.sh"
rm -rf "$work/klip" "$work/hbase"
start hbase "$here/../standalone.sh" "$work/hbase"
"$klip" serve --data "$work/klip" --rpc-port 0 --zk-port 0 > "$work/klip.ready" 2> "$work/klip.log" &
servers+=($!)
failed=0
for server in klip hbase; do
  zookeeper=$(zookeeper_of "$server")
  echo "compat: the shell on $server"
  "$here/../../tests/shell/golden_test" --on "hbase+zk://$zookeeper" "$(dirname "$klip")/klip-shell" "$@" || failed=1
done
exit $failed
