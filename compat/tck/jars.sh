# Source this. HBase's jars, those of its tests and those of its MapReduce tools, from Maven Central.
. "$(dirname "${BASH_SOURCE[0]}")/../java.sh"

# pom_of FILE: prints a POM with the jars that FILE names, without their dependencies.
pom_of() {
  local group artifact version kind classifier
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo '<groupId>tck</groupId><artifactId>hbase-tck-tests</artifactId><version>1</version><packaging>pom</packaging><dependencies>'
  sed '/^#/d;/^$/d' "$1" | while IFS=: read -r group artifact version kind classifier; do
    echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
    echo "${classifier:+<classifier>$classifier</classifier>}"
    echo '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>'
  done
  echo '</dependencies></project>'
}

# fetch_jars DIRECTORY: hbase-server's in DIRECTORY/lib, those of jars.txt in DIRECTORY/tests.
fetch_jars() {
  local own=$1 here wanted
  here=$(dirname "${BASH_SOURCE[0]}")
  copy_jars "$here/pom.xml" "$own" || return 1
  wanted=$(cksum < "$here/jars.txt")
  [ "$(cat "$own/tests/.sum" 2> /dev/null)" = "$wanted" ] && return 0
  rm -rf "$own/tests"
  mkdir -p "$own/tests"
  pom_of "$here/jars.txt" > "$own/tests.xml"
  retry maven -f "$own/tests.xml" dependency:copy-dependencies -DoutputDirectory="$own/tests" || return 1
  echo "$wanted" > "$own/tests/.sum"
}
