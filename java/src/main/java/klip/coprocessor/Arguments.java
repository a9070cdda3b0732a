package klip.coprocessor;

import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BalanceRequest;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.SnapshotProtos;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.apache.hadoop.hbase.wal.WALKeyImpl;

/** Arguments of hooks of the master, the region server and the log: each is a tag and bytes in the format that the tag names. */
final class Arguments {
  private final List<Object> values = new ArrayList<>();

  Arguments(Input input) throws IOException {
    if (input.hasMore()) {
      readAll(input, values);
    }
  }

  private static void readAll(Input input, List<Object> into) throws IOException {
    for (int count = input.u32(); count > 0; count--) {
      into.add(read(input));
    }
  }

  private static Object read(Input input) throws IOException {
    char tag = (char) input.u8();
    switch (tag) {
      case 'T':
        return TableName.valueOf(input.string());
      case 'D':
        return ProtobufUtil.toTableDescriptor(input.message(HBaseProtos.TableSchema.parser()));
      case 'N':
        return ProtobufUtil.toNamespaceDescriptor(input.message(HBaseProtos.NamespaceDescriptor.parser()));
      case 'R':
        return ProtobufUtil.toRegionInfo(input.message(HBaseProtos.RegionInfo.parser()));
      case 'S':
        return ProtobufUtil.createSnapshotDesc(input.message(SnapshotProtos.SnapshotDescription.parser()));
      case 's':
        return input.string();
      case 'b':
        return input.bytes()[0];
      case 'B':
        return input.bytes();
      case 'L':
        input.u32();
        List<Object> list = new ArrayList<>();
        readAll(input, list);
        return list;
      case 'W':
        return edit(input);
      case '0':
      case 0:
        input.bytes();
        return null;
      default:
        throw new IOException("An argument has no tag " + (int) tag);
    }
  }

  /** All cells of the frame. */
  private static WALEdit edit(Input input) throws IOException {
    input.bytes();
    WALEdit edit = new WALEdit();
    while (input.advance()) {
      edit.add(input.current());
    }
    return edit;
  }

  int count() {
    return values.size();
  }

  List<Object> values() {
    return values;
  }

  /** The arguments as the method expects them. */
  Object[] as(Class<?>[] types, Configuration configuration) {
    Object[] result = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      result[i] = as(types[i], values.get(i), configuration);
    }
    return result;
  }

  private Object as(Class<?> type, Object value, Configuration configuration) {
    if (value == null) {
      return missing(type, configuration);
    } else if (type.isInstance(value)) {
      return value;
    } else if (value instanceof Byte) {
      return type == boolean.class ? (Object) ((Byte) value != 0) : (Object) ((Byte) value).intValue();
    } else if (value instanceof String) {
      return text(type, (String) value);
    } else if (type.isArray() && type != byte[].class) {
      List<?> list = value instanceof List ? (List<?>) value : List.of(value);
      Object array = Array.newInstance(type.getComponentType(), list.size());
      for (int i = 0; i < list.size(); i++) {
        Array.set(array, i, as(type.getComponentType(), list.get(i), configuration));
      }
      return array;
    } else if (value instanceof List && type == Set.class) {
      return new TreeSet<>((List<?>) value);
    }
    throw new IllegalArgumentException("A hook expects a " + type.getName() + ", not a " + value.getClass().getName());
  }

  private Object missing(Class<?> type, Configuration configuration) {
    if (type == Configuration.class) {
      return configuration;
    } else if (type == BalanceRequest.class) {
      return BalanceRequest.defaultInstance();
    } else if (type == WALKey.class) {
      RegionInfo info = (RegionInfo) values.get(0);
      return new WALKeyImpl(info.getEncodedNameAsBytes(), info.getTable(), System.currentTimeMillis());
    }
    return Callers.zero(type);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Object text(Class<?> type, String text) {
    if (type.isEnum()) {
      return Enum.valueOf((Class) type, text);
    } else if (type == User.class) {
      return Callers.user(text);
    } else if (type == ServerName.class) {
      return ServerName.valueOf(text);
    } else if (type == Path.class) {
      return new Path(text);
    } else if (type == long.class) {
      return Long.parseLong(text);
    } else if (type == byte[].class) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    throw new IllegalArgumentException("A hook expects a " + type.getName() + ", not '" + text + "'");
  }

  /** Writes what a hook may have replaced: a value as read() reads it. */
  static void write(Output output, Object value) throws IOException {
    if (value instanceof TableDescriptor) {
      output.u8('D').message(ProtobufUtil.toTableSchema((TableDescriptor) value));
    } else if (value instanceof NamespaceDescriptor) {
      output.u8('N').message(ProtobufUtil.toProtoNamespaceDescriptor((NamespaceDescriptor) value));
    } else if (value instanceof TableName) {
      output.u8('T').string(((TableName) value).getNameWithNamespaceInclAsString());
    } else if (value instanceof RegionInfo) {
      output.u8('R').message(ProtobufUtil.toRegionInfo((RegionInfo) value));
    } else {
      output.u8('s').string(String.valueOf(value));
    }
  }
}
