package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import klip.coprocessor.Call;
import klip.coprocessor.HostFilter;
import klip.coprocessor.Input;
import klip.coprocessor.Instances;
import klip.coprocessor.Session;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

/** A scanner of klip, opened when its first row is requested. */
public class KlipScanner extends RegionScannerImpl {
  private static final int MOST_BYTES = 1 << 20;
  private KlipRegion klipRegion;
  private Scan scan;
  /** Runs here: null if klip runs the scan's filter. */
  private HostFilter filter;
  private int rowsAtOnce;
  private int id;
  private boolean opened;
  private boolean ofStore;
  private boolean closed;
  private boolean klipHasMore;
  private Queue<List<Cell>> rows;

  /** Never runs: see open(). */
  private KlipScanner() throws IOException {
    super(null, null, null, 0, 0);
  }

  static KlipScanner open(KlipRegion region, Scan scan) {
    KlipScanner scanner = Instances.allocate(KlipScanner.class);
    scanner.klipRegion = region;
    scanner.scan = scan;
    scanner.filter = HostFilter.of(scan);
    scanner.rowsAtOnce = scan.getCaching() > 0 ? Math.min(scan.getCaching(), 1000) : 1000;
    if (scan.isGetScan() || scan.getLimit() == 1) {
      scanner.rowsAtOnce = 2;
    }
    scanner.klipHasMore = true;
    scanner.rows = new ArrayDeque<>();
    return scanner;
  }

  /** Cells that klip has ready under a number: those of a flush or a compaction. */
  public static KlipScanner opened(KlipRegion region, int id) {
    KlipScanner scanner = open(region, new Scan());
    scanner.id = id;
    scanner.opened = true;
    scanner.ofStore = true;
    return scanner;
  }

  public static List<List<Cell>> readRows(Input input) throws IOException {
    List<List<Cell>> rows = new ArrayList<>();
    for (int count = input.u32(); count > 0; count--) {
      int cells = input.u32();
      List<Cell> row = new ArrayList<>(cells);
      for (; cells > 0 && input.advance(); cells--) {
        row.add(input.current());
      }
      rows.add(row);
    }
    return rows;
  }

  private boolean fill() throws IOException {
    if (closed) {
      throw new UnknownScannerException("Scanner was closed");
    }
    if (!opened) {
      Scan whole = HostFilter.forKlip(scan);
      id = Session.call(Call.KLIP_SCAN_OPEN,
        output -> output.u64(klipRegion.id()).message(ProtobufUtil.toScan(whole)), Input::u32);
      opened = true;
    }
    while (rows.isEmpty() && klipHasMore) {
      List<List<Cell>> read = new ArrayList<>();
      klipHasMore = Session.call(Call.KLIP_SCAN_NEXT,
        output -> output.u32(id).u32(rowsAtOnce).u32(MOST_BYTES), answer -> {
          boolean more = answer.flag();
          read.addAll(readRows(answer));
          return more;
        });
      if (filter == null) {
        rows.addAll(read);
      } else {
        filter(read);
      }
    }
    return !rows.isEmpty();
  }

  private void filter(List<List<Cell>> read) throws IOException {
    for (List<Cell> row : read) {
      if (filter.isDone()) {
        break;
      }
      filter.apply(row, rows);
    }
    klipHasMore &= !filter.isDone();
  }

  /** Whether it runs a filter that klip does not have. */
  public boolean filters() {
    return filter != null;
  }

  @Override
  public synchronized boolean next(List<Cell> result, ScannerContext context) throws IOException {
    return nextRaw(result, context);
  }

  @Override
  public boolean next(List<Cell> result) throws IOException {
    return nextRaw(result, null);
  }

  @Override
  public boolean nextRaw(List<Cell> result) throws IOException {
    return nextRaw(result, null);
  }

  @Override
  public synchronized boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
    boolean more = fill();
    if (more) {
      result.addAll(rows.remove());
      // As HBase: a StoreScanner reports its end after the last row, a RegionScanner with it
      more = ofStore || fill();
    }
    if (context != null) {
      context.setScannerState(more ? ScannerContext.NextState.MORE_VALUES : ScannerContext.NextState.NO_MORE_VALUES);
    }
    return more;
  }

  @Override
  public synchronized boolean reseek(byte[] row) throws IOException {
    while (fill() && Bytes.compareTo(row, 0, row.length, firstCell().getRowArray(), firstCell().getRowOffset(),
      firstCell().getRowLength()) > 0) {
      rows.remove();
    }
    return !rows.isEmpty();
  }

  private Cell firstCell() {
    return rows.peek().get(0);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (!opened) {
      return;
    }
    opened = false;
    try {
      Session.call(Call.KLIP_SCAN_CLOSE, output -> output.u32(id));
    } catch (IOException e) {
      org.slf4j.LoggerFactory.getLogger(KlipScanner.class).warn("Closing a scanner of {}", klipRegion, e);
    }
  }

  @Override
  public synchronized boolean isFilterDone() throws IOException {
    return !fill();
  }

  @Override
  public RegionInfo getRegionInfo() {
    return klipRegion.getRegionInfo();
  }

  @Override
  public long getMaxResultSize() {
    return scan.getMaxResultSize();
  }

  @Override
  public long getMvccReadPoint() {
    return Long.MAX_VALUE;
  }

  @Override
  public int getBatch() {
    return scan.getBatch();
  }

  @Override
  public String getOperationId() {
    return scan.getId();
  }

  @Override
  public ScannerContext getContext() {
    return ScannerContext.newBuilder().setBatchLimit(scan.getBatch()).build();
  }

  @Override
  public void shipped() {
  }

  @Override
  public void run() {
    close();
  }
}
