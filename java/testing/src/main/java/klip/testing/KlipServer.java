package klip.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * klip serve on free ports with an empty store, which goes away when this is closed. In place of HBaseTestingUtility:
 *
 * <pre>
 * try (KlipServer server = KlipServer.start()) {
 *   server.settings().forEach(configuration::set);
 *   Connection connection = ConnectionFactory.createConnection(configuration);
 * </pre>
 *
 * The program is the one that KLIP_PROGRAM names in the environment, or else the one on the PATH.
 */
public final class KlipServer implements AutoCloseable {
  private final Process process;
  private final Path directory;
  private final Map<String, String> ready;

  private KlipServer(Process process, Path directory, Map<String, String> ready) {
    this.process = process;
    this.directory = directory;
    this.ready = ready;
  }

  /** Starts a server. Options: further ones of klip serve, such as {@code "--memory-limit", "1GB"}. It ends with the JVM at the latest. */
  public static KlipServer start(String... options) {
    Path directory = null;
    Process process = null;
    try {
      directory = Files.createTempDirectory("klip_");
      Path log = directory.resolve("log");
      List<String> command = new ArrayList<>(List.of(program(), "serve", "--data", directory.resolve("store").toString(), "--rpc-port", "0", "--zk-port", "0"));
      command.addAll(List.of(options));
      process = new ProcessBuilder(command).redirectError(log.toFile()).start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = output.readLine();
      if (line == null || !line.startsWith("ready ")) {
        throw new IllegalStateException("klip serve did not start: " + Files.readString(log));
      }
      return new KlipServer(process, directory, wordsOf(line));
    } catch (IOException | RuntimeException e) {
      if (process != null) {
        process.destroyForcibly();
      }
      remove(directory);
      throw e instanceof IOException ? new UncheckedIOException((IOException) e) : (RuntimeException) e;
    }
  }

  /** What a client's Configuration needs: hbase.zookeeper.quorum and hbase.zookeeper.property.clientPort. */
  public Map<String, String> settings() {
    return settings("127.0.0.1", port("zookeeper"));
  }

  static Map<String, String> settings(String host, int zookeeperPort) {
    return Map.of("hbase.zookeeper.quorum", host, "hbase.zookeeper.property.clientPort", Integer.toString(zookeeperPort));
  }

  /** Of what the server says when it is ready: "rpc", "zookeeper", and those of options such as --thrift-port. */
  public int port(String name) {
    String address = ready.get(name);
    if (address == null) {
      throw new IllegalArgumentException("the server has no port " + name + ", but " + ready.keySet());
    }
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** The process, for tests of crashes. */
  public Process process() {
    return process;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    remove(directory);
  }

  private static String program() {
    String named = System.getenv("KLIP_PROGRAM");
    if (named != null) {
      return named;
    }
    for (String at : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      File program = new File(at, "klip");
      if (program.canExecute()) {
        return program.getPath();
      }
    }
    throw new IllegalStateException("there is no program klip on the PATH; KLIP_PROGRAM may name it, or use KlipContainer");
  }

  /** Of "ready rpc=127.0.0.1:16020 zookeeper=127.0.0.1:2181 data=store". */
  private static Map<String, String> wordsOf(String line) {
    Map<String, String> words = new java.util.TreeMap<>();
    for (String word : line.split(" ")) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        words.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    return words;
  }

  private static void remove(Path directory) {
    if (directory == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
