package session;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/** Reverses the bytes of values. */
final class Reversing implements RegionScanner {
  private final RegionScanner inner;

  Reversing(RegionScanner inner) {
    this.inner = inner;
  }

  private static void turn(List<Cell> cells) {
    cells.replaceAll(cell -> {
      byte[] value = new StringBuilder(new String(CellUtil.cloneValue(cell))).reverse().toString().getBytes();
      return new KeyValue(CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell),
        cell.getTimestamp(), value);
    });
  }

  @Override
  public boolean next(List<Cell> cells) throws IOException {
    boolean more = inner.next(cells);
    turn(cells);
    return more;
  }

  @Override
  public boolean next(List<Cell> cells, ScannerContext context) throws IOException {
    boolean more = inner.next(cells, context);
    turn(cells);
    return more;
  }

  @Override
  public boolean nextRaw(List<Cell> cells) throws IOException {
    boolean more = inner.nextRaw(cells);
    turn(cells);
    return more;
  }

  @Override
  public boolean nextRaw(List<Cell> cells, ScannerContext context) throws IOException {
    boolean more = inner.nextRaw(cells, context);
    turn(cells);
    return more;
  }

  @Override
  public RegionInfo getRegionInfo() {
    return inner.getRegionInfo();
  }

  @Override
  public boolean isFilterDone() throws IOException {
    return inner.isFilterDone();
  }

  @Override
  public boolean reseek(byte[] row) throws IOException {
    return inner.reseek(row);
  }

  @Override
  public long getMaxResultSize() {
    return inner.getMaxResultSize();
  }

  @Override
  public long getMvccReadPoint() {
    return inner.getMvccReadPoint();
  }

  @Override
  public int getBatch() {
    return inner.getBatch();
  }

  @Override
  public void close() throws IOException {
    inner.close();
  }
}
