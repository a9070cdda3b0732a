package klip.coprocessor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.Service;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.BulkLoadObserver;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionServerObserver;
import org.apache.hadoop.hbase.coprocessor.WALCoprocessor;
import org.apache.hadoop.hbase.coprocessor.WALCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.WALObserver;
import org.apache.hadoop.hbase.coprocessor.protobuf.generated.DummyRegionServerEndpointProtos.DummyRequest;
import org.apache.hadoop.hbase.coprocessor.protobuf.generated.DummyRegionServerEndpointProtos.DummyResponse;
import org.apache.hadoop.hbase.coprocessor.protobuf.generated.DummyRegionServerEndpointProtos.DummyService;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;

/** Coprocessors of the tests that are not about one region's rows. */
public final class SystemObservers {
  private SystemObservers() {
  }

  /** Watches DDL. */
  public static class Master implements MasterCoprocessor, MasterObserver {
    @Override
    public Optional<MasterObserver> getMasterObserver() {
      return Optional.of(this);
    }

    @Override
    public void preCreateTable(ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor table,
        RegionInfo[] regions) throws IOException {
      Observers.SEEN.add("preCreateTable " + table.getTableName() + " by "
        + context.getCaller().map(User::getShortName).orElse("nobody") + " in " + regions.length);
      if (table.getTableName().getNameAsString().equals("no")) {
        throw new DoNotRetryIOException("not this one");
      } else if (table.getTableName().getNameAsString().equals("bad")) {
        throw new IllegalStateException("planned");
      }
    }

    @Override
    public TableDescriptor preModifyTable(ObserverContext<MasterCoprocessorEnvironment> context, TableName name,
        TableDescriptor current, TableDescriptor wanted) {
      return TableDescriptorBuilder.newBuilder(wanted).setMaxFileSize(77).build();
    }

    @Override
    public void postGetTableDescriptors(ObserverContext<MasterCoprocessorEnvironment> context, List<TableName> names,
        List<TableDescriptor> descriptors, String regex) {
      descriptors.remove(0);
    }
  }

  /** An endpoint of the region server. */
  public static class Server extends DummyService implements RegionServerCoprocessor, RegionServerObserver {
    @Override
    public Optional<RegionServerObserver> getRegionServerObserver() {
      return Optional.of(this);
    }

    @Override
    public Iterable<Service> getServices() {
      return List.of(this);
    }

    @Override
    public void preRollWALWriterRequest(ObserverContext<RegionServerCoprocessorEnvironment> context) {
      Observers.SEEN.add("preRollWALWriterRequest");
    }

    @Override
    public void dummyCall(RpcController controller, DummyRequest request, RpcCallback<DummyResponse> done) {
      done.run(DummyResponse.newBuilder().setValue("called").build());
    }

    @Override
    public void dummyThrow(RpcController controller, DummyRequest request, RpcCallback<DummyResponse> done) {
      CoprocessorRpcUtils.setControllerException(controller, new DoNotRetryIOException("thrown"));
    }
  }

  /** Watches the log. */
  public static class Log implements WALCoprocessor, WALObserver {
    @Override
    public Optional<WALObserver> getWALObserver() {
      return Optional.of(this);
    }

    @Override
    public void postWALWrite(ObserverContext<? extends WALCoprocessorEnvironment> context, RegionInfo info,
        WALKey key, WALEdit edit) {
      Observers.SEEN.add("postWALWrite " + key.getTableName() + " " + edit.size());
    }
  }

  /** Watches flushes, compactions and bulk loads. */
  public static class Files implements RegionCoprocessor, RegionObserver, BulkLoadObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public Optional<BulkLoadObserver> getBulkLoadObserver() {
      return Optional.of(this);
    }

    @Override
    public void preFlush(ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker) {
      Observers.SEEN.add("preFlush");
    }

    @Override
    public InternalScanner preCompact(ObserverContext<RegionCoprocessorEnvironment> context, Store store,
        InternalScanner scanner, ScanType type, CompactionLifeCycleTracker tracker, CompactionRequest request) {
      Observers.SEEN.add("preCompact " + store.getColumnFamilyName() + " " + type);
      return scanner;
    }

    @Override
    public void postCompact(ObserverContext<RegionCoprocessorEnvironment> context, Store store, StoreFile file,
        CompactionLifeCycleTracker tracker, CompactionRequest request) {
      Observers.SEEN.add("postCompact " + request.isMajor());
    }

    @Override
    public void preCompactScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Store store,
        ScanType type, ScanOptions options, CompactionLifeCycleTracker tracker, CompactionRequest request) {
      options.setMaxVersions(7);
      options.setTTL(5000);
    }

    @Override
    public void preBulkLoadHFile(ObserverContext<RegionCoprocessorEnvironment> context,
        List<Pair<byte[], String>> files) {
      Observers.SEEN.add("preBulkLoadHFile " + files.get(0).getSecond());
      files.removeIf(file -> file.getSecond().endsWith("drop"));
    }

    @Override
    public void preCommitStoreFile(ObserverContext<RegionCoprocessorEnvironment> context, byte[] family,
        List<Pair<Path, Path>> files) {
      Observers.SEEN.add("preCommitStoreFile " + files.size());
    }

    @Override
    public void prePrepareBulkLoad(ObserverContext<RegionCoprocessorEnvironment> context) {
      Observers.SEEN.add("prePrepareBulkLoad " + context.getCaller().map(User::getShortName).orElse("nobody"));
    }
  }

}
