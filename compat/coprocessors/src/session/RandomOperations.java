package session;

import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
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
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Runs random operations on a table with a coprocessor, and prints their answers and the final table. Cells of increments
 * are printed without their timestamps, which the server chooses.
 *
 * <pre>RandomOperations HOST:PORT ATTRIBUTE TABLE SEED    of the ZooKeeper; the coprocessor; a new table</pre>
 */
public final class RandomOperations {
  private static final byte[] F = Observers.FAMILY;
  private static final byte[] Q = Bytes.toBytes("q");
  private static final int ROWS = 30;
  private static final int OPERATIONS = 2000;
  private static final String[] VALUES = {"a", "b", "no", "skip", "c"};
  private final Table table;
  private final Random random;

  private RandomOperations(Table table, long seed) {
    this.table = table;
    this.random = new Random(seed);
  }

  private byte[] row() {
    return Bytes.toBytes(String.format("r%02d", random.nextInt(ROWS)));
  }

  private byte[] value() {
    return Bytes.toBytes(VALUES[random.nextInt(VALUES.length)]);
  }

  private static String text(Result row) {
    StringBuilder out = new StringBuilder(Bytes.toString(row.getRow()));
    for (Cell cell : row.rawCells()) {
      String qualifier = Bytes.toString(CellUtil.cloneQualifier(cell));
      out.append(' ').append(qualifier).append(qualifier.equals("count") ? "" : "@" + cell.getTimestamp()).append('=')
        .append(Bytes.toStringBinary(CellUtil.cloneValue(cell)));
    }
    return out.toString();
  }

  private String scan(Scan scan) throws IOException {
    StringBuilder out = new StringBuilder("scan");
    try (ResultScanner rows = table.getScanner(scan)) {
      for (Result row : rows) {
        out.append("\n  ").append(text(row));
      }
    }
    return out.toString();
  }

  private String operation(long time) throws IOException {
    byte[] row = row();
    switch (random.nextInt(8)) {
      case 0: case 1: case 2:
        table.put(new Put(row, time).addColumn(F, Q, value()));
        return "put";
      case 3:
        table.delete(new Delete(row).addColumns(F, Q, time));
        return "delete";
      case 4:
        return "increment " + table.incrementColumnValue(row, F, Bytes.toBytes("count"), random.nextInt(100));
      case 5: case 6:
        return "check " + Bytes.toString(row) + " " + table.checkAndMutate(CheckAndMutate.newBuilder(row).ifEquals(F, Q, value())
          .build(new Put(row, time).addColumn(F, Q, value()))).isSuccess();
      default:
        // In pages of one row, HBase ends a scan whose hook removes that row.
        Scan scan = new Scan().readVersions(1 + random.nextInt(3));
        return scan(random.nextBoolean() ? scan.withStartRow(Bytes.toBytes("narrow"))
          : random.nextBoolean() ? scan.withStartRow(row).setCaching(2 + random.nextInt(5)) : scan.withStartRow(row).setReversed(true));
    }
  }

  private void run() throws IOException {
    for (int i = 1; i <= OPERATIONS; i++) {
      String answer;
      try {
        answer = operation(i);
      } catch (IOException e) {
        answer = e.getClass().getSimpleName();
      }
      System.out.println(i + " " + answer);
    }
    for (int i = 0; i < ROWS; i++) {
      Result row = table.get(new Get(Bytes.toBytes(String.format("r%02d", i))).readAllVersions());
      System.out.println(row.isEmpty() ? "(none)" : text(row));
    }
  }

  public static void main(String[] arguments) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    int colon = arguments[0].lastIndexOf(':');
    configuration.set("hbase.zookeeper.quorum", arguments[0].substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", arguments[0].substring(colon + 1));
    configuration.setInt("hbase.client.retries.number", 3);
    TableName name = TableName.valueOf(arguments[2]);
    try (Connection connection = ConnectionFactory.createConnection(configuration); Admin admin = connection.getAdmin();
      Table table = connection.getTable(name)) {
      admin.createTable(TableDescriptorBuilder.newBuilder(name).setValue("coprocessor$1", arguments[1])
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build()).build());
      new RandomOperations(table, Long.parseLong(arguments[3])).run();
    }
  }
}
