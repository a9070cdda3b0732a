#!/usr/bin/env bash
# sqllogictest's files select1 to select3, whose expected results come from SQLite. They are fetched: their licence is not
# stated beside them. Usage: [SQLLOGICTEST=DIRECTORY] run.sh KLIP_SQL_SCRIPT [NAME...]; the directory of a clone
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$(realpath "$1")
shift
. "$here/../fetch.sh"
. "$here/../servers.sh"
empty_directory sqllogic
from=${SQLLOGICTEST:-$work/../sqllogictest}
[ -d "$from/test" ] || retry git clone -q --depth 1 https://github.com/gregrahn/sqllogictest "$from"
[ $# -gt 0 ] || set -- select1 select2 select3
python3 "$here/run.py" "$script" "$work" $(printf "$from/test/%s.test\n" "$@")
