# What klip's scripts share. A script starts with:
#
#   . "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
#
# which fails on errors and changes to the repository's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
JOBS=${JOBS:-$(nproc)}

say() { printf '%s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

# as_root COMMAND...
as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo > /dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    fail "must be root, or have sudo, to run: $*"
  fi
}

# retry COMMAND...: up to three tries, 5 and 15 seconds apart.
retry() {
  local wait
  for wait in 5 15 0; do
    "$@" && return 0
    [ "$wait" = 0 ] && return 1
    say "failed, trying again in $wait s: $*"
    sleep "$wait"
  done
}

# need PURPOSE...: installs the Debian packages of tools/packages for these purposes, if any are missing.
need() {
  local purpose package status packages=() missing=()
  for purpose in "$@"; do
    # Programs that were installed in another way do as well.
    case $purpose in
      go) command -v go > /dev/null && continue ;;
      node) command -v npm > /dev/null && continue ;;
    esac
    mapfile -t -O ${#packages[@]} packages < <(sed -n "s/^$purpose: //p" tools/packages | tr ' ' '\n')
  done
  [ ${#packages[@]} -gt 0 ] || return 0
  if ! command -v dpkg-query > /dev/null; then
    say "not a Debian system; make sure of what these Debian packages hold: ${packages[*]}"
    return 0
  fi
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2> /dev/null | sed -n 's/ installed$//p' || true)
  for package in "${packages[@]}"; do
    grep -qxF -- "$package" <<< "$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  retry as_root apt-get update -qq || fail "apt-get update failed"
  retry as_root apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" > /dev/null || fail "apt-get install failed"
}

# configure [PRESET [option...]]: prepares the build directory of the preset. One that was made for another place, before the checkout was moved
# or copied, is prepared anew.
configure() {
  local preset=${1:-default} directory
  directory=$(build_directory "$preset")
  mkdir -p "$directory"
  local cache=$directory/CMakeCache.txt made_for
  if [ -f "$cache" ]; then
    made_for=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")
    if [ "$made_for" != "$PWD" ]; then
      say "$directory was made for $made_for: building anew"
      rm -rf "$cache" "$directory"/{CMakeFiles,build.ninja,.ninja_deps,.ninja_log}
    fi
  fi
  cmake --preset "$preset" "${@:2}" > "$directory/configure.log" 2>&1 || { cat "$directory/configure.log" >&2; fail "cmake --preset $preset failed"; }
}

# build_directory PRESET
build_directory() { if [ "$1" = default ]; then echo build; else echo "build/$1"; fi; }

# build TARGET...: in the one build directory, build.
build() { build_preset default "$@"; }

# build_preset PRESET TARGET...
build_preset() {
  [ -z "${KLIP_IS_BUILT:-}" ] || return 0  # by the script that called this one
  configure "$1"
  NINJA_STATUS="[%f of %t] " cmake --build "$(build_directory "$1")" -j "$JOBS" --target "${@:2}"
}

# tuned [TARGET...]: builds the release in packages, which benchmarks compare with HBase, in build/tuned.
tuned() {
  need build package
  [ -d build/tuned/profile ] || say "building the tuned release, with a RocksDB of its own: the first time some 50 minutes of CPU time"
  packaging/tuned.sh "$JOBS" "$@" || fail "the tuned release could not be built"
}

# use_wasmtime: for the tests of WebAssembly modules. Without it, they are skipped.
use_wasmtime() {
  local venv=$PWD/build/wasmtime version=50.0.1
  if [ ! -d "$(echo "$venv"/lib/python*/site-packages/wasmtime-$version.dist-info)" ]; then
    [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv"
    retry "$venv/bin/pip" -q install wasmtime==$version || say "no wasmtime: the tests of WebAssembly modules are skipped"
  fi
  KLIP_WASM_RUNTIME=$(find "$venv" -name _libwasmtime.so | head -n 1)
  export KLIP_WASM_RUNTIME
}
