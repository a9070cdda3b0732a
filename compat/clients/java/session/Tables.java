package session;

import static session.Report.attempt;
import static session.Report.bytes;
import static session.Report.scan;
import static session.Report.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** Tables, families, namespaces, regions and snapshots, through Admin and RegionLocator. */
final class Tables {
  private static final TableName NAME = TableName.valueOf("java_space:tables");
  private static final byte[] F = Bytes.toBytes("f");
  private final Connection connection;

  Tables(Connection connection) {
    this.connection = connection;
  }

  private static String regions(List<RegionInfo> regions) {
    return regions.stream().sorted(RegionInfo.COMPARATOR)
        .map(r -> "[" + Bytes.toStringBinary(r.getStartKey()) + "," + Bytes.toStringBinary(r.getEndKey()) + ")")
        .collect(Collectors.joining(" "));
  }

  private static String describe(TableDescriptor table) {
    StringBuilder out = new StringBuilder(table.getTableName().toString());
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      out.append("\n  ").append(family);
    }
    return out.toString();
  }

  private void create(Admin admin) throws Exception {
    attempt("namespace", () -> {
      admin.createNamespace(NamespaceDescriptor.create("java_space").addConfiguration("owner", "a").build());
      return admin.getNamespaceDescriptor("java_space").getConfigurationValue("owner");
    });
    attempt("namespace again", () -> { admin.createNamespace(NamespaceDescriptor.create("java_space").build()); return null; });
    attempt("table in no namespace", () -> {
      admin.createTable(TableDescriptorBuilder.newBuilder(TableName.valueOf("nope:t")).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build());
      return null;
    });
    ColumnFamilyDescriptor rich = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("rich")).setMaxVersions(5).setMinVersions(2)
        .setTimeToLive(86400).setBloomFilterType(BloomType.ROWCOL).setInMemory(true).setBlocksize(8192).setBlockCacheEnabled(false)
        .setCompressionType(Compression.Algorithm.GZ).setDataBlockEncoding(DataBlockEncoding.FAST_DIFF).setScope(1).build();
    TableDescriptor table = TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
        .setColumnFamily(rich).setDurability(Durability.ASYNC_WAL).setMaxFileSize(1L << 30).setValue("own", "attribute").build();
    attempt("create", () -> { admin.createTable(table, bytes("b"), bytes("x"), 5); return regions(admin.getRegions(NAME)); });
    attempt("create again", () -> { admin.createTable(table); return null; });
    attempt("describe", () -> describe(admin.getDescriptor(NAME)) + " " + admin.getDescriptor(NAME).getValue("own") + " "
        + admin.getDescriptor(NAME).getDurability() + " " + admin.getDescriptor(NAME).getMaxFileSize());
    attempt("describe nothing", () -> admin.getDescriptor(TableName.valueOf("nope")));
    attempt("list by pattern", () -> List.of(admin.listTableNames(Pattern.compile("java_space:t.*"))).toString());
    attempt("tables of the namespace", () -> List.of(admin.listTableNamesByNamespace("java_space")).toString());
    attempt("namespaces", () -> java.util.Arrays.stream(admin.listNamespaces()).filter(n -> n.startsWith("java_")).sorted().collect(Collectors.joining(" ")));
    attempt("delete of a namespace with tables", () -> { admin.deleteNamespace("java_space"); return null; });
  }

  private void alter(Admin admin) {
    attempt("add a family", () -> { admin.addColumnFamily(NAME, ColumnFamilyDescriptorBuilder.of("g")); return describe(admin.getDescriptor(NAME)); });
    attempt("add it again", () -> { admin.addColumnFamily(NAME, ColumnFamilyDescriptorBuilder.of("g")); return null; });
    attempt("modify a family", () -> {
      admin.modifyColumnFamily(NAME, ColumnFamilyDescriptorBuilder.newBuilder(bytes("g")).setMaxVersions(7).build());
      return admin.getDescriptor(NAME).getColumnFamily(bytes("g")).getMaxVersions();
    });
    attempt("modify no family", () -> { admin.modifyColumnFamily(NAME, ColumnFamilyDescriptorBuilder.of("nope")); return null; });
    attempt("delete a family", () -> { admin.deleteColumnFamily(NAME, bytes("rich")); return admin.getDescriptor(NAME).getColumnFamilyCount(); });
    attempt("delete no family", () -> { admin.deleteColumnFamily(NAME, bytes("rich")); return null; });
    attempt("modify", () -> {
      admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(NAME)).setReadOnly(true).build());
      return admin.getDescriptor(NAME).isReadOnly();
    });
    attempt("put when read-only", () -> {
      try (Table table = connection.getTable(NAME)) {
        table.put(new Put(bytes("r")).addColumn(F, F, F));
      }
      return null;
    });
    attempt("modify back", () -> {
      admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(NAME)).setReadOnly(false).build());
      return admin.getDescriptor(NAME).isReadOnly();
    });
    attempt("delete while enabled", () -> { admin.deleteTable(NAME); return null; });
    attempt("disable", () -> { admin.disableTable(NAME); return admin.isTableDisabled(NAME); });
    attempt("disable again", () -> { admin.disableTable(NAME); return null; });
    attempt("get when disabled", () -> {
      try (Table table = connection.getTable(NAME)) {
        return text(table.get(new Get(bytes("r"))));
      }
    });
    attempt("enable", () -> { admin.enableTable(NAME); return admin.isTableEnabled(NAME); });
    attempt("enable again", () -> { admin.enableTable(NAME); return null; });
  }

  private static List<RegionInfo> sorted(Admin admin) throws Exception {
    List<RegionInfo> regions = new ArrayList<>(admin.getRegions(NAME));
    regions.sort(RegionInfo.COMPARATOR);
    return regions;
  }

  private void regions(Admin admin, Table table) throws Exception {
    for (char c = 'a'; c <= 'z'; ++c) {
      table.put(new Put(bytes(c + "")).addColumn(F, bytes("q"), 1, bytes("v" + c)));
    }
    attempt("split", () -> { admin.splitRegionAsync(sorted(admin).get(0).getEncodedNameAsBytes(), bytes("a5")).get(); return regions(admin.getRegions(NAME)); });
    attempt("split outside", () -> { admin.splitRegionAsync(sorted(admin).get(0).getEncodedNameAsBytes(), bytes("z")).get(); return null; });
    attempt("merge", () -> {
      List<RegionInfo> all = sorted(admin);
      admin.mergeRegionsAsync(new byte[][] {all.get(1).getEncodedNameAsBytes(), all.get(2).getEncodedNameAsBytes()}, false).get();
      return regions(admin.getRegions(NAME));
    });
    attempt("merge of distant regions", () -> {
      List<RegionInfo> all = sorted(admin);
      admin.mergeRegionsAsync(new byte[][] {all.get(0).getEncodedNameAsBytes(), all.get(3).getEncodedNameAsBytes()}, false).get();
      return null;
    });
    try (RegionLocator locator = connection.getRegionLocator(NAME)) {
      attempt("start keys", () -> java.util.Arrays.stream(locator.getStartKeys()).map(Bytes::toStringBinary).collect(Collectors.toList()));
      attempt("location", () -> {
        HRegionLocation where = locator.getRegionLocation(bytes("m"), true);
        return regions(List.of(where.getRegion())) + " " + (where.getServerName() != null);
      });
      attempt("locations", () -> locator.getAllRegionLocations().size());
    }
    scan(table, "over all regions", new Scan());
    scan(table, "reversed", new Scan().withStartRow(bytes("g")).withStopRow(bytes("c")).setReversed(true));
  }

  private void snapshots(Admin admin, Table table) {
    TableName copy = TableName.valueOf("java_copy");
    attempt("snapshot", () -> { admin.snapshot("java_one", NAME); return null; });
    attempt("snapshot again", () -> { admin.snapshot("java_one", NAME); return null; });
    attempt("snapshot of nothing", () -> { admin.snapshot("java_two", TableName.valueOf("nope")); return null; });
    attempt("snapshot by flush", () -> { admin.snapshot(new SnapshotDescription("java_three", NAME, SnapshotType.FLUSH)); return null; });
    attempt("snapshots", () -> admin.listSnapshots(Pattern.compile("java_.*")).stream().map(s -> s.getName() + " " + s.getTableName())
        .sorted().collect(Collectors.toList()));
    attempt("change", () -> {
      table.put(new Put(bytes("later")).addColumn(F, bytes("q"), 1, bytes("v")));
      admin.flush(NAME);
      admin.deleteColumnFamily(NAME, bytes("g"));
      return null;
    });
    attempt("clone", () -> {
      admin.cloneSnapshot("java_one", copy);
      try (Table cloned = connection.getTable(copy)) {
        return admin.getDescriptor(copy).getColumnFamilyCount() + " " + regions(admin.getRegions(copy)) + " " + cloned.exists(new Get(bytes("later")));
      }
    });
    attempt("clone over a table", () -> { admin.cloneSnapshot("java_one", copy); return null; });
    attempt("restore while enabled", () -> { admin.restoreSnapshot("java_one"); return null; });
    attempt("restore", () -> {
      admin.disableTable(NAME);
      admin.restoreSnapshot("java_one");
      admin.enableTable(NAME);
      return admin.getDescriptor(NAME).getColumnFamilyCount() + " " + table.exists(new Get(bytes("later")));
    });
    scan(table, "restored", new Scan().setLimit(3));
    attempt("delete a snapshot", () -> { admin.deleteSnapshot("java_one"); return admin.listSnapshots(Pattern.compile("java_one")).size(); });
    attempt("delete it again", () -> { admin.deleteSnapshot("java_one"); return null; });
    attempt("copy of the schema", () -> { admin.cloneTableSchema(NAME, TableName.valueOf("java_schema"), true); return regions(admin.getRegions(TableName.valueOf("java_schema"))); });
  }

  void run() throws Exception {
    System.out.println("== tables");
    try (Admin admin = connection.getAdmin()) {
      create(admin);
      alter(admin);
      try (Table table = connection.getTable(NAME)) {
        regions(admin, table);
        snapshots(admin, table);
      }
      attempt("compact", () -> { admin.majorCompact(NAME); return null; });
      attempt("balancer", () -> admin.balancerSwitch(false, true) + " " + admin.isBalancerEnabled() + " " + admin.balancerSwitch(true, true));
      attempt("splits", () -> admin.splitSwitch(false, false) + " " + admin.isSplitEnabled() + " " + admin.splitSwitch(true, false));
      attempt("servers", () -> admin.getClusterMetrics().getLiveServerMetrics().size());
    }
  }
}
