#!/usr/bin/env bash
# HBase's own test classes on klip serve: every method of lists/hbase.txt, with --all also of lists/more.txt, must pass but those
# of lists/klip-fails.txt, which docs/compatibility.md explains.
#
#   against-klip.sh KLIP [--all] [--class CLASS[#METHOD] ...]     --class: of either list
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
lists=hbase
[ $# = 0 ] || lists=hbase,more
[ "${1:-}" != --all ] || shift
work=$here/../../build/compat/tck
mkdir -p "$work"
work=$(cd "$work" && pwd)
. "$here/../servers.sh"
rm -rf "$work/klip-data"
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 --no-fsync --no-sanity-checks --no-coprocessors
zookeeper=$(zookeeper_of klip)

# run_list FILE [option...]: prints the methods that fail unexpectedly.
known=$(sed '/^#/d' "$here/lists/klip-fails.txt" | sort)
run_list() {
  local results=$1
  shift
  "$here/run" --zk "$zookeeper" --wipe all --list "$lists" "$@" > "$results" || true
  tail -n 1 "$results" >&2
  grep -aq '^PASS' "$results" || echo "nothing-passed"
  { grep -a '^FAIL' "$results" || true; } | cut -d' ' -f2 | sort | comm -23 - <(echo "$known")
}
failed=$(run_list "$work/results" "$@")
if [ -n "$failed" ]; then # some tests wait for what takes longer on a busy machine: those get a second try
  again=()
  while read -r method; do again+=(--class "${method%%[*}"); done <<< "$failed"
  failed=$(run_list "$work/results.again" "${again[@]}")
fi
kill -0 "${servers[0]}" || { echo "tck: klip serve has ended" >&2; exit 1; }
[ -z "$failed" ] && exit 0
echo "tck: these pass on HBase and not on klip, twice:" >&2
grep -aF "$failed" "$work/results.again" >&2
exit 1
