#!/usr/bin/env bash
# Reads and writes tables as columns by pyarrow, pandas, Polars and DuckDB, and as Parquet and Arrow files: random tables
# (check.py) and tables of the program. Also tests the fixtures for pytest.
#
#   run.sh BUILD [TABLES [SEED]]     the build's directory, with klip and the Python package; random tables, default 30
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
shift
work=$here/../../build/compat/analytics
mkdir -p "$work"
. "$here/../fetch.sh"
[ -x "$work/python/bin/pip" ] || python3 -m venv "$work/python"
retry "$work/python/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
export KLIP_PYTHON=$work/python/bin/python KLIP_PROGRAM=$build/klip PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1

"$KLIP_PYTHON" "$here/check.py" "${1:-30}" ${2:+"$2"}
"$KLIP_PYTHON" -m pytest -q -p no:cacheprovider "$here/test_fixtures.py"

# The program: a table exported in each format is the same after its import.
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
klip() { "$KLIP_PROGRAM" "$@"; }
klip demo --store store --users 50 --days 10 --domains 3 > demo.txt
schema=$(klip describe store visits | sed -n "s/.*KLIP_ROW_KEY => '\\(.*\\)'.*/\\1/p" | head -1)
klip export store visits --format json --output wanted.json > /dev/null 2>&1
# round NAME EXPORT-OPTION...: exports and imports visits, which must stay the same.
round() {
  local path=$1
  shift
  klip export store visits --output "$path" "$@"
  klip create store copy --family d --row-key "$schema" > /dev/null
  klip import store copy "$path" --format "${path##*.}"
  klip export store copy --format json --output got.json > /dev/null 2>&1
  cmp wanted.json got.json
  klip drop store copy > /dev/null
}
round all.parquet --format parquet
round all.arrow --format arrow
round typed.parquet --format parquet --columns "d:visits text"
round days.parquet --format parquet --columns "d:visits text" --partition-by date
"$KLIP_PYTHON" - << 'END'
import duckdb

files = duckdb.sql("SELECT count(*), count(DISTINCT date), count(visits) FROM read_parquet('days.parquet/*/*.parquet', hive_partitioning=true)")
assert files.fetchall() == duckdb.sql("SELECT count(*), count(DISTINCT date), count(visits) FROM 'typed.parquet'").fetchall()
END
echo "files of the program: equal"
