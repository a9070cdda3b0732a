package klip.coprocessor;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hbase.thirdparty.com.google.protobuf.Parser;

/**
 * One frame that was received. Its cells are read in order, as a CellScanner; they share the frame's array, which is
 * never used again for anything else.
 */
public final class Input implements CellScanner {
  final int kind;
  final int method;
  private final byte[] bytes;
  private final ByteBuffer body;
  private final int cellsBegin;
  private int nextCell;
  private KeyValue cell;

  /** A frame without its length: kind, method, length of the cell block, body, cell block. */
  Input(byte[] bytes) throws IOException {
    this.bytes = bytes;
    ByteBuffer all = ByteBuffer.wrap(bytes);
    kind = all.get();
    method = all.get();
    int cellsLength = all.getInt();
    if (cellsLength < 0 || cellsLength > all.remaining()) {
      throw new EOFException("A frame of " + bytes.length + " bytes cannot have " + cellsLength + " bytes of cells");
    }
    cellsBegin = bytes.length - cellsLength;
    nextCell = cellsBegin;
    body = all.limit(cellsBegin);
  }

  public int u8() {
    return body.get() & 0xff;
  }

  public boolean flag() {
    return body.get() != 0;
  }

  public int u32() {
    return body.getInt();
  }

  public long u64() {
    return body.getLong();
  }

  /** Whether the body has more fields; fields at its end may be missing. */
  public boolean hasMore() {
    return body.hasRemaining();
  }

  public byte[] bytes() {
    byte[] result = new byte[body.getInt()];
    body.get(result);
    return result;
  }

  public String string() {
    int length = body.getInt();
    String result = new String(bytes, body.position(), length, StandardCharsets.UTF_8);
    body.position(body.position() + length);
    return result;
  }

  public <M> M message(Parser<M> parser) throws IOException {
    int length = body.getInt();
    M result = parser.parseFrom(bytes, body.position(), length);
    body.position(body.position() + length);
    return result;
  }

  @Override
  public boolean advance() {
    if (nextCell >= bytes.length) {
      cell = null;
      return false;
    }
    int length = ByteBuffer.wrap(bytes).getInt(nextCell);
    cell = new KeyValue(bytes, nextCell + 4, length);
    nextCell += 4 + length;
    return true;
  }

  @Override
  public Cell current() {
    return cell;
  }

  /** The next cell of the frame, which the body says is there. */
  Cell cell() throws IOException {
    if (!advance()) {
      throw new EOFException("A frame has fewer cells than its body says");
    }
    return cell;
  }

  /** A digest of all cells in their current state, to detect changes in place. */
  long cellsDigest() {
    CRC32 digest = new CRC32();
    digest.update(bytes, cellsBegin, bytes.length - cellsBegin);
    return digest.getValue();
  }
}
