package klip.coprocessor;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.coprocessor.WALCoprocessor;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;
import org.apache.hadoop.hbase.master.MasterCoprocessorHost;
import org.apache.hadoop.hbase.master.MasterServices;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionServerCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.wal.WALCoprocessorHost;
import org.apache.hadoop.hbase.util.CoprocessorClassLoader;
import org.apache.hadoop.hbase.wal.WAL;

/** klip, as HBase's classes see a server: configuration, name, connections, the regions that are open. */
final class KlipServer {
  final Configuration configuration;
  final Services endpoints = new Services("coprocessor executorService");
  final Services masterEndpoints = new Services("coprocessor master service");
  final RegionServerServices services = proxy(RegionServerServices.class, endpoints);
  final SystemHost<MasterCoprocessor> master;
  final SystemHost<RegionServerCoprocessor> regionServer;
  final SystemHost<WALCoprocessor> log;
  private final String address;
  private final ServerName name;
  private final Map<Long, OpenRegion> regions;
  private Connection connection;

  /**
   * @param address of klip's RPC, "host:port", or "": there is none
   * @param regions those that are open, whatever they were opened with
   */
  KlipServer(String address, Map<String, String> settings, Map<Long, OpenRegion> regions) {
    this.address = address;
    this.regions = regions;
    configuration = HBaseConfiguration.create();
    configuration.setBoolean(CoprocessorHost.ABORT_ON_ERROR_KEY, false);
    if (!address.isEmpty()) {
      configuration.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry");
      configuration.set("hbase.client.bootstrap.servers", address);
    }
    settings.forEach(configuration::set);
    checkClasses(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY);
    checkClasses(CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY);
    String host = address.isEmpty() ? "localhost:16020" : address;
    name = ServerName.valueOf(host.replace(':', ',') + "," + System.currentTimeMillis());
    master = lists(CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY) ? new SystemHost<>(
      new MasterCoprocessorHost(proxy(MasterServices.class, masterEndpoints), configuration), MasterCoprocessor.class,
      configuration) : null;
    regionServer = lists(CoprocessorHost.REGIONSERVER_COPROCESSOR_CONF_KEY) ? new SystemHost<>(
      new RegionServerCoprocessorHost(services, configuration), RegionServerCoprocessor.class, configuration) : null;
    log = lists(CoprocessorHost.WAL_COPROCESSOR_CONF_KEY) ? new SystemHost<>(
      new WALCoprocessorHost(proxy(WAL.class, null), configuration), WALCoprocessor.class, configuration) : null;
  }

  /** As HBase's server, this one does not start without its classes of all tables, which are loaded later. */
  private void checkClasses(String key) {
    for (String one : configuration.getTrimmedStrings(key)) {
      String[] parts = one.split("\\|");
      try {
        ClassLoader loader = getClass().getClassLoader();
        if (parts.length > 2 && !parts[2].isBlank()) {
          loader = CoprocessorClassLoader.getClassLoader(new Path(parts[2].trim()), loader, "klip", configuration);
        }
        loader.loadClass(parts[0].trim());
        if (parts.length > 1 && !parts[1].isBlank()) {
          Integer.parseInt(parts[1].trim());
        }
      } catch (Exception | LinkageError e) {
        throw new AbortRequested("The coprocessor " + parts[0].trim() + " of " + key + " threw " + e, e);
      }
    }
  }

  private boolean lists(String key) {
    return !configuration.get(key, "").isBlank();
  }

  /** All methods that klip does not support throw UnsupportedOperationException. */
  private <T> T proxy(Class<T> type, Services registry) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
      (proxy, method, arguments) -> {
        try {
          return answer(proxy, method, arguments, registry);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      }));
  }

  private Object answer(Object proxy, Method method, Object[] arguments, Services registry) throws Throwable {
    switch (method.getName()) {
      case "getConfiguration":
        return configuration;
      case "getServerName":
        return name;
      case "getConnection":
      case "getClusterConnection":
        return connection();
      case "createConnection":
        return createConnection((Configuration) arguments[0]);
      case "abort":
        throw new AbortRequested((String) arguments[0], (Throwable) arguments[1]);
      case "getRegion":
        return region((String) arguments[0]);
      case "getRegions":
        return arguments == null ? open(null) : open((TableName) arguments[0]);
      case "getOnlineTables":
        return tables();
      case "registerService":
        return registry.register((com.google.protobuf.Service) arguments[0]);
      case "isActiveMaster":
      case "isInitialized":
      case "isClusterUp":
        return true;
      case "isAborted":
      case "isStopped":
      case "isStopping":
        return false;
      case "hashCode":
        return System.identityHashCode(proxy);
      case "equals":
        return proxy == arguments[0];
      case "toString":
        return "klip " + name;
      case "getRegionServerRpcQuotaManager":
      case "getRegionServerSpaceQuotaManager":
      case "getMetrics":
      case "getNonceManager":
      case "getAccessChecker":
      case "getZKPermissionWatcher":
        return null;
      default:
        throw new UnsupportedOperationException(
          method.getDeclaringClass().getSimpleName() + "." + method.getName() + ": klip does not have it");
    }
  }

  private Region region(String encodedName) {
    for (OpenRegion open : regions.values()) {
      if (open.region.getRegionInfo().getEncodedName().equals(encodedName)) {
        return open.region;
      }
    }
    return null;
  }

  private List<Region> open(TableName table) {
    List<Region> result = new ArrayList<>();
    for (OpenRegion open : regions.values()) {
      if (table == null || open.region.getRegionInfo().getTable().equals(table)) {
        result.add(open.region);
      }
    }
    return result;
  }

  private Set<TableName> tables() {
    Set<TableName> result = new TreeSet<>();
    regions.values().forEach(open -> result.add(open.region.getRegionInfo().getTable()));
    return result;
  }

  private synchronized Connection connection() throws IOException {
    if (connection == null || connection.isClosed()) {
      connection = createConnection(configuration);
    }
    return connection;
  }

  private Connection createConnection(Configuration wanted) throws IOException {
    if (address.isEmpty()) {
      throw new UnsupportedOperationException("This klip serves no clients over the network, so its coprocessors "
        + "cannot have a connection; `klip serve` has one");
    }
    Configuration own = HBaseConfiguration.create(wanted);
    for (String key : List.of("hbase.client.registry.impl", "hbase.client.bootstrap.servers")) {
      own.set(key, configuration.get(key));
    }
    own.set(RpcControllerFactory.CUSTOM_CONTROLLER_CONF_KEY, UrgentCalls.class.getName());
    return ConnectionFactory.createConnection(own);
  }

  /** HBase would end its server here: hbase.coprocessor.abortonerror is true. */
  static final class AbortRequested extends Error {
    private static final long serialVersionUID = 1;

    AbortRequested(String why, Throwable cause) {
      super(why, cause);
    }
  }
}
