package klip.coprocessor;

import com.google.protobuf.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.KlipRegion;
import org.apache.hadoop.hbase.regionserver.Specifications;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.CoprocessorServiceCall;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.util.TableDescriptorChecker;
import org.apache.hadoop.hbase.util.VersionInfo;

/** Serves all calls of klip. */
final class Server implements Dispatcher {
  private static final Session.Writer NOTHING = output -> { };
  private static final int FIRST = 1;
  private static final int LAST = 2;
  private final Map<Long, OpenRegion> regions = new ConcurrentHashMap<>();
  private final AtomicLong lastRegion = new AtomicLong();
  private final Scanners scanners = new Scanners();
  private final StoreScanners storeScanners = new StoreScanners();
  private volatile KlipServer klip;

  @Override
  public Session.Writer serve(Session session, Input call) throws Exception {
    switch (call.method) {
      case Call.START:
        return start(call);
      case Call.CHECK:
        return check(table(call));
      case Call.OPEN:
        session.callers.none();
        return open(call);
      case Call.CLOSE:
        session.callers.none();
        return close(call.u64(), call.flag());
      case Call.WRITE:
      case Call.GET:
        return operation(session, call);
      case Call.SCAN_OPEN:
        session.callers.read(call);
        return openScanner(call);
      case Call.SCAN_NEXT:
        return scanners.next(call.u32(), call.u32(), call.u32() & 0xffffffffL);
      case Call.SCAN_CLOSE:
        return scanners.close(call.u32());
      case Call.SERVICE:
        return service(session, call);
      case Call.REGION_EVENT:
        session.callers.read(call);
        return RegionEvents.run(call, this::region, storeScanners);
      case Call.STORE_NEXT:
        session.callers.none();
        return storeScanners.next(call.u32(), call.u32() & 0xffffffffL);
      case Call.STORE_CLOSE:
        return storeScanners.close(call.u32());
      case Call.MASTER:
        return master(session, call);
      case Call.RS_EVENT:
        return serverEvent(session, call);
      case Call.RELEASE:
        session.operations.remove(call.u32());
        return null;
      case Call.BACKGROUND:
        Background.serve(session);
        return null;
      case Call.STATISTICS:
        return Statistics::write;
      default:
        throw new IOException("The coprocessor host has no call " + call.method);
    }
  }

  List<HRegion> regions() {
    List<HRegion> result = new ArrayList<>();
    regions.values().forEach(open -> result.add(open.region));
    return result;
  }

  CoprocessorHost<?, ?> masterHost() {
    return klip == null || klip.master == null ? null : klip.master.host();
  }

  CoprocessorHost<?, ?> regionServerHost() {
    return klip == null || klip.regionServer == null ? null : klip.regionServer.host();
  }

  private Session.Writer start(Input call) {
    String address = call.string();
    Map<String, String> settings = new LinkedHashMap<>();
    for (int count = call.u32(); count > 0; count--) {
      settings.put(call.string(), call.string());
    }
    klip = new KlipServer(address, settings, regions);
    return output -> output.strings(names(klip.regionServer)).strings(names(klip.master)).strings(names(klip.log))
      .strings(klip.endpoints.names()).strings(klip.masterEndpoints.names()).string(VersionInfo.getVersion());
  }

  private Session.Writer check(TableDescriptor table) throws IOException {
    for (Map.Entry<String, String> bad : Specifications.malformed(table).entrySet()) {
      throw new DoNotRetryIOException(bad.getKey() + ": " + bad.getValue());
    }
    TableDescriptorChecker.checkClassLoading(klip.configuration, table);
    return NOTHING;
  }

  private static List<String> names(SystemHost<?> host) {
    return host == null ? List.of() : host.hooks.names();
  }

  private Session.Writer master(Session session, Input call) throws Exception {
    String hook = call.string();
    session.callers.read(call);
    Arguments arguments = new Arguments(call);
    return klip.master == null ? output -> output.u8(0) : klip.master.run(hook, arguments);
  }

