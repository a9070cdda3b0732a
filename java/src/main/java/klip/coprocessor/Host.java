package klip.coprocessor;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process in which klip runs Java coprocessors; docs/internals/coprocessor-host.md has its protocol. */
public final class Host implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Host.class);
  private final Path path;
  private final ServerSocketChannel listener;
  private final Server server = new Server();
  private final Set<Session> sessions = ConcurrentHashMap.newKeySet();

  private Host(Path path) throws IOException {
    this.path = path;
    Files.deleteIfExists(path);
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(path));
  }

  /**
   * Starts a host in this JVM.
   * @param socket path of the Unix domain socket that it listens on; nobody else should be able to open it
   */
  public static Host start(Path socket) throws IOException {
    Host host = new Host(socket);
    daemon("klip-accept", host::accept);
    return host;
  }

  /** The regions that klip has open here, for tests in the same JVM. */
  public List<HRegion> regions() {
    return server.regions();
  }

  /** HBase's hosts of the master's and the region server's coprocessors; null: the configuration names none. */
  public CoprocessorHost<?, ?> masterHost() {
    return server.masterHost();
  }

  public CoprocessorHost<?, ?> regionServerHost() {
    return server.regionServerHost();
  }

  /** --socket PATH: serves klip until standard input ends, since klip holds its other end. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2 || !arguments[0].equals("--socket")) {
      System.err.println("usage: klip.coprocessor.Host --socket PATH");
      System.exit(2);
    }
    start(Path.of(arguments[1]));
    while (System.in.read() >= 0) {
      continue;
    }
    daemon("klip-exit", () -> {
      // Some shutdown hook of a coprocessor may wait for klip, which is gone
      sleep(2000);
      Runtime.getRuntime().halt(0);
    });
    System.exit(0);
  }

  private static void sleep(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      for (int number = 1;; number++) {
        SocketChannel channel = listener.accept();
        daemon("klip-" + number, () -> serve(channel));
      }
    } catch (ClosedChannelException e) {
      LOG.debug("The host was closed", e);
    } catch (IOException e) {
      LOG.error("Cannot accept connections", e);
    }
  }

  private void serve(SocketChannel channel) {
    try (Session session = new Session(channel, server)) {
      sessions.add(session);
      try {
        session.serve();
      } finally {
        sessions.remove(session);
      }
    } catch (IOException e) {
      LOG.debug("A connection ended", e);
    } catch (Throwable e) {
      LOG.error("A connection ended", e);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Session session : sessions) {
      session.close();
    }
    Files.deleteIfExists(path);
  }
}
