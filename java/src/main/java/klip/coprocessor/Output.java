package klip.coprocessor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hbase.thirdparty.com.google.protobuf.CodedOutputStream;
import org.apache.hbase.thirdparty.com.google.protobuf.MessageLite;

/**
 * A frame to be sent. A connection has one, so it is filled only when all hooks of a call have run: what they call
 * back uses the same one.
 */
public final class Output {
  private static final int HEADER = 10;
  private static final int KEPT = 1 << 20;
  private byte[] bytes = new byte[4096];
  private ByteBuffer body = ByteBuffer.wrap(bytes);
  private byte[] cells = new byte[4096];
  private int cellsLength;

  Output clear() {
    if (bytes.length > KEPT) {
      bytes = new byte[4096];
      body = ByteBuffer.wrap(bytes);
    }
    if (cells.length > KEPT) {
      cells = new byte[4096];
    }
    body.clear().position(HEADER);
    cellsLength = 0;
    return this;
  }

  private ByteBuffer space(int length) {
    if (body.remaining() < length) {
      int position = body.position();
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, position + length));
      body = ByteBuffer.wrap(bytes).position(position);
    }
    return body;
  }

  public Output u8(int value) {
    space(1).put((byte) value);
    return this;
  }

  public Output flag(boolean value) {
    return u8(value ? 1 : 0);
  }

  public Output u32(int value) {
    space(4).putInt(value);
    return this;
  }

  public Output u64(long value) {
    space(8).putLong(value);
    return this;
  }

  public Output bytes(byte[] value) {
    space(4 + value.length).putInt(value.length).put(value);
    return this;
  }

  public Output string(String value) {
    return bytes(value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8));
  }

  public Output strings(Iterable<String> values) {
    int at = space(4).position();
    int count = 0;
    u32(0);
    for (String value : values) {
      string(value);
      count++;
    }
    body.putInt(at, count);
    return this;
  }

  public Output message(MessageLite message) throws IOException {
    int length = message.getSerializedSize();
    space(4 + length).putInt(length);
    CodedOutputStream out = CodedOutputStream.newInstance(bytes, body.position(), length);
    message.writeTo(out);
    out.flush();
    body.position(body.position() + length);
    return this;
  }

  /** Adds a cell to the frame's block, with its tags. */
  public Output cell(Cell cell) {
    KeyValue kv = cell instanceof KeyValue ? (KeyValue) cell : KeyValueUtil.copyToNewKeyValue(cell);
    int length = kv.getLength();
    if (cells.length - cellsLength < 4 + length) {
      cells = Arrays.copyOf(cells, Math.max(2 * cells.length, cellsLength + 4 + length));
    }
    ByteBuffer.wrap(cells).putInt(cellsLength, length);
    System.arraycopy(kv.getBuffer(), kv.getOffset(), cells, cellsLength + 4, length);
    cellsLength += 4 + length;
    return this;
  }

  int cellsLength() {
    return cellsLength;
  }

  void send(WritableByteChannel channel, int kind, int method) throws IOException {
    space(cellsLength).put(cells, 0, cellsLength);
    int length = body.position();
    body.putInt(0, length - 4).put(4, (byte) kind).put(5, (byte) method).putInt(6, cellsLength);
    ByteBuffer frame = ByteBuffer.wrap(bytes, 0, length);
    while (frame.hasRemaining()) {
      channel.write(frame);
    }
  }
}
