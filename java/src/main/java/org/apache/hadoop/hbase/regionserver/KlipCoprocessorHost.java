package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;

/** HBase's own host of a region's coprocessors; remembers what it could not load. */
public class KlipCoprocessorHost extends RegionCoprocessorHost {
  /** Filled by the base class's constructor, so nothing initializes it here. */
  private List<String> leftOut;

  KlipCoprocessorHost(KlipRegion region, RegionServerServices services, Configuration configuration) {
    super(region, services, configuration);
    // HBase's code only logs these
    Specifications.malformed(region.getTableDescriptor()).forEach(this::leaveOut);
  }

  @Override
  public RegionCoprocessorEnvironment load(Path path, String name, int priority, Configuration configuration)
      throws IOException {
    try {
      RegionCoprocessorEnvironment environment = super.load(path, name, priority, configuration);
      if (environment == null && findCoprocessor(name) == null) {
        leaveOut(name, "it is not a RegionCoprocessor");
      }
      return environment;
    } catch (Throwable e) {
      leaveOut(name, e.toString());
      throw e;
    }
  }

  /** For a class of the configuration, which HBase's server does not start without. */
  @Override
  protected void abortServer(String name, Throwable error) {
    leaveOut(name, error.toString());
    if (getRegionIsOpen()) {
      super.abortServer(name, error);
    }
  }

  private boolean getRegionIsOpen() {
    return region.getCoprocessorHost() == this;
  }

  private void leaveOut(String name, String reason) {
    if (leftOut == null) {
      leftOut = new ArrayList<>();
    }
    leftOut.add(name + ": " + reason);
  }

  public List<String> leftOut() {
    return leftOut == null ? List.of() : leftOut;
  }

  public List<RegionCoprocessorEnvironment> environments() {
    return coprocEnvironments.get();
  }

  /** Stops all, for a region whose open failed. */
  public void stop() {
    environments().forEach(this::shutdown);
  }
}
