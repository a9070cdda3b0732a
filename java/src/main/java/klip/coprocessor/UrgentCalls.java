package klip.coprocessor;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellScannable;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.ipc.DelegatingHBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;

/**
 * Makes the calls of coprocessors urgent for klip. A hook that makes one keeps a thread of klip waiting, and all threads
 * for ordinary calls may wait for hooks.
 */
public final class UrgentCalls extends RpcControllerFactory {
  public UrgentCalls(Configuration configuration) {
    super(configuration);
  }

  private static HBaseRpcController urgent(HBaseRpcController controller) {
    return new DelegatingHBaseRpcController(controller) {
      @Override
      public int getPriority() {
        return Math.max(HConstants.HIGH_QOS, super.getPriority());
      }
    };
  }

  @Override
  public HBaseRpcController newController() {
    return urgent(super.newController());
  }

  @Override
  public HBaseRpcController newController(CellScanner cells) {
    return urgent(super.newController(cells));
  }

  @Override
  public HBaseRpcController newController(RegionInfo region, CellScanner cells) {
    return urgent(super.newController(region, cells));
  }

  @Override
  public HBaseRpcController newController(List<CellScannable> cells) {
    return urgent(super.newController(cells));
  }

  @Override
  public HBaseRpcController newController(RegionInfo region, List<CellScannable> cells) {
    return urgent(super.newController(region, cells));
  }
}
