package klip.coprocessor;

import java.io.IOException;

/** The connection that klip keeps for calls of coprocessors' own threads. */
final class Background {
  private static final Object CHANGED = new Object();
  private static Session session;

  private Background() {
  }

  /** Waits until klip replaces it; meanwhile the threads of coprocessors use the connection, one at a time. */
  static void serve(Session own) throws InterruptedException {
    synchronized (CHANGED) {
      session = own;
      CHANGED.notifyAll();
      while (session == own) {
        CHANGED.wait();
      }
    }
  }

  static Session session() throws IOException {
    synchronized (CHANGED) {
      if (session == null) {
        throw new IOException("klip has no connection for threads that run outside of a hook");
      }
      return session;
    }
  }

  /** After an I/O error of this one. */
  static void drop(Session broken) {
    synchronized (CHANGED) {
      if (session == broken) {
        session = null;
        CHANGED.notifyAll();
      }
    }
  }
}
