// Prints Phoenix's types: their numbers, conversions, and the bytes of random values in both orders.
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Timestamp;
import java.util.Random;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.phoenix.schema.SortOrder;
import org.apache.phoenix.schema.types.*;

public class PrintTypes {
  static final PDataType<?>[] TYPES = {
    PBoolean.INSTANCE, PTinyint.INSTANCE, PSmallint.INSTANCE, PInteger.INSTANCE, PLong.INSTANCE, PUnsignedTinyint.INSTANCE,
    PUnsignedSmallint.INSTANCE, PUnsignedInt.INSTANCE, PUnsignedLong.INSTANCE, PFloat.INSTANCE, PDouble.INSTANCE,
    PUnsignedFloat.INSTANCE, PUnsignedDouble.INSTANCE, PDecimal.INSTANCE, PChar.INSTANCE, PVarchar.INSTANCE, PBinary.INSTANCE,
    PVarbinary.INSTANCE, PDate.INSTANCE, PTime.INSTANCE, PTimestamp.INSTANCE, PUnsignedDate.INSTANCE, PUnsignedTime.INSTANCE,
    PUnsignedTimestamp.INSTANCE
  };
  static final Random random = new Random(7);

  static long whole(int bytes, boolean unsigned) {
    int bits = 1 + random.nextInt(8 * bytes - 1);
    long value = random.nextLong() >>> (64 - bits);
    return unsigned || random.nextBoolean() ? value : -value;
  }

  static double real(boolean single, boolean unsigned) {
    double value;
    do {
      value = single ? Float.intBitsToFloat(random.nextInt()) : Double.longBitsToDouble(random.nextLong());
    } while (Double.isNaN(value) || Double.isInfinite(value));
    return unsigned ? Math.abs(value) : value;
  }

  static Object valueOf(PDataType<?> type) {
    String name = type.getSqlTypeName();
    boolean unsigned = name.startsWith("UNSIGNED_");
    Class<?> kind = type.getJavaClass();
    if (kind == Boolean.class) return random.nextBoolean();
    if (kind == Byte.class) return (byte) whole(1, unsigned);
    if (kind == Short.class) return (short) whole(2, unsigned);
    if (kind == Integer.class) return (int) whole(4, unsigned);
    if (kind == Long.class) return whole(8, unsigned);
    if (kind == Float.class) return (float) real(true, unsigned);
    if (kind == Double.class) return real(false, unsigned);
    if (kind == BigDecimal.class) {
      BigInteger digits = new BigInteger(1 + random.nextInt(126), random).mod(BigInteger.TEN.pow(38));
      return new BigDecimal(random.nextBoolean() ? digits : digits.negate(), random.nextInt(60) - 20);
    }
    if (kind == Timestamp.class) {
      Timestamp time = new Timestamp(whole(6, unsigned));
      time.setNanos(time.getNanos() + random.nextInt(1000000));
      return time;
    }
    if (kind == java.sql.Date.class) return new java.sql.Date(whole(6, unsigned));
    if (kind == java.sql.Time.class) return new java.sql.Time(whole(6, unsigned));
    return null;
  }

  static String text() {
    StringBuilder text = new StringBuilder();
    for (int left = 1 + random.nextInt(20); left > 0; left--) text.append((char) ('!' + random.nextInt(94)));
    return text.toString();
  }

  static String print(Object value) {
    if (value instanceof Timestamp) {
      Timestamp time = (Timestamp) value;
      return time.getTime() + " " + time.getNanos() % 1000000;
    }
    return value instanceof java.util.Date ? "" + ((java.util.Date) value).getTime() : value.toString();
  }

  static void printValue(PDataType<?> type, Object value, String printed) {
    System.out.println("value\t" + type.getSqlTypeName() + "\t" + printed + "\t" + Bytes.toHex(type.toBytes(value, SortOrder.ASC))
        + "\t" + Bytes.toHex(type.toBytes(value, SortOrder.DESC)));
  }

  static void printArray(PDataType<?> element, PDataType<?> array) {
    Object[] values = new Object[1 + random.nextInt(random.nextInt(20) == 0 ? 600 : 6)];
    StringBuilder printed = new StringBuilder();
    int rare = random.nextInt(3) == 0 ? 300 : 2;
    for (int i = 0; i < values.length; i++) {
      boolean absent = !element.isFixedWidth() && random.nextInt(rare) != 0 && i + 1 < values.length;
      values[i] = absent ? null : element == PVarchar.INSTANCE ? text() : valueOf(element);
      printed.append(i == 0 ? "" : " ").append(absent ? "" : print(values[i]));
    }
    PhoenixArray made = PArrayDataType.instantiatePhoenixArray(element, values);
    System.out.println("array\t" + element.getSqlTypeName() + "\t" + printed + "\t" + Bytes.toHex(((PDataType) array).toBytes(made, SortOrder.ASC))
        + "\t" + Bytes.toHex(((PDataType) array).toBytes(made, SortOrder.DESC)));
  }

  public static void main(String[] arguments) {
    int count = Integer.parseInt(arguments[0]);
    for (PDataType<?> type : TYPES) {
      System.out.println("type\t" + type.getSqlTypeName() + "\t" + type.getSqlType() + "\t" + type.getResultSetSqlType());
      for (PDataType<?> to : TYPES) {
        System.out.println("coerces\t" + type.getSqlTypeName() + "\t" + to.getSqlTypeName() + "\t" + type.isCoercibleTo(to));
      }
      for (int i = 0; i < count; i++) {
        String text = text();
        Object value = valueOf(type);
        boolean bytes = type == PVarbinary.INSTANCE || type == PBinary.INSTANCE;
        if (value != null) printValue(type, value, print(value));
        else printValue(type, bytes ? (Object) Bytes.toBytes(text) : text, text);
      }
    }
    for (int i = 0; i < count; i++) {
      printArray(PInteger.INSTANCE, PIntegerArray.INSTANCE);
      printArray(PVarchar.INSTANCE, PVarcharArray.INSTANCE);
      printArray(PDecimal.INSTANCE, PDecimalArray.INSTANCE);
    }
  }
}
