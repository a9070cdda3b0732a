import com.stumbleupon.async.Callback;
import com.stumbleupon.async.Deferred;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hbase.async.*;

/**
 * Calls of an application through asynchbase, printed line by line. The output must be equal on klip and on HBase.
 *
 * <pre>Main HOST:PORT TABLE    of the ZooKeeper; a table with families f (3 versions) and g, split at h and p</pre>
 */
public final class Main {
  private final HBaseClient client;
  private final String table;

  private Main(HBaseClient client, String table) {
    this.client = client;
    this.table = table;
  }

  private interface Work {
    Object run() throws Exception;
  }

  private static void attempt(String what, Work work) {
    try {
      Object result = work.run();
      System.out.println(what + " " + (result == null ? "ok" : result));
    } catch (Exception e) {
      System.out.println(what + " " + e.getClass().getSimpleName());
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String text(byte[] bytes) {
    StringBuilder out = new StringBuilder("\"");
    for (byte b : bytes) {
      out.append(b >= 32 && b < 127 ? String.valueOf((char) b) : String.format("\\x%02x", b & 0xff));
    }
    return out.append('"').toString();
  }

  private static void show(List<KeyValue> row) {
    if (row.isEmpty()) {
      System.out.println("  (none)");
    }
    for (KeyValue cell : row) {
      String at = cell.timestamp() < 1000000 ? "@" + cell.timestamp() : "";
      System.out.println(
          "  " + text(cell.key()) + " " + text(cell.family()) + ":" + text(cell.qualifier()) + at + "=" + text(cell.value()));
    }
  }

  private PutRequest put(String row, String family, String qualifier, String value, long at) {
    return new PutRequest(bytes(table), bytes(row), bytes(family), bytes(qualifier), bytes(value), at);
  }

  private void get(String row, Callback<Object, GetRequest> prepare) {
    System.out.println("get " + row);
    attempt("  done", () -> {
      GetRequest request = new GetRequest(table, row);
      if (prepare != null) {
        prepare.call(request);
      }
      show(client.get(request).join());
      return null;
    });
  }

  private void scan(String what, String from, String to, Callback<Object, Scanner> prepare) {
    System.out.println("scan " + what);
    attempt("  done", () -> {
      Scanner scanner = client.newScanner(table);
      scanner.setStartKey(from);
      scanner.setStopKey(to);
      if (prepare != null) {
        prepare.call(scanner);
      }
      for (ArrayList<ArrayList<KeyValue>> rows; (rows = scanner.nextRows().join()) != null; ) {
        rows.forEach(Main::show);
      }
      return null;
    });
  }

  private void write() throws Exception {
    attempt("table", () -> client.ensureTableFamilyExists(table, "f").join());
    attempt("no such table", () -> client.ensureTableExists("compat_none").join());
    attempt("no such family", () -> client.ensureTableFamilyExists(table, "nope").join());
    int at = 10;
    for (String row : List.of("alice", "bob", "harry", "mary", "peter", "zoe")) {
      client.put(put(row, "f", "q", "v" + row, at)).join();
      client.put(put(row, "g", "x", "\u00ff\u0000" + (char) at, at)).join();
      ++at;
    }
    for (at = 20; at < 25; ++at) {
      client.put(put("bob", "f", "q", "bob" + at, at)).join();
    }
    List<Deferred<Object>> batch = new ArrayList<>();
    for (int i = 0; i < 500; ++i) {
      batch.add(client.put(put(String.format("row%04d", i), "f", "q", "x".repeat(i % 50), 5)));
    }
    client.flush().join();
    System.out.println("batch " + Deferred.group(batch).join().size());
    attempt("put of no such family", () -> client.put(put("x", "nope", "q", "v", 1)).join());
  }

  private void read() throws Exception {
    get("alice", null);
    get("nobody", null);
    get("bob", request -> request.maxVersions(10));
    get("bob", request -> {
      request.family("g");
      request.qualifier("x");
      return null;
    });
    get("bob", request -> request.family("nope"));
    System.out.println("multi-get");
    attempt("  done", () -> {
      for (GetResultOrException one : client.get(List.of(new GetRequest(table, "alice"), new GetRequest(table, "zoe"),
          new GetRequest(table, "nobody"))).join()) {
        show(one.getCells());
      }
      return null;
    });
    scan("range over regions", "bob", "peter", null);
    scan("reversed", "peter", "b", scanner -> {
      scanner.setReversed(true);
      return null;
    });
    scan("versions", "b", "c", scanner -> {
      scanner.setMaxVersions(10);
      scanner.setTimeRange(21, 24);
      return null;
    });
    int rows = 0;
    Scanner scanner = client.newScanner(table);
    scanner.setStartKey("row");
    scanner.setStopKey("rox");
    scanner.setMaxNumRows(7);
    for (ArrayList<ArrayList<KeyValue>> some; (some = scanner.nextRows().join()) != null; ) {
      rows += some.size();
    }
    System.out.println("rows " + rows);
  }

  private void filters() {
    filter("prefix of column", new ColumnPrefixFilter("x"));
    filter("column range", new ColumnRangeFilter("a", true, "r", false));
    filter("key only", new KeyOnlyFilter());
    filter("first key", new FirstKeyOnlyFilter());
    filter("row", new RowFilter(CompareFilter.CompareOp.LESS, new BinaryComparator(bytes("c"))));
    filter("row by regex", new KeyRegexpFilter("^.a.*y$"));
    filter("qualifier", new QualifierFilter(CompareFilter.CompareOp.EQUAL, new BinaryComparator(bytes("q"))));
    filter("family", new FamilyFilter(CompareFilter.CompareOp.NOT_EQUAL, new BinaryComparator(bytes("f"))));
    filter("value", new ValueFilter(CompareFilter.CompareOp.GREATER_OR_EQUAL, new BinaryPrefixComparator(bytes("vm"))));
    filter("value by substring", new ValueFilter(CompareFilter.CompareOp.EQUAL, new SubstringComparator("AR")));
    filter("timestamps", new TimestampsFilter(List.of(11L, 13L, 24L)));
    filter("fuzzy", new FuzzyRowFilter(List.of(
        new FuzzyRowFilter.FuzzyFilterPair(bytes("?o?"), new byte[] {1, 0, 1}),
        new FuzzyRowFilter.FuzzyFilterPair(bytes("??r"), new byte[] {1, 1, 0}))));
    filter("all of", new FilterList(List.of(new KeyRegexpFilter("r"), new ColumnPrefixFilter("q")),
        FilterList.Operator.MUST_PASS_ALL));
    filter("one of", new FilterList(List.of(new KeyRegexpFilter("^al"), new KeyRegexpFilter("^z")),
        FilterList.Operator.MUST_PASS_ONE));
  }

  private void filter(String what, ScanFilter filter) {
    scan(what, "a", "row0", scanner -> {
      scanner.setFilter(filter);
      return null;
    });
  }

  private void change() {
    AtomicIncrementRequest increment = new AtomicIncrementRequest(table, "counter", "f", "n", 5);
    attempt("increment", () -> client.atomicIncrement(increment).join());
    attempt("increment",
        () -> client.atomicIncrement(new AtomicIncrementRequest(table, "counter", "f", "n", -7)).join());
    attempt("increment of text", () -> client.atomicIncrement(new AtomicIncrementRequest(table, "mary", "f", "q", 1)).join());
    for (int i = 0; i < 2; ++i) {
      attempt("append", () -> client.append(new AppendRequest(table, "log", "f", "q", "ab")).join());
    }
    get("log", null);
    attempt("compare and set, wrong", () -> client.compareAndSet(put("mary", "f", "q", "no", 90), bytes("other")).join());
    attempt("compare and set, right", () -> client.compareAndSet(put("mary", "f", "q", "yes", 91), bytes("vmary")).join());
    attempt("create, present", () -> client.atomicCreate(put("mary", "f", "q", "no", 92)).join());
    attempt("create, absent", () -> client.atomicCreate(put("mary", "f", "new", "yes", 92)).join());
    get("mary", null);
    remove("version", new DeleteRequest(bytes(table), bytes("bob"), bytes("f"), bytes("q"), 22), "bob");
    remove("column", new DeleteRequest(table, "bob", "f", "q"), "bob");
    remove("family", new DeleteRequest(table, "harry", "f"), "harry");
    remove("row", new DeleteRequest(table, "peter"), "peter");
  }

  private void remove(String what, DeleteRequest request, String row) {
    attempt("delete " + what, () -> client.delete(request).join());
    get(row, g -> g.maxVersions(10));
  }

  public static void main(String[] args) throws Exception {
    HBaseClient client = new HBaseClient(args[0]);
    Main main = new Main(client, args[1]);
    System.out.println("== write");
    main.write();
    System.out.println("== read");
    main.read();
    System.out.println("== filters");
    main.filters();
    System.out.println("== change");
    main.change();
    client.shutdown().join();
    System.exit(0);
  }
}
