#!/usr/bin/env bash
# happybase, unmodified from PyPI, on klip thrift and on HBase's own Thrift server 2.6.1 before HBase 2.6.4: its published tests,
# and a program for each of the two interfaces, whose output must be equal on both, over each transport and protocol.
#
#   run.sh KLIP               the program to test
#   run.sh KLIP bench [ROWS]  a scan of a million rows by happybase on both, in turn
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
rm -rf "$work/klip-data"
start hbase "$here/../standalone.sh" "$work/hbase-data"
start klip "$klip" thrift "$work/klip-data" --port 0 --port2 0 --no-fsync
zookeeper=$(zookeeper_of hbase)
start gateway "$here/../gateways/hbase-gateway.sh" thrift "$zookeeper" "$work/hbase-thrift"
hbase_port=$(port_of gateway port)
klip_port=$(port_of klip thrift)
if [ "${2:-}" = bench ]; then
  "$work/python/bin/python" "$here/scan_bench.py" "${3:-1000000}" 3 "klip=$klip_port" "HBase=$hbase_port"
  exit
fi
start gateway2 "$here/../gateways/hbase-gateway.sh" thrift2 "$zookeeper" "$work/hbase-thrift2"
hbase_port2=$(port_of gateway2 port)
klip_port2=$(port_of klip thrift2)

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

# program FILE NAME ARGUMENT...: its output goes to FILE-NAME-TRANSPORT-PROTOCOL, the last two arguments.
program() {
  local file=$1 name=$2
  shift 2
  local out=$work/$file-$name-${*: -2:1}-${*: -1}
  timeout 300 "$work/python/bin/python" "$here/$file.py" "$@" > "$out" 2>&1 || echo "exit $?" >> "$out"
}
idl=$here/../../src/thrift/idl/thrift2.thrift
program program hbase "$hbase_port" buffered binary
program program2 hbase "$idl" "$hbase_port2" buffered binary
for dialect in "buffered binary" "buffered compact" "framed binary" "framed compact"; do
  read -r transport protocol <<< "$dialect"
  program program klip "$klip_port" "$transport" "$protocol"
  program program2 klip "$idl" "$klip_port2" "$transport" "$protocol"
  for file in program program2; do
    # Tables are named after the dialect.
    sed "s/buffered_binary/${transport}_$protocol/g" "$work/$file-hbase-buffered-binary" > "$work/expected"
    if diff -u "$work/expected" "$work/$file-klip-$transport-$protocol"; then
      echo "$file.py, $transport $protocol: $(wc -l < "$work/expected") lines, equal"
    else
      echo "$file.py, $transport $protocol: differs" >&2
      failed=1
    fi
  done
done
exit $failed
