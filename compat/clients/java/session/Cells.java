package session;

import static session.Report.attempt;
import static session.Report.bytes;
import static session.Report.scan;
import static session.Report.text;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Puts, gets, deletes, versions, counters, conditions, batches: through Table and BufferedMutator. */
final class Cells {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] G = Bytes.toBytes("g");
  private static final byte[] Q = Bytes.toBytes("q");
  private static final byte[] N = Bytes.toBytes("n");
  private static final TableName NAME = TableName.valueOf("java_cells");
  private final Connection connection;
  private Table table;

  Cells(Connection connection) {
    this.connection = connection;
  }

  private static Put put(String row, long at, String value) {
    return new Put(bytes(row)).addColumn(F, Q, at, bytes(value));
  }

  private void get(String what, Get get) {
    attempt("get " + what, () -> text(table.get(get)));
  }

  private static Get all(String row) throws Exception {
    return new Get(bytes(row)).readAllVersions();
  }

  private void versions() throws Exception {
    for (int at = 1; at <= 5; ++at) {
      table.put(put("v", at * 10, "v" + at));
    }
    get("newest", new Get(bytes("v")));
    get("three versions", all("v"));
    get("two versions", new Get(bytes("v")).readVersions(2));
    get("time range", all("v").setTimeRange(30, 50));
    get("timestamp", new Get(bytes("v")).setTimestamp(40));
    get("nothing", new Get(bytes("nobody")));
    get("family that is not", new Get(bytes("v")).addFamily(bytes("nope")));
    attempt("exists", () -> table.exists(new Get(bytes("v"))));
    attempt("exist", () -> java.util.Arrays.toString(table.exists(List.of(new Get(bytes("v")), new Get(bytes("w"))))));
    table.delete(new Delete(bytes("v")).addColumn(F, Q, 40));
    get("one version gone", all("v"));
    table.delete(new Delete(bytes("v")).addColumns(F, Q, 30));
    get("older versions gone", all("v"));
    table.delete(new Delete(bytes("v")).addFamily(F, 50));
    get("family gone", all("v"));
    scan(table, "raw", new Scan(new Get(bytes("v"))).setRaw(true).readAllVersions());
    table.put(put("v", 45, "masked"));
    get("masked put", all("v"));
    attempt("put to a family that is not", () -> {
      table.put(new Put(bytes("v")).addColumn(bytes("nope"), Q, bytes("v")));
      return null;
    });
  }

  private void counters() throws Exception {
    attempt("increment", () -> table.incrementColumnValue(bytes("c"), F, N, 5));
    attempt("decrement", () -> table.incrementColumnValue(bytes("c"), F, N, -7));
    attempt("increments", () -> {
      Result result = table.increment(new Increment(bytes("c")).addColumn(F, N, 1).addColumn(G, N, 1L << 40));
      return Bytes.toLong(result.getValue(F, N)) + " " + Bytes.toLong(result.getValue(G, N));
    });
    attempt("increment without result", () -> table.increment(new Increment(bytes("c")).addColumn(F, N, 1).setReturnResults(false)).isEmpty());
    table.put(put("text", 1, "abc"));
    attempt("increment of text", () -> table.incrementColumnValue(bytes("text"), F, Q, 1));
    attempt("append", () -> Bytes.toString(table.append(new Append(bytes("text")).addColumn(F, Q, bytes("def"))).getValue(F, Q)));
    attempt("append to nothing", () -> Bytes.toString(table.append(new Append(bytes("new")).addColumn(F, Q, bytes("x"))).getValue(F, Q)));
  }

  private void check(String what, CheckAndMutate check) {
    attempt("check " + what, () -> {
      CheckAndMutateResult result = table.checkAndMutate(check);
      return result.isSuccess() + (result.getResult() == null ? "" : " " + result.getResult().size() + " cells");
    });
  }

  private static CheckAndMutate.Builder when(String row) {
    return CheckAndMutate.newBuilder(bytes(row));
  }

  private void conditions() throws Exception {
    table.put(put("k", 1, "m"));
    for (CompareOperator operator : CompareOperator.values()) {
      if (operator != CompareOperator.NO_OP) {
        for (String value : List.of("a", "m", "z")) {
          check(operator + " " + value, when("k").ifMatches(F, Q, operator, bytes(value)).build(new Put(bytes("k")).addColumn(G, Q, 1, Q)));
        }
      }
    }
    check("absent", when("k").ifNotExists(F, N).build(put("k", 2, "n")));
    check("not absent", when("k").ifNotExists(F, Q).build(put("k", 3, "no")));
    check("equal to nothing", when("none").ifEquals(F, Q, null).build(put("none", 3, "no")));
    check("filter", when("k").ifMatches(new ColumnPrefixFilter(Q)).build(new Delete(bytes("k")).addColumns(F, N)));
    check("delete", when("k").ifEquals(F, Q, bytes("n")).build(new Delete(bytes("k"))));
    get("deleted", new Get(bytes("k")));
    table.put(put("k", 2000, "m"));
    check("increment", when("k").ifEquals(F, Q, bytes("m")).build(new Increment(bytes("k")).addColumn(F, N, 3)));
    check("append", when("k").ifEquals(F, Q, bytes("m")).build(new Append(bytes("k")).addColumn(F, Q, bytes("ore"))));
    check("mutations", when("k").ifEquals(F, Q, bytes("more")).build(RowMutations.of(List.of(
        new Put(bytes("k")).addColumn(G, Q, 7, bytes("both")), new Delete(bytes("k")).addColumns(F, N)))));
    get("after conditions", new Get(bytes("k")).addFamily(G));
  }

  private void batches() throws Exception {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 60; ++i) {
      rows.add(put(String.format("b%02d", i), 5, "x".repeat(i)));
    }
    rows.add(new Get(bytes("text"))); // the order among puts and gets of a batch is not given
    rows.add(new Increment(bytes("bn")).addColumn(F, N, 2));
    rows.add(new Append(bytes("ba")).addColumn(F, Q, bytes("a")));
    rows.add(RowMutations.of(List.of(new Put(bytes("br")).addColumn(F, Q, 1, bytes("r")))));
    Object[] results = new Object[rows.size()];
    attempt("batch", () -> {
      table.batch(rows, results);
      for (Object result : List.of(results).subList(60, results.length)) {
        System.out.println("  " + text((Result) result));
      }
      return results.length;
    });
    Object[] mixed = new Object[3];
    attempt("batch that fails in part",
        () -> { table.batch(List.of(put("b1", 1, "ok"), new Put(bytes("b2")).addColumn(bytes("nope"), Q, Q), new Get(bytes("b05"))), mixed); return null; });
    for (Object one : mixed) {
      System.out.println("  " + (one instanceof Result ? text((Result) one) : one.getClass().getSimpleName()));
    }
    attempt("gets", () -> text(List.of(table.get(List.of(new Get(bytes("b05")), new Get(bytes("none")), new Get(bytes("b1")))))));
    attempt("mutate row", () -> text(table.mutateRow(RowMutations.of(List.of(
        new Put(bytes("b05")).addColumn(G, Q, 8, bytes("g")), new Delete(bytes("b05")).addFamily(F))))));
    get("mutated row", new Get(bytes("b05")));
    List<Delete> deletes = new ArrayList<>(List.of(new Delete(bytes("b10")), new Delete(bytes("b11"))));
    table.delete(deletes);
    scan(table, "of the batch", new Scan().withStartRow(bytes("b08")).withStopRow(bytes("b13")));
    try (BufferedMutator mutator = connection.getBufferedMutator(NAME)) {
      for (int i = 0; i < 3000; ++i) {
        mutator.mutate(put(String.format("m%05d", i), 1, "y"));
      }
      mutator.mutate(List.of(new Delete(bytes("m00007")), new Delete(bytes("m02999"))));
    }
    attempt("buffered", () -> {
      int count = 0;
      try (ResultScanner scanner = table.getScanner(new Scan().setStartStopRowForPrefixScan(bytes("m")).setCaching(77))) {
        for (Result row : scanner) {
          count += row.size();
        }
      }
      return count;
    });
  }

  private void scans() {
    scan(table, "reversed over regions", new Scan().withStartRow(bytes("m00003")).withStopRow(bytes("b57")).setReversed(true));
    scan(table, "limit and caching", new Scan().setLimit(5).setCaching(2));
    scan(table, "inclusive", new Scan().withStartRow(bytes("b01"), false).withStopRow(bytes("b04"), true));
    scan(table, "batch", new Scan().withStartRow(bytes("br")).withStopRow(bytes("l")).setBatch(1));
    scan(table, "column", new Scan().addColumn(G, Q));
    scan(table, "offset and limit of a family", new Scan().withStopRow(bytes("b03")).setMaxResultsPerColumnFamily(1).setRowOffsetPerColumnFamily(0));
    scan(table, "small results", new Scan().withStopRow(bytes("b06")).setMaxResultSize(1));
    scan(table, "past the end", new Scan().withStartRow(bytes("zzz")));
    scan(table, "partial rows", new Scan().withStopRow(bytes("b03")).setAllowPartialResults(true));
  }

  void run() throws Exception {
    System.out.println("== cells");
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(NAME)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build())
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G)).build(), new byte[][] {bytes("b30"), bytes("m")});
      table = connection.getTable(NAME);
      versions();
      counters();
      conditions();
      batches();
      scans();
      attempt("truncate", () -> { admin.disableTable(NAME); admin.truncateTable(NAME, true); return admin.getRegions(NAME).size() + " regions"; });
      scan(table, "of nothing", new Scan());
      table.close();
    }
  }
}
