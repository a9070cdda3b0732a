package session;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * Calls of an application through HBase's own client, printed line by line. The output must be equal on klip and on
 * HBase, with every version of the client.
 *
 * <pre>Main HOST:PORT    of the ZooKeeper, which is asked once; then the registry of the region servers is</pre>
 */
public final class Main {
  private Main() {
  }

  private static Configuration byZooKeeper(String address) {
    int colon = address.lastIndexOf(':');
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", address.substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", address.substring(colon + 1));
    configuration.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
    configuration.setInt("hbase.client.retries.number", 6);
    return configuration;
  }

  private static Configuration byServers(Configuration configuration) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(configuration); Admin admin = connection.getAdmin()) {
      String servers = admin.getRegionServers().stream().map(s -> s.getAddress().toString()).collect(Collectors.joining(","));
      Configuration result = new Configuration(configuration);
      result.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry");
      result.set("hbase.client.bootstrap.servers", servers);
      return result;
    }
  }

  /** What an earlier run has left. */
  private static void clear(Admin admin) throws Exception {
    admin.deleteSnapshots(Pattern.compile("java_.*"));
    for (TableName table : admin.listTableNames(Pattern.compile("java_.*"))) {
      if (!admin.isTableDisabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
    for (String namespace : admin.listNamespaces()) {
      if (namespace.startsWith("java_")) {
        admin.deleteNamespace(namespace);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration configuration = byServers(byZooKeeper(args[0]));
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        AsyncConnection async = ConnectionFactory.createAsyncConnection(configuration).get();
        Admin admin = connection.getAdmin()) {
      clear(admin);
      new RowKeys(connection).run();
      new Cells(connection).run();
      new Filters(connection).run();
      new Tables(connection).run();
      new Catalog(connection).run();
      new Replicas(connection).run();
      new Async(async).run();
      new SlowLog(connection).run();
      clear(admin);
    }
    System.exit(0);
  }
}
