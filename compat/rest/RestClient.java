// HBase's REST client for Java, unmodified: every call of RemoteAdmin and RemoteHTable, and each resource in each kind, printed so that
// two servers can be compared. It speaks protobuf. RestClient HOST:PORT
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.rest.ProtobufMessageHandler;
import org.apache.hadoop.hbase.rest.client.*;
import org.apache.hadoop.hbase.rest.client.Client;
import org.apache.hadoop.hbase.rest.model.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

public class RestClient {
  static final String NAME = "compat_java";
  static final byte[] F = b("f"), G = b("g");
  static Client client;
  static RemoteHTable table;

  static byte[] b(String text) { return Bytes.toBytes(text); }

  interface Call { Object run() throws Exception; }

  static void print(String what, Call call) {
    String answer;
    try {
      answer = text(call.run());
    } catch (Exception | Error e) {
      answer = "error " + e.getClass().getSimpleName() + " " + e.getMessage();
    }
    System.out.println(what + ": " + answer);
  }

  static String text(Object value) {
    if (value instanceof Result) return text((Result) value);
    if (value instanceof Object[]) {
      List<String> all = new ArrayList<>();
      for (Object one : (Object[]) value) all.add(text(one));
      return all.toString();
    }
    if (value instanceof boolean[]) return Arrays.toString((boolean[]) value);
    return String.valueOf(value);
  }

  static String text(Result result) {
    StringBuilder out = new StringBuilder("{");
    for (Cell cell : result.rawCells() == null ? new Cell[0] : result.rawCells()) {
      long time = cell.getTimestamp();
      out.append(out.length() == 1 ? "" : ", ").append(Bytes.toStringBinary(CellUtil.cloneRow(cell))).append(' ')
        .append(Bytes.toStringBinary(CellUtil.cloneFamily(cell))).append(':')
        .append(Bytes.toStringBinary(CellUtil.cloneQualifier(cell))).append('@').append(time > 1_000_000_000_000L ? "now" : "" + time)
        .append('=').append(Bytes.toStringBinary(CellUtil.cloneValue(cell)));
    }
    return out.append('}').toString();
  }

