package klip.compat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** Tables and families as op text: "f(VERSIONS=5,TTL=10)", and KEY=VALUE for attributes of the table. */
final class Descriptors {
  private static final String BLOOM_PREFIX = "RowPrefixBloomFilter.prefix_length";

  private Descriptors() {}

  static boolean isAttribute(String word) {
    int equals = word.indexOf('=');
    int open = word.indexOf('(');
    return equals >= 0 && (open < 0 || equals < open);
  }

  static TableDescriptor table(TableName name, List<String> words) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    for (String word : words) {
      if (!isAttribute(word)) {
        table.setColumnFamily(family(word, null));
      } else if (!word.startsWith("splits=")) {
        table.setValue(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
      }
    }
    return table.build();
  }

  static byte[][] splits(List<String> words) {
    for (String word : words) {
      if (word.startsWith("splits=")) {
        List<byte[]> keys = new ArrayList<>();
        for (String key : word.substring(7).split(",", -1)) {
          keys.add(Bytes.toBytesBinary(key));
        }
        return keys.toArray(new byte[0][]);
      }
    }
    return null;
  }

  /** What `text` says laid over `base`, which may be null. */
  static ColumnFamilyDescriptor family(String text, ColumnFamilyDescriptor base) {
    int open = text.indexOf('(');
    byte[] name = Bytes.toBytes(open < 0 ? text : text.substring(0, open));
    ColumnFamilyDescriptorBuilder family =
        base == null ? ColumnFamilyDescriptorBuilder.newBuilder(name) : ColumnFamilyDescriptorBuilder.newBuilder(base);
    if (open >= 0) {
      List<String> pairs = new ArrayList<>(List.of(text.substring(open + 1, text.lastIndexOf(')')).split(",")));
      // The client refuses MIN_VERSIONS > VERSIONS in one order only, and then the server is not asked.
      pairs.sort(Comparator.comparing(pair -> !pair.startsWith("VERSIONS=")));
      for (String pair : pairs) {
        set(family, pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
      }
    }
    return family.build();
  }

  private static void set(ColumnFamilyDescriptorBuilder family, String key, String value) {
    switch (key) {
      case "VERSIONS":
        family.setMaxVersions(Integer.parseInt(value));
        break;
      case "MIN_VERSIONS":
        family.setMinVersions(Integer.parseInt(value));
        break;
      case "TTL":
        family.setTimeToLive(Integer.parseInt(value));
        break;
      case "BLOCKSIZE":
        family.setBlocksize(Integer.parseInt(value));
        break;
      case "BLOOM_PREFIX":
        family.setConfiguration(BLOOM_PREFIX, value);
        break;
      case "NEW_VERSION_BEHAVIOR":
        family.setNewVersionBehavior(value.equals("true"));
        break;
      case "KEEP_DELETED_CELLS":
        family.setKeepDeletedCells(KeepDeletedCells.valueOf(value));
        break;
      case "BLOOMFILTER":
        family.setBloomFilterType(BloomType.valueOf(value));
        break;
      default:
        family.setValue(key, value);
    }
  }

  /** Name and every attribute that is not the default. */
  static String format(TableName name, TableDescriptor table) {
    StringBuilder out = new StringBuilder(name.getNameAsString());
    TableDescriptor defaults = TableDescriptorBuilder.newBuilder(name).build();
    new TreeMap<>(text(table.getValues()))
        .forEach(
            (key, value) -> {
              boolean added = key.equals("hbase.store.file-tracker.impl") || key.equals("IS_META");
              if (!added && !value.equals(defaults.getValue(key))) {
                out.append(' ').append(key).append('=').append(value);
              }
            });
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      out.append(' ').append(format(family));
    }
    return out.append('\n').toString();
  }

  private static String format(ColumnFamilyDescriptor family) {
    Map<String, String> defaults = text(ColumnFamilyDescriptorBuilder.of(family.getName()).getValues());
    StringBuilder out = new StringBuilder();
    new TreeMap<>(text(family.getValues()))
        .forEach(
            (key, value) -> {
              if (!value.equals(defaults.get(key))) {
                out.append(out.length() == 0 ? "" : ",").append(key).append('=').append(value);
              }
            });
    return out.length() == 0 ? family.getNameAsString() : family.getNameAsString() + "(" + out + ")";
  }

  private static Map<String, String> text(Map<org.apache.hadoop.hbase.util.Bytes, org.apache.hadoop.hbase.util.Bytes> values) {
    Map<String, String> out = new TreeMap<>();
    values.forEach((key, value) -> out.put(Bytes.toString(key.copyBytes()), Bytes.toString(value.copyBytes())));
    return out;
  }
}
