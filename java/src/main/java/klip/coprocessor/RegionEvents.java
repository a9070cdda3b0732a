package klip.coprocessor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.KlipScanner;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hbase.thirdparty.com.google.common.collect.ImmutableList;

/**
 * Flushes, compactions and bulk loads of a region. klip writes its files by itself. It offers the cells of a store
 * if it will write the hook's result; otherwise the scanners that hooks may wrap are empty.
 */
final class RegionEvents {
  private static final FlushLifeCycleTracker FLUSH = FlushLifeCycleTracker.DUMMY;
  private static final CompactionLifeCycleTracker COMPACTION = CompactionLifeCycleTracker.DUMMY;

  private RegionEvents() {
  }

  /** Reads no cells. */
  private static final class NoCells implements InternalScanner {
    @Override
    public boolean next(List<Cell> result, ScannerContext context) {
      return false;
    }

    @Override
    public void close() {
    }
  }

  static Session.Writer run(Input call, OpenRegion.Lookup regions, StoreScanners scanners) throws IOException {
    String hook = call.string();
    OpenRegion region = regions.find(call.u64());
    String family = call.string();
    HStore store = family.isEmpty() ? null : region.region.getStore(Bytes.toBytes(family));
    if (hook.endsWith("ScannerOpen")) {
      boolean major = call.hasMore() && call.flag();
      return options(region.run(hook, () -> options(region.host, hook, store, major)));
    } else if (hook.endsWith("BulkLoadHFile") || hook.endsWith("CommitStoreFile")) {
      List<Pair<byte[], String>> files = files(call);
      region.run(hook, () -> {
        bulkLoad(region.host, hook, files);
        return null;
      });
    } else {
      boolean major = call.hasMore() && call.flag();
      int source = call.hasMore() ? call.u32() : 0;
      if (source != 0) {
        return wrap(region, hook, store, major, source, scanners);
      }
      region.run(hook, () -> {
        run(region.host, hook, store, major);
        return null;
      });
    }
    return output -> { };
  }

  private static Session.Writer wrap(OpenRegion region, String hook, HStore store, boolean major, int source,
      StoreScanners scanners) throws IOException {
    InternalScanner cells = KlipScanner.opened(region.region, source);
    InternalScanner wrapped = region.run(hook, () -> hook.equals("preFlush")
      ? region.host.preFlush(store, cells, FLUSH)
      : region.host.preCompact(store, cells, type(major), COMPACTION, request(major), null));
    int id = wrapped == cells ? 0 : scanners.keep(region, hook, wrapped);
    return output -> output.u32(id);
  }

  private static CompactionRequestImpl request(boolean major) {
    CompactionRequestImpl request = new CompactionRequestImpl(List.of());
    request.setIsMajor(major, major);
    return request;
  }

  private static void run(RegionCoprocessorHost host, String hook, HStore store, boolean major) throws IOException {
    CompactionRequestImpl request = request(major);
    switch (hook) {
      case "preFlush":
        if (store == null) {
          host.preFlush(FLUSH);
        } else {
          host.preFlush(store, new NoCells(), FLUSH).close();
        }
        break;
      case "postFlush":
        if (store == null) {
          host.postFlush(FLUSH);
        } else {
          host.postFlush(store, null, FLUSH);
        }
        break;
      case "preCompactSelection":
        host.preCompactSelection(store, new ArrayList<>(), COMPACTION, null);
        break;
      case "postCompactSelection":
        host.postCompactSelection(store, ImmutableList.<HStoreFile>of(), COMPACTION, request, null);
        break;
      case "preCompact":
        host.preCompact(store, new NoCells(), type(major), COMPACTION, request, null).close();
        break;
      case "postCompact":
        host.postCompact(store, null, COMPACTION, request, null);
        break;
      case "prePrepareBulkLoad":
        host.prePrepareBulkLoad(RpcServer.getRequestUser().orElse(null));
        break;
      case "preCleanupBulkLoad":
        host.preCleanupBulkLoad(RpcServer.getRequestUser().orElse(null));
        break;
      default:
        throw new IOException("The coprocessor host has no event " + hook);
    }
  }

  private static ScanType type(boolean major) {
    return major ? ScanType.COMPACT_DROP_DELETES : ScanType.COMPACT_RETAIN_DELETES;
  }

  private static ScanInfo options(RegionCoprocessorHost host, String hook, HStore store, boolean major)
      throws IOException {
    switch (hook) {
      case "preFlushScannerOpen":
        return host.preFlushScannerOpen(store, FLUSH);
      case "preCompactScannerOpen":
        return host.preCompactScannerOpen(store, type(major), COMPACTION, request(major), null);
      case "preMemStoreCompactionCompactScannerOpen":
        return host.preMemStoreCompactionCompactScannerOpen(store);
      case "preStoreScannerOpen":
        return host.preStoreScannerOpen(store, new org.apache.hadoop.hbase.client.Scan());
      default:
        throw new IOException("The coprocessor host has no event " + hook);
    }
  }

  private static Session.Writer options(ScanInfo info) {
    KeepDeletedCells keep = info.getKeepDeletedCells();
    return output -> output.u64(info.getTtl()).u32(info.getMaxVersions()).u32(info.getMinVersions())
      .u8(keep == KeepDeletedCells.FALSE ? 0 : keep == KeepDeletedCells.TRUE ? 1 : 2);
  }

  private static List<Pair<byte[], String>> files(Input call) {
    List<Pair<byte[], String>> files = new ArrayList<>();
    for (int count = call.hasMore() ? call.u32() : 0; count > 0; count--) {
      byte[] family = call.bytes();
      files.add(Pair.newPair(family, call.string()));
    }
    return files;
  }

  private static void bulkLoad(RegionCoprocessorHost host, String hook, List<Pair<byte[], String>> files)
      throws IOException {
    if (hook.equals("preBulkLoadHFile")) {
      List<Pair<byte[], String>> named = new ArrayList<>(files);
      host.preBulkLoadHFile(files);
      if (!files.equals(named)) {
        throw new DoNotRetryIOException("klip loads the HFiles that the client names; preBulkLoadHFile changed them");
      }
      return;
    }
    Map<byte[], List<Path>> loaded = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (Pair<byte[], String> file : files) {
      loaded.computeIfAbsent(file.getFirst(), key -> new ArrayList<>()).add(new Path(file.getSecond()));
    }
    switch (hook) {
      case "preCommitStoreFile":
        for (Map.Entry<byte[], List<Path>> family : loaded.entrySet()) {
          host.preCommitStoreFile(family.getKey(),
            family.getValue().stream().map(path -> Pair.newPair(path, path)).collect(Collectors.toList()));
        }
        return;
      case "postCommitStoreFile":
        for (Map.Entry<byte[], List<Path>> family : loaded.entrySet()) {
          for (Path path : family.getValue()) {
            host.postCommitStoreFile(family.getKey(), path, path);
          }
        }
        return;
      default:
        host.postBulkLoadHFile(files, loaded);
    }
  }
}
