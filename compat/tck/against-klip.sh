#!/usr/bin/env bash
# HBase's own test classes on klip serve: every method of lists/hbase.txt must pass but those of lists/klip-fails.txt, which
# docs/compatibility.md explains.
#
#   against-klip.sh KLIP [--class CLASS[#METHOD] ...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
work=$here/../../build/compat/tck
mkdir -p "$work"
work=$(cd "$work" && pwd)
. "$here/../servers.sh"
rm -rf "$work/klip-data"
start klip "$klip" serve --data "$work/klip-data" --rpc-port 0 --zk-port 0 --no-fsync
"$here/run" --zk "$(zookeeper_of klip)" --list hbase "$@" > "$work/results" || true
kill -0 "${servers[0]}" || { echo "tck: klip serve has ended" >&2; exit 1; }
tail -n 1 "$work/results"
grep -a '^FAIL' "$work/results" | cut -d' ' -f2 | sort > "$work/failed" || true
new=$(sed 's/[ #]*$//; /^#/d; s/  .*//' "$here/lists/klip-fails.txt" | sort | comm -23 "$work/failed" -)
[ -z "$new" ] && grep -aq '^PASS' "$work/results" && exit 0
echo "tck: these pass on HBase and not on klip:" >&2
grep -aF "$new" "$work/results" >&2
exit 1
