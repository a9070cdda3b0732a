#!/usr/bin/env bash
# HBase's REST client for Java and the npm package hbase, unmodified, and requests by curl, on klip rest and on HBase's
# own REST server 2.6.1 before HBase 2.6.4: the output must be equal.
#
#   run.sh KLIP     the program to test
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
klip=$(realpath "$1")
work=$here/../../build/compat/rest
mkdir -p "$work/node"
work=$(cd "$work" && pwd)
. "$here/../fetch.sh"
cp "$here/main.js" "$here/package.json" "$work/node"
(cd "$work/node" && retry npm install --silent --no-audit --no-fund >&2)

"$here/../gateways/hbase-gateway.sh" prepare
jars=$(cd "$here/../../build/compat/gateways/lib" && pwd)
mkdir -p "$work/classes"
javac -nowarn -proc:none -d "$work/classes" -cp "$jars/*" "$here/RestClient.java" 2> "$work/javac.log" || { cat "$work/javac.log" >&2; exit 1; }
cp "$here/../java/log4j.properties" "$work/classes/"

. "$here/../servers.sh"
rm -rf "$work/klip-data"
start hbase "$here/../standalone.sh" "$work/hbase-data"
start klip "$klip" rest "$work/klip-data" --port 0 --no-fsync
zookeeper=$(zookeeper_of hbase)
start gateway "$here/../gateways/hbase-gateway.sh" rest "$zookeeper" "$work/hbase-rest"
hbase_port=$(port_of gateway port)
klip_port=$(port_of klip rest)

failed=0
for name in hbase klip; do
  port=${name}_port
  (cd "$work/node" && timeout 300 node main.js "${!port}") > "$work/node-$name" 2>&1 || echo "exit $?" >> "$work/node-$name"
  "$here/curl.sh" "${!port}" > "$work/curl-$name" 2>&1
  timeout 300 java -Xmx256m -XX:+UseSerialGC -Dklip.log="$work/java-$name.log" -cp "$work/classes:$jars/*" RestClient "127.0.0.1:${!port}" \
    > "$work/java-$name" 2> "$work/java-$name.err" || echo "exit $?" >> "$work/java-$name"
done
for program in node curl java; do
  if diff -u "$work/$program-hbase" "$work/$program-klip"; then
    echo "$program: $(wc -l < "$work/$program-klip") lines, equal"
  else
    echo "$program: differs" >&2
    failed=1
  fi
done

# Requests generated from the description in docs/, and invalid ones: no server error, and no status that it does not
# list.
[ -x "$work/python/bin/schemathesis" ] || python3 -m venv "$work/python"
retry "$work/python/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt"
curl -s -X PUT -H 'Content-Type: application/json' -d '{"ColumnSchema":[{"name":"f"}]}' "127.0.0.1:$klip_port/t/schema"
if (cd "$work" && timeout 300 python/bin/schemathesis --config-file "$here/schemathesis.toml" run "$here/../../docs/rest-openapi.yaml" \
  -u "http://127.0.0.1:$klip_port" --checks not_a_server_error,status_code_conformance --seed 7 -n 10 --phases coverage,fuzzing \
  --exclude-operation-id deleteTable --request-timeout 30 --warnings off) > "$work/schemathesis.log" 2>&1; then
  echo "schemathesis: $(grep -o '[0-9]* generated' "$work/schemathesis.log") requests, as described"
else
  tail -n 80 "$work/schemathesis.log" >&2
  failed=1
fi
exit $failed
