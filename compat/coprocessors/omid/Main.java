package omid;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.omid.committable.CommitTable;
import org.apache.omid.committable.hbase.HBaseCommitTable;
import org.apache.omid.committable.hbase.HBaseCommitTableConfig;
import org.apache.omid.transaction.AbstractTransaction.VisibilityLevel;
import org.apache.omid.transaction.CellUtils;
import org.apache.omid.transaction.HBaseOmidClientConfiguration;
import org.apache.omid.transaction.HBaseTransaction;
import org.apache.omid.transaction.HBaseTransactionManager;
import org.apache.omid.transaction.RollbackException;
import org.apache.omid.transaction.TTable;
import org.apache.omid.transaction.Transaction;
import org.apache.omid.transaction.TransactionManager;
import org.apache.omid.tso.TSOServer;
import org.apache.omid.tso.TSOServerConfig;

/**
 * Omid's transactions with its own coprocessors: OmidSnapshotFilter, which reads a snapshot on the server, and OmidCompactor,
 * whose compactions drop what no snapshot needs. Its timestamp server runs in this process and counts from zero, so every
 * cell must be equal on klip and on HBase.
 *
 * <pre>Main PORT    a free port for Omid's server; hbase-site.xml on the class path names the ZooKeeper</pre>
 */
public final class Main {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] G = Bytes.toBytes("g");
  private static final TableName NAME = TableName.valueOf("omid_accounts");
  private static final String PACKAGE = "org.apache.omid.transaction.";
  private static final int ROWS = 12;
  private static Connection connection;
  private static Admin admin;
  private static TransactionManager manager;
  private static CommitTable commits;
  private static TTable here;
  private static TTable there;

  private Main() {
  }

  private static void clear() throws IOException {
    for (TableName name : admin.listTableNames(Pattern.compile("(omid|OMID)_.*"))) {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
  }

  private static ColumnFamilyDescriptorBuilder versions(byte[] family) {
    return ColumnFamilyDescriptorBuilder.newBuilder(family).setMaxVersions(Integer.MAX_VALUE);
  }

  /** Omid cleans family f, but not family g. */
  private static void create() throws IOException {
    admin.createTable(TableDescriptorBuilder.newBuilder(TableName.valueOf(HBaseCommitTableConfig.DEFAULT_COMMIT_TABLE_NAME))
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of(HBaseCommitTableConfig.DEFAULT_COMMIT_TABLE_CF_NAME))
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of(HBaseCommitTableConfig.DEFAULT_COMMIT_TABLE_LWM_CF_NAME)).build());
    admin.createTable(TableDescriptorBuilder.newBuilder(NAME)
      .setColumnFamily(versions(F).setValue("OMID_ENABLED", "true").build()).setColumnFamily(versions(G).build())
      .setCoprocessor(PACKAGE + "OmidSnapshotFilter").setCoprocessor(PACKAGE + "OmidCompactor").build());
  }

  private static TSOServer serveTimestamps(int port) throws IOException {
    TSOServerConfig settings = new TSOServerConfig();
    settings.setPort(port);
    settings.setNetworkIfaceName("lo");
    settings.setConflictMapSize(1000);
    settings.setTimestampType("INCREMENTAL");
    TSOServer server = TSOServer.getInitializedTsoServer(settings);
    server.startAsync();
    server.awaitRunning();
    return server;
  }

  // Printing

  private static String text(Cell cell) {
    byte[] value = CellUtil.cloneValue(cell);
    boolean shadow = CellUtils.isShadowCell(cell);
    return " " + Bytes.toString(CellUtil.cloneFamily(cell)) + ":" + Bytes.toStringBinary(CellUtil.cloneQualifier(cell)) + "@"
      + cell.getTimestamp() + "=" + (shadow ? String.valueOf(Bytes.toLong(value)) : Bytes.toStringBinary(value));
  }

  private static String text(Result row) {
    StringBuilder out = new StringBuilder(row.isEmpty() ? "(none)" : Bytes.toString(row.getRow()));
    for (Cell cell : row.isEmpty() ? new Cell[0] : row.rawCells()) {
      out.append(text(cell));
    }
    return out.toString();
  }

  private static String text(ResultScanner scanner) {
    StringBuilder out = new StringBuilder();
    try (scanner) {
      for (Result row : scanner) {
        out.append("\n  ").append(text(row));
      }
    }
    return out.toString();
  }

  /** All stored cells: data, shadow cells and what Omid writes for deletes. */
  private static void dump(String what) throws IOException {
    try (Table table = connection.getTable(NAME)) {
      System.out.println(what + ":" + text(table.getScanner(new Scan().readAllVersions())));
    }
  }

  // Reads

  private static List<Filter> filters() {
    List<Filter> filters = new ArrayList<>();
    filters.add(null);
    filters.add(new PrefixFilter(Bytes.toBytes("row1")));
    filters.add(new PageFilter(3));
    filters.add(new ColumnPrefixFilter(Bytes.toBytes("b")));
    filters.add(new ValueFilter(CompareOperator.GREATER, new BinaryComparator(Bytes.toBytes("5"))));
    filters.add(new SkipFilter(new ValueFilter(CompareOperator.LESS, new BinaryComparator(Bytes.toBytes("7")))));
    SingleColumnValueFilter one = new SingleColumnValueFilter(F, Bytes.toBytes("a"), CompareOperator.GREATER, Bytes.toBytes("4"));
    one.setFilterIfMissing(true);
    filters.add(one);
    return filters;
  }

  private static List<Scan> scans() {
    List<Scan> scans = new ArrayList<>();
    scans.add(new Scan());
    scans.add(new Scan().setReversed(true).setLoadColumnFamiliesOnDemand(false));  // HBase refuses both together
    scans.add(new Scan().setLimit(2));
    scans.add(new Scan().setCaching(1).addFamily(F));
    scans.add(new Scan().addColumn(F, Bytes.toBytes("a")).addColumn(G, Bytes.toBytes("b")));
    scans.add(new Scan().withStartRow(Bytes.toBytes("row03")).withStopRow(Bytes.toBytes("row08")));
    return scans;
  }

  /** Reads by one transaction on the server; those without filters must agree with Omid's client, which filters by itself. */
  private static void read(String what, Transaction transaction) throws IOException {
    for (Filter filter : filters()) {
      for (Scan scan : scans()) {
        String rows = text(there.getScanner(transaction, new Scan(scan).setFilter(filter)));
        String label = (filter == null ? "all" : filter.toString()) + (scan.isReversed() ? " reversed" : "")
          + (scan.getLimit() > 0 ? " limit " + scan.getLimit() : "") + " " + Bytes.toString(scan.getStartRow())
          + scan.getFamilyMap().keySet().stream().map(Bytes::toString).toList();
        System.out.println(what + " " + label + ":" + rows);
        if (filter == null && scan.getLimit() < 0 && !scan.isReversed()) {
          String own = text(here.getScanner(transaction, scan));
          System.out.println(own.equals(rows) ? "  as Omid's client" : "  but Omid's client:" + own);
        }
      }
    }
    for (int row = 0; row < ROWS; row++) {
      Get get = new Get(key(row));
      System.out.println(what + " get " + text(there.get(transaction, get)) + " | "
        + text(there.get(transaction, new Get(key(row)).addColumn(F, Bytes.toBytes("a")))) + " | "
        + there.exists(transaction, new Get(key(row)).addFamily(G)));
    }
  }

  private static byte[] key(int row) {
    return Bytes.toBytes(String.format("row%02d", row));
  }

  // Writes

  private static void write(Random random, HBaseTransaction transaction) throws Exception {
    for (int writes = 1 + random.nextInt(4); writes > 0; writes--) {
      byte[] row = key(random.nextInt(ROWS));
      byte[] family = random.nextInt(3) == 0 ? G : F;
      byte[] column = Bytes.toBytes(random.nextBoolean() ? "a" : "b");
      switch (random.nextInt(8)) {
        case 0 -> there.delete(transaction, new Delete(row).addColumns(family, column));
        case 1 -> there.delete(transaction, new Delete(row).addFamily(family));
        case 2 -> transaction.checkpoint();
        default -> there.put(transaction, new Put(row).addColumn(family, column, Bytes.toBytes("" + random.nextInt(10))));
      }
    }
  }

  /** Transactions, some of which stay open, are rolled back, or commit without their shadow cells, as if the client had died. */
  private static void transactions(Random random, int count) throws Exception {
    List<HBaseTransaction> open = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      HBaseTransaction transaction = (HBaseTransaction) manager.begin();
      write(random, transaction);
      int fate = random.nextInt(10);
      if (fate == 0) {
        manager.rollback(transaction);
      } else if (fate < 3) {
        open.add(transaction);
      } else {
        commit(transaction);
      }
      if (fate == 9 && !open.isEmpty()) {
        HBaseTransaction late = open.remove(random.nextInt(open.size()));
        write(random, late);
        commit(late);
      }
    }
  }

  private static void commit(HBaseTransaction transaction) throws Exception {
    try {
      manager.commit(transaction);
      System.out.println(transaction.getTransactionId() + " committed at " + transaction.getCommitTimestamp());
    } catch (RollbackException e) {
      System.out.println(transaction.getTransactionId() + " rolled back");
    }
  }

  /** The commit table says that it is committed, but its shadow cell is missing. */
  private static void loseShadowCell(byte[] row) throws Exception {
    HBaseTransaction transaction = (HBaseTransaction) manager.begin();
    there.put(transaction, new Put(row).addColumn(F, Bytes.toBytes("a"), Bytes.toBytes("8")));
    manager.commit(transaction);
    long start = transaction.getTransactionId();
    try (Table table = connection.getTable(NAME)) {
      table.delete(new Delete(row).addColumn(F, CellUtils.addShadowCellSuffixPrefix(Bytes.toBytes("a")), start));
    }
    CommitTable.Writer writer = commits.getWriter();
    writer.addCommittedTransaction(start, transaction.getCommitTimestamp());
    writer.flush();
  }

  // Compactions

  private static void compact(long lowWatermark) throws Exception {
    CommitTable.Writer writer = commits.getWriter();
    writer.updateLowWatermark(lowWatermark);
    writer.flush();
    admin.flush(NAME);
    dump("flushed");
    admin.majorCompact(NAME);
    do {
      Thread.sleep(300);
    } while (admin.getCompactionState(NAME) != CompactionState.NONE);
    dump("compacted below " + lowWatermark);
  }

  private static void run() throws Exception {
    Random random = new Random(20);
    transactions(random, 40);
    HBaseTransaction early = (HBaseTransaction) manager.begin();
    loseShadowCell(key(3));
    transactions(random, 40);
    loseShadowCell(key(4));
    HBaseTransaction late = (HBaseTransaction) manager.begin();
    read("early", early);
    read("late", late);
    write(random, late);
    late.checkpoint();
    write(random, late);
    late.setVisibilityLevel(VisibilityLevel.SNAPSHOT_ALL);
    read("late, all of its own", late);
    late.setVisibilityLevel(VisibilityLevel.SNAPSHOT_EXCLUDE_CURRENT);
    read("late, without its last", late);
    late.setVisibilityLevel(VisibilityLevel.SNAPSHOT);
    compact(0);
    read("late", late);
    compact(early.getTransactionId());
    read("early", early);
    read("late", late);
    compact(late.getTransactionId());
    read("late", late);
    commit(late);
    transactions(random, 10);
    HBaseTransaction last = (HBaseTransaction) manager.begin();
    compact(last.getTransactionId());
    read("last", last);
    try (Table table = connection.getTable(TableName.valueOf(HBaseCommitTableConfig.DEFAULT_COMMIT_TABLE_NAME))) {
      int entries = 0;
      for (Result entry : table.getScanner(new Scan())) {
        entries += entry.size();
      }
      System.out.println("commit table: " + entries + " cells");
    }
  }

  private static void compare(int port) throws Exception {
    create();
    TSOServer server = serveTimestamps(port);
    HBaseOmidClientConfiguration client = new HBaseOmidClientConfiguration();
    client.setConnectionString("127.0.0.1:" + port);
    client.setHBaseConfiguration(connection.getConfiguration());
    manager = HBaseTransactionManager.newInstance(client);
    commits = new HBaseCommitTable(connection, new HBaseCommitTableConfig());
    here = new TTable(connection.getTable(NAME), false, false);
    there = new TTable(connection.getTable(NAME), true, false);
    run();
    manager.close();
    server.stopAsync();
    server.awaitTerminated();
  }

  public static void main(String[] args) {
    int status = 0;
    try (Connection opened = ConnectionFactory.createConnection(HBaseConfiguration.create()); Admin own = opened.getAdmin()) {
      connection = opened;
      admin = own;
      clear();
      compare(Integer.parseInt(args[0]));
      clear();
    } catch (Exception e) {
      e.printStackTrace();
      status = 1;
    }
    System.exit(status);  // threads of Omid's server remain
  }
}
