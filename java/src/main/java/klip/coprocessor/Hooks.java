package klip.coprocessor;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javassist.bytecode.ClassFile;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.coprocessor.BulkLoadObserver;
import org.apache.hadoop.hbase.coprocessor.EndpointObserver;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerObserver;
import org.apache.hadoop.hbase.coprocessor.WALCoprocessor;
import org.apache.hadoop.hbase.coprocessor.WALObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which hooks the loaded classes override by something that is not empty: klip calls no others. */
final class Hooks {
  private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);
  /** Hooks that HBase's own default bodies call in turn. */
  private static final Map<String, List<String>> CALLED_BY = Map.of(
    "preCheckAndPut", List.of("preCheckAndMutate"),
    "preCheckAndDelete", List.of("preCheckAndMutate"),
    "preCheckAndPutAfterRowLock", List.of("preCheckAndMutateAfterRowLock"),
    "preCheckAndDeleteAfterRowLock", List.of("preCheckAndMutateAfterRowLock"),
    "postCheckAndPut", List.of("postCheckAndMutate"),
    "postCheckAndDelete", List.of("postCheckAndMutate"),
    "postMutationBeforeWAL", List.of("postIncrementBeforeWAL", "postAppendBeforeWAL"));

  private final Map<String, Set<String>> classes = new TreeMap<>();

  static Hooks of(Collection<? extends Coprocessor> instances) {
    Hooks hooks = new Hooks();
    instances.forEach(hooks::add);
    return hooks;
  }

  private void add(Coprocessor instance) {
    String name = instance.getClass().getName();
    if (instance instanceof RegionCoprocessor) {
      RegionCoprocessor region = (RegionCoprocessor) instance;
      add(name, RegionObserver.class, region.getRegionObserver());
      add(name, BulkLoadObserver.class, region.getBulkLoadObserver());
      add(name, EndpointObserver.class, region.getEndpointObserver());
    }
    if (instance instanceof MasterCoprocessor) {
      add(name, MasterObserver.class, ((MasterCoprocessor) instance).getMasterObserver());
    }
    if (instance instanceof RegionServerCoprocessor) {
      add(name, RegionServerObserver.class, ((RegionServerCoprocessor) instance).getRegionServerObserver());
    }
    if (instance instanceof WALCoprocessor) {
      add(name, WALObserver.class, ((WALCoprocessor) instance).getWALObserver());
    }
  }

  private void add(String coprocessor, Class<?> observer, Optional<?> instance) {
    if (instance.isEmpty()) {
      return;
    }
    for (Method method : observer.getMethods()) {
      if (overrides(instance.get().getClass(), method)) {
        add(coprocessor, method.getName());
        CALLED_BY.getOrDefault(method.getName(), List.of()).forEach(hook -> add(coprocessor, hook));
      }
    }
  }

  private void add(String coprocessor, String hook) {
    classes.computeIfAbsent(hook, key -> new TreeSet<>()).add(coprocessor);
  }

  private static boolean overrides(Class<?> type, Method method) {
    try {
      Method found = type.getMethod(method.getName(), method.getParameterTypes());
      return found.getDeclaringClass() != method.getDeclaringClass() && !isEmpty(found);
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  /** Whether the method only returns. Not to call it is the same, and saves a round trip for each operation. */
  private static boolean isEmpty(Method method) {
    Class<?> type = method.getDeclaringClass();
    String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
    if (method.getReturnType() != void.class) {
      return false;
    }
    try (InputStream bytes = type.getResourceAsStream(file)) {
      return bytes != null && isEmpty(new ClassFile(new DataInputStream(bytes)), method);
    } catch (IOException e) {
      LOG.debug("Cannot read {}", file, e);
      return false;
    }
  }

  private static boolean isEmpty(ClassFile type, Method method) {
    String signature = MethodType.methodType(void.class, method.getParameterTypes()).toMethodDescriptorString();
    for (MethodInfo one : type.getMethods()) {
      if (one.getName().equals(method.getName()) && one.getDescriptor().equals(signature)) {
        byte[] code = one.getCodeAttribute() == null ? new byte[0] : one.getCodeAttribute().getCode();
        return code.length == 1 && (code[0] & 0xff) == Opcode.RETURN;
      }
    }
    return false;
  }

  boolean has(String hook) {
    return classes.containsKey(hook);
  }

  List<String> names() {
    return new ArrayList<>(classes.keySet());
  }

  /** The classes that override a hook. */
  Set<String> classes(String hook) {
    return classes.getOrDefault(hook, Set.of());
  }
}
