package klip.compat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.RegionSplitter;

/**
 * One case on HBase, the counterpart of tests/ops/store_session.h. In a pooled session, table names are local to the
 * session and map to tables of the pool. Otherwise they are the cluster's, and no other session may run.
 */
final class Session {
  private static final class Pooled {
    final TableName name;
    final List<String> words;
    boolean altered = false;

    Pooled(TableName name, List<String> words) {
      this.name = name;
      this.words = words;
    }
  }

  private final Cluster cluster;
  private final TablePool pool; // null: not pooled
  private final ExecutorService batches;
  private final Admin admin;
  private final Map<String, Pooled> tables = new HashMap<>();
  private long clock = 1000000;
  private TableName current;
  private Table table;

  Session(Cluster cluster, TablePool pool, ExecutorService batches) throws IOException {
    this.cluster = cluster;
    this.pool = pool;
    this.batches = batches;
    this.admin = cluster.connection.getAdmin();
  }

  String run(String line) {
    try {
      return run(Words.split(line));
    } catch (UnknownWord e) {
      return "skip: " + e.getMessage() + "\n";
    } catch (Throwable e) {
      String answer = Answers.error(e);
      if (answer.startsWith("error TimedOut")) { // a handler may loop forever now
        System.err.println("timed out: " + tables.keySet() + " " + line);
      }
      return answer;
    }
  }

  void close() throws IOException {
    for (Pooled pooled : tables.values()) {
      if (!pooled.altered) {
        pool.giveBack(pooled.name, pooled.words);
      }
    }
    if (pool == null) {
      removeAll();
    }
    admin.close();
  }

  private void removeAll() throws IOException {
    for (TableName name : admin.listTableNames()) {
      if (admin.isTableEnabled(name)) {
        admin.disableTable(name);
      }
      admin.deleteTable(name);
    }
    for (SnapshotDescription snapshot : admin.listSnapshots()) {
      admin.deleteSnapshot(snapshot.getName());
    }
    for (NamespaceDescriptor namespace : admin.listNamespaceDescriptors()) {
      if (!Set.of("default", "hbase").contains(namespace.getName())) {
        admin.deleteNamespace(namespace.getName());
      }
    }
  }

  private TableName name(String name) {
    Pooled pooled = tables.get(name);
    return pooled == null ? TableName.valueOf(name) : pooled.name;
  }

  private void use(TableName name) {
    current = name;
    table =
        cluster
            .connection
            .getTableBuilder(name, batches)
            .setRequestAttribute(SessionClock.ATTRIBUTE, SessionClock.encode(clock))
            .build();
  }

  private void setClock(long time) {
    clock = time;
    if (current != null) {
      use(current);
    }
  }

  private String run(List<String> tokens) throws Exception {
    String name = tokens.get(0);
    if (TableOps.has(name)) {
      return TableOps.run(table, tokens);
    }
    switch (name) {
      case "reopen":
        return "";
      case "clock":
        setClock(Long.parseLong(tokens.get(1)));
        return "";
      case "advance":
        String amount = tokens.get(1);
        boolean millis = amount.endsWith("ms");
        long number = Long.parseLong(amount.substring(0, amount.length() - (millis ? 2 : 1)));
        setClock(clock + (millis ? number : 1000 * number));
        return "";
      case "flush":
      case "major":
        writeFiles(name, tokens.size() > 1 ? name(tokens.get(1)) : current);
        return "";
      case "namespace":
        return namespace(tokens);
      case "snapshot":
      case "snapshots":
      case "clone":
      case "restore":
      case "delete-snapshot":
        return snapshot(tokens);
      case "regions":
      case "split":
      case "merge":
      case "split-keys":
        return region(tokens);
      default:
        return tableOp(tokens);
    }
  }

