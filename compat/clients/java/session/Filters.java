package session;

import static session.Report.attempt;
import static session.Report.bytes;
import static session.Report.scan;
import static session.Report.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;

/** Every filter and comparator of the client, as sent on the wire. */
final class Filters {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] G = Bytes.toBytes("g");
  private final Connection connection;

  Filters(Connection connection) {
    this.connection = connection;
  }

  private static Map<String, Filter> comparators() {
    Map<String, Filter> filters = new LinkedHashMap<>();
    filters.put("row below", new RowFilter(CompareOperator.LESS, new BinaryComparator(bytes("r3"))));
    filters.put("row by prefix", new RowFilter(CompareOperator.EQUAL, new BinaryPrefixComparator(bytes("s"))));
    filters.put("row by regex", new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("^[rs][13]$")));
    filters.put("family", new FamilyFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(F)));
    filters.put("qualifier", new QualifierFilter(CompareOperator.GREATER, new BinaryComparator(bytes("b"))));
    filters.put("value by substring", new ValueFilter(CompareOperator.EQUAL, new SubstringComparator("VALUE3")));
    filters.put("value by bits", new ValueFilter(CompareOperator.EQUAL, new BitComparator(bytes("v\\x00\\x00\\x00\\x00\\x00\\x01"), BitComparator.BitwiseOp.XOR)));
    filters.put("value by component", new ValueFilter(CompareOperator.EQUAL, new BinaryComponentComparator(bytes("e4"), 4)));
    filters.put("value is long", new SingleColumnValueFilter(G, bytes("n"), CompareOperator.GREATER_OR_EQUAL, new LongComparator(3)));
    filters.put("value or null", new SingleColumnValueFilter(F, bytes("a"), CompareOperator.NOT_EQUAL, new NullComparator()));
    return filters;
  }

  private static Map<String, Filter> rows() {
    Map<String, Filter> filters = new LinkedHashMap<>();
    filters.put("prefix", new PrefixFilter(bytes("s")));
    filters.put("stop at", new InclusiveStopFilter(bytes("r2")));
    filters.put("page", new PageFilter(3));
    filters.put("no row by chance", new RandomRowFilter(0));
    filters.put("each row by chance", new RandomRowFilter(1));
    filters.put("ranges", new MultiRowRangeFilter(new ArrayList<>(List.of(new MultiRowRangeFilter.RowRange("r1", true, "r3", false),
        new MultiRowRangeFilter.RowRange("s3", true, "s4", true)))));
    SingleColumnValueFilter strict = new SingleColumnValueFilter(F, bytes("d"), CompareOperator.EQUAL, bytes("value3d"));
    strict.setFilterIfMissing(true);
    filters.put("column value, missing is not", strict);
    filters.put("column value, missing is", new SingleColumnValueFilter(F, bytes("d"), CompareOperator.EQUAL, bytes("value3d")));
    filters.put("column value without it", new SingleColumnValueExcludeFilter(F, bytes("a"), CompareOperator.EQUAL, bytes("value2a")));
    filters.put("skip", new SkipFilter(new QualifierFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(bytes("d")))));
    filters.put("while", new WhileMatchFilter(new RowFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(bytes("s1")))));
    filters.put("key only", new KeyOnlyFilter(true));
    return filters;
  }

  private static Map<String, Filter> columns() {
    Map<String, Filter> filters = new LinkedHashMap<>();
    filters.put("first key", new FirstKeyOnlyFilter());
    filters.put("column prefix", new ColumnPrefixFilter(bytes("b")));
    filters.put("column prefixes", new MultipleColumnPrefixFilter(new byte[][] {bytes("a"), bytes("d")}));
    filters.put("column range", new ColumnRangeFilter(bytes("a"), false, bytes("c"), true));
    filters.put("column page", new ColumnPaginationFilter(2, 1));
    filters.put("column page from", new ColumnPaginationFilter(1, bytes("bb")));
    filters.put("column equal", new ColumnValueFilter(F, bytes("b"), CompareOperator.EQUAL, bytes("value4b")));
    filters.put("qualifiers", new QualifierFilter(CompareOperator.LESS_OR_EQUAL, new BinaryComparator(bytes("a"))));
    filters.put("dependent", new DependentColumnFilter(F, bytes("a"), true, CompareOperator.EQUAL, new BinaryComparator(bytes("value3a"))));
    filters.put("timestamps", new TimestampsFilter(List.of(11L, 13L)));
    return filters;
  }

  private static Map<String, Filter> lists() throws Exception {
    Map<String, Filter> filters = new LinkedHashMap<>();
    filters.put("all of", new FilterList(FilterList.Operator.MUST_PASS_ALL, new PrefixFilter(bytes("r")), new ColumnPrefixFilter(bytes("a")), new PageFilter(2)));
    filters.put("one of", new FilterList(FilterList.Operator.MUST_PASS_ONE, new PrefixFilter(bytes("s1")), new RowFilter(CompareOperator.EQUAL, new BinaryComparator(bytes("r2")))));
    filters.put("nested", new FilterList(FilterList.Operator.MUST_PASS_ALL,
        new FilterList(FilterList.Operator.MUST_PASS_ONE, new ColumnPrefixFilter(bytes("a")), new ColumnPrefixFilter(bytes("n"))),
        new FilterList(FilterList.Operator.MUST_PASS_ONE, new PrefixFilter(bytes("r1")), new PrefixFilter(bytes("s")))));
    filters.put("empty", new FilterList());
    filters.put("language", new ParseFilter().parseFilterString(
        "(PrefixFilter ('r') AND QualifierFilter (>=, 'binary:b')) OR (SKIP ValueFilter (!=, 'substring:value3') AND ColumnPrefixFilter ('a'))"));
    return filters;
  }

  void run() throws Exception {
    System.out.println("== filters");
    TableName name = TableName.valueOf("java_filters");
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G)).build(), new byte[][] {bytes("s")});
    }
    try (Table table = connection.getTable(name)) {
      List<Put> puts = new ArrayList<>();
      for (String half : List.of("r", "s")) {
        for (int i = 1; i <= 4; ++i) {
          Put put = new Put(bytes(half + i));
          for (String column : List.of("a", "b", "d").subList(i % 2, 3)) {
            put.addColumn(F, bytes(column), 10 + i, bytes("value" + i + column));
          }
          puts.add(put.addColumn(G, bytes("n"), 10 + i, Bytes.toBytes((long) i)));
        }
      }
      table.put(puts);
      List<Map<String, Filter>> groups = List.of(comparators(), rows(), columns(), lists());
      for (Map<String, Filter> group : groups) {
        group.forEach((what, filter) -> scan(table, what, new Scan().setFilter(filter)));
      }
      attempt("get, column count", () -> text(table.get(new Get(bytes("r2")).setFilter(new ColumnCountGetFilter(2)))));
      scan(table, "prefix, reversed", new Scan().setFilter(new PrefixFilter(bytes("s"))).setReversed(true));
    }
  }
}
