import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HColumnDescriptor;
import org.apache.hadoop.hbase.HTableDescriptor;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.client.coprocessor.AggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.filter.CompareFilter.CompareOp;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/**
 * Calls of a program for HBase 1, by HBase's Java client 1.7: tables, cells, scans, filters, conditions, batches,
 * snapshots.
 */
public final class Main {
  private static final byte[] F = b("f");
  private static final byte[] G = b("g");
  private static final byte[] Q = b("q");
  private static final TableName NAME = TableName.valueOf("compat_java1");

  private interface Step {
    Object run() throws Throwable;  // as AggregationClient does
  }

  private static byte[] b(String text) {
    return Bytes.toBytes(text);
  }

  /** Prints the outcome: the value, or the class of the error and of its cause. */
  private static void step(String what, Step step) {
    String out;
    try {
      out = String.valueOf(step.run());
    } catch (Throwable e) {
      out = e.getClass().getName();
      if (e instanceof RetriesExhaustedWithDetailsException) {
        out += " of " + ((RetriesExhaustedWithDetailsException) e).getCause(0).getClass().getName();
      }
    }
    System.out.println(what + ": " + out);
  }

  private static String text(Result result) {
    if (result.isEmpty()) {
      return "nothing";
    }
    StringBuilder text = new StringBuilder(Bytes.toString(result.getRow()));
    result.listCells().forEach(cell -> text.append(' ').append(Bytes.toStringBinary(cell.getFamilyArray(), cell.getFamilyOffset(),
        cell.getFamilyLength())).append(':').append(Bytes.toStringBinary(cell.getQualifierArray(), cell.getQualifierOffset(),
        cell.getQualifierLength())).append('=').append(Bytes.toStringBinary(cell.getValueArray(), cell.getValueOffset(),
        cell.getValueLength())));
    return text.toString();
  }

