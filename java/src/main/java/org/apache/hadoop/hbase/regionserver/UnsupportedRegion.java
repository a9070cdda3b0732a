package org.apache.hadoop.hbase.regionserver;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HDFSBlocksDistribution;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.conf.ConfigurationManager;
import org.apache.hadoop.hbase.errorhandling.ForeignExceptionSnare;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.mob.MobFileCache;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionContext;
import org.apache.hadoop.hbase.regionserver.metrics.MetricsTableRequests;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.SnapshotProtos;
import org.apache.hadoop.hbase.util.HashedBytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALSplitUtil;

/** Throws for everything that klip does not support; HRegion's own methods would use uninitialized fields. */
abstract class UnsupportedRegion extends HRegion {
  /** Never runs: subclasses are made without it. */
  UnsupportedRegion() {
    super((HRegionFileSystem) null, null, null, null, null);
  }

  private static UnsupportedOperationException unsupported(String method) {
    return new UnsupportedOperationException("Region." + method + ": klip does not have it");
  }

  @Override
  public void addRegionToSnapshot(SnapshotProtos.SnapshotDescription a0, ForeignExceptionSnare a1) {
    throw unsupported("addRegionToSnapshot");
  }

  @Override
  public OperationStatus[] batchReplay(WALSplitUtil.MutationReplay[] a0, long a1) {
    throw unsupported("batchReplay");
  }

  @Override
  public void blockUpdates() {
    throw unsupported("blockUpdates");
  }

  @Override
  public Map<byte[], List<Path>> bulkLoadHFiles(Collection<Pair<byte[], String>> a0, boolean a1,
      HRegion.BulkLoadListener a2, boolean a3, List<String> a4, boolean a5) {
    throw unsupported("bulkLoadHFiles");
  }

  @Override
  public Map<byte[], List<Path>> bulkLoadHFiles(Collection<Pair<byte[], String>> a0, boolean a1,
      HRegion.BulkLoadListener a2) {
    throw unsupported("bulkLoadHFiles");
  }

  @Override
  public Optional<byte[]> checkSplit() {
    throw unsupported("checkSplit");
  }

  @Override
  public Optional<byte[]> checkSplit(boolean a0) {
    throw unsupported("checkSplit");
  }

  @Override
  public void checkTimestamps(Map<byte[], List<Cell>> a0, long a1) {
    throw unsupported("checkTimestamps");
  }

  @Override
  public Map<byte[], List<HStoreFile>> close() {
    throw unsupported("close");
  }

  @Override
  public Map<byte[], List<HStoreFile>> close(boolean a0, boolean a1, boolean a2) {
    throw unsupported("close");
  }

  @Override
  public Map<byte[], List<HStoreFile>> close(boolean a0, boolean a1) {
    throw unsupported("close");
  }

  @Override
  public Map<byte[], List<HStoreFile>> close(boolean a0) {
    throw unsupported("close");
  }

  @Override
  public boolean compact(CompactionContext a0, HStore a1, ThroughputController a2, User a3) {
    throw unsupported("compact");
  }

  @Override
  public boolean compact(CompactionContext a0, HStore a1, ThroughputController a2) {
    throw unsupported("compact");
  }

  @Override
  public void compactStores() {
    throw unsupported("compactStores");
  }

  @Override
  public void decrementCompactionsQueuedCount() {
    throw unsupported("decrementCompactionsQueuedCount");
  }

  @Override
  public void deregisterChildren(ConfigurationManager a0) {
    throw unsupported("deregisterChildren");
  }

  @Override
  public HRegion.FlushResultImpl flushcache(List<byte[]> a0, boolean a1, FlushLifeCycleTracker a2) {
    throw unsupported("flushcache");
  }

  @Override
  public BlockCache getBlockCache() {
    throw unsupported("getBlockCache");
  }

  @Override
  public int getCompactPriority() {
    throw unsupported("getCompactPriority");
  }

  @Override
  public long getEarliestFlushTimeForAllStores() {
    throw unsupported("getEarliestFlushTimeForAllStores");
  }

  @Override
  public FileSystem getFilesystem() {
    throw unsupported("getFilesystem");
  }

  @Override
  public HDFSBlocksDistribution getHDFSBlocksDistribution() {
    throw unsupported("getHDFSBlocksDistribution");
  }