  private Session.Writer serverEvent(Session session, Input call) throws Exception {
    String hook = call.string();
    session.callers.read(call);
    Arguments arguments = new Arguments(call);
    for (SystemHost<?> host : java.util.Arrays.asList(klip.regionServer, klip.log)) {
      if (host != null && host.knows(hook, arguments.count())) {
        return host.run(hook, arguments);
      }
    }
    return output -> output.u8(0);
  }

  private static TableDescriptor table(Input call) throws IOException {
    return ProtobufUtil.toTableDescriptor(call.message(HBaseProtos.TableSchema.parser()));
  }

  private Session.Writer open(Input call) throws IOException {
    RegionInfo info = ProtobufUtil.toRegionInfo(call.message(HBaseProtos.RegionInfo.parser()));
    TableDescriptor descriptor = table(call);
    long id = lastRegion.incrementAndGet();
    KlipRegion region = KlipRegion.open(id, info, descriptor, klip.configuration, klip.services);
    OpenRegion open = new OpenRegion(region);
    regions.put(id, open);
    try {
      open.run("preOpen", () -> {
        open.host.preOpen();
        return null;
      });
      open.run("postOpen", () -> {
        open.host.postOpen();
        return null;
      });
    } catch (Throwable e) {
      regions.remove(id);
      open.host.stop();
      throw e;
    }
    List<RegionCoprocessorEnvironment> loaded = new ArrayList<>(open.host.environments());
    return output -> {
      output.u64(id).strings(open.hooks.names()).strings(region.endpoints()).u32(loaded.size());
      for (RegionCoprocessorEnvironment environment : loaded) {
        output.string(environment.getInstance().getClass().getName()).u32(environment.getPriority());
      }
      output.strings(open.host.leftOut());
    };
  }

  private Session.Writer close(long id, boolean abort) throws IOException {
    OpenRegion open = regions.get(id);
    if (open == null) {
      return NOTHING;
    }
    open.run("preClose", () -> {
      open.host.preClose(abort);
      return null;
    });
    regions.remove(id);
    open.region.markClosed();
    open.run("postClose", () -> {
      open.host.postClose(abort);
      return null;
    });
    return NOTHING;
  }

  private OpenRegion region(long id) throws IOException {
    OpenRegion open = regions.get(id);
    if (open == null) {
      throw new NotServingRegionException("Region " + id + " is not open in the coprocessor host");
    }
    return open;
  }

  private Session.Writer operation(Session session, Input call) throws IOException {
    int phase = call.u8();
    int flags = call.u8();
    int number = call.u32();
    Object operation = session.operations.get(number);
    if ((flags & FIRST) != 0) {
      session.callers.read(call);
      operation = call.method == Call.WRITE ? new Write(call, this::region) : new Read(call, this::region);
      session.operations.put(number, operation);
    }
    if (operation == null) {
      throw new IOException("The coprocessor host knows no operation " + number);
    }
    if ((flags & LAST) != 0) {
      session.operations.remove(number);
    }
    if (operation instanceof Write) {
      return ((Write) operation).run(phase, call);
    }
    Read read = (Read) operation;
    boolean goesOn = false;
    try {
      Session.Writer answer = read.run(phase, call);
      goesOn = !read.isAnswered();
      return answer;
    } finally {
      if (!goesOn) {
        session.operations.remove(number);
      }
    }
  }

  private Session.Writer openScanner(Input call) throws IOException {
    OpenRegion region = region(call.u64());
    Scan scan = ProtobufUtil.toScan(call.message(ClientProtos.Scan.parser()));
    return scanners.open(region, scan);
  }

  private Session.Writer service(Session session, Input call) throws IOException {
    int target = call.u8();
    session.callers.read(call);
    long id = call.u64();
    CoprocessorServiceCall service = call.message(CoprocessorServiceCall.parser());
    Message response = target == 0 ? region(id).region.execService(new ServerRpcController(), service)
      : (target == 1 ? klip.endpoints : klip.masterEndpoints).call(service);
    return output -> output.string(response.getClass().getName()).bytes(response.toByteArray());
  }
}
