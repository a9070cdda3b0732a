# Source this. klip's commands on a cluster, and the Python package.

expect() {
  [ "$1" = "$2" ] && return 0
  printf 'compat: %s\n  expected %s\n  got      %s\n' "$3" "$2" "$1" >&2
  exit 1
}

# check_commands KLIP URI: a plan that HBase runs: 12,000 rows in four regions, of which the query needs two. Needs $work,
# a directory.
check_commands() {
  local klip=$1 uri=$2 user day
  klip() { "$klip" "$1" "$uri" "${@:2}"; }
  klip create visits -f d --row-key 'user:digits(4) day:date' --splits 1000,2000,3000 > /dev/null
  for user in {0..3999..4}; do
    for day in 20140627 20140628 20140629; do printf '%04d%s\t%s\n' "$user" "$day" "$user"; done
  done > "$work/rows.tsv"
  klip load visits "$work/rows.tsv" --format tsv --columns HBASE_ROW_KEY,d:n > "$work/load.txt"
  expect "$(klip scan visits --where 'day=20140628' --json | wc -l)" 1000 'rows of one day'
  expect "$(klip scan visits --where 'user=0100,3900 day=20140628' --json | wc -l)" 2 'rows of two users'
  klip explain visits --where 'day=20140628' > "$work/explain.txt"
  grep -q '^skip scan' "$work/explain.txt" || expect "$(cat "$work/explain.txt")" 'skip scan' 'the plan by samples'
  klip stats visits --json > "$work/stats.json"
  grep -q '^{"rows":3000,.*"name":"user","distinct_prefixes":1000' "$work/stats.json" ||
    expect "$(cat "$work/stats.json")" '3,000 rows of 1,000 users' 'the statistics by samples'
  # HBase's servers report their regions every 3 s.
  for _ in {1..20}; do
    klip status --json | grep -o '"name":"visits,' > "$work/regions.txt" && [ "$(wc -l < "$work/regions.txt")" = 4 ] && break
    sleep 0.5
  done
  expect "$(wc -l < "$work/regions.txt")" 4 'regions of the table'
  grep -q FuzzyRowFilter "$work/explain.txt" || expect "$(cat "$work/explain.txt")" FuzzyRowFilter 'the plan that is sent'
  klip drop visits > /dev/null
  echo "klip's commands on ${uri%%\?*}: as expected"
}

# check_python BUILD URI: the Python package's tests of clusters. Needs servers.sh.
check_python() {
  KLIP_CLUSTERS=$2 PYTHONPATH=$1/python /usr/bin/python3 -B -m unittest discover -s "$servers_sh/../python/tests" -p test_cluster.py
}
