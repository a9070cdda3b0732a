#!/usr/bin/env bash
# Builds the distribution's static RocksDB from its source package of the same version, without the assertions of
# librocksdb-dev: they take a fifth to a third of the CPU time of scans (bench/RESULTS.md). Does not change the system.
#
#   rocksdb.sh DIRECTORY JOBS FLAGS     DIRECTORY/librocksdb.a, compiled with FLAGS; skipped if it exists with these FLAGS
set -euo pipefail
version=$(dpkg-query -W -f '${source:Version}' librocksdb-dev)  # of the package, not of a rebuild: 9.10.0-1, not 9.10.0-1+b1
mkdir -p "$1"
cd "$1"
[ "$(cat made 2> /dev/null)" != "$version $3" ] || exit 0

# A separate list of the system's package sources.
rm -rf apt source build librocksdb.a made  # another version would not fit the headers
here=$PWD
mkdir -p apt/sources.list.d apt/lists/partial
: > apt/sources.list
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  [ -f "$list" ] || continue
  case $list in
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" > "apt/sources.list.d/$(basename "$list")" ;;
    *.list) sed -n 's/^deb /deb-src /p' "$list" > "apt/sources.list.d/$(basename "$list")" ;;
  esac
done
apt() {
  apt-get -qq -o Acquire::Retries=3 -o Dir::Etc::SourceList="$here/apt/sources.list" -o Dir::Etc::SourceParts="$here/apt/sources.list.d" \
    -o Dir::State::Lists="$here/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User= "$@"
}
apt update || true  # third-party package sources may have no source packages
(mkdir source && cd source && apt source "rocksdb=$version") > apt/log 2>&1 || { cat apt/log >&2; exit 1; }

# The sources of an iterator's step come first and are compiled as one unit, so that their calls are inlined.
steps=(db/{arena_wrapped_db_iter,db_iter,dbformat,range_del_aggregator,version_set}.cc table/{iterator,merging_iterator}.cc
  table/block_based/{block,block_based_table_iterator,block_based_table_reader}.cc util/{coding,comparator}.cc)
for step in "${steps[@]}"; do
  sed -i "s|^ *$step\$||" source/rocksdb-*/CMakeLists.txt
done
sed -i "s|^set(SOURCES\$|& ${steps[*]}|" source/rocksdb-*/CMakeLists.txt

# The options are those of the package, with -fPIC for libklip.so. Several files form one unit, since they share headers.
# A step of an iterator does not check whether the counters of its thread are constructed: they are zero-initialized.
# (Those per level need construction, but are never enabled here.)
cmake -S source/rocksdb-*/ -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DUSE_RTTI=ON -DPORTABLE=ON \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_FLAGS="-fno-semantic-interposition -fno-extern-tls-init $3" \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=${#steps[@]} -DFAIL_ON_WARNINGS=OFF \
  -DWITH_BZ2=ON -DWITH_LZ4=ON -DWITH_ZLIB=ON -DWITH_ZSTD=ON -DWITH_SNAPPY=ON -DWITH_LIBURING=OFF -DWITH_GFLAGS=OFF \
  -DROCKSDB_BUILD_SHARED=OFF -DWITH_TESTS=OFF -DWITH_ALL_TESTS=OFF -DWITH_TOOLS=OFF -DWITH_CORE_TOOLS=OFF -DWITH_BENCHMARK_TOOLS=OFF \
  -DWITH_TRACE_TOOLS=OFF > cmake.log 2>&1 || { cat cmake.log >&2; exit 1; }
cmake --build build -j "$2" --target rocksdb
mv build/librocksdb.a .
rm -rf apt source build
echo "$version $3" > made
