package klip.coprocessor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;

/** Coprocessors of the tests. */
public final class Observers {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final List<String> SEEN = new CopyOnWriteArrayList<>();

  private Observers() {
  }

  /** Does nothing in prePut. */
  public static class Noop implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
    }
  }

  /** Counts in prePut. */
  public static class Counter extends Noop {
    private long count;

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      count++;
    }
  }

  /** Overrides deprecated forms only. */
  public static class Deprecated implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit,
        Durability durability) {
    }

    @Override
    public boolean preCheckAndPut(ObserverContext<RegionCoprocessorEnvironment> context, byte[] row, byte[] family,
        byte[] qualifier, org.apache.hadoop.hbase.CompareOperator operator,
        org.apache.hadoop.hbase.filter.ByteArrayComparable comparator, Put put, boolean result) {
      SEEN.add("preCheckAndPut " + Bytes.toString(row));
      return result;
    }
  }

  /** Says who calls which hooks of a write. */
  public static class Recorder extends Noop {
    private static void see(String what) {
      SEEN.add(what);
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      put.setAttribute("seen", Bytes.toBytes("by prePut"));
      see("prePut " + context.getCaller().map(User::getShortName).orElse("nobody") + " "
        + RpcServer.getRemoteAddress().map(address -> address.getHostAddress()).orElse("nowhere"));
    }

    @Override
    public void preBatchMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> batch) {
      Cell first = batch.getOperation(0).getFamilyCellMap().firstEntry().getValue().get(0);
      see("preBatchMutate " + batch.size() + " of " + batch.getReadyToWriteCount() + " at "
        + (first.getTimestamp() == Long.MAX_VALUE ? "latest" : "" + first.getTimestamp()));
    }

    @Override
    public void postBatchMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> batch) {
      see("postBatchMutate " + batch.size());
    }

    @Override
    public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      see("postPut " + Bytes.toString(put.getAttribute("seen")));
    }

    @Override
    public void postBatchMutateIndispensably(ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> batch, boolean success) {
      see("postBatchMutateIndispensably " + success);
    }
  }

  /** Replaces the new cells of an increment by their old ones, and counts what is logged. */
  public static class Computed extends Noop {
    @Override
    public List<Pair<Cell, Cell>> postIncrementBeforeWAL(ObserverContext<RegionCoprocessorEnvironment> context,
        Mutation mutation, List<Pair<Cell, Cell>> pairs) {
      SEEN.add("postIncrementBeforeWAL " + pairs.size());
      List<Pair<Cell, Cell>> result = new ArrayList<>();
      pairs.forEach(pair -> result.add(pair.getFirst() == null ? pair : new Pair<>(null, pair.getFirst())));
      return result;
    }

    @Override
    public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit) {
      SEEN.add("preWALAppend " + key.getTableName() + " " + edit.size());
    }
  }

  /** Adds an index row in the batch. */
  public static class Index extends Noop {
    @Override
    public void preBatchMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> batch) {
      for (int i = 0; i < batch.size(); i++) {
        Mutation mutation = batch.getOperation(i);
        List<Mutation> added = new ArrayList<>();
        for (Cell cell : mutation.getFamilyCellMap().getOrDefault(FAMILY, List.of())) {
          Put put = new Put(Bytes.add(Bytes.toBytes("index "), CellUtil.cloneValue(cell)));
          put.addColumn(FAMILY, Bytes.toBytes("row"), cell.getTimestamp(), mutation.getRow());
          added.add(put);
        }
        batch.addOperationsFromCP(i, added.toArray(new Mutation[0]));
      }
    }
  }

  /** Adds something to its first batch. */
  public static class AddsOnce extends Noop {
    private boolean done;

    @Override
    public void preBatchMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> batch) {
      if (!done) {
        batch.addOperationsFromCP(0, new Mutation[] {new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY)});
      }
      done = true;
    }
  }

  /** Does to a row what its name says. */
  public static class ByName extends Noop {
    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      switch (Bytes.toString(put.getRow())) {
        case "bypass":
          context.bypass();
          break;
        case "more":
          put.addColumn(FAMILY, Bytes.toBytes("more"), Bytes.toBytes("added"));
          break;
        case "in place":
          Cell cell = put.getFamilyCellMap().get(FAMILY).get(0);
          cell.getValueArray()[cell.getValueOffset()] = 'X';
          break;
        case "ttl":
          put.setTTL(1000);
          break;
        case "durability":
          put.setDurability(Durability.SKIP_WAL);
          break;
        case "replaced":
          put.getFamilyCellMap().get(FAMILY).set(0, new KeyValue(put.getRow(), FAMILY, Bytes.toBytes("q"),
            Bytes.toBytes("new")));
          break;
        default:
      }
    }

    @Override
    public void preDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
        throws IOException {
      SEEN.add("preDelete " + delete.getFamilyCellMap().size());
      throw new DoNotRetryIOException("no deletes here");
    }

    @Override
    public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment,
        WALEdit edit) {
      context.bypass();
      return Result.create(new Cell[] {new KeyValue(increment.getRow(), FAMILY,
        Bytes.toBytes("q"), Bytes.toBytes(77L))});
    }

    @Override
    public CheckAndMutateResult preCheckAndMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        CheckAndMutate check, CheckAndMutateResult result) {
      if (Bytes.toString(check.getRow()).equals("bypass")) {
        context.bypass();
        return new CheckAndMutateResult(true, null);
      }
      return result;
    }

    @Override
    public CheckAndMutateResult postCheckAndMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        CheckAndMutate check, CheckAndMutateResult result) {
      SEEN.add("postCheckAndMutate " + result.isSuccess());
      return result;
    }
  }

  /** Throws an exception that no client expects. */
  public static class Bad extends Noop {
    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      throw new NullPointerException("planned");
    }
  }

  /** Throws something else in each hook. */
  public static class Throwing extends Noop {
    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      switch (Bytes.toString(put.getRow())) {
        case "error":
          throw new AssertionError("planned");
        case "memory":
          throw new OutOfMemoryError("planned");
        case "link":
          throw new NoClassDefFoundError("planned");
        case "stack":
          prePut(context, put, edit);
          break;
        case "log":
          ((HRegion) context.getEnvironment().getRegion()).getWAL();
          break;
        default:
          throw new IllegalStateException("planned");
      }
    }
  }

  /** Calls back in each way. */
  public static class Caller extends Noop {
    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
    }

    @Override
    public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
        throws IOException {
      if (Bytes.toString(put.getRow()).startsWith("copy")) {
        return;
      }
      Put copy = new Put(Bytes.add(Bytes.toBytes("copy of "), put.getRow()));
      copy.addColumn(FAMILY, Bytes.toBytes("q"), CellUtil.cloneValue(put.getFamilyCellMap().get(FAMILY).get(0)));
      context.getEnvironment().getRegion().put(copy);
      SEEN.add("caller " + context.getCaller().map(User::getShortName).orElse("nobody") + " then "
        + RpcServer.getRequestUserName().orElse("nobody"));
    }

    @Override
    public void preBatchMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> batch) throws IOException {
      if (Bytes.toString(batch.getOperation(0).getRow()).equals("writes locked")) {
        context.getEnvironment().getRegion().put(new Put(Bytes.toBytes("z")).addColumn(FAMILY, FAMILY, FAMILY));
      }
      Result old = context.getEnvironment().getRegion().get(new Get(batch.getOperation(0).getRow()));
      SEEN.add("old " + (old.isEmpty() ? "nothing" : Bytes.toString(old.value())));
    }
  }

  /** Counts the region's rows on its own thread. */
  public static class OwnThread extends Noop {
    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
        throws IOException {
      var pool = Executors.newSingleThreadExecutor();
      try {
        SEEN.add("rows " + pool.submit(() -> rows(context.getEnvironment())).get());
      } catch (InterruptedException | ExecutionException e) {
        throw new IOException(e);
      } finally {
        pool.shutdown();
      }
    }

    private static int rows(RegionCoprocessorEnvironment environment) throws IOException {
      int rows = 0;
      try (RegionScanner scanner = environment.getRegion().getScanner(new Scan())) {
        for (boolean more = true; more; rows++) {
          more = scanner.next(new ArrayList<>());
        }
      }
      return rows;
    }
  }

  /** Watches and changes reads. */
  public static class Reads extends Noop {
    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
        throws IOException {
      if (Bytes.toString(get.getRow()).equals("bypass")) {
        result.add(new KeyValue(get.getRow(), FAMILY, FAMILY, Bytes.toBytes("instead")));
        context.bypass();
      } else if (Bytes.toString(get.getRow()).equals("changed")) {
        get.readVersions(3);
      }
    }

    @Override
    public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
      SEEN.add("postGetOp " + result.size() + " of " + get.getFamilyMap().size());
      if (Bytes.toString(get.getRow()).equals("hide")) {
        result.clear();
      }
    }

    @Override
    public boolean postExists(ObserverContext<RegionCoprocessorEnvironment> context, Get get, boolean exists) {
      return !exists;
    }

    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan) {
      if (scan.getAttribute("change") != null) {
        scan.withStartRow(Bytes.toBytes("b"));
      }
    }

    @Override
    public boolean postScannerNext(ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner,
        List<Result> rows, int limit, boolean more) {
      rows.removeIf(row -> Bytes.toString(row.getRow()).equals("hide"));
      return more;
    }

    @Override
    public void postScannerClose(ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner) {
      SEEN.add("postScannerClose");
    }
  }

  /** Wraps each scanner, and lets every second row through. */
  public static class Wrapping extends Noop {
    @Override
    public RegionScanner postScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan,
        RegionScanner scanner) {
      return (RegionScanner) java.lang.reflect.Proxy.newProxyInstance(getClass().getClassLoader(),
        new Class<?>[] {RegionScanner.class}, (proxy, method, arguments) -> {
          if (method.getName().equals("nextRaw") && !scanner.nextRaw(new ArrayList<>())) {
            return false;
          }
          return method.invoke(scanner, arguments);
        });
    }
  }

  /** Leaves values "no" out of gets and scans by a filter of its own class. */
  public static class Filtering extends Noop {
    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
      get.setFilter(new NoFilter());
    }

    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan) {
      scan.setFilter(new NoFilter());
    }
  }

  /** klip does not have it, and it has no bytes. */
  private static final class NoFilter extends FilterBase {
    @Override
    public ReturnCode filterCell(Cell cell) {
      return Bytes.toString(CellUtil.cloneValue(cell)).equals("no") ? ReturnCode.SKIP : ReturnCode.INCLUDE;
    }

    @Override
    public byte[] toByteArray() {
      throw new UnsupportedOperationException();
    }
  }

  /** Reads a row of a compaction at a time, and gives its cells one by one; the inner scanner says whether there are more. */
  public static class Chopping extends Noop {
    @Override
    public InternalScanner preCompact(ObserverContext<RegionCoprocessorEnvironment> context, Store store,
      InternalScanner scanner, ScanType type, CompactionLifeCycleTracker tracker, CompactionRequest request) {
      return new InternalScanner() {
        private final List<Cell> row = new ArrayList<>();
        private boolean more;

        @Override
        public boolean next(List<Cell> result, ScannerContext limits) throws IOException {
          if (row.isEmpty()) {
            more = scanner.next(row);
          }
          if (!row.isEmpty()) {
            result.add(row.remove(0));
          }
          return more;
        }

        @Override
        public void close() throws IOException {
          scanner.close();
        }
      };
    }
  }
}
