package org.apache.hadoop.hbase.regionserver;

/** Refuses what klip's regions do not have, since the bodies that HRegion has would meet fields that nobody set. */
abstract class UnsupportedRegion extends HRegion {
  UnsupportedRegion() {
    super((HRegionFileSystem) null, null, null, null, null);
  }
}
