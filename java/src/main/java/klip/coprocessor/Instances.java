package klip.coprocessor;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Objects of HBase's classes whose constructors would open files: made without running a constructor. */
public final class Instances {
  private static final Unsafe UNSAFE = unsafe();

  private Instances() {
  }

  private static Unsafe unsafe() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** All fields of the object are zero or null. */
  public static <T> T allocate(Class<T> type) {
    try {
      return type.cast(UNSAFE.allocateInstance(type));
    } catch (InstantiationException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Sets a field that `owner` declares, whatever its access. */
  public static void set(Class<?> owner, Object object, String name, Object value) {
    try {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      field.set(object, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(owner.getName() + " has no field " + name, e);
    }
  }
}