  private static List<String> rows(Table table, Scan scan) throws Exception {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        rows.add(Bytes.toString(result.getRow()));
      }
    }
    return rows;
  }

  private static Scan filtered(Filter filter) {
    Scan scan = new Scan();
    scan.setFilter(filter);
    return scan;
  }

  private static void tables(Admin admin) {
    step("exists", () -> admin.tableExists(NAME));
    step("create", () -> {
      HTableDescriptor table = new HTableDescriptor(NAME);
      table.addFamily(new HColumnDescriptor("f").setMaxVersions(3));
      table.addFamily(new HColumnDescriptor("g"));
      admin.createTable(table, new byte[][] {b("g"), b("p")});
      return admin.isTableEnabled(NAME) + " " + admin.isTableAvailable(NAME);
    });
    step("create again", () -> {
      admin.createTable(new HTableDescriptor(NAME).addFamily(new HColumnDescriptor("f")));
      return "created";
    });
    step("list", () -> Arrays.toString(admin.listTableNames(NAME.getNameAsString())));
    step("descriptor", () -> admin.getTableDescriptor(NAME));
    step("regions", () -> admin.getTableRegions(NAME).size());
    step("servers", () -> admin.getClusterStatus().getServersSize());
  }

  private static void cells(Table table) {
    step("put", () -> {
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < 300; ++i) {
        puts.add(new Put(b(String.format("%c%03d", 'a' + i % 26, i))).addColumn(F, Q, 1000, b("v" + i))
            .addColumn(G, b("n"), 1000, Bytes.toBytes((long) i)));
      }
      table.put(puts);
      return puts.size();
    });
    step("get", () -> text(table.get(new Get(b("a000")))));
    step("exists", () -> table.exists(new Get(b("a000"))) + " " + table.exists(new Get(b("none"))));
    step("gets", () -> Arrays.stream(table.get(Arrays.asList(new Get(b("a000")), new Get(b("none")), new Get(b("z025")))))
        .map(Result::size).toList());
    step("increment", () -> table.incrementColumnValue(b("count"), G, b("n"), 5) + table.incrementColumnValue(b("count"), G, b("n"), 5));
    step("append", () -> text(table.append(new Append(b("more")).add(F, Q, b("xy")))));
    step("checkAndPut", () -> table.checkAndPut(b("a000"), F, Q, b("v0"), new Put(b("a000")).addColumn(F, Q, b("w"))) + " "
        + table.checkAndPut(b("a000"), F, Q, CompareOp.GREATER, b("v0"), new Put(b("a000")).addColumn(F, Q, b("x"))));
    step("checkAndDelete", () -> table.checkAndDelete(b("b001"), F, Q, b("v1"), new Delete(b("b001"))) + " "
        + table.checkAndDelete(b("c002"), F, Q, null, new Delete(b("c002"))));
    for (String what : List.of("checkAndMutate", "checkAndMutate of what is gone")) {
      step(what, () -> {
        RowMutations mutations = new RowMutations(b("a000"));
        mutations.add(new Put(b("a000")).addColumn(F, b("r"), b("1")));
        mutations.add(new Delete(b("a000")).addColumns(F, Q));
        return table.checkAndMutate(b("a000"), F, Q, CompareOp.EQUAL, b("w"), mutations) + " " + text(table.get(new Get(b("a000"))));
      });
    }
    step("mutateRow", () -> {
      RowMutations mutations = new RowMutations(b("group"));
      mutations.add(new Put(b("group")).addColumn(F, b("r"), b("1")));
      mutations.add(new Put(b("group")).addColumn(G, b("r"), b("2")));
      table.mutateRow(mutations);
      return text(table.get(new Get(b("group"))));
    });
    step("batch", () -> {
      Object[] results = new Object[4];
      table.batch(Arrays.asList(new Put(b("batch")).addColumn(F, Q, b("1")), new Get(b("z025")), new Increment(b("count"))
          .addColumn(G, b("n"), 1), new Delete(b("d003"))), results);
      return text((Result) results[1]) + ", " + text((Result) results[2]);
    });
    step("delete", () -> {
      table.delete(new Delete(b("e004")));
      return table.exists(new Get(b("e004")));
    });
    step("no such family", () -> {
      table.put(new Put(b("r")).addColumn(b("none"), Q, b("1")));
      return "put";
    });
  }

  private static void scans(Table table) {
    step("scan", () -> rows(table, new Scan().setCaching(17)).size());
    step("batched", () -> rows(table, new Scan().setBatch(1)).size());
    step("reversed", () -> rows(table, new Scan(b("c100")).setReversed(true)).subList(0, 5));
    step("small", () -> rows(table, new Scan(b("b"), b("d")).setSmall(true)));
    step("limited to bytes", () -> rows(table, new Scan().setMaxResultSize(500)).size());
    step("prefix and value", () -> rows(table, filtered(new FilterList(new PrefixFilter(b("c")),
        new SingleColumnValueFilter(F, Q, CompareOp.EQUAL, new RegexStringComparator("v.*2$"))))));
    step("fuzzy", () -> rows(table, filtered(new FuzzyRowFilter(List.of(new Pair<>(b("?0?5"), new byte[] {1, 0, 1, 0}))))));
    step("ranges", () -> rows(table, filtered(new MultiRowRangeFilter(Arrays.asList(
        new MultiRowRangeFilter.RowRange("b", true, "b1", false), new MultiRowRangeFilter.RowRange("y", true, "y1", true))))));
    step("language", () -> rows(table, filtered(new ParseFilter().parseFilterString(
        "PrefixFilter('d') AND ValueFilter(=, 'substring:9')"))));
  }

  private static void administration(Configuration conf, Connection connection, Admin admin, Table table) {
    step("mutator", () -> {
      try (BufferedMutator mutator = connection.getBufferedMutator(NAME)) {
        for (int i = 0; i < 1000; ++i) {
          mutator.mutate(new Put(b("x" + i)).addColumn(F, Q, b("1")));
        }
      }
      return rows(table, new Scan(b("x"), b("y"))).size();
    });
    step("aggregation", () -> {
      try (AggregationClient client = new AggregationClient(conf)) {
        return client.rowCount(NAME, new LongColumnInterpreter(), new Scan().addFamily(G)) + " "
            + client.sum(NAME, new LongColumnInterpreter(), new Scan().addColumn(G, b("n")));
      }
    });
    step("flush", () -> {
      admin.flush(NAME);
      admin.majorCompact(NAME);
      return "done";
    });
    step("families", () -> {
      admin.addColumn(NAME, new HColumnDescriptor("h"));
      admin.modifyColumn(NAME, new HColumnDescriptor("h").setTimeToLive(100));
      int families = admin.getTableDescriptor(NAME).getFamilies().size();
      admin.deleteColumn(NAME, b("h"));
      return families + " " + admin.getTableDescriptor(NAME).getFamilies().size();
    });
    step("namespace", () -> {
      admin.createNamespace(NamespaceDescriptor.create("compat_java1_ns").build());
      while (true) {  // servers of HBase 2 answer this client before they are done
        try {
          String name = admin.getNamespaceDescriptor("compat_java1_ns").getName();
          admin.deleteNamespace(name);
          return name;
        } catch (NamespaceNotFoundException e) {
          Thread.sleep(50);
        }
      }
    });
    step("snapshot", () -> {
      admin.snapshot("compat_java1_snapshot", NAME);
      int snapshots = admin.listSnapshots("compat_java1_.*").size();
      admin.deleteSnapshot("compat_java1_snapshot");
      return snapshots + " " + admin.listSnapshots("compat_java1_.*").size();
    });
    step("a call that servers of HBase 2 have not got", () -> {
      admin.split(NAME, b("c"));
      return "split";
    });
    step("disable", () -> {
      admin.disableTable(NAME);
      return admin.isTableDisabled(NAME) + " " + admin.isTableEnabled(NAME);
    });
    step("get while disabled", () -> text(table.get(new Get(b("a000")))));
    step("truncate", () -> {
      admin.truncateTable(NAME, true);
      return admin.getTableRegions(NAME).size() + " " + rows(table, new Scan()).size();
    });
    step("drop while enabled", () -> {
      admin.deleteTable(NAME);
      return "dropped";
    });
    step("drop", () -> {
      admin.disableTable(NAME);
      admin.deleteTable(NAME);
      return admin.tableExists(NAME);
    });
    step("get from none", () -> text(connection.getTable(NAME).get(new Get(b("a")))));
    step("balancer", () -> admin.setBalancerRunning(false, true) + " " + admin.setBalancerRunning(true, true));
  }

  public static void main(String[] args) throws Exception {
    String[] zookeeper = args[0].split(":");
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", zookeeper[0]);
    conf.set("hbase.zookeeper.property.clientPort", zookeeper[1]);
    conf.setInt("hbase.client.retries.number", 3);
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin();
        Table table = connection.getTable(NAME)) {
      tables(admin);
      cells(table);
      scans(table);
      administration(conf, connection, admin, table);
    }
  }
}
