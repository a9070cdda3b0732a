package tck;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import klip.coprocessor.Host;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.master.MasterCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.RSRpcServices;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.AdminProtos.GetOnlineRegionResponse;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.mockito.Mockito;
import org.mockito.invocation.InvocationOnMock;

/**
 * klip serve, started for one test class with its settings, and with its coprocessors in this JVM, so that tests can read
 * the counters of their observers.
 */
public final class Coprocessors implements Hooks.Inside {
  private final Path directory = Files.createTempDirectory("coprocessors");
  private final HBaseTestingUtility utility;
  private final Host host;
  private final Process klip;
  private RegionServerThread server; // null until a test asks for it

  /** Called by Hooks. */
  public Coprocessors(HBaseTestingUtility utility) throws IOException {
    this.utility = utility;
    Path socket = directory.resolve("socket");
    host = Host.start(socket);
    Path site = directory.resolve("hbase-site.xml");
    writeSettings(utility.getConfiguration(), site);
    klip = new ProcessBuilder(System.getProperty("tck.klip"), "serve", "--data", directory.resolve("data").toString(),
      "--rpc-port", "0", "--zk-port", "0", "--no-fsync", "--no-sanity-checks", "--coprocessor-host", socket.toString(),
      "--hbase-site", site.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String ready = klip.inputReader().readLine();
    if (ready == null) {
      throw new IOException("klip serve did not start");
    }
    System.setProperty("tck.zk", ready.replaceAll(".* zookeeper=(\\S+).*", "$1"));
  }

  /** What a test has set, and what tests set by habit. */
  private static void writeSettings(Configuration of, Path file) throws IOException {
    Configuration defaults = HBaseConfiguration.create();
    Configuration own = new Configuration(false);
    for (Map.Entry<String, String> entry : of) {
      if (!entry.getValue().equals(defaults.get(entry.getKey())) && !entry.getKey().startsWith("hbase.zookeeper")) {
        own.set(entry.getKey(), entry.getValue());
      }
    }
    try (PrintStream out = new PrintStream(file.toFile())) {
      own.writeXml(out);
    }
  }

  private Object serverAnswer(InvocationOnMock call) throws Exception {
    switch (call.getMethod().getName()) {
      case "run":
        klip.waitFor();
        return null;
      case "getServerName":
        return utility.getAdmin().getRegionServers().iterator().next();
      case "getConfiguration":
        return utility.getConfiguration();
      case "getRSRpcServices":
        return Mockito.mock(RSRpcServices.class, this::rpcAnswer);
      case "getOnlineRegion":
      case "getRegionByEncodedName":
      case "getRegion":
        return region(call.getArgument(0));
      case "getRegions":
        return call.getArguments().length == 0 ? host.regions() : regions(call.getArgument(0));
      case "getOnlineRegionsLocalContext":
        return host.regions();
      case "getRegionServerCoprocessorHost":
        return host.regionServerHost();
      case "isAborted":
      case "isStopping":
      case "isStopped":
        return false;
      case "toString":
        return "klip's region server";
      default:
        throw new InProcess("HRegionServer." + call.getMethod().getName());
    }
  }

  private HRegion region(Object name) {
    for (HRegion region : host.regions()) {
      if (name instanceof byte[] ? Bytes.equals(region.getRegionInfo().getRegionName(), (byte[]) name)
        : region.getRegionInfo().getEncodedName().equals(name)) {
        return region;
      }
    }
    return null;
  }

  private Object rpcAnswer(InvocationOnMock call) {
    if (!call.getMethod().getName().equals("getOnlineRegion")) {
      throw new InProcess("RSRpcServices." + call.getMethod().getName());
    }
    GetOnlineRegionResponse.Builder response = GetOnlineRegionResponse.newBuilder();
    host.regions().forEach(region -> response.addRegionInfo(ProtobufUtil.toRegionInfo(region.getRegionInfo())));
    return response.build();
  }

  @Override
  public synchronized List<RegionServerThread> regionServers() {
    if (server == null) {
      server = new RegionServerThread(Mockito.mock(HRegionServer.class, this::serverAnswer), 0);
      server.setDaemon(true);
      server.start();
    }
    return List.of(server);
  }

  @Override
  public List<HRegion> regions(TableName table) {
    List<HRegion> regions = new ArrayList<>(host.regions());
    regions.removeIf(region -> !region.getRegionInfo().getTable().equals(table));
    return regions;
  }

  @Override
  public MasterCoprocessorHost masterHost() {
    CoprocessorHost<?, ?> master = host.masterHost();
    return (MasterCoprocessorHost) master;
  }

  @Override
  public void close() throws Exception {
    klip.getOutputStream().close();
    klip.destroy();
    klip.waitFor();
    host.close();
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
