package session;

import static session.Report.attempt;
import static session.Report.bytes;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Tables with region replicas: their locations, and reads from one of them. */
final class Replicas {
  private static final TableName NAME = TableName.valueOf("java_replicas");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");
  private final Connection connection;

  Replicas(Connection connection) {
    this.connection = connection;
  }

  private static String text(RegionInfo region) {
    return Bytes.toStringBinary(region.getStartKey()) + "/" + region.getReplicaId();
  }

  private static String text(List<HRegionLocation> locations) {
    return locations.stream().map(one -> text(one.getRegion()) + (one.getServerName() == null ? " nowhere" : "")).sorted()
        .collect(Collectors.joining(" "));
  }

  private static String text(Result row) {
    return Report.text(row) + (row.isStale() ? " stale" : "");
  }

  private static Get get(String row, int replica) {
    return new Get(bytes(row)).setConsistency(Consistency.TIMELINE).setReplicaId(replica);
  }

  private static String scan(Table table, Scan scan) throws Exception {
    StringBuilder out = new StringBuilder();
    try (ResultScanner rows = table.getScanner(scan)) {
      for (Result row : rows) {
        out.append("\n  ").append(text(row));
      }
    }
    return out.toString();
  }

  private void locate(Admin admin) {
    attempt("meta", () -> Catalog.meta(connection, NAME));
    attempt("regions", () -> admin.getRegions(NAME).stream().map(Replicas::text).sorted().collect(Collectors.toList()));
    try (RegionLocator locator = connection.getRegionLocator(NAME)) {
      attempt("all locations", () -> text(locator.getAllRegionLocations()));
      attempt("locations of a row", () -> text(locator.getRegionLocations(bytes("x"), true)));
      attempt("location of replica 1", () -> text(List.of(locator.getRegionLocation(bytes("x"), 1, true))));
      attempt("start keys", () -> locator.getStartKeys().length);
    } catch (Exception e) {
      System.out.println("locator: " + e);
    }
    attempt("on the server", () -> {
      List<String> names = new ArrayList<>();
      for (org.apache.hadoop.hbase.ServerName server : admin.getRegionServers()) {
        admin.getRegions(server).stream().filter(r -> r.getTable().equals(NAME)).map(Replicas::text).forEach(names::add);
      }
      names.sort(null);
      return names;
    });
  }

  private void read(Table table) {
    attempt("strong", () -> text(table.get(new Get(bytes("a")))));
    attempt("timeline", () -> Report.text(table.get(new Get(bytes("a")).setConsistency(Consistency.TIMELINE))));
    for (int replica = 0; replica < 3; ++replica) {
      int id = replica;
      attempt("get from " + id, () -> text(table.get(get("a", id))) + ", " + text(table.get(get("x", id))) + ", " + text(table.get(get("nope", id))));
      attempt("exists on " + id, () -> table.exists(get("a", id)));
      attempt("scan of " + id, () -> scan(table, new Scan().setConsistency(Consistency.TIMELINE).setReplicaId(id)));
      attempt("reversed scan of " + id,
          () -> scan(table, new Scan().setReversed(true).setLimit(2).setConsistency(Consistency.TIMELINE).setReplicaId(id)));
    }
    attempt("timeline scan", () -> {
      try (ResultScanner rows = table.getScanner(new Scan().setConsistency(Consistency.TIMELINE))) {
        return Report.text(List.of(rows.next(10)));
      }
    });
  }

  void run() throws Exception {
    System.out.println("== replicas");
    try (Admin admin = connection.getAdmin(); Table table = connection.getTable(NAME)) {
      admin.createTable(TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).setRegionReplication(3).build(),
          new byte[][] {bytes("m")});
      for (String row : List.of("a", "b", "x")) {
        table.put(new Put(bytes(row)).addColumn(F, Q, 1, bytes("v" + row)));
      }
      locate(admin);
      // HBase's secondary regions have the files that were there when they were opened.
      admin.flush(NAME);
      admin.disableTable(NAME);
      admin.enableTable(NAME);
      read(table);
      attempt("one replica less", () -> {
        admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(NAME)).setRegionReplication(2).build());
        return admin.getDescriptor(NAME).getRegionReplication();
      });
      locate(admin);
    }
  }
}
