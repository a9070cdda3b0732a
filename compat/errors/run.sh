#!/usr/bin/env bash
# Checks that HBase's jars or Java have every exception class that klip sends to HBase's clients or recognizes from
# HBase's servers.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/compat/hbase.sh" prepare

sources=(--include='*.cc' --exclude='*_test.cc')
# String literals with full names; in the server and failure.cc, also names relative to HBase's package.
named() {
  grep -ohrE '"(org\.apache\.hadoop|java)\.[A-Za-z0-9.]+(Exception|Error)"' "$root/src" "${sources[@]}" | tr -d '"'
  grep -ohrE '"([a-z]+\.)*[A-Z][A-Za-z]+(Exception|TooLarge)"' "$root/src/server" "$root/src/hbase/net/failure.cc" "${sources[@]}" |
    tr -d '"' | grep -vE '^(org|java)\.' | sed 's/^/org.apache.hadoop.hbase./'
}
mapfile -t classes < <(named | sort -u)
jars=$(printf '%s:' "$root"/build/compat/lib/*.jar)
if javap -cp "$jars" "${classes[@]}" 2>&1 > /dev/null | grep .; then  # it prints what is missing, and succeeds
  exit 1
fi
echo "${#classes[@]} classes of exceptions are HBase's"
