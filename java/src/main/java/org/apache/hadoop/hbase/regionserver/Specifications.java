package org.apache.hadoop.hbase.regionserver;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** The attributes of a table that name its coprocessors. */
public final class Specifications {
  private static final String KEY = "(?i)coprocessor\\$[0-9]+";

  private Specifications() {
  }

  /** Those that HBase's code passes over, with the message of HBase's client. */
  public static Map<String, String> malformed(TableDescriptor table) {
    Map<String, String> result = new TreeMap<>();
    table.getValues().forEach((key, value) -> {
      String name = Bytes.toString(key.get());
      if (name.matches(KEY)) {
        try {
          String specification = Bytes.toString(value.get()).trim();
          TableDescriptorBuilder.newBuilder(table.getTableName()).addCoprocessorWithSpec(specification);
        } catch (java.io.IOException | RuntimeException e) {
          result.put(name, e.getMessage());
        }
      }
    });
    return result;
  }
}
