package klip.compat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;

/**
 * Empties regions in a few milliseconds by a flush and a major compaction that keep nothing: truncating a table takes a
 * second. Delete markers would mask later writes.
 */
public final class Wipe implements RegionCoprocessor, RegionObserver {
  private static final ThreadLocal<Boolean> wiping = ThreadLocal.withInitial(() -> false);

  static void empty(List<HRegion> regions) throws IOException {
    wiping.set(true);
    try {
      for (HRegion region : regions) {
        region.flush(true);
        if (region.getStores().stream().anyMatch(store -> store.getStorefilesCount() > 0)) {
          region.compact(true);
        }
      }
    } finally {
      wiping.set(false);
    }
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker) {
    return wiping.get() ? new Nothing(scanner) : scanner;
  }

  @Override
  public InternalScanner preCompact(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      ScanType type,
      CompactionLifeCycleTracker tracker,
      CompactionRequest request) {
    return wiping.get() ? new Nothing(scanner) : scanner;
  }

  private static final class Nothing implements InternalScanner {
    private final InternalScanner wrapped;

    Nothing(InternalScanner wrapped) {
      this.wrapped = wrapped;
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) {
      return false;
    }

    @Override
    public void close() throws IOException {
      wrapped.close();
    }
  }
}
