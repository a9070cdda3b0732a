package session;

import static session.Report.attempt;
import static session.Report.bytes;
import static session.Report.scan;
import static session.Report.text;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** Row keys of fixed fields, found by FuzzyRowFilter; and rows inserted before the first one. */
final class RowKeys {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private final Connection connection;

  RowKeys(Connection connection) {
    this.connection = connection;
  }

  private Table create(String name) throws Exception {
    TableName table = TableName.valueOf("java_" + name);
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(table)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
    }
    return connection.getTable(table);
  }

  private static String pad(String field, int width) {
    return field + "*".repeat(width - field.length());
  }

  private static Put put(byte[] row, String value) {
    return new Put(row).addColumn(FAMILY, QUALIFIER, 1, Bytes.toBytes(value));
  }

  /** `?` is a byte that may be anything. */
  private static Pair<byte[], byte[]> pattern(String key) {
    byte[] mask = new byte[key.length()];
    for (int i = 0; i < mask.length; ++i) {
      mask[i] = (byte) (key.charAt(i) == '?' ? 1 : 0);
    }
    return new Pair<>(Bytes.toBytes(key), mask);
  }

  @SafeVarargs
  private static Scan fuzzy(Pair<byte[], byte[]>... patterns) {
    return new Scan().setFilter(new FuzzyRowFilter(new ArrayList<>(List.of(patterns))));
  }

  private void dates() throws Exception {
    try (Table table = create("visits")) {
      String[][] visits = {{"alice", "20140626", "foo.com"}, {"alice", "20140627", "bar.com"}, {"ali1989", "20140627", "foo.com"},
          {"bob", "20140620", "foo.bar"}, {"bob", "20140628", "foo.bar"}, {"carol", "20140628", "foo-1.com"},
          {"carol", "20140629", "foo.com"}, {"dave", "20140601", "foooooo.net"}, {"dave", "20140628", "foo.com"}};
      List<Put> puts = new ArrayList<>();
      for (String[] visit : visits) {
        puts.add(put(Bytes.toBytes(pad(visit[0], 10) + visit[1] + pad(visit[2], 20)), visit[2]));
      }
      table.put(puts);
      scan(table, "all", new Scan());
      String anyUser = "?".repeat(10);
      String anyDomain = "?".repeat(20);
      scan(table, "one date", fuzzy(pattern(anyUser + "20140628" + anyDomain)));
      scan(table, "date and domain", fuzzy(pattern(anyUser + "20140628" + pad("foo.bar", 20))));
      scan(table, "month and prefix", fuzzy(pattern(anyUser + "201406??foo." + "?".repeat(16))));
      scan(table, "first bytes", fuzzy(pattern("al")));
      scan(table, "any", fuzzy(pattern("?".repeat(38))));
      scan(table, "all fixed", fuzzy(pattern(pad("bob", 10) + "20140620" + pad("foo.bar", 20))));
      scan(table, "several",
          fuzzy(pattern(anyUser + "20140628" + anyDomain), pattern(anyUser + "????????" + pad("foo.com", 20))));
      scan(table, "reversed", fuzzy(pattern(pad("carol", 10) + "????????" + anyDomain)).setReversed(true));
      scan(table, "limit", fuzzy(pattern(anyUser + "20140628" + anyDomain)).setLimit(2));
      scan(table, "range of dates", new Scan().setFilter(new FilterList(fuzzy(pattern(anyUser + "2014062?" + anyDomain)).getFilter(),
          new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("^.{10}2014062[7-9]")))));
    }
  }

  private void actions() throws Exception {
    try (Table table = create("actions")) {
      for (int user = 0; user < 5; ++user) {
        for (int action = 98; action < 101; ++action) {
          table.put(put(Bytes.toBytes(String.format("%04d_%02d_2014_%02d", user, action % 100, user % 2 + 1)), "x"));
        }
      }
      scan(table, "one action in January", fuzzy(pattern("????_99_????_01")));
      table.put(put(bytes("ord1TST1_\\x00\\xFF"), "report"));
      table.put(put(bytes("ord1TST2_\\x00"), "report"));
      table.put(put(bytes("ord2TST1_\\x01"), "report"));
      scan(table, "an order", new Scan().setStartStopRowForPrefixScan(Bytes.toBytes("ord1")));
      scan(table, "a test", fuzzy(pattern("????TST1_?")));
    }
  }

  /** Keys count down; many writers put before the first row, each by checkAndMutate. */
  private void prepend() throws Exception {
    int writers = 8;
    int each = 25;
    try (Table table = create("log")) {
      ExecutorService pool = Executors.newFixedThreadPool(writers);
      List<Future<?>> done = new ArrayList<>();
      for (int writer = 0; writer < writers; ++writer) {
        done.add(pool.submit(() -> {
          for (int i = 0; i < each; ++i) {
            prependOne(table);
          }
          return null;
        }));
      }
      for (Future<?> one : done) {
        one.get();
      }
      pool.shutdown();
      long rows = 0;
      long first = 0;
      long last = 0;
      try (ResultScanner scanner = table.getScanner(new Scan())) {
        for (Result row : scanner) {
          last = Bytes.toLong(row.getRow());
          first = rows++ == 0 ? last : first;
        }
      }
      System.out.println("prepended: " + rows + " rows, " + first + " to " + last);
      scan(table, "last row", new Scan().setReversed(true).setLimit(1));
      attempt("last row by key", () -> text(table.get(new Get(Bytes.toBytes(last())))));
    }
  }

  private static long last() {
    return 1000000;
  }

  private static void prependOne(Table table) throws Exception {
    long key = last() + 1;
    try (ResultScanner scanner = table.getScanner(new Scan().setLimit(1))) {
      Result first = scanner.next();
      key = first == null ? key : Bytes.toLong(first.getRow());
    }
    boolean put = false;
    while (!put) {
      byte[] row = Bytes.toBytes(--key);
      put = table.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(FAMILY, QUALIFIER).build(put(row, "v"))).isSuccess();
    }
  }

  void run() throws Exception {
    System.out.println("== row keys");
    dates();
    actions();
    prepend();
  }
}
