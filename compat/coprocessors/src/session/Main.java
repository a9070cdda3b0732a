package session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.coprocessor.AggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.coprocessor.example.generated.BulkDeleteProtos;
import org.apache.hadoop.hbase.coprocessor.example.generated.ExampleProtos;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils.BlockingRpcCallback;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The effects of coprocessors as HBase's own client sees them, printed line by line. The output must be equal on klip and
 * on HBase.
 *
 * <pre>Main HOST:PORT JAR    of the ZooKeeper; the jar of Observers</pre>
 */
public final class Main {
  private static final byte[] F = Observers.FAMILY;
  private static final String EXAMPLE = "org.apache.hadoop.hbase.coprocessor.example.";
  private static Connection connection;
  private static Admin admin;
  private static String jar;

  private Main() {
  }

  interface Work {
    Object run() throws Throwable;
  }

  private static void attempt(String what, Work work) {
    String result;
    try {
      Object answer = work.run();
      result = answer == null ? "ok" : answer.toString();
    } catch (RetriesExhaustedWithDetailsException e) {
      List<String> causes = new ArrayList<>();
      for (int i = 0; i < e.getNumExceptions(); i++) {
        causes.add(Bytes.toString(e.getRow(i).getRow()) + " " + text(e.getCause(i)));
      }
      causes.sort(null);
      result = causes.toString();
    } catch (Throwable e) {
      result = text(e);
    }
    System.out.println(what + ": " + result);
  }

  /** The class and the first line, which names no address. */
  private static String text(Throwable e) {
    while (e.getCause() != null && (e instanceof ExecutionException || e.getClass().getName().contains("Retries"))) {
      e = e.getCause();
    }
    String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return e.getClass().getSimpleName() + ": " + line.replace(jar, "JAR").replaceAll("(on|to|at|from) \\S+:\\d+\\S*", "$1 SERVER")
      .replaceAll("(Environment|connection)[@-]\\w+", "$1").replaceAll("(does not exist in region) .*", "$1");
  }

  private static byte[] b(String text) {
    return Bytes.toBytes(text);
  }

  private static Put put(String row, String... columns) {
    Put put = new Put(b(row));
    for (int i = 0; i < columns.length; i += 2) {
      put.addColumn(F, b(columns[i]), b(columns[i + 1]));
    }
    return put;
  }

  private static String text(Result row) {
    if (row.getExists() != null) {
      return row.getExists().toString();
    }
    StringBuilder out = new StringBuilder(row.isEmpty() ? "(none)" : Bytes.toString(row.getRow()));
    for (Cell cell : row.isEmpty() ? new Cell[0] : row.rawCells()) {
      out.append(' ').append(Bytes.toString(CellUtil.cloneQualifier(cell))).append('=')
        .append(Bytes.toStringBinary(CellUtil.cloneValue(cell)));
    }
    return out.toString();
  }

  private static String scan(Table table, Scan scan) throws IOException {
    StringBuilder out = new StringBuilder();
    try (ResultScanner rows = table.getScanner(scan)) {
      for (Result row : rows) {
        out.append("\n  ").append(text(row));
      }
    }
    return out.length() == 0 ? "(no rows)" : out.toString();
  }

