package klip.compat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.util.EnvironmentEdge;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * The clock of HBase's regions: the time of the session whose call they serve, so that timestamps and TTLs are the same
 * in each run. A session sends its time as an attribute of each request. The rest of HBase (leases, timeouts, procedures)
 * uses the real time.
 */
final class SessionClock implements EnvironmentEdge {
  static final String ATTRIBUTE = "klip.clock";

  // For flushes and compactions, which a session runs in its own thread.
  private static final ThreadLocal<Long> own = new ThreadLocal<>();
  private static final StackWalker walker = StackWalker.getInstance();
  // The classes that read the time for cells.
  private static final String SERVERS = "org.apache.hadoop.hbase.regionserver.";
  private static final List<String> ABOUT_CELLS =
      List.of("HRegion", "HStore", "StoreScanner", "StoreFlusher", "DefaultStoreFlusher", "querymatcher.", "compactions.");

  static void set(Long time) {
    own.set(time);
  }

  static byte[] encode(long time) {
    return ByteBuffer.allocate(8).putLong(time).array();
  }

  @Override
  public long currentTime() {
    Long time = sessionTime();
    return time != null && asksAboutCells() ? time : System.currentTimeMillis();
  }

  private static Long sessionTime() {
    Long time = own.get();
    if (time != null) {
      return time;
    }
    Optional<RpcCall> call = RpcServer.getCurrentCall();
    byte[] sent = call.isPresent() ? call.get().getRequestAttribute(ATTRIBUTE) : null;
    return sent == null ? null : ByteBuffer.wrap(sent).getLong();
  }

  private static boolean asksAboutCells() {
    return walker.walk(
        frames -> frames.filter(frame -> !isClock(frame)).findFirst().map(SessionClock::asksAboutCells).orElse(false));
  }

  private static boolean isClock(StackWalker.StackFrame frame) {
    String name = frame.getClassName();
    return name.startsWith(SessionClock.class.getName()) || name.equals(EnvironmentEdgeManager.class.getName());
  }

  private static boolean asksAboutCells(StackWalker.StackFrame caller) {
    String name = caller.getClassName();
    // The wait for a row's lock uses the call's deadline.
    if (!name.startsWith(SERVERS) || caller.getMethodName().startsWith("getRowLock")) {
      return false;
    }
    String rest = name.substring(SERVERS.length());
    return ABOUT_CELLS.stream()
        .anyMatch(asker -> asker.endsWith(".") ? rest.startsWith(asker) : rest.split("\\$")[0].equals(asker));
  }
}