  /** In this thread, so that it happens at the session's time and is done at the end. */
  private void writeFiles(String what, TableName name) throws IOException {
    List<HRegion> regions = cluster.regions(name);
    if (regions.isEmpty()) {
      admin.flush(name);
    }
    SessionClock.set(clock);
    try {
      for (HRegion region : regions) {
        if (what.equals("flush")) {
          region.flush(true);
        } else {
          region.compact(true);
        }
      }
    } finally {
      SessionClock.set(null);
    }
  }

  private String tableOp(List<String> tokens) throws Exception {
    String op = tokens.get(0);
    if (op.equals("list")) {
      TableName[] names =
          tokens.size() > 1 ? admin.listTableNamesByNamespace(tokens.get(1)) : admin.listTableNames();
      StringBuilder out = new StringBuilder();
      Arrays.stream(names).map(TableName::getNameAsString).sorted().forEach(name -> out.append(name).append('\n'));
      return out.length() == 0 ? "(empty)\n" : out.toString();
    }
    if (tokens.size() < 2) {
      throw new UnknownWord("op " + op);
    }
    String given = tokens.get(1);
    if (op.equals("create")) {
      create(given, tokens.subList(2, tokens.size()));
      return "";
    }
    TableName name = name(given);
    Pooled pooled = tables.get(given);
    switch (op) {
      case "use":
        if (!admin.tableExists(name)) {
          throw new TableNotFoundException(name);
        }
        use(name);
        return "";
      case "describe":
        return Descriptors.format(TableName.valueOf(given), admin.getDescriptor(name));
      case "exists-table":
        return admin.tableExists(name) + "\n";
      case "enabled":
        return admin.isTableEnabled(name) + "\n";
      default:
    }
    if (pooled != null) {
      pooled.altered = true;
    }
    switch (op) {
      case "drop":
        admin.deleteTable(name);
        tables.remove(given);
        return "";
      case "disable":
        admin.disableTable(name);
        return "";
      case "enable":
        admin.enableTable(name);
        return "";
      case "truncate":
        admin.truncateTable(name, tokens.size() > 2);
        return "";
      case "alter":
        alter(name, tokens);
        return "";
      default:
        throw new UnknownWord("op " + op);
    }
  }

  private void create(String given, List<String> words) throws IOException {
    if (pool == null) {
      TableName name = TableName.valueOf(given);
      admin.createTable(Descriptors.table(name, words), Descriptors.splits(words));
      use(name);
      return;
    }
    if (tables.containsKey(given)) {
      throw new TableExistsException(TableName.valueOf(given));
    }
    tables.put(given, new Pooled(pool.take(admin, words), words));
    use(name(given));
  }

