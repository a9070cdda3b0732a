#!/usr/bin/env bash
# Requests with curl, in XML too, printed so that two servers can be compared: curl.sh PORT
set -uo pipefail
url=http://127.0.0.1:$1
now() { sed -E "s/17[0-9]{11}|1[89][0-9]{11}/NOW/g; s/127\.0\.0\.1:[0-9]+/SERVER/g"; }
# ask OPTION... PATH: prints the end of the request, the status, the content type and the body's first line. Of errors, it
# prints only the start of that line; of errors of the HTTP library, only the status.
ask() {
  local path=${*: -1} out status body
  out=$(curl -s -m 60 -w '\n%{http_code} %{content_type}' "${@:1:$#-1}" "$url$path")
  status=${out##*$'\n'}
  body=$(head -n 1 <<< "${out%$'\n'*}" | tr -d '\r' | now)
  case $status in
    405* | 406*) status=${status%% *} body= ;;
    4*) body=${body:0:100} ;;
  esac
  echo "$path: $status | $body"
}
b64() { printf %s "$1" | base64 -w0; }
json=(-H 'Content-Type: application/json' -H 'Accept: application/json')
xml=(-H 'Content-Type: text/xml' -H 'Accept: text/xml')
raw=(-H 'Content-Type: application/octet-stream' -H 'Accept: application/octet-stream')
row() { echo "<CellSet><Row key=\"$(b64 "$1")\"><Cell column=\"$(b64 "$2")\" timestamp=\"$4\">$(b64 "$3")</Cell>${5:-}</Row></CellSet>"; }

ask "${xml[@]}" -X PUT -d '<TableSchema name="curl"><ColumnSchema name="f" VERSIONS="3"/></TableSchema>' /curl/schema
ask "${xml[@]}" /
ask "${xml[@]}" /namespaces
ask /curl/exists
ask /none/exists
ask "${xml[@]}" -X PUT -d "$(row r1 f:a v1 100)" /curl/r1
ask "${xml[@]}" -X PUT -d "$(row r2 f:b v2 100)" /curl/fake
ask "${xml[@]}" /curl/r1
bytes=$(mktemp)
for path in /curl/r1 '/curl/r*' /curl/multiget?row=r2; do # as protobuf, there and back
  curl -s -H 'Accept: application/x-protobuf' "$url$path" -o "$bytes"
  od -An -tx1 "$bytes" | tr -d ' \n'
  echo
done
ask -X DELETE /curl/r2
ask -H 'Content-Type: application/protobuf' -X PUT --data-binary "@$bytes" /curl/any
rm "$bytes"
ask "${json[@]}" /curl/r2
ask "${json[@]}" /curl/r1/f:a/100
ask "${json[@]}" /curl/r1/f:a/101
ask "${json[@]}" /curl/r1/f:a/100,101
ask "${json[@]}" '/curl/r1,r9'
ask "${json[@]}" '/curl/r*'
ask "${xml[@]}" '/curl/*?limit=1'
ask "${json[@]}" '/curl/*?startrow=r2&column=f:b'
ask "${json[@]}" "/curl/*?filter=ValueFilter(=,'binary:v2')"
ask "${json[@]}" '/curl/zz*'
ask "${json[@]}" '/curl/multiget?row=r2&row=none&row=r1'
ask "${json[@]}" '/curl/multiget?row=none'
ask "${raw[@]}" -X PUT --data-binary value /curl/r3/f:raw
ask "${raw[@]}" /curl/r3/f:raw
ask "${raw[@]}" /curl/r3
ask -H 'Accept: foo/bar' /curl/r1
ask "${json[@]}" "/curl/$(b64 r1)?e=b64"
ask "${json[@]}" -X PUT -d "{\"Row\":[{\"key\":\"$(b64 r1)\",\"Cell\":[{\"column\":\"$(b64 f:a)\",\"\$\":\"$(b64 new)\"},{\"column\":\"$(b64 f:a)\",\"\$\":\"$(b64 wrong)\"}]}]}" '/curl/r1/f:a?check=put'
ask "${json[@]}" -X PUT -d "{\"Row\":[{\"key\":\"$(b64 r1)\",\"Cell\":[{\"column\":\"$(b64 f:a)\",\"\$\":\"$(b64 new)\"},{\"column\":\"$(b64 f:a)\",\"\$\":\"$(b64 v1)\"}]}]}" '/curl/r1/f:a?check=put'
ask "${raw[@]}" /curl/r1/f:a
ask "${json[@]}" -X PUT -d "{\"Row\":[{\"key\":\"$(b64 r1)\",\"Cell\":[{\"column\":\"$(b64 f:a)\",\"\$\":\"$(b64 wrong)\"}]}]}" '/curl/r1/f:a?check=delete'
ask "${json[@]}" -X PUT -d "{\"Row\":[{\"key\":\"$(b64 r1)\",\"Cell\":[{\"column\":\"$(b64 f:a)\",\"\$\":\"$(b64 new)\"}]}]}" '/curl/r1/f:a?check=delete'
ask "${json[@]}" -X PUT -d '{}' '/curl/r1?check=nonsense'
cell() { echo "{\"Row\":[{\"key\":\"$(b64 r5)\",\"Cell\":[{\"column\":\"$(b64 "$1")\",\"\$\":\"$(b64 "$2")\"}]}]}"; }
ask "${json[@]}" -X PUT -d "$(cell f:s ab)" '/curl/r5?check=append'
ask "${json[@]}" -X PUT -d "$(cell f:s cd)" '/curl/r5?check=append&rr=true'
ask "${json[@]}" -X PUT -d "$(cell f:n 5)" '/curl/r5?check=increment'
ask "${json[@]}" -X PUT -d "$(cell f:n -7)" '/curl/r5?check=increment'
ask "${json[@]}" /curl/r5
ask -X DELETE /curl/r2/f:b/99
ask "${raw[@]}" /curl/r2/f:b
ask -X DELETE /curl/r2
ask "${json[@]}" /curl/r2
ask "${json[@]}" -X POST -d '{"properties":{"k":"v"}}' /namespaces/curlspace
ask "${json[@]}" -X POST -d '{}' /namespaces/curlspace
ask "${json[@]}" /namespaces/curlspace
ask "${xml[@]}" /namespaces/curlspace
ask "${json[@]}" /namespaces/curlspace/tables
ask -X DELETE /namespaces/curlspace
ask -X DELETE /namespaces/curlspace
ask /curl/scanner/nothing
ask -X PATCH -d x /curl/r1
ask -X DELETE /curl/schema
ask -X DELETE /curl/schema
