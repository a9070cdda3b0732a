package klip.compat;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.ipc.RemoteException;

/** The output of an op, in the format of the golden files. */
final class Answers {
  /** HBase's exception classes by the names of klip's codes (src/base/errors.cc). */
  private static final Map<String, String> CODES = new HashMap<>();

  static {
    for (String name :
        new String[] {
          "TableNotFound", "TableExists", "TableNotEnabled", "TableNotDisabled", "NoSuchColumnFamily",
          "InvalidFamilyOperation", "NamespaceNotFound", "SnapshotExists", "IncompatibleFilter", "OperationConflict",
          "RegionTooBusy", "NotServingRegion", "RowTooBig"
        }) {
      CODES.put(name + "Exception", name);
    }
    CODES.put("IllegalArgumentException", "InvalidArgument");
    CODES.put("IllegalStateException", "InvalidArgument");
    CODES.put("DoNotRetryIOException", "DoNotRetry");
    CODES.put("NamespaceExistException", "NamespaceExists");
    CODES.put("ConstraintException", "ConstraintViolation");
    CODES.put("SnapshotDoesNotExistException", "SnapshotNotFound");
    CODES.put("WrongRowIOException", "WrongRow");
    CODES.put("UnsupportedOperationException", "Unsupported");
    CODES.put("CallTimeoutException", "TimedOut");
    CODES.put("IOException", "IoError");
  }

  private Answers() {}

  static String format(Result result) {
    if (result.isEmpty()) {
      return "(empty)\n";
    }
    StringBuilder out = new StringBuilder(Bytes.toStringBinary(result.getRow()));
    for (Cell cell : result.rawCells()) {
      out.append(' ').append(Bytes.toStringBinary(CellUtil.cloneFamily(cell)));
      out.append(':').append(Bytes.toStringBinary(CellUtil.cloneQualifier(cell)));
      out.append('@').append(cell.getTimestamp());
      if (cell.getType() == Cell.Type.Put) {
        out.append('=').append(Bytes.toStringBinary(CellUtil.cloneValue(cell)));
      } else {
        out.append('/').append(cell.getType());
      }
      if (!CellUtil.matchingRows(cell, result.getRow())) {
        out.append("!row=").append(Bytes.toStringBinary(CellUtil.cloneRow(cell)));
      }
    }
    return out.append(result.mayHaveMoreCellsInRow() ? " ++\n" : "\n").toString();
  }

  static String error(Throwable thrown) {
    Throwable cause = cause(thrown);
    String code = null;
    for (Class<?> c = cause.getClass(); code == null && c != null; c = c.getSuperclass()) {
      code = CODES.get(c.getSimpleName());
    }
    String message = String.valueOf(cause.getMessage());
    // Exceptions that the server did not foresee arrive as an IOException with their name in its text.
    if (cause.getClass() == java.io.IOException.class && message.contains("java.lang.IllegalArgumentException")) {
      code = "InvalidArgument";
    } else if (message.contains("java.lang.NullPointerException") || message.contains("IndexOutOfBoundsException")) {
      code = "ServerFault"; // a bug of HBase's
    }
    int trace = message.indexOf("\n\tat ");
    message = (trace < 0 ? message : message.substring(0, trace)).replace('\n', ' ');
    String prefix = cause.getClass().getName() + ": ";
    while (message.startsWith(prefix)) {
      message = message.substring(prefix.length());
    }
    return "error " + (code == null ? cause.getClass().getName() : code) + ": " + message + "\n";
  }

  /** What went wrong, without the wrappings of the client and the RPC. */
  private static Throwable cause(Throwable thrown) {
    if (thrown instanceof RetriesExhaustedWithDetailsException) {
      return cause(((RetriesExhaustedWithDetailsException) thrown).getCause(0));
    }
    if (thrown instanceof RemoteException) {
      return cause(((RemoteException) thrown).unwrapRemoteException());
    }
    boolean wrapping =
        thrown instanceof RetriesExhaustedException
            || thrown instanceof java.io.UncheckedIOException
            || thrown instanceof java.util.concurrent.ExecutionException;
    if (wrapping && thrown.getCause() != null) {
      return cause(thrown.getCause());
    }
    return thrown;
  }
}
