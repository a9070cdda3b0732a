import java.util.List;
import java.util.stream.Collectors;
import org.apache.tinkerpop.gremlin.process.traversal.P;
import org.apache.tinkerpop.gremlin.process.traversal.Order;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.GraphTraversalSource;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.__;
import org.apache.tinkerpop.gremlin.structure.Vertex;
import org.janusgraph.core.JanusGraph;
import org.janusgraph.core.JanusGraphFactory;
import org.janusgraph.core.JanusGraphTransaction;
import org.janusgraph.core.schema.JanusGraphManagement;
import org.janusgraph.example.GraphOfTheGodsFactory;

/** The graph of the gods: prints what traversals find before and after changes. Arguments: ZooKeeper's host and port. */
public final class Main {
  private static JanusGraph open(String[] arguments) {
    return JanusGraphFactory.build().set("storage.backend", "hbase").set("storage.hostname", arguments[0])
        .set("storage.port", Integer.parseInt(arguments[1])).set("storage.hbase.table", "janus").set("storage.hbase.region-count", 3)
        .set("ids.block-size", 1000).open();
  }

  private static void print(String what, List<?> found) {
    System.out.println(what + ": " + found.stream().map(String::valueOf).sorted().collect(Collectors.joining(", ")));
  }

  public static void main(String[] arguments) {
    try {
      run(arguments);
      System.exit(0);
    } catch (Throwable e) {  // other threads would keep the program alive
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(String[] arguments) throws Exception {
    JanusGraph graph = open(arguments);
    GraphOfTheGodsFactory.loadWithoutMixedIndex(graph, true);
    traversals(graph.traversal());
    changes(graph);
    graph.close();
    graph = open(arguments);  // what is read now, was stored
    print("after opening again", graph.traversal().V().has("name", "hercules").out("battled").values("name").toList());
    print("numbers", graph.traversal().V().has("n", P.between(10, 14)).values("n").toList());
    System.out.println("vertices " + graph.traversal().V().count().next() + ", edges " + graph.traversal().E().count().next());
    JanusGraphFactory.drop(graph);
    System.out.println("dropped");
  }

  private static void traversals(GraphTraversalSource g) {
    print("names", g.V().values("name").toList());
    print("grandchildren of saturn", g.V().has("name", "saturn").in("father").in("father").values("name").toList());
    print("parents of hercules", g.V().has("name", "hercules").out("father", "mother").values("name").toList());
    print("battles after the first", g.V().has("name", "hercules").outE("battled").has("time", P.gt(1)).inV().values("name").toList());
    print("brothers live in", g.V().has("name", "pluto").out("brother").as("god").out("lives").as("place").select("god", "place").by("name").toList());
    print("who lives with cerberus", g.V().has("name", "cerberus").out("lives").in("lives").values("name").dedup().toList());
    print("ages", g.V().has("age", P.gt(4000)).order().by("age", Order.desc).values("name").toList());
    print("two steps around jupiter", g.V().has("name", "jupiter").repeat(__.both()).times(2).dedup().values("name").toList());
    print("labels", List.of(g.V().groupCount().by(org.apache.tinkerpop.gremlin.structure.T.label).next().entrySet().stream().map(Object::toString).sorted().toList()));
  }

  private static void changes(JanusGraph graph) {
    JanusGraphManagement management = graph.openManagement();
    management.buildIndex("byN", Vertex.class).addKey(management.makePropertyKey("n").dataType(Integer.class).make()).buildCompositeIndex();
    management.commit();
    GraphTraversalSource g = graph.traversal();
    for (int i = 0; i < 500; ++i) {
      g.addV("number").property("n", i).iterate();
    }
    g.tx().commit();
    g.V().has("n", 7).as("a").V().has("n", 8).addE("next").from("a").iterate();
    g.V().has("n", 9).drop().iterate();
    g.tx().rollback();
    g.V().has("n", P.within(10, 11)).drop().iterate();
    g.tx().commit();
    JanusGraphTransaction first = graph.newTransaction();
    JanusGraphTransaction second = graph.newTransaction();
    first.traversal().V().has("n", 20).property("n", 2000).iterate();
    second.traversal().V().has("n", 21).property("n", 2100).iterate();
    second.commit();
    first.commit();
    print("changed", graph.traversal().V().has("n", P.within(7, 9, 10, 20, 2000, 2100)).values("n").toList());
    print("no edge", graph.traversal().V().has("n", 7).out("next").values("n").toList());
  }
}
