import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Connects by both registries with the client's certificate, and checks that the server refuses clients without one and
 * without TLS.
 */
public final class TlsCheck {
  private static final TableName TABLE = TableName.valueOf("tls");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 2000;
  private static final int LARGE_BYTES = 5 << 20;

  public static void main(String[] args) throws Exception {
    String files = args[2];
    Configuration byZooKeeper = base();
    byZooKeeper.set("hbase.zookeeper.quorum", args[0]);
    Configuration byRpc = base();
    byRpc.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry");
    byRpc.set("hbase.client.bootstrap.servers", args[1]);
    for (Configuration configuration : List.of(byZooKeeper, byRpc)) {
      useTls(configuration, files);
      configuration.set("hbase.rpc.tls.keystore.location", files + "/client.pem");
      work(configuration);
    }
    System.out.println("tls: " + ROWS + " rows and one of " + LARGE_BYTES + " bytes came back, found by ZooKeeper and by RPC");

    Configuration withoutCertificate = new Configuration(byZooKeeper);
    withoutCertificate.unset("hbase.rpc.tls.keystore.location");
    mustFail(withoutCertificate, "without a certificate");
    Configuration plaintext = base();
    plaintext.set("hbase.zookeeper.quorum", args[0]);
    mustFail(plaintext, "without TLS");
    System.exit(0);
  }

  private static Configuration base() {
    Configuration configuration = HBaseConfiguration.create();
    configuration.setInt("hbase.client.retries.number", 2);
    configuration.setInt("hbase.client.operation.timeout", 20000);
    configuration.setInt("hbase.rpc.timeout", 10000);
    return configuration;
  }

  private static void useTls(Configuration configuration, String files) {
    configuration.setBoolean("hbase.client.netty.tls.enabled", true);
    configuration.set("hbase.rpc.tls.truststore.location", files + "/ca.pem");
  }

  private static void work(Configuration configuration) throws IOException {
    byte[] large = new byte[LARGE_BYTES];
    Arrays.fill(large, (byte) 'x');
    try (Connection connection = ConnectionFactory.createConnection(configuration); Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(TABLE)) {
        admin.createTable(
            TableDescriptorBuilder.newBuilder(TABLE).setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
      }
      try (Table table = connection.getTable(TABLE)) {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < ROWS; ++i) {
          puts.add(new Put(Bytes.toBytes(String.format("r%05d", i))).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(i)));
        }
        table.put(puts);
        table.put(new Put(Bytes.toBytes("large")).addColumn(FAMILY, QUALIFIER, large));
        check(Arrays.equals(large, table.get(new Get(Bytes.toBytes("large"))).getValue(FAMILY, QUALIFIER)), "large value");
        int seen = 0;
        try (ResultScanner rows = table.getScanner(new Scan().withStartRow(Bytes.toBytes("r")))) {
          for (Result row : rows) {
            check(Bytes.toInt(row.getValue(FAMILY, QUALIFIER)) == seen, "row " + seen);
            ++seen;
          }
        }
        check(seen == ROWS, "rows: " + seen);
      }
    }
  }

  private static void mustFail(Configuration configuration, String what) {
    try {
      work(configuration);
    } catch (IOException expected) {
      System.out.println("tls: refused " + what);
      return;
    }
    check(false, "served " + what);
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      System.err.println("tls: wrong: " + what);
      System.exit(1);
    }
  }
}
