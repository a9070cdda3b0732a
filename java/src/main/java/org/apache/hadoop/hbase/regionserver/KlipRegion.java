package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import klip.coprocessor.Call;
import klip.coprocessor.HostFilter;
import klip.coprocessor.Input;
import klip.coprocessor.Instances;
import klip.coprocessor.Messages;
import klip.coprocessor.Session;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.exceptions.FailedSanityCheckException;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.Condition;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * A region with klip's data: its methods call klip. It is an HRegion since HBase's RegionCoprocessorHost requires one, and
 * is created without running HRegion's constructor.
 */
public class KlipRegion extends UnsupportedRegion {
  private long id;
  private RegionInfo info;
  private TableDescriptor descriptor;
  private Configuration configuration;
  private RegionServerServices services;
  private NavigableMap<byte[], HStore> families;
  private Map<String, RowUse> rowLocks;
  private Map<String, com.google.protobuf.Service> endpoints;
  private volatile boolean closed;

  /** Never runs: see open(). */
  private KlipRegion() {
  }

  /** Loads the table's coprocessors, but runs no hook. */
  public static KlipRegion open(long id, RegionInfo info, TableDescriptor descriptor, Configuration configuration,
      RegionServerServices services) {
    KlipRegion region = Instances.allocate(KlipRegion.class);
    region.id = id;
    region.info = info;
    region.descriptor = descriptor;
    region.configuration = new CompoundConfiguration().add(configuration).addBytesMap(descriptor.getValues());
    region.services = services;
    region.families = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (ColumnFamilyDescriptor family : descriptor.getColumnFamilies()) {
      region.families.put(family.getName(), KlipStore.open(region, family));
    }
    region.rowLocks = new ConcurrentHashMap<>();
    region.endpoints = new HashMap<>();
    Instances.set(HRegion.class, region, "coprocessorServiceHandlers", region.endpoints);
    region.setCoprocessorHost(new KlipCoprocessorHost(region, services, region.configuration));
    return region;
  }

  public long id() {
    return id;
  }

  public KlipCoprocessorHost host() {
    return (KlipCoprocessorHost) getCoprocessorHost();
  }

  /** Names of endpoints. */
  public Collection<String> endpoints() {
    return endpoints.keySet();
  }

  public void markClosed() {
    closed = true;
  }

  // What it is

  @Override
  public RegionInfo getRegionInfo() {
    return info;
  }

  @Override
  public TableDescriptor getTableDescriptor() {
    return descriptor;
  }

  @Override
  public Configuration getReadOnlyConfiguration() {
    return configuration;
  }

  @Override
  RegionServerServices getRegionServerServices() {
    return services;
  }

