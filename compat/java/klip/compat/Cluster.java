package klip.compat;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.JVMClusterUtil;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * A standalone HBase in this process: ZooKeeper, master and region server, as HBase's own start script creates them in
 * local mode, on free loopback ports. Clients use RPC. Only flushes and compactions are called on its regions directly,
 * so that they are complete when the call returns.
 */
final class Cluster {
  final Connection connection;
  private final LocalHBaseCluster hbase;

  Cluster(File directory, int clients) throws Exception {
    EnvironmentEdgeManager.injectEdge(new SessionClock());
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.rootdir", new File(directory, "root").toURI().toString());
    conf.set("hbase.tmp.dir", new File(directory, "tmp").getPath());
    conf.set("hbase.wal.provider", "filesystem");
    conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    conf.setBoolean("hbase.cluster.distributed", false);
    for (String server : List.of("master", "regionserver")) {
      conf.set("hbase." + server + ".hostname", "127.0.0.1");
      conf.set("hbase." + server + ".ipc.address", "127.0.0.1");
      conf.setInt("hbase." + server + ".port", 0);
      conf.setInt("hbase." + server + ".info.port", -1);
    }
    // Files are compacted when an op says so, and at no other time.
    conf.setInt("hbase.hstore.compaction.min", 1000);
    conf.setInt("hbase.hstore.compaction.max", 100000);
    conf.setInt("hbase.hstore.blockingStoreFiles", 100000);
    conf.setInt("hbase.hregion.majorcompaction", 0);
    conf.setLong("hbase.regionserver.optionalcacheflushinterval", 0);
    // Families that are loaded on demand change what lists of filters see, and reversed scans reject them.
    conf.setBoolean("hbase.hregion.scan.loadColumnFamiliesOnDemand", false);
    conf.set("hbase.coprocessor.user.region.classes", Wipe.class.getName());
    // One process with little memory.
    conf.setInt("hbase.regionserver.handler.count", 2 * clients + 2);
    conf.setFloat("hfile.block.cache.size", 0.2f);
    conf.setFloat("hbase.regionserver.global.memstore.size", 0.4f);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    conf.setInt("hbase.procedure.remote.dispatcher.delay.msec", 1);
    conf.setInt("hbase.balancer.period", Integer.MAX_VALUE);
    // An error is an answer here; waiting for another one would only take time.
    conf.setInt("hbase.client.retries.number", 2);
    conf.setInt("hbase.client.pause", 20);
    conf.setInt("hbase.rpc.timeout", 15000);
    conf.setInt("hbase.client.scanner.timeout.period", 15000);
    conf.setInt("hbase.client.operation.timeout", 15000);
    conf.setInt("hbase.client.meta.operation.timeout", 60000);
    conf.setInt("hbase.client.sync.wait.timeout.msec", 60000);

    MiniZooKeeperCluster zookeeper = new MiniZooKeeperCluster(conf);
    int port = zookeeper.startup(new File(directory, "zookeeper"));
    conf.set("hbase.zookeeper.quorum", "127.0.0.1");
    conf.setInt("hbase.zookeeper.property.clientPort", port);
    conf.setInt("hbase.zookeeper.property.minSessionTimeout", 120000);
    conf.setInt("zookeeper.session.timeout", 120000);
    hbase = new LocalHBaseCluster(conf, 1, 1);
    hbase.startup();
    long end = System.nanoTime() + 120_000_000_000L;
    while (hbase.getActiveMaster() == null || !hbase.getActiveMaster().isInitialized()) {
      if (System.nanoTime() > end) {
        throw new IOException("HBase did not start within two minutes");
      }
      Thread.sleep(50);
    }
    connection = ConnectionFactory.createConnection(conf);
  }

  List<HRegion> regions(TableName table) {
    List<HRegion> regions = new ArrayList<>();
    for (JVMClusterUtil.RegionServerThread thread : hbase.getRegionServers()) {
      regions.addAll(thread.getRegionServer().getRegions(table));
    }
    return regions;
  }
}
