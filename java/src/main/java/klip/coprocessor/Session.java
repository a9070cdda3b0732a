package klip.coprocessor;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.HashMap;
import java.util.Map;

/**
 * One connection with klip. Calls nest: a side that waits for an answer serves the calls of the other side meanwhile,
 * on the same thread. So what a hook calls back goes to the thread of klip that runs the operation.
 */
public final class Session implements Closeable {
  static final int CALL = 0;
  static final int ANSWER = 1;
  static final int ERROR = 2;
  private static final ThreadLocal<Session> CURRENT = new ThreadLocal<>();

  private final ByteChannel channel;
  private final Dispatcher dispatcher;
  private final ByteBuffer received = ByteBuffer.allocateDirect(64 << 10).limit(0);
  private final Output output = new Output();
  /** What lives from the first to the last call of an operation, by its number. */
  final Map<Integer, Object> operations = new HashMap<>();
  final Callers callers = new Callers();

  Session(ByteChannel channel, Dispatcher dispatcher) {
    this.channel = channel;
    this.dispatcher = dispatcher;
  }

  /** Serves klip's calls until it closes the connection. */
  void serve() throws IOException {
    CURRENT.set(this);
    try {
      for (Input call = receive(); call != null; call = receive()) {
        answer(call);
      }
    } finally {
      CURRENT.remove();
    }
  }

  /** What a caller writes into its frame. */
  public interface Writer {
    void write(Output output) throws IOException;
  }

  /** What it reads from the answer; must not call back. */
  public interface Reader<T> {
    T read(Input answer) throws IOException;
  }

  /**
   * Calls klip: on the connection whose call this thread serves, or from a coprocessor's own thread on the one that
   * klip keeps for these.
   */
  public static <T> T call(int method, Writer writer, Reader<T> reader) throws IOException {
    Session session = CURRENT.get();
    if (session != null) {
      return reader.read(session.exchange(method, writer));
    }
    session = Background.session();
    synchronized (session) {
      CURRENT.set(session);
      try {
        return reader.read(session.exchange(method, writer));
      } finally {
        CURRENT.remove();
      }
    }
  }

  public static void call(int method, Writer writer) throws IOException {
    call(method, writer, answer -> null);
  }

  /** Sends a call, without waiting for an answer. */
  void send(int method, Writer writer) throws IOException {
    writer.write(output.clear());
    output.send(channel, CALL, method);
  }

  Input exchange(int method, Writer writer) throws IOException {
    send(method, writer);
    return answer();
  }

  /** Waits for the answer of the call that was sent last, and serves the other side's calls meanwhile. */
  Input answer() throws IOException {
    for (Input input = receive(); input != null; input = receive()) {
      switch (input.kind) {
        case ANSWER:
          return input;
        case ERROR:
          throw Errors.read(input);
        default:
          Runnable restore = callers.save();
          answer(input);
          restore.run();
      }
    }
    throw new EOFException("klip closed the connection");
  }

  private void answer(Input call) throws IOException {
    int kind = ANSWER;
    try {
      Writer answer = dispatcher.serve(this, call);
      if (answer == null) {
        return;
      }
      answer.write(output.clear());
    } catch (Throwable error) {
      Errors.write(output.clear(), error);
      kind = ERROR;
    }
    output.send(channel, kind, call.method);
  }

  /** The next frame; null when klip closed the connection between two. */
  private Input receive() throws IOException {
    if (!fill(4)) {
      return null;
    }
    int length = received.getInt();
    if (length < 6) {
      throw new IOException("A frame of " + length + " bytes");
    }
    byte[] frame = new byte[length];
    for (int have = 0; have < length;) {
      if (!received.hasRemaining() && !fill(1)) {
        throw new EOFException("klip closed the connection within a frame");
      }
      int part = Math.min(received.remaining(), length - have);
      received.get(frame, have, part);
      have += part;
    }
    return new Input(frame);
  }

  private boolean fill(int wanted) throws IOException {
    while (received.remaining() < wanted) {
      received.compact();
      int read = channel.read(received);
      received.flip();
      if (read < 0) {
        if (received.hasRemaining()) {
          throw new EOFException("klip closed the connection within a frame");
        }
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
