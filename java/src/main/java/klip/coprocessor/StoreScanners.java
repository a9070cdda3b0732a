package klip.coprocessor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/** Scanners that coprocessors have put around those of flushes and compactions: klip writes what they return. */
final class StoreScanners {
  /** hbase.hstore.compaction.kv.max: the number of cells that HBase requests at a time. */
  private static final int CELLS_AT_ONCE = 10;

  /** One of them, and the hook that made it. */
  private record Open(OpenRegion region, String hook, InternalScanner scanner) {
  }

  private final Map<Integer, Open> open = new ConcurrentHashMap<>();
  private final AtomicInteger last = new AtomicInteger();

  int keep(OpenRegion region, String hook, InternalScanner scanner) {
    int id = last.incrementAndGet();
    open.put(id, new Open(region, hook, scanner));
    return id;
  }

  Session.Writer next(int id, long mostBytes) throws IOException {
    Open one = open.get(id);
    if (one == null) {
      throw new UnknownScannerException("Scanner " + id + " of a store is not open in the coprocessor host");
    }
    List<Cell> cells = new ArrayList<>();
    boolean more = one.region.run(one.hook, () -> read(one.scanner, cells, mostBytes));
    return output -> {
      output.flag(more).u32(cells.size());
      for (Cell cell : cells) {
        output.cell(cell);
      }
    };
  }

  private static boolean read(InternalScanner scanner, List<Cell> cells, long mostBytes) throws IOException {
    ScannerContext context = ScannerContext.newBuilder().setBatchLimit(CELLS_AT_ONCE).build();
    long bytes = 0;
    boolean more = true;
    while (more && bytes < mostBytes) {
      List<Cell> some = new ArrayList<>();
      more = scanner.next(some, context);
      for (Cell cell : some) {
        bytes += PrivateCellUtil.estimatedSerializedSizeOf(cell);
      }
      cells.addAll(some);
    }
    return more;
  }

  Session.Writer close(int id) throws IOException {
    Open one = open.remove(id);
    if (one != null) {
      one.scanner.close();
    }
    return output -> { };
  }
}
