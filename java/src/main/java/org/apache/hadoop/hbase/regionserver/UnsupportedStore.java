package org.apache.hadoop.hbase.regionserver;

import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.conf.ConfigurationManager;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileDataBlockEncoder;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionContext;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanQueryMatcher;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.generated.WALProtos;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hbase.thirdparty.com.google.common.collect.ImmutableCollection;

/** Throws for everything that klip does not support; HStore's own methods would use uninitialized fields. */
abstract class UnsupportedStore extends HStore {
  /** Never runs: subclasses are made without it. */
  UnsupportedStore() throws java.io.IOException {
    super(null, null, null, false);
  }

  private static UnsupportedOperationException unsupported(String method) {
    return new UnsupportedOperationException("Store." + method + ": klip does not have it");
  }

  @Override
  public void add(Iterable<Cell> a0, MemStoreSizing a1) {
    throw unsupported("add");
  }

  @Override
  public void add(Cell a0, MemStoreSizing a1) {
    throw unsupported("add");
  }

  @Override
  public void addChangedReaderObserver(ChangedReadersObserver a0) {
    throw unsupported("addChangedReaderObserver");
  }

  @Override
  public void assertBulkLoadHFileOk(Path a0) {
    throw unsupported("assertBulkLoadHFileOk");
  }

  @Override
  public Path bulkLoadHFile(byte[] a0, String a1, Path a2) {
    throw unsupported("bulkLoadHFile");
  }

  @Override
  public void bulkLoadHFile(StoreFileInfo a0) {
    throw unsupported("bulkLoadHFile");
  }

  @Override
  public void cancelRequestedCompaction(CompactionContext a0) {
    throw unsupported("cancelRequestedCompaction");
  }

  @Override
  public ImmutableCollection<HStoreFile> close() {
    throw unsupported("close");
  }

  @Override
  public void closeAndArchiveCompactedFiles() {
    throw unsupported("closeAndArchiveCompactedFiles");
  }

  @Override
  public List<HStoreFile> compact(CompactionContext a0, ThroughputController a1, User a2) {
    throw unsupported("compact");
  }

  @Override
  public StoreFlushContext createFlushContext(long a0, FlushLifeCycleTracker a1) {
    throw unsupported("createFlushContext");
  }

  @Override
  public void deleteChangedReaderObserver(ChangedReadersObserver a0) {
    throw unsupported("deleteChangedReaderObserver");
  }

  @Override
  public void deregisterChildren(ConfigurationManager a0) {
    throw unsupported("deregisterChildren");
  }

  @Override
  public OptionalDouble getAvgStoreFileAge() {
    throw unsupported("getAvgStoreFileAge");
  }

  @Override
  public long getBlockingFileCount() {
    throw unsupported("getBlockingFileCount");
  }

  @Override
  public long getBloomFilterEligibleRequestsCount() {
    throw unsupported("getBloomFilterEligibleRequestsCount");
  }

  @Override
  public long getBloomFilterNegativeResultsCount() {
    throw unsupported("getBloomFilterNegativeResultsCount");
  }

  @Override
  public long getBloomFilterRequestsCount() {
    throw unsupported("getBloomFilterRequestsCount");
  }

  @Override
  public CacheConfig getCacheConfig() {
    throw unsupported("getCacheConfig");
  }

  @Override
  public int getCompactPriority() {
    throw unsupported("getCompactPriority");
  }

  @Override
  public long getCompactedCellsCount() {
    throw unsupported("getCompactedCellsCount");
  }

  @Override
  public long getCompactedCellsSize() {
    throw unsupported("getCompactedCellsSize");
  }

  @Override
  public long getCompactionCheckMultiplier() {
    throw unsupported("getCompactionCheckMultiplier");
  }

  @Override
  public double getCompactionPressure() {
    throw unsupported("getCompactionPressure");
  }

  @Override
  public CompactionProgress getCompactionProgress() {
    throw unsupported("getCompactionProgress");
  }

  @Override
  public int getCurrentParallelPutCount() {
    throw unsupported("getCurrentParallelPutCount");
  }

  @Override
  public HFileDataBlockEncoder getDataBlockEncoder() {
    throw unsupported("getDataBlockEncoder");
  }

