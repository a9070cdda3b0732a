# To be sourced: HBase's jars, those of its tests and those of its MapReduce tools, as Maven Central has them.
. "$(dirname "${BASH_SOURCE[0]}")/../java.sh"

# fetch_jars DIRECTORY: hbase-server's in DIRECTORY/lib, those of jars.txt in DIRECTORY/tests.
fetch_jars() {
  local own=$1 here jar group artifact version kind classifier file from
  here=$(dirname "${BASH_SOURCE[0]}")
  mkdir -p "$own/tests"
  copy_jars "$here/pom.xml" "$own" || return 1
  if [ ! -e "$own/tests/.done" ]; then
    while read -r jar; do
      case $jar in '' | '#'*) continue ;; esac
      IFS=: read -r group artifact version kind classifier <<< "$jar"
      file=$artifact-$version${classifier:+-$classifier}.jar
      from=${TCK_M2:-$HOME/.m2/repository}/${group//./\/}/$artifact/$version/$file
      [ -e "$from" ] || retry mvn -q -B dependency:get -Dtransitive=false -Dartifact="$jar" >&2 || return 1
      cp "$from" "$own/tests/" || return 1
    done < "$here/jars.txt"
    touch "$own/tests/.done"
  fi
}