  static String scan(Scan scan) throws Exception {
    StringBuilder out = new StringBuilder();
    int rows = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result row; (row = scanner.next()) != null && rows < 1000; ++rows) out.append(text(row));
    }
    return rows + " " + (out.length() > 300 ? out.substring(0, 300) + "... " + out.toString().hashCode() : out);
  }

  static String descriptor(TableDescriptor table) {
    StringBuilder out = new StringBuilder(table.getTableName().getNameAsString());
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      out.append(" | ").append(family.getNameAsString());
      for (String name : new String[] {"VERSIONS", "MIN_VERSIONS", "TTL", "BLOOMFILTER", "COMPRESSION", "IN_MEMORY", "BLOCKCACHE", "BLOCKSIZE",
          "REPLICATION_SCOPE", "KEEP_DELETED_CELLS", "OWN"}) {
        out.append(' ').append(name).append('=').append(Bytes.toString(family.getValue(b(name))));
      }
    }
    return out + " | READONLY=" + table.getValue("READONLY") + " OWN=" + table.getValue("OWN");
  }

  static String answer(Response response) {
    String kind = response.getHeader("Content-Type");
    String location = response.getHeader("Location");
    return response.getCode() + (kind == null || response.getCode() >= 400 ? "" : " " + kind.split(";")[0])
      + (location == null ? "" : " " + location.replaceAll("https?://[^/]*", "").replaceAll("[0-9a-f]{16,}|/scanner/.*", "/ID"));
  }

  static void accept(String path, ProtobufMessageHandler model, String... facts) throws Exception {
    for (String kind : new String[] {"text/plain", "text/xml", "application/xml", "application/json", "application/x-protobuf", "application/protobuf",
        "application/octet-stream", "*/*"}) {
      print("GET " + path + " as " + kind, () -> {
        Response response = client.get(path, kind);
        String out = answer(response);
        if (response.getCode() == 200 && kind.endsWith("protobuf") && model != null) {
          model.getObjectFromMessage(response.getBody());
        }
        String body = response.hasBody() ? Bytes.toString(response.getBody()) : "";
        for (String fact : facts) out += " " + fact + "=" + body.contains(fact);
        return out;
      });
    }
  }

  static void send(String verb, String path, String kind, byte[] body) {
    print(verb + " " + path + " of " + kind, () -> answer(verb.equals("PUT") ? client.put(path, kind, body) : client.post(path, kind, body)));
  }

  static void schemas(Configuration conf) throws Exception {
    RemoteAdmin admin = new RemoteAdmin(client, conf);
    if (admin.isTableAvailable(NAME)) admin.deleteTable(NAME);
    print("available", () -> admin.isTableAvailable(NAME));
    HTableDescriptor wanted = new HTableDescriptor(TableName.valueOf(NAME));
    wanted.addFamily(new HColumnDescriptor(F).setMaxVersions(3).setInMemory(true));
    wanted.addFamily(new HColumnDescriptor(G).setCompressionType(org.apache.hadoop.hbase.io.compress.Compression.Algorithm.GZ));
    wanted.addFamily(new HColumnDescriptor("t").setTimeToLive(1000000));
    wanted.setValue("OWN", "kept");
    print("create", () -> { admin.createTable(wanted); return "ok"; });
    print("create again", () -> { admin.createTable(wanted); return "ok"; });
    print("available", () -> admin.isTableAvailable(NAME));
    print("descriptor", () -> descriptor(table.getDescriptor()));
    print("listed", () -> admin.getTableList().toString().contains(NAME));
    print("rest version", () -> admin.getRestVersion().getRESTVersion());
    print("cluster version", () -> admin.getClusterVersion().getVersion() != null);
    print("status", () -> {
      StorageClusterStatusModel status = admin.getClusterStatus();
      return status.getLiveNodes().size() + " " + status.getDeadNodes() + " " + (status.getRegions() > 0)
        + " " + (status.getAverageLoad() > 0) + " " + status.getLiveNode(0).getName().contains(":");
    });
    print("regions", () -> {
      TableInfoModel info = new TableInfoModel();
      info.getObjectFromMessage(client.get("/" + NAME + "/regions", "application/x-protobuf").getBody());
      TableRegionModel region = info.get(0);
      return info.getName() + " " + info.getRegions().size() + " " + Bytes.toStringBinary(region.getStartKey()) + " "
        + Bytes.toStringBinary(region.getEndKey()) + " " + (region.getId() > 0) + " " + region.getName().startsWith(NAME + ",,")
        + " " + region.getLocation().contains(":");
    });
    TableSchemaModel change = new TableSchemaModel();
    change.setName(NAME);
    ColumnSchemaModel family = new ColumnSchemaModel();
    family.setName("h");
    family.addAttribute("VERSIONS", "7");
    family.addAttribute("OWN", "x");
    change.addColumnFamily(family);
    send("POST", "/" + NAME + "/schema", "application/x-protobuf", change.createProtobufOutput());
    print("descriptor", () -> descriptor(table.getDescriptor()));
    send("POST", "/" + NAME + "/schema", "application/xml", b("<TableSchema name=\"" + NAME + "\"><ColumnSchema name=\"h\" VERSIONS=\"2\"/></TableSchema>"));
    send("PUT", "/" + NAME + "/schema", "application/foo", b("x"));
    send("PUT", "/" + NAME + "/schema", "text/plain", b("x"));
    print("descriptor", () -> descriptor(table.getDescriptor()));
    wanted.setReadOnly(true);
    print("replace", () -> answer(client.put("/" + NAME + "/schema", "application/protobuf", new TableSchemaModel(wanted).createProtobufOutput())));
    print("descriptor", () -> descriptor(table.getDescriptor()));
    wanted.setReadOnly(false);
    print("replace", () -> answer(client.put("/" + NAME + "/schema", "application/protobuf", new TableSchemaModel(wanted).createProtobufOutput())));
    print("no such table", () -> new RemoteHTable(client, conf, "not_there").getDescriptor());

    accept("/", new TableListModel(), NAME);
    accept("/version", new VersionModel(), "0.0.3");
    accept("/version/rest", new VersionModel(), "0.0.3");
    accept("/version/cluster", null);
    accept("/status/cluster", new StorageClusterStatusModel(), "averageLoad");
    accept("/namespaces", new NamespacesModel(), "default");
    accept("/namespaces/default", new NamespacesInstanceModel());
    accept("/namespaces/default/tables", new TableListModel(), NAME);
    accept("/" + NAME + "/schema", new TableSchemaModel(), "VERSIONS", "READONLY");
    accept("/" + NAME + "/regions", new TableInfoModel(), NAME + ",,");
    accept("/" + NAME + "/exists", null);
  }

  static void namespaces() throws Exception {
    NamespacesInstanceModel model = new NamespacesInstanceModel("javaspace");
    model.addProperty("k1", "v1");
    String path = "/namespaces/javaspace", protobuf = "application/x-protobuf";
    client.delete(path);
    send("PUT", path, protobuf, model.createProtobufOutput());
    send("POST", path, protobuf, model.createProtobufOutput());
    send("POST", path, protobuf, model.createProtobufOutput());
    Call get = () -> {
      NamespacesInstanceModel got = new NamespacesInstanceModel();
      got.getObjectFromMessage(client.get(path, protobuf).getBody());
      return new TreeMap<>(got.getProperties());
    };
    print("properties", get);
    send("PUT", path, "text/xml", b("<NamespaceProperties><properties><entry><key>k2</key><value>v2</value></entry></properties></NamespaceProperties>"));
    print("properties", get);
    send("PUT", path, "application/json", b("{\"properties\":{\"k3\":\"v3\"}}"));
    print("properties", get);
    send("PUT", path, "text/plain", b("x"));
    NamespacesModel all = new NamespacesModel();
    all.getObjectFromMessage(client.get("/namespaces", protobuf).getBody());
    print("namespaces", () -> new TreeSet<>(all.getNamespaces()));
    print("delete", () -> answer(client.delete(path)));
    print("delete", () -> answer(client.delete(path)));
  }

  static void rows(Configuration conf) throws Exception {
    print("put", () -> { table.put(new Put(b("r1")).addColumn(F, b("a"), 100, b("v1")).addColumn(F, b("a"), 200, b("v2")).addColumn(G, b(""), 100, b("e"))); return "ok"; });
    print("put", () -> {
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < 30; ++i) puts.add(new Put(b(String.format("s%02d", i))).addColumn(F, b("n"), 5, b("" + i)).addColumn(G, b("m" + i % 3), 6, b("x" + i % 5)));
      table.put(puts);
      return "ok";
    });
    print("put", () -> { table.put(new Put(b("a/b c,d%")).addColumn(F, b("q u/x"), 1, new byte[] {0, (byte) 255})); return "ok"; });
    print("put without such a family", () -> { table.put(new Put(b("r")).addColumn(b("nope"), b("a"), b("x"))); return "ok"; });
    print("get", () -> table.get(new Get(b("r1"))));
    print("get family", () -> table.get(new Get(b("r1")).addFamily(F)));
    print("get column", () -> table.get(new Get(b("r1")).addColumn(F, b("a"))));
    print("get columns", () -> table.get(new Get(b("s04")).addColumn(F, b("n")).addColumn(G, b("m1"))));
    print("get versions", () -> table.get(new Get(b("r1")).addFamily(F).readVersions(3)));
    print("get range", () -> table.get(new Get(b("r1")).addFamily(F).readVersions(3).setTimeRange(0, 150)));
    print("get range", () -> table.get(new Get(b("r1")).addFamily(F).readVersions(3).setTimeRange(150, 250)));
    print("get odd key", () -> table.get(new Get(b("a/b c,d%"))));
    print("get none", () -> table.get(new Get(b("none"))));
    print("get many", () -> table.get(Arrays.asList(new Get(b("r1")), new Get(b("none")), new Get(b("s01")))));
    print("exists", () -> table.exists(new Get(b("r1"))));
    print("exists", () -> table.exists(Arrays.asList(new Get(b("r1")), new Get(b("none")))));
    print("no such table", () -> new RemoteHTable(client, conf, "not_there").get(new Get(b("r"))));

    print("delete column", () -> { table.delete(new Delete(b("s00")).addColumns(F, b("n"))); return table.get(new Get(b("s00"))); });
    print("delete family", () -> { table.delete(new Delete(b("s01")).addFamily(G)); return table.get(new Get(b("s01"))); });
    print("delete at", () -> { table.delete(new Delete(b("r1"), 150)); return table.get(new Get(b("r1")).readVersions(3)); });
    print("delete rows", () -> { table.delete(Arrays.asList(new Delete(b("s00")), new Delete(b("s01")))); return table.get(new Get(b("s01"))); });

    print("checkAndMutate put", () -> table.checkAndMutate(b("r1"), F).qualifier(b("a")).ifEquals(b("v2")).thenPut(new Put(b("r1")).addColumn(F, b("a"), b("v3"))));
    print("checkAndMutate put", () -> table.checkAndMutate(b("r1"), F).qualifier(b("a")).ifEquals(b("v2")).thenPut(new Put(b("r1")).addColumn(F, b("a"), b("v4"))));
    print("get", () -> table.get(new Get(b("r1"))));
    print("checkAndMutate delete", () -> table.checkAndMutate(b("r1"), F).qualifier(b("a")).ifEquals(b("no")).thenDelete(new Delete(b("r1")).addColumns(F, b("a"))));
    print("checkAndMutate delete", () -> table.checkAndMutate(b("r1"), F).qualifier(b("a")).ifEquals(b("v3")).thenDelete(new Delete(b("r1")).addColumns(F, b("a"))));
    print("get", () -> table.get(new Get(b("r1"))));
  }

  static void scans() throws Exception {
    print("scan", () -> scan(new Scan()));
    print("scan range", () -> scan(new Scan().withStartRow(b("s05")).withStopRow(b("s08"))));
    print("scan family", () -> scan(new Scan().addFamily(G)));
    print("scan column", () -> scan(new Scan().addColumn(F, b("n")).withStartRow(b("s25"))));
    print("scan times", () -> scan(new Scan().setTimeRange(6, 7)));
    print("scan batch", () -> scan(new Scan().setBatch(1).withStartRow(b("s27"))));
    print("scan versions", () -> { table.put(new Put(b("s29")).addColumn(F, b("n"), 9, b("new"))); return scan(new Scan().readVersions(3).withStartRow(b("s28"))); });
    print("scan newest", () -> scan(new Scan().withStartRow(b("s28"))));
    print("next many", () -> {
      try (ResultScanner scanner = table.getScanner(new Scan().addFamily(F).withStartRow(b("s2")))) {
        return new Object[] {scanner.next(3), scanner.next(4), scanner.next(100)};
      }
    });
    print("scanner raw", () -> {
      Response made = client.put("/" + NAME + "/scanner", "text/xml", b("<Scanner startRow=\"" + Base64.getEncoder().encodeToString(b("s28")) + "\"/>"));
      String path = made.getLocation().replaceAll("https?://[^/]*", "");
      String out = answer(made);
      for (int i = 0; i < 4; ++i) {
        Response got = client.get(path, "application/octet-stream");
        out += " " + got.getCode() + " " + got.getHeader("X-Row") + " " + got.getHeader("X-Column") + " " + got.getHeader("X-Timestamp") + " " + (got.hasBody() ? Bytes.toString(got.getBody()) : "");
      }
      return out + " " + answer(client.delete(path)) + " " + answer(client.get(path, "text/xml"));
    });
    for (String kind : new String[] {"text/xml", "application/json"}) {
      print("scanner without a batch in " + kind, () -> {
        Response made = client.put("/" + NAME + "/scanner", kind, b(kind.equals("text/xml") ? "<Scanner/>" : "{}"));
        CellSetModel set = new CellSetModel();
        set.getObjectFromMessage(client.get(made.getLocation().replaceAll("https?://[^/]*", ""), "application/x-protobuf").getBody());
        int cells = 0;
        for (RowModel row : set.getRows()) cells += row.getCells().size();
        return set.getRows().size() + " rows " + cells + " cells";
      });
    }
    BinaryComparator x2 = new BinaryComparator(b("x2"));
    Filter[] filters = {
      new ColumnCountGetFilter(1), new ColumnPaginationFilter(1, 1), new ColumnPrefixFilter(b("m")), new ColumnRangeFilter(b("m1"), true, b("n"), false),
      new DependentColumnFilter(G, b("m1"), false, CompareOperator.EQUAL, x2), new FamilyFilter(CompareOperator.EQUAL, new BinaryComparator(G)),
      new FirstKeyOnlyFilter(), new KeyOnlyFilter(), new InclusiveStopFilter(b("s04")), new MultipleColumnPrefixFilter(new byte[][] {b("m0"), b("n")}),
      new MultiRowRangeFilter(Arrays.asList(new MultiRowRangeFilter.RowRange(b("s03"), true, b("s05"), false), new MultiRowRangeFilter.RowRange(b("s20"), false, b("s22"), true))),
      new PageFilter(3), new PrefixFilter(b("s1")), new QualifierFilter(CompareOperator.NOT_EQUAL, new BinaryPrefixComparator(b("m"))), new RandomRowFilter(2f),
      new RandomRowFilter(-1f), new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("s.7")), new RowFilter(CompareOperator.EQUAL, new SubstringComparator("05")),
      new SingleColumnValueFilter(G, b("m2"), CompareOperator.EQUAL, x2), new SingleColumnValueExcludeFilter(G, b("m2"), CompareOperator.EQUAL, x2),
      new SkipFilter(new ValueFilter(CompareOperator.NOT_EQUAL, x2)), new WhileMatchFilter(new RowFilter(CompareOperator.LESS, new BinaryComparator(b("s04")))),
      new TimestampsFilter(Arrays.asList(6L, 9L)), new ValueFilter(CompareOperator.GREATER_OR_EQUAL, x2), new ValueFilter(CompareOperator.NOT_EQUAL, new NullComparator()),
      new ValueFilter(CompareOperator.EQUAL, new BitComparator(b("x1"), BitComparator.BitwiseOp.XOR)),
      new FuzzyRowFilter(Arrays.asList(new Pair<>(b("s?7"), new byte[] {0, 1, 0}))),
      new FilterList(FilterList.Operator.MUST_PASS_ONE, new PrefixFilter(b("s2")), new FilterList(new PrefixFilter(b("s0")), new ColumnPrefixFilter(b("n")))),
    };
    for (Filter filter : filters) print("filter " + filter.getClass().getSimpleName(), () -> scan(new Scan().withStartRow(b("s")).setFilter(filter)));
    print("multiget filter", () -> answer(client.get("/" + NAME + "/multiget?row=s04&row=s05&filter=" + java.net.URLEncoder.encode("ValueFilter(=,'binary:4')", "UTF-8"), "application/x-protobuf")));
    print("multiget filter", () -> answer(client.get("/" + NAME + "/multiget?row=s05&filter=" + java.net.URLEncoder.encode("ValueFilter(=,'binary:4')", "UTF-8"), "application/x-protobuf")));
    print("no such filter", () -> answer(client.put("/" + NAME + "/scanner", "text/xml", b("<Scanner><filter>{\"type\":\"NoSuchFilter\"}</filter></Scanner>"))));
  }

  public static void main(String[] args) throws Exception {
    String[] address = args[0].split(":");
    Configuration conf = HBaseConfiguration.create();
    client = new Client(new Cluster().add(address[0], Integer.parseInt(address[1])));
    table = new RemoteHTable(client, conf, NAME);
    schemas(conf);
    namespaces();
    rows(conf);
    scans();
    print("delete", () -> { new RemoteAdmin(client, conf).deleteTable(NAME); return "ok"; });
    print("delete", () -> { new RemoteAdmin(client, conf).deleteTable(NAME); return "ok"; });
  }
}
