#!/usr/bin/env bash
# Tests klip's client on a real HBase that requires Kerberos, with its own KDC: keytab, ticket cache, and each level of
# protection. Changes nothing outside the work directory.
#
#   run.sh BUILD     the build's directory, with klip and the Python package
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1")
klip=$build/klip
. "$here/../servers.sh"
empty_directory kerberos
. "$here/../native/commands.sh"

PATH=$PATH:/usr/sbin
port=$(free_port)
export KRB5_CONFIG=$work/krb5.conf KRB5_KDC_PROFILE=$work/kdc.conf KRB5CCNAME=FILE:$work/tickets
cat > "$KRB5_CONFIG" << CONF
[libdefaults]
default_realm = KLIP.TEST
dns_lookup_kdc = false
dns_lookup_realm = false
udp_preference_limit = 1
[realms]
KLIP.TEST = { 
  kdc = 127.0.0.1:$port
}
CONF
cat > "$KRB5_KDC_PROFILE" << CONF
[realms]
KLIP.TEST = {
  kdc_listen = 127.0.0.1:$port
  kdc_tcp_listen = 127.0.0.1:$port
  database_name = $work/principals
  key_stash_file = $work/stash
  supported_enctypes = aes256-cts-hmac-sha1-96:normal
}
[logging]
kdc = FILE:$work/kdc.log
CONF
{
  kdb5_util create -s -P secret
  kadmin.local -q 'addprinc -randkey hbase/localhost'
  kadmin.local -q "ktadd -k $work/hbase.keytab hbase/localhost"
  kadmin.local -q 'addprinc -randkey loader'
  kadmin.local -q "ktadd -k $work/loader.keytab loader"
  kadmin.local -q 'addprinc -pw secret alice'
} > "$work/kadmin.log" 2>&1 || { cat "$work/kadmin.log" >&2; exit 1; }
krb5kdc -n > "$work/krb5kdc.log" 2>&1 &
servers+=($!)

start klip "$klip" serve --data "$work/klip" --rpc-port 0 --zk-port 0 --no-fsync
principal=hbase/localhost@KLIP.TEST
LOGGERS=org.apache.hadoop.hbase.ipc.RpcServer=DEBUG JAVA_TOOL_OPTIONS=-Djava.security.krb5.conf=$KRB5_CONFIG \
  start hbase "$here/../standalone.sh" "$work/data" hadoop.security.authentication=kerberos \
  hbase.security.authentication=kerberos hbase.rpc.protection=authentication,integrity,privacy \
  hbase.rpc.crypto.encryption.aes.enabled=true \
  "hbase.master.kerberos.principal=$principal" "hbase.regionserver.kerberos.principal=$principal" \
  "hbase.master.keytab.file=$work/hbase.keytab" "hbase.regionserver.keytab.file=$work/hbase.keytab"
uri=hbase+zk://$(zookeeper_of hbase)

# refused URI TEXT: opening the cluster must fail with TEXT.
refused() {
  local said
  said=$(timeout 60 "$klip" list "$1" 2>&1) && expect "$said" "an error with $2" "$1"
  grep -q "$2" <<< "$said" || expect "$said" "an error with $2" "$1"
}
# The protections that the server negotiated with a user since the last call.
logged=0
protections() {
  local log=$work/data/hbase.log
  tail -c +$((logged + 1)) "$log" | sed -n "s/.*Authenticated client: $1@.*Negotiated QoP is //p" | sort -u | xargs
}

check_commands "$klip" "$uri?auth=kerberos&keytab=$work/loader.keytab&principal=loader"
expect "$(protections loader)" auth-conf 'the most that the server offers'
check_python "$build" "$uri?auth=kerberos&keytab=$work/loader.keytab&principal=loader"
echo secret | kinit alice > /dev/null
for protection in authentication=auth integrity=auth-int privacy=auth-conf; do
  logged=$(stat -c %s "$work/data/hbase.log")
  check_commands "$klip" "$uri?auth=kerberos&server-principal=hbase/_HOST@KLIP.TEST&protection=${protection%=*}"
  expect "$(protections alice)" "${protection#*=}" "protection=${protection%=*}"
  echo "kerberos: protection=${protection%=*} is what the server does"
done

refused "$uri" 'Authentication is required'
refused "$uri?auth=kerberos&server-principal=hbase/elsewhere" 'not found in Kerberos database'
without=hbase+zk://$(zookeeper_of klip)?auth=kerberos
refused "$without" 'the server does not request it'
"$klip" list "$without&fallback=true"
kdestroy
refused "$uri?auth=kerberos" 'No Kerberos credentials'
refused "$uri?auth=kerberos&keytab=$work/none" 'none'
echo "kerberos: what cannot work is refused"
