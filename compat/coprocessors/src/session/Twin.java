package session;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;

/** The Java version of the module twin.cc. The last character of a row selects what it does with the row. */
public final class Twin extends Observers.Base {
  private static final byte[] F = Observers.FAMILY;

  private static char last(byte[] row) {
    return (char) row[row.length - 1];
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> c, Put put, WALEdit edit) throws IOException {
    List<Cell> cells = put.get(F, Bytes.toBytes("q"));
    String value = Bytes.toString(CellUtil.cloneValue(cells.get(0)));
    if (value.equals("no")) {
      throw new DoNotRetryIOException("no");
    } else if (value.equals("skip")) {
      c.bypass();
    } else {
      put.addColumn(F, Bytes.toBytes("seen"), cells.get(0).getTimestamp(), Bytes.toBytes("by " + value));
    }
  }

  @Override
  public void preDelete(ObserverContext<RegionCoprocessorEnvironment> c, Delete delete, WALEdit edit) {
    if (last(delete.getRow()) == '0') {
      c.bypass();
    }
  }

  @Override
  public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> c, Increment increment) throws IOException {
    if (last(increment.getRow()) == '1') {
      throw new DoNotRetryIOException("no");
    }
    return null;
  }

  @Override
  public CheckAndMutateResult preCheckAndMutate(ObserverContext<RegionCoprocessorEnvironment> c, CheckAndMutate check,
    CheckAndMutateResult result) {
    char last = last(check.getRow());
    if (last != '2' && last != '3') {
      return result;
    }
    c.bypass();
    return new CheckAndMutateResult(last == '2', null);
  }

  @Override
  public CheckAndMutateResult preCheckAndMutateAfterRowLock(ObserverContext<RegionCoprocessorEnvironment> c,
    CheckAndMutate check, CheckAndMutateResult result) {
    if (last(check.getRow()) != '4') {
      return result;
    }
    c.bypass();
    return new CheckAndMutateResult(false, null);
  }

  @Override
  public CheckAndMutateResult postCheckAndMutate(ObserverContext<RegionCoprocessorEnvironment> c, CheckAndMutate check,
    CheckAndMutateResult result) {
    return last(check.getRow()) == '5' ? new CheckAndMutateResult(!result.isSuccess(), null) : result;
  }

  @Override
  public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> c, Scan scan) {
    if (scan.getLimit() <= 0 && Bytes.toString(scan.getStartRow()).equals("narrow")) {
      scan.withStartRow(Bytes.toBytes("r05"), false).withStopRow(Bytes.toBytes("r19"), true);
    }
  }

  @Override
  public boolean postScannerNext(ObserverContext<RegionCoprocessorEnvironment> c, InternalScanner scanner,
    List<Result> rows, int limit, boolean more) {
    rows.removeIf(row -> last(row.getRow()) == '7');
    rows.replaceAll(row -> last(row.getRow()) != '8' ? row : Result.create(List.of(
      new KeyValue(row.getRow(), F, Bytes.toBytes("n"), 1, Bytes.toBytes("cells " + row.size())))));
    return more;
  }
}
