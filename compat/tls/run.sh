#!/usr/bin/env bash
# Tests TLS with certificates for both sides: HBase's Java client (TlsCheck.java) and klip's on klip serve, klip's on
# HBase; klip's also from Python.
#
#   run.sh BUILD     the build's directory, with klip and the Python package
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
klip=$build/klip
. "$here/../servers.sh"
empty_directory tls
. "$here/../java.sh"
hbase_program "$here/TlsCheck.java" "$work/classes"

# certificate NAME SERIAL: $work/NAME.crt, NAME.key and, with both, NAME.pem
certificate() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.csr"
  openssl x509 -req -days 2 -set_serial "$2" -CA "$work/ca.pem" -CAkey "$work/ca.key" -in "$work/$1.csr" -out "$work/$1.crt" \
    -extfile <(echo "subjectAltName=DNS:localhost,IP:127.0.0.1")
  cat "$work/$1.key" "$work/$1.crt" > "$work/$1.pem"
}
# The serial of the certificate that the server shows.
serial() { openssl s_client -connect "$rpc" < /dev/null 2> /dev/null | openssl x509 -noout -serial; }

{
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca -keyout "$work/ca.key" -out "$work/ca.pem"
  certificate server 0x1001
  certificate client 0x1002
  certificate renewed 0x1003
} 2> "$work/openssl.log" || { cat "$work/openssl.log" >&2; exit 1; }

start klip "$klip" serve --data "$work/data" --rpc-port 0 --zk-port 0 --no-fsync \
  --tls-cert "$work/server.crt" --tls-key "$work/server.key" --tls-client-ca "$work/ca.pem"
zookeeper=$(zookeeper_of klip)
rpc=$(address_of klip rpc)
run_client() {
  timeout 100 java -Xmx512m -Dklip.log="$work/client.log" "${java_flags[@]}" \
    -cp "$work/classes:$lib/*" TlsCheck "$zookeeper" "$rpc" "$work"
}
run_client
. "$here/../native/commands.sh"
tls="tls-ca=$work/ca.pem&tls-cert=$work/client.crt&tls-key=$work/client.key"
check_commands "$klip" "hbase+rpc://$rpc?$tls"
check_python "$build" "hbase+rpc://$rpc?$tls"

[ "$(serial)" = serial=1001 ] || { echo "tls: the server shows $(serial)" >&2; exit 1; }
mv "$work/renewed.key" "$work/server.key"
mv "$work/renewed.crt" "$work/server.crt"
for ((tries = 0; tries < 100; ++tries)); do
  [ "$(serial)" = serial=1003 ] && break
  sleep 0.1
done
[ "$(serial)" = serial=1003 ] || { echo "tls: a new certificate is not taken" >&2; exit 1; }
echo "tls: a new certificate is taken while the server runs"

start hbase "$here/../standalone.sh" "$work/hbase" hbase.server.netty.tls.enabled=true hbase.client.netty.tls.enabled=true \
  hbase.server.netty.tls.supportplaintext=false hbase.server.netty.tls.client.auth.mode=NEED \
  "hbase.rpc.tls.keystore.location=$work/client.pem" "hbase.rpc.tls.truststore.location=$work/ca.pem"
uri=hbase+zk://$(zookeeper_of hbase)
check_commands "$klip" "$uri?$tls"
check_python "$build" "$uri?$tls"
if said=$(timeout 60 "$klip" get "$uri?tls-ca=$work/ca.pem" t r 2>&1); then
  expect "$said" 'an error' 'a client without a certificate'
fi
echo "tls: klip's client without a certificate: $said"