  @Override
  public FileSystem getFileSystem() {
    throw unsupported("getFileSystem");
  }

  @Override
  public MemStoreSize getFlushableSize() {
    throw unsupported("getFlushableSize");
  }

  @Override
  public long getFlushedCellsCount() {
    throw unsupported("getFlushedCellsCount");
  }

  @Override
  public long getFlushedCellsSize() {
    throw unsupported("getFlushedCellsSize");
  }

  @Override
  public long getFlushedOutputFileSize() {
    throw unsupported("getFlushedOutputFileSize");
  }

  @Override
  public long getHFilesSize() {
    throw unsupported("getHFilesSize");
  }

  @Override
  public long getLastCompactSize() {
    throw unsupported("getLastCompactSize");
  }

  @Override
  public long getMajorCompactedCellsCount() {
    throw unsupported("getMajorCompactedCellsCount");
  }

  @Override
  public long getMajorCompactedCellsSize() {
    throw unsupported("getMajorCompactedCellsSize");
  }

  @Override
  public int getMaxCompactedStoreFileRefCount() {
    throw unsupported("getMaxCompactedStoreFileRefCount");
  }

  @Override
  public OptionalLong getMaxMemStoreTS() {
    throw unsupported("getMaxMemStoreTS");
  }

  @Override
  public OptionalLong getMaxSequenceId() {
    throw unsupported("getMaxSequenceId");
  }

  @Override
  public OptionalLong getMaxStoreFileAge() {
    throw unsupported("getMaxStoreFileAge");
  }

  @Override
  public long getMemStoreFlushSize() {
    throw unsupported("getMemStoreFlushSize");
  }

  @Override
  public long getMemstoreOnlyRowReadsCount() {
    throw unsupported("getMemstoreOnlyRowReadsCount");
  }

  @Override
  public OptionalLong getMinStoreFileAge() {
    throw unsupported("getMinStoreFileAge");
  }

  @Override
  public long getMixedRowReadsCount() {
    throw unsupported("getMixedRowReadsCount");
  }

  @Override
  public long getNumHFiles() {
    throw unsupported("getNumHFiles");
  }

  @Override
  public long getNumReferenceFiles() {
    throw unsupported("getNumReferenceFiles");
  }

  @Override
  public HRegionFileSystem getRegionFileSystem() {
    throw unsupported("getRegionFileSystem");
  }

  @Override
  public KeyValueScanner getScanner(Scan a0, NavigableSet<byte[]> a1, long a2) {
    throw unsupported("getScanner");
  }

  @Override
  public List<KeyValueScanner> getScanners(boolean a0, boolean a1, boolean a2, boolean a3, ScanQueryMatcher a4,
      byte[] a5, byte[] a6, long a7, boolean a8) {
    throw unsupported("getScanners");
  }

  @Override
  public List<KeyValueScanner> getScanners(boolean a0, boolean a1, boolean a2, ScanQueryMatcher a3, byte[] a4,
      boolean a5, byte[] a6, boolean a7, long a8, boolean a9) {
    throw unsupported("getScanners");
  }

  @Override
  public List<KeyValueScanner> getScanners(List<HStoreFile> a0, boolean a1, boolean a2, boolean a3, boolean a4,
      ScanQueryMatcher a5, byte[] a6, byte[] a7, long a8, boolean a9, boolean a10) {
    throw unsupported("getScanners");
  }

  @Override
  public List<KeyValueScanner> getScanners(List<HStoreFile> a0, boolean a1, boolean a2, boolean a3,
      ScanQueryMatcher a4, byte[] a5, boolean a6, byte[] a7, boolean a8, long a9, boolean a10, boolean a11) {
    throw unsupported("getScanners");
  }

  @Override
  public long getSmallestReadPoint() {
    throw unsupported("getSmallestReadPoint");
  }

  @Override
  public MemStoreSize getSnapshotSize() {
    throw unsupported("getSnapshotSize");
  }

  @Override
  public Optional<byte[]> getSplitPoint() {
    throw unsupported("getSplitPoint");
  }

