package klip.coprocessor;

import java.io.IOException;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.regionserver.KlipCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.KlipRegion;

/** A region that klip opened here, and what its coprocessors override. */
final class OpenRegion {
  final KlipRegion region;
  final KlipCoprocessorHost host;
  final Hooks hooks;

  /** Finds one by the number that klip got for it. */
  interface Lookup {
    OpenRegion find(long id) throws IOException;
  }

  OpenRegion(KlipRegion region) {
    this.region = region;
    host = region.host();
    hooks = Hooks.of(host.findCoprocessors(RegionCoprocessor.class));
  }

  /** Runs a hook and counts it. */
  <T> T run(String hook, Statistics.Body<T> body) throws IOException {
    try {
      return Statistics.count(hooks, hook, body);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
