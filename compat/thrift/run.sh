#!/usr/bin/env bash
# happybase, unmodified from PyPI, on klip thrift and on HBase's own Thrift server 2.6.1 before HBase 2.6.4: its published tests,
# and a program whose output must be equal on both, over each transport and protocol.
#
#   run.sh KLIP     the program to test
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
work=$here/../../build/compat/thrift
mkdir -p "$work"
work=$(cd "$work" && pwd)
. "$here/../fetch.sh"

fetch_happybase() {
  local wanted
  wanted=$(cksum < "$here/requirements.txt")
  [ "$(cat "$work/python.sum" 2> /dev/null)" = "$wanted" ] && return 0
  rm -rf "$work/python" "$work"/happybase-*
  python3 -m venv "$work/python"
  retry "$work/python/bin/pip" -q install -r "$here/requirements.txt" >&2
  # Its tests are in the source distribution only.
  (cd "$work" && retry python/bin/pip -q download --no-deps --no-binary happybase "$(grep happybase "$here/requirements.txt")" &&
    tar xzf happybase-*.tar.gz) >&2
  echo "$wanted" > "$work/python.sum"
}
fetch_happybase

. "$here/../servers.sh"
# port_of NAME WORD: waits for `ready WORD=...PORT`.
port_of() {
  local tries
  for ((tries = 0; tries < 180; ++tries)); do
    grep -q '^ready' "$work/$1.ready" && sed -n "s/.*$2=\([^ ]*:\)\?\([0-9]*\).*/\2/p" "$work/$1.ready" && return 0
    sleep 1
  done
  cat "$work/$1.log" >&2
  echo "compat: $1 did not start" >&2
  return 1
}
rm -rf "$work/klip-data"
start hbase "$here/../standalone.sh" "$work/hbase-data"
start klip "$klip" thrift "$work/klip-data" --port 0 --no-fsync
zookeeper=$(zookeeper_of hbase)
start gateway "$here/../gateways/hbase-gateway.sh" thrift "$zookeeper" "$work/hbase-thrift"
hbase_port=$(port_of gateway port)
klip_port=$(port_of klip thrift)

failed=0
tests=$(echo "$work"/happybase-*/tests)
# suite NAME PORT TRANSPORT
suite() {
  if HAPPYBASE_HOST=127.0.0.1 GATEWAY_PORT=$2 HAPPYBASE_TRANSPORT=$3 PYTHONPATH=$here timeout 300 \
    "$work/python/bin/python" -m pytest -q -p suite_shim -p no:cacheprovider "$tests" > "$work/suite-$1-$3" 2>&1; then
    echo "happybase's tests on $1, $3: $(tail -n 1 "$work/suite-$1-$3")"
  else
    cat "$work/suite-$1-$3" >&2
    failed=1
  fi
}
suite hbase "$hbase_port" buffered
suite klip "$klip_port" buffered
suite klip "$klip_port" framed

# program NAME PORT TRANSPORT PROTOCOL
program() {
  timeout 300 "$work/python/bin/python" "$here/program.py" "$2" "$3" "$4" > "$work/program-$1-$3-$4" 2>&1 ||
    echo "exit $?" >> "$work/program-$1-$3-$4"
}
program hbase "$hbase_port" buffered binary
for dialect in "buffered binary" "buffered compact" "framed binary" "framed compact"; do
  read -r transport protocol <<< "$dialect"
  program klip "$klip_port" "$transport" "$protocol"
  # The table is named after the dialect.
  sed "s/program_buffered_binary/program_${transport}_$protocol/g" "$work/program-hbase-buffered-binary" > "$work/expected"
  if diff -u "$work/expected" "$work/program-klip-$transport-$protocol"; then
    echo "program.py, $transport $protocol: $(wc -l < "$work/expected") lines, equal"
  else
    echo "program.py, $transport $protocol: differs" >&2
    failed=1
  fi
done
exit $failed
