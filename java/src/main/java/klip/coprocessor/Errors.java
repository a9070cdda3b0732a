package klip.coprocessor;

import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.regionserver.RegionServerAbortedException;
import org.apache.hadoop.util.StringUtils;

/** Exceptions on the wire: class, message, stack, do not retry. */
final class Errors {
  private Errors() {
  }

  /** Writes the exception of a call as HBase's RpcServer does. */
  static void write(Output output, Throwable thrown) {
    Throwable error = thrown;
    if (error instanceof KlipServer.AbortRequested) {
      error = new RegionServerAbortedException(error.getMessage());
    } else if (error instanceof LinkageError) {
      error = new DoNotRetryIOException(error);
    } else if (!(error instanceof IOException) && !(error instanceof UnsupportedOperationException)) {
      error = new IOException(error.getMessage(), error);
    }
    boolean doNotRetry = !(error instanceof IOException) || error instanceof DoNotRetryIOException;
    output.string(error.getClass().getName()).string(error.getMessage());
    output.string(StringUtils.stringifyException(error)).flag(doNotRetry);
  }

  static IOException read(Input input) {
    String type = input.string();
    String message = input.string();
    input.string();
    return of(type, message, input.flag());
  }

  /** An exception of HBase's class of this name; of a general one if there is none. */
  static IOException of(String type, String message, boolean doNotRetry) {
    try {
      Class<?> found = Class.forName(type, true, Errors.class.getClassLoader());
      return found.asSubclass(IOException.class).getConstructor(String.class).newInstance(message);
    } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
      String text = type + ": " + message;
      return doNotRetry ? new DoNotRetryIOException(text) : new IOException(text);
    }
  }
}
