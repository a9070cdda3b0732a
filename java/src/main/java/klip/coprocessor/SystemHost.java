package klip.coprocessor;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;

/** HBase's host of the coprocessors of the master, the region server or the log: hooks are found by their names. */
final class SystemHost<C extends Coprocessor> {
  private static final int REPLACED_DESCRIPTOR = 1;
  private static final int CHANGED_LIST = 2;
  private static final int REPLACED_TEXT = 3;
  private final CoprocessorHost<C, ?> host;
  private final Configuration configuration;
  final Hooks hooks;

  SystemHost(CoprocessorHost<C, ?> host, Class<C> kind, Configuration configuration) {
    this.host = host;
    this.configuration = configuration;
    hooks = Hooks.of(host.findCoprocessors(kind));
  }

  CoprocessorHost<C, ?> host() {
    return host;
  }

  /** Whether there is such a hook; most names belong to one kind of host only. */
  boolean knows(String hook, int arguments) {
    return find(hook, arguments) != null;
  }

  private Method find(String hook, int arguments) {
    for (Method method : host.getClass().getMethods()) {
      if (method.getName().equals(hook) && method.getParameterCount() == arguments) {
        return method;
      }
    }
    return null;
  }

  Session.Writer run(String hook, Arguments arguments) throws Exception {
    Method method = find(hook, arguments.count());
    if (method == null) {
      throw new IOException(host.getClass().getSimpleName() + " has no hook " + hook + " with " + arguments.count()
        + " arguments");
    }
    method.setAccessible(true);
    Object[] values = arguments.as(method.getParameterTypes(), configuration);
    List<Object> before = new ArrayList<>();
    for (Object value : values) {
      before.add(value instanceof List ? new ArrayList<>((List<?>) value) : value);
    }
    Object result = Statistics.count(hooks, hook, () -> invoke(method, values));
    return answer(result, before, values);
  }

  private Object invoke(Method method, Object[] values) throws Exception {
    try {
      return method.invoke(host, values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Error) {
        throw (Error) e.getCause();
      }
      throw (Exception) e.getCause();
    }
  }

  private static Session.Writer answer(Object result, List<Object> before, Object[] values) {
    if (result instanceof TableDescriptor && !before.contains(result)) {
      return output -> Arguments.write(output.u8(REPLACED_DESCRIPTOR), result);
    } else if (result instanceof String && !before.contains(result)) {
      return output -> output.u8(REPLACED_TEXT).string((String) result);
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] instanceof List && !values[i].equals(before.get(i))) {
        return changed(i, (List<?>) values[i]);
      }
    }
    return output -> output.u8(0);
  }

  private static Session.Writer changed(int index, List<?> values) {
    return output -> {
      output.u8(CHANGED_LIST).u32(index).u32(values.size());
      for (Object value : values) {
        Arguments.write(output, value);
      }
    };
  }
}
