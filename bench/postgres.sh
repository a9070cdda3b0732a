#!/bin/sh
# A PostgreSQL server of its own for klip_bench: bench/postgres.sh start DIR prints the connection text, stop DIR ends it.
#   klip_bench --full --dir /tmp/bench --postgres "$(bench/postgres.sh start /tmp/bench/pg)" headline
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
dir=$2
# The server refuses to run as root.
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
case $1 in
start)
  mkdir -p "$dir"
  if [ ! -d "$dir/data" ]; then
    [ "$(id -u)" != 0 ] || chown postgres "$dir"
    as "$bin/initdb" -D "$dir/data" --locale=C -E UTF8 -A trust >&2
  fi
  # The whole table fits: 2.4 GB, as the others have.
  as "$bin/pg_ctl" -w -D "$dir/data" -l "$dir/data/log" \
    -o "-c listen_addresses='' -k $dir/data -c shared_buffers=2458MB -c max_wal_size=4GB -c maintenance_work_mem=1GB" start >&2
  echo "host=$dir/data dbname=postgres user=$([ "$(id -u)" = 0 ] && echo postgres || id -un)"
  ;;
stop) as "$bin/pg_ctl" -w -D "$dir/data" -m fast stop >&2 ;;
esac
