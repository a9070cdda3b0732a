package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import klip.coprocessor.Instances;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;

/** A family of a region, as far as coprocessors ask: klip's files are not HBase's. */
public final class KlipStore extends UnsupportedStore {
  private KlipRegion klipRegion;
  private ColumnFamilyDescriptor family;

  /** Never runs: see open(). */
  private KlipStore() throws IOException {
    super();
  }

  static KlipStore open(KlipRegion region, ColumnFamilyDescriptor family) {
    KlipStore store = Instances.allocate(KlipStore.class);
    store.klipRegion = region;
    store.family = family;
    return store;
  }

  @Override
  public ColumnFamilyDescriptor getColumnFamilyDescriptor() {
    return family;
  }

  @Override
  public String getColumnFamilyName() {
    return family.getNameAsString();
  }

  @Override
  public TableName getTableName() {
    return getRegionInfo().getTable();
  }

  @Override
  public RegionInfo getRegionInfo() {
    return klipRegion.getRegionInfo();
  }

  @Override
  public HRegion getHRegion() {
    return klipRegion;
  }

  @Override
  public RegionCoprocessorHost getCoprocessorHost() {
    return klipRegion.getCoprocessorHost();
  }

  @Override
  public CellComparator getComparator() {
    return klipRegion.getCellComparator();
  }

  @Override
  public Configuration getReadOnlyConfiguration() {
    return StoreUtils.createStoreConfiguration(klipRegion.getReadOnlyConfiguration(), klipRegion.getTableDescriptor(),
      family);
  }

  @Override
  public ScanInfo getScanInfo() {
    return new ScanInfo(getReadOnlyConfiguration(), family, determineTTLFromFamily(family), 0,
      getComparator());
  }

  @Override
  public boolean hasReferences() {
    return false;
  }

  @Override
  public Collection<HStoreFile> getStorefiles() {
    return List.of();
  }

  @Override
  public Collection<HStoreFile> getCompactedFiles() {
    return List.of();
  }

  @Override
  public int getStorefilesCount() {
    return klipRegion.counters().storeFiles;
  }

  @Override
  public int getCompactedFilesCount() {
    return 0;
  }

  @Override
  public long getSize() {
    return klipRegion.counters().storeFileBytes;
  }

  @Override
  public long getStorefilesSize() {
    return klipRegion.counters().storeFileBytes;
  }

  @Override
  public MemStoreSize getMemStoreSize() {
    return new MemStoreSize(klipRegion.counters().memstoreBytes, klipRegion.counters().memstoreBytes, 0, 0);
  }

  @Override
  public boolean areWritesEnabled() {
    return true;
  }

  @Override
  public boolean isPrimaryReplicaStore() {
    return true;
  }

  @Override
  public boolean needsCompaction() {
    return false;
  }

  @Override
  public boolean canSplit() {
    return true;
  }

  @Override
  public void refreshStoreFiles() {
  }

  @Override
  public String toString() {
    return getColumnFamilyName();
  }
}