  @Override
  public CellComparator getCellComparator() {
    return info.isMetaRegion() ? org.apache.hadoop.hbase.MetaCellComparator.META_COMPARATOR
      : CellComparatorImpl.COMPARATOR;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public boolean isClosing() {
    return closed;
  }

  @Override
  public boolean isAvailable() {
    return !closed;
  }

  @Override
  public boolean isReadOnly() {
    return descriptor.isReadOnly();
  }

  @Override
  public boolean isSplittable() {
    return !closed;
  }

  @Override
  public boolean isMergeable() {
    return !closed;
  }

  @Override
  public List<HStore> getStores() {
    return new ArrayList<>(families.values());
  }

  @Override
  public HStore getStore(byte[] family) {
    return families.get(family);
  }

  @Override
  public List<String> getStoreFileList(byte[][] columns) {
    return List.of();
  }

  @Override
  public boolean hasReferences() {
    return false;
  }

  @Override
  public boolean refreshStoreFiles() {
    return false;
  }

  @Override
  public long getReadPoint(IsolationLevel level) {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean isLoadingCfsOnDemandDefault() {
    return false;
  }

  // Counters

  /** What klip counts for a region. */
  static final class Counters {
    long reads;
    long writes;
    long memstoreBytes;
    long storeFileBytes;
    int storeFiles;
  }

  Counters counters() {
    try {
      return Session.call(Call.KLIP_COUNTERS, output -> output.u64(id), answer -> {
        Counters counters = new Counters();
        counters.reads = answer.u64();
        counters.writes = answer.u64();
        counters.memstoreBytes = answer.u64();
        counters.storeFileBytes = answer.u64();
        counters.storeFiles = answer.u32();
        return counters;
      });
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public long getReadRequestsCount() {
    return counters().reads;
  }

  @Override
  public long getFilteredReadRequestsCount() {
    return 0;
  }

  @Override
  public long getWriteRequestsCount() {
    return counters().writes;
  }

  @Override
  public long getMemStoreDataSize() {
    return counters().memstoreBytes;
  }

  @Override
  public long getMemStoreHeapSize() {
    return counters().memstoreBytes;
  }

  @Override
  public long getMemStoreOffHeapSize() {
    return 0;
  }

  @Override
  public long getNumMutationsWithoutWAL() {
    return 0;
  }

  @Override
  public long getDataInMemoryWithoutWAL() {
    return 0;
  }

  @Override
  public long getBlockedRequestsCount() {
    return 0;
  }

  @Override
  public long getCheckAndMutateChecksPassed() {
    return 0;
  }

  @Override
  public long getCheckAndMutateChecksFailed() {
    return 0;
  }

  @Override
  public CompactionState getCompactionState() {
    return CompactionState.NONE;
  }

  @Override
  public int getMinBlockSizeBytes() {
    return Arrays.stream(descriptor.getColumnFamilies()).mapToInt(ColumnFamilyDescriptor::getBlocksize).min()
      .orElse(HConstants.DEFAULT_BLOCKSIZE);
  }

  @Override
  public boolean areWritesEnabled() {
    return !isReadOnly();
  }

  @Override
  public void addReadRequestsCount(long count) {
  }

  @Override
  public void addWriteRequestsCount(long count) {
  }

  @Override
  public MetricsRegion getMetrics() {
    return null;
  }

  @Override
  public long getMaxFlushedSeqId() {
    return -1;
  }

  // Operations: klip's doors are closed by klip itself

  @Override
  public void startRegionOperation() throws IOException {
    startRegionOperation(Operation.ANY);
  }

  @Override
  public void startRegionOperation(Operation operation) throws IOException {
    if (closed) {
      throw new org.apache.hadoop.hbase.NotServingRegionException(this + " is closed");
    }
  }

  @Override
  public void closeRegionOperation() {
  }

  @Override
  public void closeRegionOperation(Operation operation) {
  }

  @Override
  public RowLock getRowLock(byte[] row) throws IOException {
    return getRowLock(row, false);
  }

  /** Of one row: a lock, and how many hold it or wait for it. */
  private static final class RowUse {
    final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    int users;
  }

  /** Locks within the host: coprocessors of this region exclude each other, but not klip's own writers. */
  @Override
  public RowLock getRowLock(byte[] row, boolean shared) throws IOException {
    checkRow(row);
    String key = Bytes.toStringBinary(row);
    RowUse use = rowLocks.compute(key, (name, old) -> {
      RowUse now = old == null ? new RowUse() : old;
      now.users++;
      return now;
    });
    Lock lock = shared && !use.lock.isWriteLockedByCurrentThread() ? use.lock.readLock() : use.lock.writeLock();
    try {
      if (!lock.tryLock(configuration.getInt("hbase.rowlock.wait.duration", 30000), TimeUnit.MILLISECONDS)) {
        forget(key);
        throw new TimeoutIOException("Timed out waiting for lock for row: " + key + " in region "
          + info.getEncodedName());
      }
    } catch (InterruptedException e) {
      forget(key);
      throw (IOException) new InterruptedIOException().initCause(e);
    }
    return () -> {
      lock.unlock();
      forget(key);
    };
  }

  private void forget(String key) {
    rowLocks.computeIfPresent(key, (name, use) -> --use.users == 0 ? null : use);
  }

  /** Of a mutation that a hook added to a batch; the message is HBase's. */
  public void checkRowOfBatch(byte[] row) throws IOException {
    checkRow(row, "batchMutate");
  }

  private void checkRow(byte[] row) throws IOException {
    if (!rowIsInRange(info, row)) {
      throw new WrongRegionException("Requested row out of range for row lock on HRegion " + this + ", startKey='"
        + Bytes.toStringBinary(info.getStartKey()) + "', getEndKey()='" + Bytes.toStringBinary(info.getEndKey())
        + "', row='" + Bytes.toStringBinary(row) + "'");
    }
  }

  // Reads

  @Override
  public KlipScanner getScanner(Scan scan) throws IOException {
    return getScanner(scan, null);
  }

  @Override
  public KlipScanner getScanner(Scan scan, List<KeyValueScanner> additional) throws IOException {
    if (additional != null && !additional.isEmpty()) {
      throw new UnsupportedOperationException("klip has no KeyValueScanner to merge");
    }
    checkFamilies(scan.getFamilyMap().keySet());
    return KlipScanner.open(this, scan);
  }

  @Override
  public void checkFamilies(Collection<byte[]> wanted) throws NoSuchColumnFamilyException {
    for (byte[] family : wanted) {
      if (!families.containsKey(family)) {
        throw new NoSuchColumnFamilyException("Column family " + Bytes.toString(family)
          + " does not exist in region " + this + " in table " + descriptor);
      }
    }
  }

  /** Checks a Get and names its families, as HBase does before the hooks see it. */
  @Override
  public void prepareGet(Get get) throws IOException {
    checkFamilies(get.familySet());
    if (!get.hasFamilies()) {
      families.keySet().forEach(get::addFamily);
    }
  }

  @Override
  public Result get(Get get) throws IOException {
    prepareGet(get);
    List<Cell> cells = get(get, true);
    return Result.create(cells, get.isCheckExistenceOnly() ? !cells.isEmpty() : null);
  }

  @Override
  public List<Cell> get(Get get, boolean withCoprocessor) throws IOException {
    List<Cell> cells = new ArrayList<>();
    if (withCoprocessor && host().preGet(get, cells)) {
      return cells;
    }
    cells.addAll(read(get));
    if (withCoprocessor) {
      host().postGet(get, cells);
    }
    return cells;
  }

  /** Reads without hooks. */
  public List<Cell> read(Get get) throws IOException {
    Get whole = new Get(get).setCheckExistenceOnly(false);
    if (HostFilter.isNeeded(get.getFilter())) {
      List<Cell> cells = new ArrayList<>();
      try (KlipScanner scanner = getScanner(new Scan(whole))) {
        scanner.next(cells);
      }
      return cells;
    }
    Result result = Session.call(Call.KLIP_GET, output -> output.u64(id).message(ProtobufUtil.toGet(whole)),
      Messages::result);
    return result.isEmpty() ? List.of() : Arrays.asList(result.rawCells());
  }

  // Writes: klip runs the hooks for them, as HBase does

  /** The outcomes of the mutations of one call. */
  private static final class Outcome {
    boolean processed;
    OperationStatus[] statuses;
  }

  private Outcome mutate(List<? extends Mutation> mutations, boolean atomic, Condition condition)
      throws IOException {
    return Session.call(Call.KLIP_MUTATE, output -> {
      output.u64(id).flag(atomic).flag(condition != null);
      if (condition != null) {
        output.message(condition);
      }
      output.u32(mutations.size());
      for (Mutation mutation : mutations) {
        Messages.write(output, mutation);
      }
    }, answer -> {
      Outcome outcome = new Outcome();
      outcome.processed = answer.flag();
      outcome.statuses = new OperationStatus[mutations.size()];
      for (int i = 0; i < outcome.statuses.length; i++) {
        outcome.statuses[i] = status(answer);
      }
      return outcome;
    });
  }

  private static OperationStatus status(Input answer) throws IOException {
    if (!answer.flag()) {
      return new OperationStatus(OperationStatusCode.SUCCESS, Messages.result(answer));
    }
    String type = answer.string();
    String message = answer.string();
    if (type.endsWith("NoSuchColumnFamilyException")) {
      return new OperationStatus(OperationStatusCode.BAD_FAMILY, message);
    } else if (type.endsWith("FailedSanityCheckException") || type.endsWith("WrongRegionException")) {
      return new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, message);
    } else if (type.endsWith("RegionTooBusyException")) {
      return new OperationStatus(OperationStatusCode.STORE_TOO_BUSY, message);
    }
    return new OperationStatus(OperationStatusCode.FAILURE, type + ": " + message);
  }

  private Result mutateOne(Mutation mutation) throws IOException {
    OperationStatus status = mutate(List.of(mutation), false, null).statuses[0];
    check(status);
    return status.getResult();
  }

  private static void check(OperationStatus status) throws IOException {
    switch (status.getOperationStatusCode()) {
      case SUCCESS:
        return;
      case BAD_FAMILY:
        throw new NoSuchColumnFamilyException(status.getExceptionMsg());
      case SANITY_CHECK_FAILURE:
        throw new FailedSanityCheckException(status.getExceptionMsg());
      case STORE_TOO_BUSY:
        throw new org.apache.hadoop.hbase.RegionTooBusyException(status.getExceptionMsg());
      default:
        throw new IOException(status.getExceptionMsg());
    }
  }

  @Override
  public void put(Put put) throws IOException {
    mutateOne(put);
  }

  @Override
  public void delete(Delete delete) throws IOException {
    mutateOne(delete);
  }

  @Override
  public Result append(Append append) throws IOException {
    return mutateOne(append);
  }

  @Override
  public Result append(Append append, long nonceGroup, long nonce) throws IOException {
    return mutateOne(append);
  }

  @Override
  public Result increment(Increment increment) throws IOException {
    return mutateOne(increment);
  }

  @Override
  public Result increment(Increment increment, long nonceGroup, long nonce) throws IOException {
    return mutateOne(increment);
  }

  @Override
  public OperationStatus[] batchMutate(Mutation[] mutations) throws IOException {
    return mutate(Arrays.asList(mutations), false, null).statuses;
  }

  @Override
  public OperationStatus[] batchMutate(Mutation[] mutations, boolean atomic, long nonceGroup, long nonce)
      throws IOException {
    return mutate(Arrays.asList(mutations), atomic, null).statuses;
  }

  @Override
  public Result mutateRow(RowMutations mutations) throws IOException {
    return mutateRow(mutations, 0, 0);
  }

  @Override
  public Result mutateRow(RowMutations mutations, long nonceGroup, long nonce) throws IOException {
    return all(mutate(mutations.getMutations(), true, null).statuses);
  }

  private static Result all(OperationStatus[] statuses) throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (OperationStatus status : statuses) {
      check(status);
      if (!status.getResult().isEmpty()) {
        cells.addAll(Arrays.asList(status.getResult().rawCells()));
      }
    }
    return Result.create(cells);
  }

  @Override
  public void mutateRowsWithLocks(Collection<Mutation> mutations, Collection<byte[]> rows, long nonceGroup, long nonce)
      throws IOException {
    for (OperationStatus status : mutate(new ArrayList<>(mutations), true, null).statuses) {
      check(status);
    }
  }

  @Override
  public CheckAndMutateResult checkAndMutate(CheckAndMutate check) throws IOException {
    return checkAndMutate(check, 0, 0);
  }

  @Override
  public CheckAndMutateResult checkAndMutate(CheckAndMutate check, long nonceGroup, long nonce)
      throws IOException {
    Condition condition = check.hasFilter()
      ? ProtobufUtil.toCondition(check.getRow(), check.getFilter(), check.getTimeRange())
      : ProtobufUtil.toCondition(check.getRow(), check.getFamily(), check.getQualifier(), check.getCompareOp(),
        check.getValue(), check.getTimeRange());
    Row action = check.getAction();
    List<Mutation> mutations = action instanceof RowMutations ? ((RowMutations) action).getMutations()
      : List.of((Mutation) action);
    Outcome outcome = mutate(mutations, true, condition);
    return new CheckAndMutateResult(outcome.processed, outcome.processed ? all(outcome.statuses) : null);
  }

  /** Row processors exclude each other; klip's other writers are not blocked. */
  @Override
  public void processRowsWithLocks(RowProcessor<?, ?> processor, long timeout, long nonceGroup, long nonce)
      throws IOException {
    WALEdit edit = new WALEdit();
    List<Mutation> mutations = new ArrayList<>();
    List<RowLock> locks = new ArrayList<>();
    boolean success = false;
    processor.preProcess(this, edit);
    try {
      for (byte[] row : processor.getRowsToLock()) {
        locks.add(getRowLock(row));
      }
      processor.process(EnvironmentEdgeManager.currentTime(), this, mutations, edit);
      if (!mutations.isEmpty()) {
        processor.preBatchMutate(this, edit);
        for (OperationStatus status : mutate(mutations, true, null).statuses) {
          check(status);
        }
        processor.postBatchMutate(this);
      }
      success = true;
    } finally {
      locks.forEach(RowLock::release);
      processor.postProcess(this, edit, success);
    }
  }

  @Override
  public void processRowsWithLocks(RowProcessor<?, ?> processor) throws IOException {
    processRowsWithLocks(processor, -1, 0, 0);
  }

  @Override
  public void processRowsWithLocks(RowProcessor<?, ?> processor, long nonceGroup, long nonce) throws IOException {
    processRowsWithLocks(processor, -1, nonceGroup, nonce);
  }

  // Files

  @Override
  public FlushResult flush(boolean all) throws IOException {
    requestFlush(FlushLifeCycleTracker.DUMMY);
    return null;
  }

  @Override
  public void requestFlush(FlushLifeCycleTracker tracker) throws IOException {
    Session.call(Call.KLIP_FLUSH, output -> output.u64(id));
  }

  @Override
  public boolean waitForFlushes(long timeout) {
    return true;
  }

  @Override
  public void compact(boolean major) throws IOException {
    compact(new byte[0], major);
  }

  @Override
  public void requestCompaction(String why, int priority, boolean major, CompactionLifeCycleTracker tracker)
      throws IOException {
    compact(new byte[0], major);
  }

  @Override
  public void requestCompaction(byte[] family, String why, int priority, boolean major,
      CompactionLifeCycleTracker tracker) throws IOException {
    compact(family, major);
  }

  private void compact(byte[] family, boolean major) throws IOException {
    Session.call(Call.KLIP_COMPACT, output -> output.u64(id).flag(major).bytes(family));
  }
}
