#!/usr/bin/env bash
# klip's own client on a real HBase: the golden op files, the commands of `klip` (with compressed cells), and the Python package, by the
# RPC registry and by ZooKeeper.
#
#   run.sh BUILD     the build's directory, with klip and tests/klip_native_parity
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
golden=$(realpath "$here/../../tests/golden")
work=$here/../../build/compat/native
mkdir -p "$work"
. "$here/../servers.sh"

start hbase "$here/../standalone.sh" "$work/data"
zookeeper=$(zookeeper_of hbase)
uri=hbase+zk://$zookeeper
"$build/tests/klip_native_parity" "$uri" "$golden"

. "$here/commands.sh"
check_commands "$build/klip" "$uri?compressor=gz"
check_python "$build" "$uri"
