package org.apache.hadoop.hive.ql.exec;

import java.util.ArrayList;
import java.util.List;
import org.apache.hive.com.esotericsoftware.kryo.Kryo;
import org.apache.hive.com.esotericsoftware.kryo.Serializer;
import org.apache.hive.com.esotericsoftware.kryo.io.Input;
import org.apache.hive.com.esotericsoftware.kryo.io.Output;

/**
 * Takes the place of the class in Hive 3, which reads a private field of Java 8's lists to write the plan of a job. It precedes
 * Hive's jar on the class path.
 */
final class SerializationUtilities$ArrayListSubListSerializer extends Serializer<List<?>> {
  @Override
  public void write(Kryo kryo, Output output, List<?> list) {
    kryo.writeClassAndObject(output, new ArrayList<>(list));
  }

  @Override
  public List<?> read(Kryo kryo, Input input, Class<List<?>> type) {
    return (List<?>) kryo.readClassAndObject(input);
  }

  @Override
  public List<?> copy(Kryo kryo, List<?> list) {
    return new ArrayList<>(list);
  }
}
