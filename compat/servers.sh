# Source this. A work directory, and klip serve and HBase for a comparison, which stop when the script ends.
servers_sh=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# empty_directory NAME: empties build/compat/NAME and makes it $work.
empty_directory() {
  work=$servers_sh/../build/compat/$1
  rm -rf "$work"
  mkdir -p "$work"
  work=$(cd "$work" && pwd)
}

servers=()
stop_servers() {
  kill "${servers[@]}" 2> /dev/null || true
  wait "${servers[@]}" 2> /dev/null || true
}
trap stop_servers EXIT

# start NAME COMMAND...: starts a server in $work. It stops at the end of its standard input, which this shell holds open.
start() {
  local name=$1 input
  shift
  rm -f "$work/$name.input" "$work/$name.ready"
  mkfifo "$work/$name.input"
  "$@" < "$work/$name.input" > "$work/$name.ready" 2> "$work/$name.log" &
  servers+=($!)
  exec {input}> "$work/$name.input"
}

# address_of NAME WORD: waits for `ready ... WORD=ADDRESS`; prints the address.
address_of() {
  local tries
  for ((tries = 0; tries < 320; ++tries)); do
    grep -q '^ready' "$work/$1.ready" && sed -n "s/^ready.* $2=\([^ ]*\).*/\1/p" "$work/$1.ready" && return 0
    sleep 1
  done
  cat "$work/$1.log" >&2
  echo "compat: $1 did not start" >&2
  return 1
}
zookeeper_of() { address_of "$1" zookeeper; }
# port_of NAME WORD: prints the port of that address.
port_of() {
  local address
  address=$(address_of "$@") && echo "${address##*:}"
}

# A free port, below the range for outgoing connections.
free_port() {
  local port
  while port=$((20000 + RANDOM % 12000)); (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do :; done
  echo "$port"
}
