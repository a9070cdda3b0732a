#!/usr/bin/env bash
# The Python driver of Phoenix's query server and its SQLAlchemy dialect, unmodified from PyPI, on klip serve --sql-port: their own tests,
# of which all that Phoenix passes have to pass.
#
#   run.sh KLIP [PYTEST-OPTION...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
shift
. "$here/../fetch.sh"
. "$here/../servers.sh"
empty_directory drivers
python=$work/../drivers-python
[ -x "$python/bin/pip" ] || python3 -m venv "$python"
retry "$python/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
python=$(cd "$python" && pwd)

start klip "$klip" serve --data "$work/store" --rpc-port 0 --zk-port 0 --sql-port 0
export PHOENIXDB_TEST_DB_URL=http://127.0.0.1:$(port_of klip sql)/
# The package brings its tests.
"$python/bin/python" -m pytest -q -p no:cacheprovider "$@" --pyargs phoenixdb.tests
