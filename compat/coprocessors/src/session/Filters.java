package session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Filters of an observer's own class, which only a JVM can run: the cells' values say what the filter answers. */
public final class Filters {
  private static final byte[][] FAMILIES = { Bytes.toBytes("f"), Bytes.toBytes("g") };
  private static final String ATTRIBUTE = "_filter_";

  private Filters() {
  }

  /** Puts a filter into gets and scans that ask for it. */
  public static class Setter implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> c, Get get, List<Cell> cells) {
      set(get);
    }

    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> c, Scan scan) {
      set(scan);
    }

    private static void set(Query query) {
      byte[] name = query.getAttribute(ATTRIBUTE);
      if (name != null) {
        query.setFilter(filter(Bytes.toString(name)));
      }
    }

    private static Filter filter(String name) {
      return switch (name) {
        case "page" -> new FilterList(FilterList.Operator.MUST_PASS_ALL, new Obedient(""), new PageFilter(4));
        case "either" -> new FilterList(FilterList.Operator.MUST_PASS_ONE, new Obedient(""), new Obedient("keys"));
        case "skip" -> new SkipFilter(new Obedient(""));
        case "while" -> new WhileMatchFilter(new Obedient(""));
        default -> new Obedient(name);
      };
    }
  }

  /** Answers for each cell what its value says. */
  static final class Obedient extends FilterBase {
    private final String more;
    private int rows;
    private int cells;

    Obedient(String more) {
      this.more = more;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
      cells++;
      String value = Bytes.toString(CellUtil.cloneValue(cell));
      return value.startsWith("row") ? ReturnCode.SEEK_NEXT_USING_HINT : ReturnCode.valueOf(value);
    }

    @Override
    public Cell getNextCellHint(Cell cell) {
      byte[] row = CellUtil.cloneValue(cell);
      return new KeyValue(row, CellUtil.cloneFamily(cell), Bytes.toBytes("b"), Long.MAX_VALUE, KeyValue.Type.Maximum);
    }

    @Override
    public boolean filterRowKey(Cell first) {
      return more.equals("keys") && first.getRowArray()[first.getRowOffset() + first.getRowLength() - 1] % 3 == 0;
    }

    @Override
    public Cell transformCell(Cell cell) {
      return more.equals("transformed") ? new KeyValue(CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell),
        CellUtil.cloneQualifier(cell), cell.getTimestamp(), Bytes.toBytes("transformed")) : cell;
    }

    @Override
    public boolean hasFilterRow() {
      return more.startsWith("rows");
    }

    @Override
    public void filterRowCells(List<Cell> left) {
      if (more.equals("rows, cells")) {
        left.removeIf(cell -> Bytes.toString(CellUtil.cloneQualifier(cell)).equals("c"));
      }
    }

    @Override
    public boolean filterRow() {
      return more.startsWith("rows") && cells % 2 == 0;
    }

    @Override
    public boolean filterAllRemaining() {
      return more.equals("some") && rows >= 7;
    }

    @Override
    public void reset() {
      rows++;
      cells = 0;
    }

    @Override
    public byte[] toByteArray() {
      throw new UnsupportedOperationException("this filter stays in its server");
    }
  }

  private static String row(int number) {
    return String.format("row%02d", number);
  }

  private static void fill(Table table, Random random) throws IOException {
    List<String> answers = new ArrayList<>();
    for (Filter.ReturnCode code : Filter.ReturnCode.values()) {
      answers.add(code.name());
    }
    answers.remove("SEEK_NEXT_USING_HINT");
    for (int i = 0; i < 30; i++) {
      Put put = new Put(Bytes.toBytes(row(i)));
      for (int cells = 1 + random.nextInt(6); cells > 0; cells--) {
        String answer = random.nextInt(8) == 0 ? row(i + random.nextInt(4)) : answers.get(random.nextInt(answers.size()));
        put.addColumn(FAMILIES[random.nextInt(2)], Bytes.toBytes(List.of("a", "b", "c").get(random.nextInt(3))),
          1 + random.nextInt(3), Bytes.toBytes(random.nextInt(3) == 0 ? "INCLUDE" : answer));
      }
      table.put(put);
    }
  }

  private static List<Scan> scans(String filter) {
    List<Scan> scans = new ArrayList<>();
    if (!filter.startsWith("rows") && !filter.equals("page") && !filter.equals("skip")) {
      scans.add(new Scan().readAllVersions().setBatch(2));  // HBase refuses it for filters of whole rows
    }
    scans.add(new Scan().readAllVersions());
    scans.add(new Scan().readAllVersions().setCaching(2).setLimit(5));
    scans.add(new Scan());
    scans.add(new Scan().readAllVersions().setReversed(true).setLoadColumnFamiliesOnDemand(false));
    scans.add(new Scan().readAllVersions().addFamily(FAMILIES[1]));
    scans.add(new Scan().readAllVersions().addColumn(FAMILIES[0], Bytes.toBytes("b")));
    scans.add(new Scan().readAllVersions().setMaxResultsPerColumnFamily(1));
    scans.add(new Scan().readAllVersions().setMaxResultsPerColumnFamily(2).setRowOffsetPerColumnFamily(1));
    return scans;
  }

  private static String text(Result row) {
    StringBuilder out = new StringBuilder();
    for (Cell cell : row.isEmpty() ? new Cell[0] : row.rawCells()) {
      out.append(' ').append(Bytes.toString(CellUtil.cloneFamily(cell))).append(':')
        .append(Bytes.toString(CellUtil.cloneQualifier(cell))).append('@').append(cell.getTimestamp()).append('=')
        .append(Bytes.toString(CellUtil.cloneValue(cell)));
    }
    return (row.isEmpty() ? "(none)" : Bytes.toString(row.getRow())) + out;
  }

  private static void read(Table table, String filter) throws IOException {
    for (Scan scan : scans(filter)) {
      System.out.println("scan with " + filter + ": " + scan.toJSON());
      try (ResultScanner rows = table.getScanner(scan.setAttribute(ATTRIBUTE, Bytes.toBytes(filter)))) {
        for (Result row : rows) {
          System.out.println("  " + text(row));
        }
      }
    }
    for (int i = 0; i < 30; i++) {
      Get get = new Get(Bytes.toBytes(row(i))).setAttribute(ATTRIBUTE, Bytes.toBytes(filter));
      System.out.println("get with " + filter + ": " + table.exists(get) + " " + text(table.get(get.readAllVersions())));
    }
  }

  /** Prints what gets and scans return with each filter. */
  static void run(Connection connection, Admin admin, String jar) throws IOException {
    TableName name = TableName.valueOf("cop_filters");
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(name)
      .setCoprocessor(CoprocessorDescriptorBuilder.newBuilder("session.Filters$Setter").setJarPath(jar).build());
    for (byte[] family : FAMILIES) {
      builder.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(family).setMaxVersions(2).build());
    }
    admin.createTable(builder.build());
    try (Table table = connection.getTable(name)) {
      fill(table, new Random(3));
      for (String filter : List.of("alone", "keys", "transformed", "rows", "rows, cells", "some", "page", "either", "skip",
          "while")) {
        read(table, filter);
      }
    }
  }
}