  @Override
  public ClientProtos.RegionLoadStats getLoadStatistics() {
    throw unsupported("getLoadStatistics");
  }

  @Override
  public ConcurrentHashMap<HashedBytes, HRegion.RowLockContext> getLockedRows() {
    throw unsupported("getLockedRows");
  }

  @Override
  public MultiVersionConcurrencyControl getMVCC() {
    throw unsupported("getMVCC");
  }

  @Override
  public Map<byte[], Long> getMaxStoreSeqId() {
    throw unsupported("getMaxStoreSeqId");
  }

  @Override
  public long getMemStoreFlushSize() {
    throw unsupported("getMemStoreFlushSize");
  }

  @Override
  public MetricsTableRequests getMetricsTableRequests() {
    throw unsupported("getMetricsTableRequests");
  }

  @Override
  public MobFileCache getMobFileCache() {
    throw unsupported("getMobFileCache");
  }

  @Override
  public long getOldestHfileTs(boolean a0) {
    throw unsupported("getOldestHfileTs");
  }

  @Override
  public long getOldestSeqIdOfStore(byte[] a0) {
    throw unsupported("getOldestSeqIdOfStore");
  }

  @Override
  public long getOpenSeqNum() {
    throw unsupported("getOpenSeqNum");
  }

  @Override
  public int getReadLockCount() {
    throw unsupported("getReadLockCount");
  }

  @Override
  public HRegionFileSystem getRegionFileSystem() {
    throw unsupported("getRegionFileSystem");
  }

  @Override
  public RegionServicesForStores getRegionServicesForStores() {
    throw unsupported("getRegionServicesForStores");
  }

  @Override
  public NavigableMap<byte[], Integer> getReplicationScope() {
    throw unsupported("getReplicationScope");
  }

  @Override
  public long getSmallestReadPoint() {
    throw unsupported("getSmallestReadPoint");
  }

  @Override
  public WAL getWAL() {
    throw unsupported("getWAL");
  }

  @Override
  public Path getWALRegionDir() {
    throw unsupported("getWALRegionDir");
  }

  @Override
  public long heapSize() {
    throw unsupported("heapSize");
  }

  @Override
  public void incrementCompactionsQueuedCount() {
    throw unsupported("incrementCompactionsQueuedCount");
  }

  @Override
  public void incrementFlushesQueuedCount() {
    throw unsupported("incrementFlushesQueuedCount");
  }

  @Override
  public long initialize() {
    throw unsupported("initialize");
  }

  @Override
  public void onConfigurationChange(Configuration a0) {
    throw unsupported("onConfigurationChange");
  }

  @Override
  public void registerChildren(ConfigurationManager a0) {
    throw unsupported("registerChildren");
  }

  @Override
  public void reportCompactionRequestEnd(boolean a0, int a1, long a2) {
    throw unsupported("reportCompactionRequestEnd");
  }

  @Override
  public void reportCompactionRequestFailure() {
    throw unsupported("reportCompactionRequestFailure");
  }

  @Override
  public void reportCompactionRequestStart(boolean a0) {
    throw unsupported("reportCompactionRequestStart");
  }

  @Override
  public void setBlockCache(BlockCache a0) {
    throw unsupported("setBlockCache");
  }

  @Override
  public void setClosing(boolean a0) {
    throw unsupported("setClosing");
  }

  @Override
  public void setMobFileCache(MobFileCache a0) {
    throw unsupported("setMobFileCache");
  }

  @Override
  public void setReadsEnabled(boolean a0) {
    throw unsupported("setReadsEnabled");
  }

  @Override
  public void setRestoredRegion(boolean a0) {
    throw unsupported("setRestoredRegion");
  }

  @Override
  public void setTableDescriptor(TableDescriptor a0) {
    throw unsupported("setTableDescriptor");
  }

  @Override
  public void setTimeoutForWriteLock(long a0) {
    throw unsupported("setTimeoutForWriteLock");
  }

  @Override
  public void unblockUpdates() {
    throw unsupported("unblockUpdates");
  }

  @Override
  public void waitForFlushes() {
    throw unsupported("waitForFlushes");
  }

  @Override
  public void waitForFlushesAndCompactions() {
    throw unsupported("waitForFlushesAndCompactions");
  }
}