  @Override
  public StoreContext getStoreContext() {
    throw unsupported("getStoreContext");
  }

  @Override
  public StoreEngine<?, ?, ?, ?> getStoreEngine() {
    throw unsupported("getStoreEngine");
  }

  @Override
  public long getStoreFileTtl() {
    throw unsupported("getStoreFileTtl");
  }

  @Override
  public Set<Path> getStoreFilesBeingWritten() {
    throw unsupported("getStoreFilesBeingWritten");
  }

  @Override
  public int getStoreRefCount() {
    throw unsupported("getStoreRefCount");
  }

  @Override
  public long getStoreSizeUncompressed() {
    throw unsupported("getStoreSizeUncompressed");
  }

  @Override
  public long getStorefilesRootLevelIndexSize() {
    throw unsupported("getStorefilesRootLevelIndexSize");
  }

  @Override
  public long getTotalStaticBloomSize() {
    throw unsupported("getTotalStaticBloomSize");
  }

  @Override
  public long getTotalStaticIndexSize() {
    throw unsupported("getTotalStaticIndexSize");
  }

  @Override
  public boolean hasTooManyStoreFiles() {
    throw unsupported("hasTooManyStoreFiles");
  }

  @Override
  public long heapSize() {
    throw unsupported("heapSize");
  }

  @Override
  public boolean isSloppyMemStore() {
    throw unsupported("isSloppyMemStore");
  }

  @Override
  public void onConfigurationChange(Configuration a0) {
    throw unsupported("onConfigurationChange");
  }

  @Override
  public void postSnapshotOperation() {
    throw unsupported("postSnapshotOperation");
  }

  @Override
  public Pair<Path, Path> preBulkLoadHFile(String a0, long a1) {
    throw unsupported("preBulkLoadHFile");
  }

  @Override
  public Long preFlushSeqIDEstimation() {
    throw unsupported("preFlushSeqIDEstimation");
  }

  @Override
  public void preSnapshotOperation() {
    throw unsupported("preSnapshotOperation");
  }

  @Override
  public List<KeyValueScanner> recreateScanners(List<KeyValueScanner> a0, boolean a1, boolean a2, boolean a3,
      ScanQueryMatcher a4, byte[] a5, boolean a6, byte[] a7, boolean a8, long a9, boolean a10) {
    throw unsupported("recreateScanners");
  }

  @Override
  public void refreshStoreFiles(Collection<String> a0) {
    throw unsupported("refreshStoreFiles");
  }

  @Override
  public void registerChildren(ConfigurationManager a0) {
    throw unsupported("registerChildren");
  }

  @Override
  public void replayCompactionMarker(WALProtos.CompactionDescriptor a0, boolean a1, boolean a2) {
    throw unsupported("replayCompactionMarker");
  }

  @Override
  public Optional<CompactionContext> requestCompaction() {
    throw unsupported("requestCompaction");
  }

  @Override
  public Optional<CompactionContext> requestCompaction(int a0, CompactionLifeCycleTracker a1, User a2) {
    throw unsupported("requestCompaction");
  }

  @Override
  public boolean shouldPerformMajorCompaction() {
    throw unsupported("shouldPerformMajorCompaction");
  }

  @Override
  public void startReplayingFromWAL() {
    throw unsupported("startReplayingFromWAL");
  }

  @Override
  public void stopReplayingFromWAL() {
    throw unsupported("stopReplayingFromWAL");
  }

  @Override
  public boolean throttleCompaction(long a0) {
    throw unsupported("throttleCompaction");
  }

  @Override
  public long timeOfOldestEdit() {
    throw unsupported("timeOfOldestEdit");
  }

  @Override
  public void triggerMajorCompaction() {
    throw unsupported("triggerMajorCompaction");
  }

  @Override
  public HStoreFile tryCommitRecoveredHFile(Path a0) {
    throw unsupported("tryCommitRecoveredHFile");
  }

  @Override
  public void updateCompactedMetrics(boolean a0, CompactionProgress a1) {
    throw unsupported("updateCompactedMetrics");
  }

  @Override
  public void upsert(Iterable<Cell> a0, long a1, MemStoreSizing a2) {
    throw unsupported("upsert");
  }
}
