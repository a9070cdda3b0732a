package session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;

/** The coprocessors that the session loads from a jar. */
public final class Observers {
  static final byte[] FAMILY = Bytes.toBytes("f");

  private Observers() {
  }

  /** An observer of a region. */
  abstract static class Base implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }
  }

  /** Writes a row of an index table after each put, through a connection of its own. */
  public static class Indexer extends Base {
    @Override
    public void postPut(ObserverContext<RegionCoprocessorEnvironment> c, Put put, WALEdit edit) throws IOException {
      String index = c.getEnvironment().getConfiguration().get("index");
      try (Table table = c.getEnvironment().getConnection().getTable(TableName.valueOf(index))) {
        for (Cell cell : put.get(FAMILY, Bytes.toBytes("city"))) {
          byte[] row = Bytes.add(CellUtil.cloneValue(cell), Bytes.toBytes("/"), put.getRow());
          table.put(new Put(row).addColumn(FAMILY, Bytes.toBytes("row"), put.getRow()));
        }
      }
    }
  }

  /** Edits, leaves out and refuses what its name or its row says. */
  public static class Editor extends Base {
    private static void edit(ObserverContext<RegionCoprocessorEnvironment> c, Mutation mutation) throws IOException {
      String row = Bytes.toString(mutation.getRow());
      if (row.startsWith("skip")) {
        c.bypass();
      } else if (row.startsWith("refuse")) {
        throw new DoNotRetryIOException("refused by the observer: " + row);
      }
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> c, Put put, WALEdit edit) throws IOException {
      edit(c, put);
      put.addColumn(FAMILY, Bytes.toBytes("added"), put.getRow());
    }

    @Override
    public void preDelete(ObserverContext<RegionCoprocessorEnvironment> c, Delete delete, WALEdit edit)
      throws IOException {
      edit(c, delete);
    }

    @Override
    public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> c, Increment increment)
      throws IOException {
      edit(c, increment);
      if (Bytes.toString(increment.getRow()).startsWith("answer")) {
        c.bypass();
        return Result.create(
          List.<Cell>of(new KeyValue(increment.getRow(), FAMILY, Bytes.toBytes("n"), 7, Bytes.toBytes(77L))));
      }
      return null;
    }

    @Override
    public Result postIncrement(ObserverContext<RegionCoprocessorEnvironment> c, Increment increment, Result result)
      throws IOException {
      List<Cell> cells = new ArrayList<>();
      if (result == null) {
        cells.add(new KeyValue(increment.getRow(), FAMILY, Bytes.toBytes("none"), 7, Bytes.toBytes("given")));
      } else if (!result.isEmpty()) {
        cells.addAll(result.listCells());
      }
      cells.add(new KeyValue(increment.getRow(), FAMILY, Bytes.toBytes("seen"), 7, Bytes.toBytes("post")));
      return Result.create(cells);
    }

    @Override
    public Result preAppend(ObserverContext<RegionCoprocessorEnvironment> c, Append append) throws IOException {
      edit(c, append);
      append.addColumn(FAMILY, Bytes.toBytes("more"), Bytes.toBytes("+"));
      return null;
    }

    @Override
    public void preBatchMutate(ObserverContext<RegionCoprocessorEnvironment> c,
      MiniBatchOperationInProgress<Mutation> batch) throws IOException {
      for (int i = 0; i < batch.size(); i++) {
        Mutation mutation = batch.getOperation(i);
        if (mutation instanceof Put && Bytes.toString(mutation.getRow()).startsWith("twin")) {
          byte[] row = Bytes.add(Bytes.toBytes("second-"), mutation.getRow());
          batch.addOperationsFromCP(i,
            new Mutation[] { new Put(row).addColumn(FAMILY, Bytes.toBytes("of"), mutation.getRow()) });
        }
      }
    }
  }

  /** Changes what reads answer. */
  public static class Reader extends Base {
    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> c, Get get, List<Cell> cells)
      throws IOException {
      String row = Bytes.toString(get.getRow());
      if (row.startsWith("made")) {
        cells.add(new KeyValue(get.getRow(), FAMILY, Bytes.toBytes("made"), 1, Bytes.toBytes("up")));
        c.bypass();
      } else if (row.startsWith("secret")) {
        throw new DoNotRetryIOException("not for you: " + row);
      }
    }

    @Override
    public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> c, Get get, List<Cell> cells) {
      cells.add(new KeyValue(get.getRow(), FAMILY, Bytes.toBytes("z"), 1, Bytes.toBytes("after")));
    }

    @Override
    public boolean preExists(ObserverContext<RegionCoprocessorEnvironment> c, Get get, boolean exists) {
      if (Bytes.toString(get.getRow()).startsWith("made")) {
        c.bypass();
        return true;
      }
      return exists;
    }

    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> c, Scan scan) throws IOException {
      if (scan.getAttribute("only") != null) {
        scan.setFilter(new PrefixFilter(scan.getAttribute("only")));
      }
      if (scan.getAttribute("forbidden") != null) {
        throw new DoNotRetryIOException("forbidden scan");
      }
    }

    @Override
    public boolean postScannerNext(ObserverContext<RegionCoprocessorEnvironment> c, InternalScanner scanner,
      List<Result> results, int limit, boolean hasMore) throws IOException {
      results.removeIf(result -> Bytes.toString(result.getRow()).contains("hide"));
      return hasMore;
    }
  }

  /** Wraps scanners. */
  public static class Wrapper extends Base {
    @Override
    public RegionScanner postScannerOpen(ObserverContext<RegionCoprocessorEnvironment> c, Scan scan,
      RegionScanner scanner) {
      return scan.getAttribute("reverse-values") == null ? scanner : new Reversing(scanner);
    }
  }

  /** Decides conditions. */
  public static class Checker extends Base {
    @Override
    public CheckAndMutateResult preCheckAndMutate(ObserverContext<RegionCoprocessorEnvironment> c,
      CheckAndMutate check, CheckAndMutateResult result) throws IOException {
      String row = Bytes.toString(check.getRow());
      if (row.startsWith("yes")) {
        c.bypass();
        return new CheckAndMutateResult(true, null);
      }
      if (row.startsWith("refuse")) {
        throw new DoNotRetryIOException("refused check of " + row);
      }
      return result;
    }

    @Override
    public CheckAndMutateResult postCheckAndMutate(ObserverContext<RegionCoprocessorEnvironment> c,
      CheckAndMutate check, CheckAndMutateResult result) throws IOException {
      return Bytes.toString(check.getRow()).startsWith("flip")
        ? new CheckAndMutateResult(!result.isSuccess(), null) : result;
    }
  }

  /** Throws exceptions that no observer should throw. */
  public static class Thrower extends Base {
    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> c, Put put, WALEdit edit) throws IOException {
      switch (Bytes.toString(put.getRow())) {
        case "runtime":
          throw new IllegalStateException("a bug");
        case "io":
          throw new IOException("a failure");
        case "error":
          throw new StackOverflowError();
        default:
          put.addColumn(FAMILY, Bytes.toBytes("thrower"), Bytes.toBytes("is here"));
      }
    }

    @Override
    public void postPut(ObserverContext<RegionCoprocessorEnvironment> c, Put put, WALEdit edit) throws IOException {
      if (Bytes.toString(put.getRow()).equals("late")) {
        throw new DoNotRetryIOException("too late");
      }
    }
  }

  /** A delete of a newest version deletes the one of time 2. */
  public static class OfTime2 extends Base {
    @Override
    public void prePrepareTimeStampForDeleteVersion(ObserverContext<RegionCoprocessorEnvironment> c, Mutation mutation,
      Cell cell, byte[] now, Get get) throws IOException {
      if (Bytes.toString(CellUtil.cloneRow(cell)).equals("a")) {
        PrivateCellUtil.setTimestamp(cell, 2);
        c.bypass();
      }
    }
  }

  /** Keeps and shows two versions, whatever the family says. */
  public static class TwoVersions extends Base {
    @Override
    public void preFlushScannerOpen(ObserverContext<RegionCoprocessorEnvironment> c, Store store, ScanOptions options,
      FlushLifeCycleTracker tracker) {
      options.setMaxVersions(2);
    }

    @Override
    public void preCompactScannerOpen(ObserverContext<RegionCoprocessorEnvironment> c, Store store, ScanType type,
      ScanOptions options, CompactionLifeCycleTracker tracker, CompactionRequest request) {
      options.setMaxVersions(2);
    }

    @Override
    public void preStoreScannerOpen(ObserverContext<RegionCoprocessorEnvironment> c, Store store, ScanOptions options) {
      options.setMaxVersions(2);
    }
  }

  /** Leaves rows out of flushes and of compactions. */
  public static class Sieve extends Base {
    private static InternalScanner without(String prefix, InternalScanner cells) {
      return new InternalScanner() {
        @Override
        public boolean next(List<Cell> result, ScannerContext context) throws IOException {
          boolean more = cells.next(result, context);
          result.removeIf(cell -> Bytes.toString(CellUtil.cloneRow(cell)).startsWith(prefix));
          return more;
        }

        @Override
        public void close() throws IOException {
          cells.close();
        }
      };
    }

    @Override
    public InternalScanner preFlush(ObserverContext<RegionCoprocessorEnvironment> c, Store store, InternalScanner cells,
      FlushLifeCycleTracker tracker) {
      return without("volatile", cells);
    }

    @Override
    public InternalScanner preCompact(ObserverContext<RegionCoprocessorEnvironment> c, Store store,
      InternalScanner cells, ScanType type, CompactionLifeCycleTracker tracker, CompactionRequest request) {
      return without("short-lived", cells);
    }
  }

  /** Does nothing. */
  public static class Noop extends Base {
    private long calls; // klip does not call a hook without any code

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> c, Put put, WALEdit edit) {
      calls++;
    }
  }

  /** Adds its name to a column, so that the order of classes is seen. */
  public static class First extends Base {
    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> c, Put put, WALEdit edit) {
      String name = getClass().getSimpleName();
      byte[] column = Bytes.toBytes("order");
      String before = put.get(FAMILY, column).stream().map(cell -> Bytes.toString(CellUtil.cloneValue(cell)))
        .reduce((a, b) -> b).orElse("");
      put.addColumn(FAMILY, column, Bytes.toBytes(before + name + ";"));
      if (Bytes.toString(put.getRow()).equals("complete-" + name)) {
        c.bypass();
      }
    }
  }

  /** Shows the new cells of increments and appends, and changes what the row says. */
  public static class NewCells extends Base {
    private static List<Pair<Cell, Cell>> edit(Mutation mutation, List<Pair<Cell, Cell>> pairs) throws IOException {
      String row = Bytes.toString(mutation.getRow());
      List<Pair<Cell, Cell>> result = new ArrayList<>(pairs);
      if (row.startsWith("refuse")) {
        throw new DoNotRetryIOException("refused by the observer: " + row);
      } else if (row.startsWith("none")) {
        result.clear();
      } else if (row.startsWith("copy")) {
        for (Pair<Cell, Cell> pair : pairs) {
          Cell cell = pair.getSecond();
          byte[] old = pair.getFirst() == null ? Bytes.toBytes("new") : CellUtil.cloneValue(pair.getFirst());
          byte[] column = Bytes.add(Bytes.toBytes("before "), CellUtil.cloneQualifier(cell));
          result.add(new Pair<>(null, new KeyValue(mutation.getRow(), CellUtil.cloneFamily(cell), column,
            cell.getTimestamp(), old)));
        }
      } else if (row.startsWith("family")) {
        Cell cell = pairs.get(0).getSecond();
        result.set(0, new Pair<>(null, new KeyValue(mutation.getRow(), Bytes.toBytes("none"),
          CellUtil.cloneQualifier(cell), cell.getTimestamp(), CellUtil.cloneValue(cell))));
      }
      return result;
    }

    @Override
    public List<Pair<Cell, Cell>> postIncrementBeforeWAL(ObserverContext<RegionCoprocessorEnvironment> c,
      Mutation mutation, List<Pair<Cell, Cell>> pairs) throws IOException {
      return edit(mutation, pairs);
    }

    @Override
    public List<Pair<Cell, Cell>> postAppendBeforeWAL(ObserverContext<RegionCoprocessorEnvironment> c,
      Mutation mutation, List<Pair<Cell, Cell>> pairs) throws IOException {
      return edit(mutation, pairs);
    }
  }

  /** Notes what is logged; a get of the row "log" returns the notes of this class and of LogReader. */
  public static class Logged extends Base {
    @Override
    public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> c, WALKey key, WALEdit edit) {
      LogReader.note("append", key.getTableName(), edit);
    }

    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> c, Get get, List<Cell> result) {
      if (Bytes.toString(get.getRow()).equals("log")) {
        result.add(new KeyValue(get.getRow(), FAMILY, Bytes.toBytes("notes"), Bytes.toBytes(LogReader.take())));
        c.bypass();
      }
    }
  }

  /** As First. */
  public static class Second extends First {
  }

  /** Not a coprocessor. */
  public static class Nothing {
  }
}
