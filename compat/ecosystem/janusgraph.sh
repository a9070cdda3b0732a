# JanusGraph on HBase: the graph of the gods, traversals, changes and conflicts, in a table that JanusGraph creates.
fetch() {
  copy_jars "$here/janusgraph/pom.xml" "$eco/janusgraph"
  mkdir -p "$eco/janusgraph/classes"
  javac -nowarn -cp "$eco/janusgraph/lib/*" -d "$eco/janusgraph/classes" "$here/janusgraph/Main.java"
}
run() { java_of "$eco/janusgraph/classes:$eco/janusgraph/lib/*" Main "$2" "$3"; }
