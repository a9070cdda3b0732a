#!/usr/bin/env bash
# Builds the release for packages in build/tuned: RocksDB without its assertions (rocksdb.sh) and klip. Both are compiled
# twice, the second time with a profile of the first build under load (profile-guided optimization). bench/RESULTS.md has
# the speedup. The profile is kept: code that changed since is compiled without one. Delete build/tuned to record a new
# profile.
#
#   tuned.sh JOBS [TARGET...]     default: all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tuned=$PWD/build/tuned
jobs=$1
shift
mkdir -p "$tuned"

# build FLAGS [TARGET...]: the objects of both passes have the same paths, by which the compiler finds their profiles.
build() {
  local flags=$1 rocksdb=$tuned/rocksdb/librocksdb.a
  shift
  packaging/rocksdb.sh "$tuned/rocksdb" "$jobs" "$flags" > "$tuned/rocksdb.log" 2>&1 \
    || { rocksdb=; echo "continuing with the distribution's RocksDB, see $tuned/rocksdb.log" >&2; }
  cmake --preset tuned -D CMAKE_CXX_COMPILER=g++ -D KLIP_ROCKSDB="$rocksdb" -D CMAKE_CXX_FLAGS="$flags" > "$tuned/configure.log" \
    || { cat "$tuned/configure.log" >&2; return 1; }
  cmake --build "$tuned" -j "$jobs" ${1:+--target "$@"}
}

# load ADDRESS SERVER CASE...: calls by klip's own client, which is profiled too.
load() {
  "$tuned/bench/klip_serve_load" "hbase+rpc://$1" "$2" --users 100 "${@:3}" >> "$tuned/training.log"
}
# Every kind of call.
train() {
  local server address= failed=0
  rm -rf "$tuned/training-data"
  "$tuned/klip" serve --no-fsync --data "$tuned/training-data" --rpc-port 0 --zk-port 0 > "$tuned/training.log" 2>&1 &
  server=$!
  for _ in {1..100}; do
    address=$(sed -n 's/^ready rpc=\([^ ]*\).*/\1/p' "$tuned/training.log")
    [ -z "$address" ] || break
    sleep 0.1
  done
  load "$address" "$server" fill scan value date day days get multi-get put check batch async-get || failed=1
  load "$address" "$server" --threads 4 get put batch || failed=1
  kill "$server"
  wait "$server" || failed=1  # it writes its profile when it exits
  rm -rf "$tuned/training-data"
  return "$failed"
}

profile=$tuned/profile
if [ ! -d "$profile" ]; then
  echo "building what is to be observed under a load; the build itself comes after"
  rm -rf "$tuned/training"
  build "-fprofile-generate=$tuned/training -fprofile-update=prefer-atomic" klip_cli_program klip_serve_load
  train || { cat "$tuned/training.log" >&2; exit 1; }
  mv "$tuned/training" "$profile"
fi
build "-fprofile-use=$profile -fprofile-partial-training -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch" "$@"
