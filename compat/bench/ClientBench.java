import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.util.Pair;

/**
 * The cases of bench/serve_load.cc by HBase's Java client, on the tables that it created.
 *
 * <pre>ClientBench ZOOKEEPER USERS SECONDS case...    get, async-get, multi-get, batch, scan, day, days, first, peak; - reads names from
 *                                                standard input</pre>
 */
public final class ClientBench {
  private static final byte[] FAMILY = {'d'};
  private static final byte[] ROW = "user00000020140101domain0.com*********".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] QUALIFIER = "visits".getBytes(StandardCharsets.US_ASCII);

  private interface Work {
    /** Returns how many units were done. */
    long run() throws IOException;
  }

  private final SplittableRandom random = new SplittableRandom(1);
  private final Table table;
  private final Table batchTable;
  private final Configuration conf;
  private AsyncTable<?> asyncTable;  // of a connection of its own, which only its case needs
  private final int users;

  private ClientBench(Configuration conf, Connection connection, int users) throws IOException {
    this.conf = conf;
    this.table = connection.getTable(TableName.valueOf("bench_year"));
    this.batchTable = connection.getTable(TableName.valueOf("bench_batch"));
    this.users = users;
  }

  private static void setDigits(int value, int begin, int end, byte[] row) {
    while (end > begin) {
      row[--end] = (byte) ('0' + value % 10);
      value /= 10;
    }
  }

  /** Without String.format, which would be half of what a batch costs; the other side does the same. */
  private static byte[] row(int user, int day, int domain) {
    byte[] row = ROW.clone();
    setDigits(user, 4, 10, row);
    setDigits(20140101 + day / 30 * 100 + day % 30, 10, 18, row);
    setDigits(domain, 24, 25, row);
    return row;
  }

  private byte[] anyRow() {
    return row(random.nextInt(users), random.nextInt(90), random.nextInt(10));
  }

  private long get() throws IOException {
    if (table.get(new Get(anyRow())).isEmpty()) {
      throw new IOException("a row is missing");
    }
    return 1;
  }

  private long asyncGet() throws IOException {
    if (asyncTable == null) {
      asyncTable = ConnectionFactory.createAsyncConnection(conf).join().getTable(TableName.valueOf("bench_year"));
    }
    List<CompletableFuture<Result>> rows = new ArrayList<>();
    for (int i = 0; i < 1000; ++i) {
      rows.add(asyncTable.get(new Get(anyRow())));
    }
    for (CompletableFuture<Result> row : rows) {
      if (row.join().isEmpty()) {
        throw new IOException("a row is missing");
      }
    }
    return rows.size();
  }

  private long multiGet() throws IOException {
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < 100; ++i) {
      gets.add(new Get(anyRow()));
    }
    return table.get(gets).length;
  }

  private long batch() throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 1000; ++i) {
      puts.add(new Put(anyRow()).addColumn(FAMILY, QUALIFIER, new byte[] {'3'}));
    }
    batchTable.put(puts);
    return puts.size();
  }

  private long count(Scan scan) throws IOException {
    long rows = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      while (scanner.next() != null) {
        ++rows;
      }
    }
    return rows;
  }

  /** One pattern a day: FuzzyRowFilter knows no ranges. */
  private long days(int first, int last) throws IOException {
    byte[] mask = new byte[18];
    Arrays.fill(mask, 0, 10, (byte) 1);
    List<Pair<byte[], byte[]>> patterns = new ArrayList<>();
    for (int day = first; day <= last; ++day) {
      byte[] pattern = Arrays.copyOf(ROW, mask.length);
      setDigits(day, 10, 18, pattern);
      patterns.add(new Pair<>(pattern, mask.clone()));
    }
    if (count(new Scan().setFilter(new FuzzyRowFilter(patterns)).setCaching(10000)) == 0) {
      throw new IOException("no rows");
    }
    return 1;
  }

  private static long repeat(double seconds, Work work) throws IOException {
    long units = 0;
    long end = System.nanoTime() + (long) (seconds * 1e9);
    do {
      units += work.run();
    } while (System.nanoTime() < end);
    return units;
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static void measure(String name, double seconds, Work work) throws IOException {
    repeat(0.3, work);
    long cpu = cpuNanos();
    long start = System.nanoTime();
    double units = repeat(seconds, work);
    double wall = (System.nanoTime() - start) / 1e9;
    System.out.printf(Locale.ROOT, "%-10s  1 threads  %12.1f a second  client %9.3f us%n", name, units / wall, (cpuNanos() - cpu) / 1e3 / units);
  }

  private static void printPeak() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) {
        System.out.printf(Locale.ROOT, "peak %.1f MB%n", Long.parseLong(line.replaceAll("\\D", "")) / 1024.0);
      }
    }
  }

  private void run(String name, double seconds) throws IOException {
    switch (name) {
      case "first" -> get();
      case "peak" -> printPeak();
      case "get" -> measure(name, seconds, this::get);
      case "async-get" -> measure(name, seconds, this::asyncGet);
      case "multi-get" -> measure(name, seconds, this::multiGet);
      case "batch" -> measure(name, seconds, this::batch);
      case "scan" -> measure(name, seconds, () -> count(new Scan().setCaching(10000)));
      case "day" -> measure(name, seconds, () -> days(20140215, 20140215));
      case "days" -> measure(name, seconds, () -> days(20140212, 20140218));
      default -> throw new IllegalArgumentException("no case " + name);
    }
    System.out.flush();
  }

  public static void main(String[] args) throws Exception {
    String[] quorum = args[0].split(":");
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", quorum[0]);
    conf.set("hbase.zookeeper.property.clientPort", quorum[1]);
    double seconds = Double.parseDouble(args[2]);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      ClientBench bench = new ClientBench(conf, connection, Integer.parseInt(args[1]));
      List<String> names = Arrays.asList(args).subList(3, args.length);
      if (names.equals(List.of("-"))) {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String name = input.readLine(); name != null; name = input.readLine()) {
          bench.run(name, seconds);
        }
      } else {
        for (String name : names) {
          bench.run(name, seconds);
        }
      }
    }
    System.exit(0);
  }
}
