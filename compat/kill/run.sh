#!/usr/bin/env bash
# Kills klip serve under load from HBase's Java client; see KillLoad.java.
#
#   run.sh KLIP [KILLS]     default 10
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
. "$here/../servers.sh"
empty_directory kill
. "$here/../java.sh"
hbase_program "$here/KillLoad.java" "$work/classes"
exec java -Xmx512m -Dklip.log="$work/client.log" "${java_flags[@]}" -cp "$work/classes:$lib/*" \
  KillLoad "${2:-10}" "$(free_port)" "$(free_port)" "$klip" serve --data "$work/data"
