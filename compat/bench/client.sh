#!/usr/bin/env bash
# Compares klip's client with HBase's Java client on one HBase 2.6.4, alternating: throughput, and CPU time and memory of
# the client.
#
#   client.sh KLIP LOAD [USERS]     the programs klip and klip_serve_load; default 300 users, 900 rows each
#
# In the environment: SECONDS_EACH=5 to measure a case; ROUNDS=2: the better one counts, after a warm-up round.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
load=$(realpath "$2")
users=${3:-300}
seconds=${SECONDS_EACH:-5}
work=$here/../../build/compat/client-bench
mkdir -p "$work"
work=$(cd "$work" && pwd)
. "$here/../java.sh"
hbase_program "$here/ClientBench.java" "$work/classes"
. "$here/../servers.sh"
start hbase "$here/../standalone.sh" "$work/hbase"
zookeeper=$(zookeeper_of hbase)
uri=hbase+zk://$zookeeper
hbase=$(pgrep -P "${servers[0]}" -f HMaster)

own() { "$load" "$uri" "$hbase" --seconds "$seconds" --users "$users" "$@"; }
java_client() {
  java -Xmx1g -Dklip.log="$work/client.log" "${java_flags[@]}" -cp "$work/classes:$lib/*" ClientBench "$zookeeper" "$users" "$seconds" "$@"
}
# Milliseconds from the start of a process to its end.
millis() {
  local start=${EPOCHREALTIME/./}
  "$@" > "$work/first.txt"
  echo "first $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
}
# Both clients run until the end and alternate between cases, since the speed of HBase drifts during the run.
declare -A input output
converse() {
  local name=$1 to from
  shift
  rm -f "$work/$name.in" "$work/$name.out" "$work/$name.txt"
  mkfifo "$work/$name.in" "$work/$name.out"
  "$@" - < "$work/$name.in" > "$work/$name.out" &
  servers+=($!)
  exec {to}> "$work/$name.in" {from}< "$work/$name.out"
  input[$name]=$to
  output[$name]=$from
}
ask() {
  local line
  echo "$2" >&"${input[$1]}"
  read -r line <&"${output[$1]}"
  echo "$line" >> "$work/$1.txt"
}
own fill
converse own own
converse java java_client
for ((round = 0; round <= ${ROUNDS:-2}; ++round)); do
  for name in get async-get multi-get scan day days batch; do
    ask own "$name"
    ask java "$name"
  done
  [ "$round" != 0 ] || rm "$work/own.txt" "$work/java.txt"  # to warm up
done
for ((round = 0; round < 3; ++round)); do
  millis "$klip" get "$uri" bench_year "user00000020140215$(printf 'domain1.com%.9s' '*********')" >> "$work/own.txt"
  millis java_client first >> "$work/java.txt"
done
ask own peak
ask java peak

# Each line: name, figure, and the client's CPU time.
awk '
  BEGIN {
    print "| what | klip a second | Java a second | times faster | client CPU of each, us | times less |"
    print "|---|---|---|---|---|---|"
  }
  $1 == "peak" || $1 == "first" {
    if (!((FILENAME, $1) in least) || $2 < least[FILENAME, $1]) least[FILENAME, $1] = $2
    next
  }
  { if (!((FILENAME, $1) in best) || best[FILENAME, $1] < $4) { best[FILENAME, $1] = $4; cpu[FILENAME, $1] = $(NF - 1) } }
  FILENAME == ARGV[1] && !seen[$1]++ { names[++count] = $1 }
  END {
    for (i = 1; i <= count; ++i) {
      name = names[i]
      a = best[ARGV[1], name]; b = best[ARGV[2], name]
      printf "| %s | %.1f | %.1f | %.2f | %.3f / %.3f | %.1f |\n", name, a, b, a / b, cpu[ARGV[1], name], cpu[ARGV[2], name],
        cpu[ARGV[2], name] / cpu[ARGV[1], name]
    }
    printf "\nPeak memory %.1f and %.1f MB: %.1f times less. From the start of a process to the end of a get %d and %d ms.\n",
      least[ARGV[1], "peak"], least[ARGV[2], "peak"], least[ARGV[2], "peak"] / least[ARGV[1], "peak"],
      least[ARGV[1], "first"], least[ARGV[2], "first"]
  }' "$work/own.txt" "$work/java.txt"
