# Source this. Jars from Maven Central, programs compiled against them, and the options that HBase needs on a current
# Java.
java_sh=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$java_sh/fetch.sh"

java_flags=(-Djava.security.manager=allow -Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true
  --add-exports java.base/jdk.internal.misc=ALL-UNNAMED --add-exports java.security.jgss/sun.security.krb5=ALL-UNNAMED)
for package in java.lang java.nio java.util java.lang.reflect java.io java.net java.util.concurrent sun.nio.ch jdk.internal.ref; do
  java_flags+=(--add-opens "java.base/$package=ALL-UNNAMED")
done

# maven OPTION...: runs one at a time, since all share one local repository.
maven() { flock "$java_sh/java.sh" mvn -q -B "$@" >&2; }

# copy_jars POM DIRECTORY [MAVEN OPTION...]: copies the dependencies of POM into DIRECTORY/lib, unless they are newer than
# POM.
copy_jars() {
  local pom=$1 directory=$2 wanted
  shift 2
  wanted=$(echo "$@" | cat "$pom" - | cksum)
  [ "$(cat "$directory/lib/.sum" 2> /dev/null)" = "$wanted" ] && return 0
  rm -rf "$directory/lib"
  mkdir -p "$directory/lib"
  retry maven -f "$pom" "$@" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$directory/lib" || return 1
  echo "$wanted" > "$directory/lib/.sum"
}

# compile_java LIB DIRECTORY FILE...: puts classes and the logger's settings into DIRECTORY.
compile_java() {
  local lib=$1 to=$2
  shift 2
  mkdir -p "$to"
  javac -nowarn -proc:none -cp "$lib/*" -d "$to" "$@" >&2 || return 1
  cp "$java_sh/java/log4j.properties" "$to"
}

# hbase_program FILE DIRECTORY: a program of HBase's client, compiled as above; sets $lib, the client's jars.
hbase_program() {
  "$java_sh/hbase.sh" prepare || return 1
  lib=$(cd "$java_sh/../build/compat/lib" && pwd)
  compile_java "$lib" "$2" "$1"
}