  private static TableDescriptorBuilder table(String name) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("cop_" + name))
      .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build());
  }

  private static CoprocessorDescriptorBuilder own(String name) {
    return CoprocessorDescriptorBuilder.newBuilder("session.Observers$" + name).setJarPath(jar);
  }

  private static Object createOnly(String name, CoprocessorDescriptorBuilder coprocessor) throws IOException {
    create(name, coprocessor);
    return null;
  }

  private static Table create(String name, CoprocessorDescriptorBuilder... coprocessors) throws IOException {
    TableDescriptorBuilder builder = table(name);
    for (CoprocessorDescriptorBuilder coprocessor : coprocessors) {
      builder.setCoprocessor(coprocessor.build());
    }
    admin.createTable(builder.build());
    return connection.getTable(TableName.valueOf("cop_" + name));
  }

  private static void indexes() throws IOException {
    Table index = create("index");
    Table people = create("people", own("Indexer").setPriority(1001).setProperty("index", "cop_index"));
    attempt("put of an indexed row", () -> {
      people.put(put("ann", "city", "Rome"));
      people.put(List.of(put("bob", "city", "Oslo"), put("cat", "city", "Rome"), put("dan", "age", "3")));
      return scan(index, new Scan());
    });
    attempt("checkAndMutate of an indexed row", () -> {
      CheckAndMutate check =
        CheckAndMutate.newBuilder(b("eve")).ifNotExists(F, b("city")).build(put("eve", "city", "Bonn"));
      return people.checkAndMutate(check).isSuccess() + scan(index, new Scan());
    });
    attempt("index table is gone", () -> {
      admin.disableTable(index.getName());
      admin.deleteTable(index.getName());
      people.put(put("dan", "age", "4"));
      return scan(people, new Scan());
    });
  }

  private static void edits() throws IOException {
    Table table = create("edits", own("Editor"));
    attempt("put", () -> {
      table.put(put("a", "q", "1"));
      return text(table.get(new Get(b("a"))));
    });
    attempt("put left out", () -> {
      table.put(put("skip", "q", "1"));
      return text(table.get(new Get(b("skip"))));
    });
    attempt("put refused", () -> {
      table.put(put("refuse", "q", "1"));
      return null;
    });
    attempt("batch", () -> {
      table.put(List.of(put("b1", "q", "1"), put("skip2", "q", "1"), put("b2", "q", "1")));
      return scan(table, new Scan());
    });
    attempt("batch with a refused put", () -> {
      table.put(List.of(put("c1", "q", "1"), put("refuse2", "q", "1"), put("c2", "q", "1")));
      return null;
    });
    attempt("after it", () -> scan(table, new Scan().withStartRow(b("c"))));
    attempt("batch of kinds", () -> {
      Object[] results = new Object[4];
      table.batch(List.<Row>of(put("d", "q", "1"), new Delete(b("a")), new Get(b("b1")),
        new Increment(b("n")).addColumn(F, b("n"), 2)), results);
      return text((Result) results[2]) + " " + text((Result) results[3]);
    });
    attempt("delete left out", () -> {
      table.put(put("keep", "q", "1"));
      table.delete(new Delete(b("skip")));
      return table.exists(new Get(b("a")));
    });
    attempt("delete refused", () -> {
      table.delete(new Delete(b("refuse")));
      return null;
    });
    attempt("increment", () -> text(table.increment(new Increment(b("n")).addColumn(F, b("n"), 5))));
    attempt("increment answered", () -> text(table.increment(new Increment(b("answer")).addColumn(F, b("n"), 5))));
    attempt("increment left out", () -> text(table.increment(new Increment(b("skip")).addColumn(F, b("n"), 5))));
    attempt("increment refused", () -> text(table.increment(new Increment(b("refuse")).addColumn(F, b("n"), 5))));
    attempt("append", () -> text(table.append(new Append(b("x")).addColumn(F, b("q"), b("v")))));
    attempt("append again", () -> text(table.append(new Append(b("x")).addColumn(F, b("q"), b("w")))));
    attempt("put with a twin", () -> {
      table.put(put("twin", "q", "1"));
      return scan(table, new Scan().withStartRow(b("s")).withStopRow(b("u")));
    });
    attempt("batch with twins", () -> {
      table.put(List.of(put("twin1", "q", "1"), put("skip9", "q", "1"), put("twin2", "q", "1")));
      return scan(table, new Scan().withStartRow(b("s")).withStopRow(b("u")));
    });
    attempt("row mutations", () -> {
      RowMutations both = new RowMutations(b("rm"));
      both.add(put("rm", "q", "1"));
      both.add(new Delete(b("rm")).addColumns(F, b("old")));
      table.mutateRow(both);
      return text(table.get(new Get(b("rm"))));
    });
    attempt("row mutations refused", () -> {
      RowMutations both = new RowMutations(b("refuse3"));
      both.add(put("refuse3", "q", "1"));
      both.add(new Delete(b("refuse3")).addColumns(F, b("old")));
      table.mutateRow(both);
      return null;
    });
    attempt("all", () -> scan(table, new Scan().readAllVersions()));
  }

  private static void newCells() throws IOException {
    Table table = create("new_cells", own("NewCells"));
    for (String row : List.of("plain", "copy", "none", "family", "refuse")) {
      for (int i = 1; i <= 2; i++) {
        attempt("increment of " + row, () -> text(table.increment(new Increment(b(row)).addColumn(F, b("n"), 5)
          .addColumn(F, b("m"), 1))));
        attempt("append to " + row, () -> text(table.append(new Append(b(row)).addColumn(F, b("a"), b("x")))));
      }
    }
    attempt("both in one change", () -> {
      RowMutations both = new RowMutations(b("copy"));
      both.add(new Increment(b("copy")).addColumn(F, b("n"), 7));
      both.add(put("copy", "q", "1"));
      return text(table.mutateRow(both));
    });
    attempt("with a condition", () -> table.checkAndMutate(CheckAndMutate.newBuilder(b("copy2")).ifNotExists(F, b("n"))
      .build(new Increment(b("copy2")).addColumn(F, b("n"), 1))).isSuccess());
    attempt("all", () -> scan(table, new Scan()));
  }

  private static void logged() throws IOException {
    Table table = create("logged", own("Logged"));
    Table plain = create("logged_plain");
    Work notes = () -> text(table.get(new Get(b("log"))));
    attempt("the log of a put", () -> {
      table.put(put("a", "q", "1", "r", "2"));
      return notes.run();
    });
    attempt("the log of a batch", () -> {
      table.put(List.of(put("b", "q", "1"), put("c", "q", "2")));
      plain.put(put("d", "q", "1"));
      return notes.run();
    });
    attempt("the log of others", () -> {
      table.delete(new Delete(b("a")).addColumns(F, b("q")));
      table.increment(new Increment(b("n")).addColumn(F, b("n"), 2));
      table.append(new Append(b("n")).addColumn(F, b("a"), b("x")));
      return notes.run();
    });
    attempt("the log of what is not logged", () -> {
      table.put(put("e", "q", "1").setDurability(Durability.SKIP_WAL));
      plain.put(put("e", "q", "1").setDurability(Durability.SKIP_WAL));
      return notes.run();
    });
    attempt("the log of a condition that does not hold", () -> {
      table.checkAndMutate(CheckAndMutate.newBuilder(b("b")).ifNotExists(F, b("q")).build(put("b", "q", "3")));
      return notes.run();
    });
  }

  private static void versions() throws IOException {
    Table table = create("versions", own("OfTime2"));
    for (String row : new String[] { "a", "b" }) {
      attempt("deleting the newest version of " + row, () -> {
        for (int i = 1; i <= 3; i++) {
          table.put(new Put(b(row)).addColumn(F, b("q"), i, b("v" + i)));
        }
        table.delete(new Delete(b(row)).addColumn(F, b("q")));
        return text(table.get(new Get(b(row)).readAllVersions()));
      });
    }
  }

  private static void reads() throws IOException {
    Table table = create("reads", own("Reader"), own("Wrapper"));
    attempt("fill", () -> {
      table.put(List.of(put("a1", "q", "abc"), put("a2", "q", "def"), put("b-hide", "q", "ghi"), put("c1", "q", "jkl"),
        put("secret", "q", "mno")));
      return null;
    });
    attempt("get", () -> text(table.get(new Get(b("a1")))));
    attempt("get of nothing", () -> text(table.get(new Get(b("none")))));
    attempt("get made up", () -> text(table.get(new Get(b("made")))));
    attempt("get refused", () -> text(table.get(new Get(b("secret")))));
    attempt("exists", () -> table.exists(new Get(b("a1"))) + " " + table.exists(new Get(b("none"))) + " "
      + table.exists(new Get(b("made"))));
    attempt("several gets", () -> {
      Result[] rows = table.get(List.of(new Get(b("a1")), new Get(b("made")), new Get(b("c1"))));
      return text(rows[0]) + ", " + text(rows[1]) + ", " + text(rows[2]);
    });
    attempt("scan", () -> scan(table, new Scan()));
    // HBase ends a scan if an observer removes all rows of an answer, so not with setCaching(1).
    attempt("scan with the observer's filter", () -> scan(table, new Scan().setAttribute("only", b("a"))));
    attempt("scan refused", () -> scan(table, new Scan().setAttribute("forbidden", b("1"))));
    attempt("scan wrapped", () -> scan(table, new Scan().setAttribute("reverse-values", b("1"))));
    attempt("scan wrapped, limited", () -> scan(table, new Scan().setAttribute("reverse-values", b("1")).setLimit(2)));
    attempt("scan wrapped, backwards",
      () -> scan(table, new Scan().setAttribute("reverse-values", b("1")).setReversed(true)));
    attempt("scan wrapped, in batches", () -> scan(table, new Scan().setAttribute("reverse-values", b("1")).setBatch(1)));
  }

  private static void checks() throws IOException {
    Table table = create("checks", own("Checker"));
    table.put(put("a", "q", "1"));
    table.put(put("flip", "q", "1"));
    for (String row : new String[] { "a", "flip", "yes", "refuse", "none" }) {
      attempt("check of " + row, () -> {
        boolean done = table.checkAndMutate(
          CheckAndMutate.newBuilder(b(row)).ifEquals(F, b("q"), b("1")).build(put(row, "q", "2"))).isSuccess();
        return done + " " + text(table.get(new Get(b(row))));
      });
    }
    attempt("check of several", () -> {
      StringBuilder out = new StringBuilder();
      List<CheckAndMutate> checks = new ArrayList<>();
      for (String row : new String[] { "a", "yes", "flip" }) {
        checks.add(CheckAndMutate.newBuilder(b(row)).ifEquals(F, b("q"), b("2")).build(put(row, "q", "3")));
      }
      table.checkAndMutate(checks).forEach(one -> out.append(one.isSuccess()).append(' '));
      return out + scan(table, new Scan());
    });
  }

  private static void failures() throws IOException {
    Table table = create("failures", own("Thrower"), own("First").setPriority(100), own("Second").setPriority(50));
    attempt("put", () -> {
      table.put(put("fine", "q", "1"));
      return text(table.get(new Get(b("fine"))));
    });
    attempt("put bypassed by the second of two", () -> {
      table.put(put("complete-Second", "q", "1"));
      return text(table.get(new Get(b("complete-Second"))));
    });
    attempt("exception after the write", () -> {
      table.put(put("late", "q", "1"));
      return null;
    });
    attempt("after it", () -> text(table.get(new Get(b("late")))));
    attempt("IOException", () -> {
      table.put(put("io", "q", "1"));
      return null;
    });
    attempt("RuntimeException", () -> {
      table.put(put("runtime", "q", "1"));
      return null;
    });
    attempt("put, the class being removed", () -> {
      table.put(put("runtime", "q", "1"));
      return text(table.get(new Get(b("runtime"))));
    });
  }

  private static void endpoints() throws IOException {
    Table table = create("endpoints", CoprocessorDescriptorBuilder.newBuilder(EXAMPLE + "RowCountEndpoint"),
      CoprocessorDescriptorBuilder.newBuilder(EXAMPLE + "BulkDeleteEndpoint"),
      CoprocessorDescriptorBuilder.newBuilder("org.apache.hadoop.hbase.coprocessor.AggregateImplementation"));
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      puts.add(put(String.format("row%04d", i)).addColumn(F, b("n"), Bytes.toBytes((long) i)));
    }
    table.put(puts);
    attempt("count of rows", () -> table.coprocessorService(ExampleProtos.RowCountService.class, null, null, service -> {
      BlockingRpcCallback<ExampleProtos.CountResponse> done = new BlockingRpcCallback<>();
      service.getRowCount(new ServerRpcController(), ExampleProtos.CountRequest.getDefaultInstance(), done);
      return done.get().getCount();
    }).values());
    attempt("sum", () -> {
      try (AggregationClient client = new AggregationClient(connection.getConfiguration())) {
        return client.sum(table, new LongColumnInterpreter(), new Scan().addColumn(F, b("n")));
      }
    });
    attempt("bulk delete", () -> {
      BulkDeleteProtos.BulkDeleteRequest request = BulkDeleteProtos.BulkDeleteRequest.newBuilder()
        .setScan(ProtobufUtil.toScan(new Scan().withStartRow(b("row0100"))))
        .setDeleteType(BulkDeleteProtos.BulkDeleteRequest.DeleteType.ROW).setRowBatchSize(64).build();
      Object deleted = table.coprocessorService(BulkDeleteProtos.BulkDeleteService.class, null, null, service -> {
        BlockingRpcCallback<BulkDeleteProtos.BulkDeleteResponse> done = new BlockingRpcCallback<>();
        service.delete(new ServerRpcController(), request, done);
        return done.get().getRowsDeleted();
      }).values();
      return deleted + scan(table, new Scan().withStartRow(b("row0098")));
    });
  }

  /** An example of HBase's, which has settings in the table's attributes. */
  private static void examples() throws IOException {
    admin.createTable(table("example").setCoprocessor(EXAMPLE + "ScanModifyingObserver")
      .setValue("hbase.examples.coprocessor.scanmodifying.family", "f")
      .setValue("hbase.examples.coprocessor.scanmodifying.qualifier", "theirs").build());
    Table table = connection.getTable(TableName.valueOf("cop_example"));
    attempt("scan with one column more", () -> {
      table.put(List.of(put("a", "ours", "1", "theirs", "2", "other", "3"), put("b", "ours", "1", "theirs", "2")));
      return scan(table, new Scan().addColumn(F, b("ours")));
    });
  }

  /** Waits until a compaction has changed the rows to this, and returns the final rows. */
  private static String compacted(Table table, Scan scan, String expected) throws Exception {
    String rows = "";
    for (int tries = 0; tries < 100 && !rows.equals(expected); tries++) {
      if (tries % 30 == 0) {
        admin.majorCompact(table.getName());
      }
      Thread.sleep(100);
      rows = scan(table, scan);
    }
    return rows;
  }

  private static CoprocessorDescriptorBuilder example(String name) {
    return CoprocessorDescriptorBuilder.newBuilder(EXAMPLE + name);
  }

  private static Table oneVersion(String name, CoprocessorDescriptorBuilder coprocessor, String... settings)
      throws IOException {
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(TableName.valueOf("cop_" + name))
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).setCoprocessor(coprocessor.build());
    for (int i = 0; i < settings.length; i += 2) {
      builder.setValue(settings[i], settings[i + 1]);
    }
    admin.createTable(builder.build());
    return connection.getTable(TableName.valueOf("cop_" + name));
  }

  /** Flushes and compactions, which observers may change. */
  private static void storage() throws IOException {
    Table counter = oneVersion("counter", example("WriteHeavyIncrementObserver"));
    attempt("write-heavy increments", () -> {
      for (int round = 0; round < 4; round++) {
        for (int i = 1; i <= 100; i++) {
          counter.increment(new Increment(b("n")).addColumn(F, b("n"), i));
        }
        admin.flush(counter.getName());
      }
      String sum = text(counter.get(new Get(b("n")).addColumn(F, b("n"))));
      String expected = "\n  n n=" + Bytes.toStringBinary(Bytes.toBytes(20200L));
      compacted(counter, new Scan().setRaw(true).readAllVersions(), expected);
      return sum + ", compacted " + text(counter.get(new Get(b("n")).addColumn(F, b("n"))))
        + scan(counter, new Scan().setRaw(true).readAllVersions());
    });
    Table rewritten = oneVersion("rewritten", example("ValueRewritingObserver")
      .setProperty("hbase.examples.coprocessor.value.rewrite.orig", "old")
      .setProperty("hbase.examples.coprocessor.value.rewrite.replaced", "new"));
    attempt("values rewritten by a compaction", () -> {
      rewritten.put(List.of(put("a", "q", "old"), put("b", "q", "other"), put("c", "q", "old", "r", "older")));
      admin.flush(rewritten.getName());
      String before = scan(rewritten, new Scan());
      return before + compacted(rewritten, new Scan(), "\n  a q=new\n  b q=other\n  c q=new r=older");
    });
    Table two = oneVersion("two", own("TwoVersions"));
    attempt("two versions of one", () -> {
      for (int i = 1; i <= 3; i++) {
        two.put(new Put(b("a")).addColumn(F, b("q"), i, b("v" + i)));
        admin.flush(two.getName());
      }
      String expected = "\n  a q=v3 q=v2";
      return compacted(two, new Scan().setRaw(true).readAllVersions(), expected)
        + scan(two, new Scan().readAllVersions()) + scan(two, new Scan());
    });
    Table sieve = oneVersion("sieve", own("Sieve"));
    attempt("rows left out of a flush", () -> {
      sieve.put(List.of(put("short-lived", "q", "1"), put("stays", "q", "1"), put("volatile", "q", "1")));
      String before = scan(sieve, new Scan());
      admin.flush(sieve.getName());
      return before + scan(sieve, new Scan());
    });
    attempt("rows left out of a compaction", () -> compacted(sieve, new Scan(), "\n  stays q=1"));
  }

  private static void specifications() {
    attempt("no jar", () -> createOnly("bad", own("Editor").setJarPath("file:///nowhere/x.jar")));
    attempt("no class in the jar", () -> createOnly("bad", own("Missing")));
    attempt("no class", () -> createOnly("bad", CoprocessorDescriptorBuilder.newBuilder("org.example.Missing")));
    attempt("no coprocessor", () -> createOnly("nothing", own("Nothing")));
    attempt("tables", () -> admin.listTableNames(Pattern.compile("cop_bad.*")).length);
    attempt("altered", () -> {
      Table table = create("altered");
      table.put(put("a", "q", "1"));
      admin.modifyTable(table("altered").setCoprocessor(own("Editor").build()).build());
      table.put(put("b", "q", "1"));
      admin.modifyTable(table("altered").build());
      table.put(put("c", "q", "1"));
      return scan(table, new Scan());
    });
    attempt("altered badly", () -> {
      admin.modifyTable(table("altered").setCoprocessor(own("Missing").build()).build());
      return null;
    });
  }

  private static void regions() throws IOException {
    Table table = create("regions", own("Editor"));
    attempt("split and merged", () -> {
      table.put(List.of(put("a", "q", "1"), put("m", "q", "1")));
      admin.split(table.getName(), b("k"));
      while (connection.getRegionLocator(table.getName()).getAllRegionLocations().size() < 2) {
        Thread.sleep(100);
        connection.clearRegionLocationCache();
      }
      table.put(List.of(put("b", "q", "2"), put("skip", "q", "2"), put("twin", "q", "2")));
      return scan(table, new Scan());
    });
    attempt("truncated", () -> {
      admin.disableTable(table.getName());
      admin.truncateTable(table.getName(), true);
      table.put(put("t", "q", "3"));
      return scan(table, new Scan());
    });
  }

  private static void master() throws IOException {
    TableName name = TableName.valueOf("cop_guarded");
    attempt("create refused", () -> createOnly("refused", own("Editor")));
    attempt("create changed", () -> {
      admin.createTable(table("guarded").build());
      return admin.getDescriptor(name).getValue("guard");
    });
    attempt("modify refused", () -> {
      admin.modifyTable(table("guarded").setValue("frozen", "yes").build());
      return null;
    });
    attempt("family refused", () -> {
      admin.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of("forbidden"));
      return null;
    });
    attempt("modify changed", () -> {
      admin.modifyTable(table("guarded").setValue("other", "yes").build());
      return admin.getDescriptor(name).getValue("guard") + " " + admin.getDescriptor(name).getValue("other");
    });
    attempt("snapshot refused", () -> {
      admin.snapshot("no_snapshot", name);
      return null;
    });
    attempt("namespace refused", () -> {
      admin.createNamespace(NamespaceDescriptor.create("cop_no").build());
      return null;
    });
    attempt("hidden from lists", () -> {
      admin.createTable(table("hidden").build());
      admin.createNamespace(NamespaceDescriptor.create("cop_hidden").build());
      List<String> seen = new ArrayList<>();
      Pattern ours = Pattern.compile("cop_(guarded|hidden)");
      for (TableName one : admin.listTableNames(ours)) {
        seen.add(one.getNameAsString());
      }
      admin.listTableDescriptors(ours).forEach(one -> seen.add(one.getTableName().getNameAsString()));
      for (NamespaceDescriptor one : admin.listNamespaceDescriptors()) {
        seen.add(one.getName());
      }
      seen.addAll(List.of(admin.listNamespaces()));
      seen.removeIf(one -> !one.startsWith("cop_"));
      seen.add(admin.getDescriptor(TableName.valueOf("cop_hidden")).getTableName().getNameAsString());
      admin.disableTable(TableName.valueOf("cop_hidden"));
      admin.deleteTable(TableName.valueOf("cop_hidden"));
      admin.deleteNamespace("cop_hidden");
      return seen;
    });
    attempt("move to where the region is", () -> {
      admin.move(admin.getRegions(name).get(0).getEncodedNameAsBytes());
      return null;
    });
    attempt("unassign refused", () -> {
      admin.unassign(admin.getRegions(name).get(0).getRegionName(), false);
      return null;
    });
    admin.snapshot("cop_kept", name);
    admin.snapshot("cop_told", name);
    for (String snapshot : new String[] { "cop_kept", "cop_told" }) {
      attempt("deleting snapshot " + snapshot, () -> {
        admin.deleteSnapshot(snapshot);
        return null;
      });
    }
    attempt("snapshots left", () -> admin.listSnapshots(Pattern.compile("cop_.*")).size());
    attempt("truncate refused", () -> {
      admin.disableTable(name);
      admin.truncateTable(name, true);
      return null;
    });
    attempt("deleted", () -> {
      admin.deleteTable(name);
      return admin.tableExists(name);
    });
  }

  /** What an earlier run has left. */
  private static void clear() throws IOException {
    for (TableName table : admin.listTableNames(Pattern.compile("cop_.*"))) {
      if (!admin.isTableDisabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
  }

  public static void main(String[] args) throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    int colon = args[0].lastIndexOf(':');
    configuration.set("hbase.zookeeper.quorum", args[0].substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", args[0].substring(colon + 1));
    configuration.setInt("hbase.client.retries.number", 3);
    jar = args[1];
    try (Connection opened = ConnectionFactory.createConnection(configuration); Admin own = opened.getAdmin()) {
      connection = opened;
      admin = own;
      clear();
      indexes();
      edits();
      newCells();
      logged();
      versions();
      reads();
      Filters.run(connection, admin, jar);
      Backups.run(connection, admin);
      checks();
      failures();
      endpoints();
      examples();
      storage();
      specifications();
      regions();
      master();
      clear();
    }
  }
}
