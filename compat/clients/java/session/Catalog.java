package session;

import static session.Report.attempt;
import static session.Report.bytes;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** The rows of hbase:meta for a table whose regions are split and merged, before and after the catalog janitor. */
final class Catalog {
  private static final TableName NAME = TableName.valueOf("java_catalog");
  private static final byte[] F = Bytes.toBytes("f");
  private static final int MOST_ROUNDS = 20;
  private final Connection connection;

  Catalog(Connection connection) {
    this.connection = connection;
  }

  private static String text(RegionInfo region) {
    return "[" + Bytes.toStringBinary(region.getStartKey()) + "," + Bytes.toStringBinary(region.getEndKey()) + ")"
        + (region.getReplicaId() == 0 ? "" : " replica " + region.getReplicaId()) + (region.isOffline() ? " offline" : "")
        + (region.isSplit() ? " split" : "");
  }

  /** Without what depends on the server and the time. */
  private static String text(Cell cell) {
    String column = Bytes.toString(CellUtil.cloneQualifier(cell));
    if (column.equals("regioninfo") || column.startsWith("split") || column.startsWith("merge")) {
      return column + "=" + text(RegionInfo.parseFromOrNull(CellUtil.cloneValue(cell)));
    }
    return column.startsWith("state") ? column + "=" + Bytes.toString(CellUtil.cloneValue(cell)) : column;
  }

  /** The rows of the table's regions. */
  static String meta(Connection connection, TableName name) throws Exception {
    StringBuilder out = new StringBuilder();
    Scan scan = new Scan().addFamily(Bytes.toBytes("info")).withStartRow(Bytes.toBytes(name + ",,")).withStopRow(Bytes.toBytes(name + " ,,"));
    try (Table meta = connection.getTable(TableName.META_TABLE_NAME); ResultScanner rows = meta.getScanner(scan)) {
      for (Result row : rows) {
        out.append("\n ");
        for (Cell cell : row.rawCells()) {
          out.append(' ').append(text(cell));
        }
      }
    }
    return out.toString();
  }

  private String meta() throws Exception {
    return meta(connection, NAME);
  }

  /** Until hbase:meta no longer names the regions' origins: HBase first compacts their files and archives the old ones. */
  private String clean(Admin admin) throws Exception {
    for (int round = 0; round < MOST_ROUNDS; ++round) {
      admin.majorCompact(NAME);
      Thread.sleep(500);
      admin.disableTable(NAME);
      admin.enableTable(NAME);
      admin.runCatalogJanitor();
      String text = meta();
      if (!text.contains("split") && !text.contains("merge")) {
        return text;
      }
    }
    return "not cleaned:" + meta();
  }

  private static List<RegionInfo> sorted(Admin admin) throws Exception {
    List<RegionInfo> regions = new ArrayList<>(admin.getRegions(NAME));
    regions.sort(RegionInfo.COMPARATOR);
    return regions;
  }

  private void merge(Admin admin, int... indexes) throws Exception {
    List<RegionInfo> all = sorted(admin);
    byte[][] names = new byte[indexes.length][];
    for (int i = 0; i < indexes.length; ++i) {
      names[i] = all.get(indexes[i]).getEncodedNameAsBytes();
    }
    admin.mergeRegionsAsync(names, false).get();
  }

  void run() throws Exception {
    System.out.println("== catalog");
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build(),
          new byte[][] {bytes("b"), bytes("d")});
      try (Table table = connection.getTable(NAME)) {
        for (char c = 'a'; c <= 'f'; ++c) {
          table.put(new Put(bytes(c + "")).addColumn(F, bytes("q"), bytes("v")));
        }
      }
      attempt("created", this::meta);
      attempt("split", () -> { admin.splitRegionAsync(sorted(admin).get(1).getEncodedNameAsBytes(), bytes("c")).get(); return meta(); });
      attempt("regions", () -> sorted(admin).size());
      attempt("cleaned", () -> clean(admin));
      attempt("merged", () -> { merge(admin, 1, 0); return meta(); });
      attempt("cleaned", () -> clean(admin));
      attempt("three merged", () -> { merge(admin, 0, 1, 2); return meta(); });
      attempt("disabled", () -> { admin.disableTable(NAME); return meta(); });
    }
  }
}