  private void alter(TableName name, List<String> tokens) throws IOException {
    String what = tokens.get(2);
    String operand = tokens.get(3);
    if (what.equals("add")) {
      admin.addColumnFamily(name, Descriptors.family(operand, null));
    } else if (what.equals("delete")) {
      admin.deleteColumnFamily(name, Bytes.toBytes(operand));
    } else if (what.equals("modify")) {
      ColumnFamilyDescriptor fresh = Descriptors.family(operand, null);
      ColumnFamilyDescriptor old = admin.getDescriptor(name).getColumnFamily(fresh.getName());
      admin.modifyColumnFamily(name, Descriptors.family(operand, old));
    } else if (what.equals("set")) {
      TableDescriptor old = admin.getDescriptor(name);
      TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(old);
      for (String pair : tokens.subList(3, tokens.size())) {
        builder.setValue(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
      }
      admin.modifyTable(builder.build());
    } else {
      throw new UnknownWord("alter " + what);
    }
  }

  private String namespace(List<String> tokens) throws IOException {
    switch (tokens.get(1)) {
      case "list":
        StringBuilder out = new StringBuilder();
        Arrays.stream(admin.listNamespaceDescriptors())
            .map(NamespaceDescriptor::getName)
            .sorted()
            .forEach(name -> out.append(name).append('\n'));
        return out.toString();
      case "create":
        admin.createNamespace(NamespaceDescriptor.create(tokens.get(2)).build());
        return "";
      case "drop":
        admin.deleteNamespace(tokens.get(2));
        return "";
      case "show":
        return admin.getNamespaceDescriptor(tokens.get(2)).getName() + "\n";
      default:
        throw new UnknownWord("namespace " + tokens.get(1));
    }
  }

  private String snapshot(List<String> tokens) throws IOException {
    switch (tokens.get(0)) {
      case "snapshot":
        admin.snapshot(tokens.get(1), tokens.size() > 2 ? name(tokens.get(2)) : current);
        return "";
      case "snapshots":
        StringBuilder out = new StringBuilder();
        admin.listSnapshots().stream()
            .sorted(Comparator.comparing(SnapshotDescription::getName))
            .forEach(s -> out.append(s.getName()).append(" of ").append(s.getTableNameAsString()).append('\n'));
        return out.length() == 0 ? "(empty)\n" : out.toString();
      case "clone":
        admin.cloneSnapshot(tokens.get(1), name(tokens.get(2)));
        use(name(tokens.get(2)));
        return "";
      case "restore":
        admin.restoreSnapshot(tokens.get(1));
        return "";
      default:
        admin.deleteSnapshot(tokens.get(1));
        return "";
    }
  }

  private String region(List<String> tokens) throws Exception {
    String op = tokens.get(0);
    if (op.equals("split-keys")) {
      return splitKeys(tokens.get(1), Integer.parseInt(tokens.get(2)));
    }
    List<RegionInfo> regions = new ArrayList<>(admin.getRegions(op.equals("regions") && tokens.size() > 1 ? name(tokens.get(1)) : current));
    regions.sort(RegionInfo.COMPARATOR);
    if (op.equals("regions")) {
      StringBuilder out = new StringBuilder();
      for (RegionInfo region : regions) {
        out.append('[').append(Bytes.toStringBinary(region.getStartKey())).append(',');
        out.append(Bytes.toStringBinary(region.getEndKey())).append(")\n");
      }
      return out.toString();
    }
    tables.values().stream().filter(pooled -> pooled.name.equals(current)).forEach(pooled -> pooled.altered = true);
    if (op.equals("split")) {
      if (tokens.size() < 2) {
        throw new UnknownWord("split without a key");
      }
      byte[] key = Words.bytes(tokens.get(1));
      RegionInfo region = regions.stream().filter(r -> r.containsRow(key)).findFirst().get();
      admin.splitRegionAsync(region.getRegionName(), key).get(60, TimeUnit.SECONDS);
    } else {
      Words words = new Words(tokens.subList(1, tokens.size()));
      List<byte[]> names = new ArrayList<>();
      for (String word : words.words) {
        names.add(regions.get(Integer.parseInt(word)).getEncodedNameAsBytes());
      }
      admin.mergeRegionsAsync(names.toArray(new byte[0][]), words.has("force")).get(60, TimeUnit.SECONDS);
    }
    dropReferences();
    return "";
  }

  /** What a split or merge leaves behind goes with the next compaction; until then HBase refuses another one. */
  private void dropReferences() throws IOException {
    for (HRegion region : cluster.regions(current)) {
      region.compact(true);
      for (var store : region.getStores()) {
        store.closeAndArchiveCompactedFiles();
      }
    }
  }

  private static String splitKeys(String algorithm, int count) {
    RegionSplitter.SplitAlgorithm split =
        algorithm.equals("hex")
            ? new RegionSplitter.HexStringSplit()
            : algorithm.equals("decimal") ? new RegionSplitter.DecimalStringSplit() : new RegionSplitter.UniformSplit();
    StringBuilder out = new StringBuilder();
    for (byte[] key : split.split(count)) {
      out.append(Bytes.toStringBinary(key)).append('\n');
    }
    return out.toString();
  }
}
