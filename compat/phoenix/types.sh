#!/usr/bin/env bash
# Phoenix's own classes print random values of every type with their bytes; klip's must be the same.
#
#   types.sh PROGRAM [VALUES]     PROGRAM: klip_sql_type_parity; VALUES of a type: 20000
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../java.sh"
hbase=$(cd "$here/../../build/compat/lib" && pwd)
phoenix=$hbase/../phoenix
copy_jars "$here/pom.xml" "$phoenix"
class_path="$phoenix/lib/*:$hbase/*"
mkdir -p "$phoenix/classes"
javac -nowarn -proc:none -cp "$class_path" -d "$phoenix/classes" "$here/PrintTypes.java" >&2
cp "$here/../java/log4j.properties" "$phoenix/classes"
java "${java_flags[@]}" -Dklip.log="$phoenix/types.log" -cp "$phoenix/classes:$class_path" PrintTypes "${2:-20000}" | "$1"
