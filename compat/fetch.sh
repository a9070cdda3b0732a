# Source this. Registries fail now and then.

# retry COMMAND...: up to five tries.
retry() {
  local wait
  for wait in 5 15 30 60 0; do
    "$@" && return 0
    [ "$wait" = 0 ] && break
    echo "compat: failed, trying again in $wait s: $*" >&2
    sleep "$wait"
  done
  echo "compat: failed: $*" >&2
  return 1
}
