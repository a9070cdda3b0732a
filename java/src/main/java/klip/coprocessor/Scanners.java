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
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.KlipScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;

/** Scanners that clients of klip have open and that a coprocessor watches or wraps. */
final class Scanners {
  private static final int CHANGED = 1;
  private static final int KLIP_READS = 2;
  private static final List<String> WATCHING = List.of("preScannerNext", "postScannerNext", "postScannerFilterRow",
    "preScannerClose", "postScannerClose");

  /** One of them. */
  private static final class Open {
    OpenRegion region;
    Scan scan;
    RegionScanner scanner;
    /** Whether there may be rows that were not read. */
    boolean more = true;
  }

  private final Map<Integer, Open> open = new ConcurrentHashMap<>();
  private final AtomicInteger last = new AtomicInteger();

  Session.Writer open(OpenRegion region, Scan scan) throws IOException {
    if (!scan.hasFamilies()) {
      // As HBase does before the hooks see it
      region.region.getTableDescriptor().getColumnFamilyNames().forEach(scan::addFamily);
    }
    ClientProtos.Scan told = ProtobufUtil.toScan(scan);
    region.run("preScannerOpen", () -> {
      region.host.preScannerOpen(scan);
      return null;
    });
    ClientProtos.Scan now = ProtobufUtil.toScan(HostFilter.forKlip(scan));
    KlipScanner own = region.region.getScanner(scan);
    RegionScanner scanner = region.run("postScannerOpen", () -> region.host.postScannerOpen(scan, own));
    boolean klipReads = scanner == own && !own.filters() && WATCHING.stream().noneMatch(region.hooks::has);
    int id = klipReads ? 0 : keep(region, scan, scanner);
    boolean changed = !now.equals(told);
    return output -> {
      output.u8((changed ? CHANGED : 0) | (klipReads ? KLIP_READS : 0));
      if (changed) {
        output.message(now);
      }
      output.u32(id);
    };
  }

  private int keep(OpenRegion region, Scan scan, RegionScanner scanner) {
    Open one = new Open();
    one.region = region;
    one.scan = scan;
    one.scanner = scanner;
    int id = last.incrementAndGet();
    open.put(id, one);
    return id;
  }

  private Open find(int id) throws UnknownScannerException {
    Open one = open.get(id);
    if (one == null) {
      throw new UnknownScannerException("Scanner " + id + " is not open in the coprocessor host");
    }
    return one;
  }

  Session.Writer next(int id, int mostRows, long mostBytes) throws IOException {
    Open one = find(id);
    List<Result> rows = new ArrayList<>();
    Boolean bypassed = one.region.run("preScannerNext",
      () -> one.region.host.preScannerNext(one.scanner, rows, mostRows));
    boolean done = bypassed != null && bypassed;
    boolean more = done ? !rows.isEmpty() : read(one, rows, mostRows, mostBytes);
    if (!done) {
      // As HBase does, which does not look at the result
      one.region.run("postScannerNext", () -> one.region.host.postScannerNext(one.scanner, rows, mostRows, true));
    }
    return output -> {
      output.flag(more).u32(rows.size());
      for (Result row : rows) {
        output.u32(row.size());
        for (Cell cell : row.rawCells()) {
          output.cell(cell);
        }
      }
    };
  }

  private static boolean read(Open one, List<Result> rows, int mostRows, long mostBytes) throws IOException {
    ScannerContext context = ScannerContext.newBuilder().setBatchLimit(one.scan.getBatch()).build();
    long bytes = 0;
    while (one.more && rows.size() < mostRows && bytes < mostBytes) {
      List<Cell> cells = new ArrayList<>();
      one.more = one.scanner.nextRaw(cells, context);
      if (!cells.isEmpty()) {
        rows.add(Result.create(cells));
        for (Cell cell : cells) {
          bytes += PrivateCellUtil.estimatedSerializedSizeOf(cell);
        }
      }
    }
    return one.more;
  }

  Session.Writer close(int id) throws IOException {
    Open one = open.remove(id);
    if (one != null) {
      boolean bypassed = one.region.run("preScannerClose", () -> one.region.host.preScannerClose(one.scanner));
      if (!bypassed) {
        one.scanner.close();
        one.region.run("postScannerClose", () -> {
          one.region.host.postScannerClose(one.scanner);
          return null;
        });
      }
    }
    return output -> { };
  }
}
