import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Pair;

/**
 * Runs HBase's Java client on two servers, alternating. Measures wall time, and the CPU time of server and client. Rows
 * are those of the year data: 10 bytes of user, 8 of date, 20 of domain.
 *
 * <pre>ServerBench USERS DAYS DOMAINS NAME=ZOOKEEPER,PID NAME=ZOOKEEPER,PID</pre>
 */
public final class ServerBench {
  private static final byte[] FAMILY = {'d'};
  private static final byte[] QUALIFIER = "visits".getBytes(StandardCharsets.US_ASCII);
  private static final int SECONDS = Integer.getInteger("klip.seconds", 10);
  private static final int SLICES = 5;
  private static final Pattern CASES = Pattern.compile(System.getProperty("klip.cases", "."));

  private final String name;
  private final Path stat;
  private final Connection connection;
  private final TableName year = TableName.valueOf("bench_year");
  private final TableName small = TableName.valueOf("bench_small");
  private final TableName loaded = TableName.valueOf("bench_load");
  private final int users;
  private final int days;
  private final int domains;

  private ServerBench(String target, int users, int days, int domains) throws IOException {
    this.name = target.substring(0, target.indexOf('='));
    String[] parts = target.substring(name.length() + 1).split(",");
    this.stat = Path.of("/proc", parts[1], "stat");
    Configuration conf = HBaseConfiguration.create();
    String[] quorum = parts[0].split(":");
    conf.set("hbase.zookeeper.quorum", quorum[0]);
    conf.set("hbase.zookeeper.property.clientPort", quorum[1]);
    this.connection = ConnectionFactory.createConnection(conf);
    this.users = users;
    this.days = days;
    this.domains = domains;
  }

  private byte[] row(int user, int day, int domain) {
    return String.format(Locale.ROOT, "user%06d%08d%-20s", user, 20140101 + day / 30 * 100 + day % 30, "domain" + domain + ".com")
        .replace(' ', '*').getBytes(StandardCharsets.US_ASCII);
  }

  /** In seconds. */
  private static double clientCpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
  }

  /** In seconds. */
  private double serverCpu() throws IOException {
    String text = Files.readString(stat);
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
  }

  private interface Work {
    /** Returns how many units were done. */
    long run(SplittableRandom random) throws IOException;
  }

  /** What was done so far, of one case on one server; times in seconds. */
  private static final class Figure {
    long units;
    double wall;
    double server;
    double client;

    double perSecond() {
      return units / wall;
    }

    double serverMicros() {
      return server * 1e6 / units;
    }

    double clientMicros() {
      return client * 1e6 / units;
    }
  }

  private void measure(Case one, long nanos, Figure figure) throws Exception {
    Work work = one.work().of(this);
    double server = serverCpu();
    double client = clientCpu();
    long start = System.nanoTime();
    figure.units += one.once() ? work.run(new SplittableRandom(1)) : repeat(one.threads(), nanos, work);
    figure.wall += (System.nanoTime() - start) / 1e9;
    figure.server += serverCpu() - server;
    figure.client += clientCpu() - client;
  }

  /** Warms up on each server, then measures on them in turn, in slices, so that a busy moment of the machine hits both. */
  private static List<Figure> measure(List<ServerBench> servers, Case one) throws Exception {
    List<Figure> figures = new ArrayList<>();
    for (ServerBench server : servers) {
      if (!one.once()) {
        server.measure(one, SECONDS * 1_000_000_000L, new Figure());
      }
      figures.add(new Figure());
    }
    for (int slice = 0; slice < (one.once() ? 1 : SLICES); ++slice) {
      for (int i = 0; i < servers.size(); ++i) {
        servers.get(i).measure(one, SECONDS * 1_000_000_000L / SLICES, figures.get(i));
      }
    }
    return figures;
  }

  private long repeat(int threads, long nanos, Work work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Future<Long>> all = new ArrayList<>();
    long end = System.nanoTime() + nanos;
    for (int i = 0; i < threads; ++i) {
      SplittableRandom random = new SplittableRandom(i);
      all.add(pool.submit(() -> {
        long units = 0;
        do {
          units += work.run(random);
        } while (System.nanoTime() < end);
        return units;
      }));
    }
    long units = 0;
    for (Future<Long> one : all) {
      units += one.get();
    }
    pool.shutdown();
    return units;
  }

  private void create(TableName table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (admin.tableExists(table)) {
        admin.disableTable(table);
        admin.deleteTable(table);
      }
      admin.createTable(TableDescriptorBuilder.newBuilder(table)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
    }
  }

  private long load() throws IOException {
    try (Table table = connection.getTable(year)) {
      for (int user = 0; user < users; ++user) {
        table.put(putsOf(user));
      }
    }
    return (long) users * days * domains;
  }

  private List<Put> putsOf(int user) {
    List<Put> puts = new ArrayList<>();
    for (int day = 0; day < days; ++day) {
      for (int domain = 0; domain < domains; ++domain) {
        puts.add(new Put(row(user, day, domain)).addColumn(FAMILY, QUALIFIER, Integer.toString(domain).getBytes()));
      }
    }
    return puts;
  }

  /** The puts are made beforehand: what is measured is the client and the server. */
  private Work batchPut() {
    List<List<Put>> batches = new ArrayList<>();
    for (int user = 0; user < Math.min(users, 50); ++user) {
      batches.add(putsOf(user));
    }
    return random -> {
      List<Put> puts = batches.get(random.nextInt(batches.size()));
      try (Table table = connection.getTable(loaded)) {
        table.put(puts);
      }
      return puts.size();
    };
  }

  private void settle() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(year);
      admin.majorCompact(year);
      Thread.sleep(2000);
      while (admin.getCompactionState(year) != CompactionState.NONE) {
        Thread.sleep(200);
      }
    }
  }

  private long count(Scan scan) throws IOException {
    long rows = 0;
    try (Table table = connection.getTable(year); ResultScanner scanner = table.getScanner(scan)) {
      while (scanner.next() != null) {
        ++rows;
      }
    }
    return rows;
  }

  private static Scan filtered(Filter filter) {
    return new Scan().setFilter(filter).setCaching(10000);
  }

  private Scan headline() {
    byte[] key = row(0, days / 2, 0);
    byte[] mask = new byte[18];
    Arrays.fill(mask, 0, 10, (byte) 1);
    return filtered(new FuzzyRowFilter(List.of(new Pair<>(Arrays.copyOf(key, 18), mask))));
  }

  private byte[] anyRow(SplittableRandom random) {
    return row(random.nextInt(users), random.nextInt(days), random.nextInt(domains));
  }

  private byte[] smallRow(SplittableRandom random) {
    return String.format("row%05d", random.nextInt(10000)).getBytes();
  }

  private Work get() {
    return random -> {
      try (Table table = connection.getTable(year)) {
        for (int i = 0; i < 100; ++i) {
          if (table.get(new Get(anyRow(random))).isEmpty()) {
            throw new IOException("a row is missing");
          }
        }
      }
      return 100;
    };
  }

  private Work put() {
    return random -> {
      try (Table table = connection.getTable(small)) {
        for (int i = 0; i < 20; ++i) {
          table.put(new Put(smallRow(random)).addColumn(FAMILY, QUALIFIER, new byte[100]));
        }
      }
      return 20;
    };
  }

  private Work checkAndPut() {
    return random -> {
      try (Table table = connection.getTable(small)) {
        for (int i = 0; i < 20; ++i) {
          byte[] row = smallRow(random);
          table.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(FAMILY, new byte[] {'n'})
              .build(new Put(row).addColumn(FAMILY, QUALIFIER, new byte[100])));
        }
      }
      return 20;
    };
  }

  private Work multiGet() {
    return random -> {
      List<Get> gets = new ArrayList<>();
      for (int i = 0; i < 100; ++i) {
        gets.add(new Get(anyRow(random)));
      }
      try (Table table = connection.getTable(year)) {
        table.get(gets);
      }
      return 100;
    };
  }

  private record Case(String what, int threads, boolean once, Function work) {
    interface Function {
      Work of(ServerBench server);
    }
  }

  public static void main(String[] args) throws Exception {
    int users = Integer.parseInt(args[0]);
    int days = Integer.parseInt(args[1]);
    int domains = Integer.parseInt(args[2]);
    List<ServerBench> servers = new ArrayList<>();
    for (String target : List.of(args).subList(3, args.length)) {
      servers.add(new ServerBench(target, users, days, domains));
    }
    for (ServerBench server : servers) {
      server.create(server.small);
      server.create(server.loaded);
      server.create(server.year);
    }
    Filter byValue = new SingleColumnValueFilter(FAMILY, QUALIFIER, CompareOperator.EQUAL, "3".getBytes());
    List<Case> cases = List.of(
        new Case("fill", 1, true, server -> random -> server.load()),
        new Case("settle", 1, true, server -> random -> {
          try {
            server.settle();
          } catch (Exception e) {
            throw new IOException(e);
          }
          return 1;
        }),
        new Case("date of all users, first time (queries)", 1, true, server -> random -> Math.min(1, server.count(server.headline()))),
        new Case("date of all users (queries)", 1, false, server -> random -> Math.min(1, server.count(server.headline()))),
        new Case("full scan (rows)", 1, false, server -> random -> server.count(new Scan().setCaching(10000))),
        new Case("full scan by value (rows passed over)", 1, false, server -> random -> {
          server.count(filtered(byValue));
          return (long) users * days * domains;
        }),
        new Case("get", 1, false, ServerBench::get),
        new Case("get, 4 threads", 4, false, ServerBench::get),
        new Case("get, 16 threads", 16, false, ServerBench::get),
        new Case("multi-get of 100 (rows)", 1, false, ServerBench::multiGet),
        new Case("put", 1, false, ServerBench::put),
        new Case("put, 4 threads", 4, false, ServerBench::put),
        new Case("put, 16 threads", 16, false, ServerBench::put),
        new Case("check and put", 1, false, ServerBench::checkAndPut),
        new Case("load in batches, one for each user (rows)", 1, false, ServerBench::batchPut));
    System.out.println("| what | " + servers.get(0).name + " a second | " + servers.get(1).name
        + " a second | times faster | server CPU of each, us | times less | client CPU, us |");
    System.out.println("|---|---|---|---|---|---|---|");
    for (Case one : cases) {
      if (!one.once() && !CASES.matcher(one.what()).find()) {
        continue;
      }
      List<Figure> figures = measure(servers, one);
      Figure a = figures.get(0);
      Figure b = figures.get(1);
      if (!one.what().equals("settle") && !one.what().equals("fill")) {
        System.out.printf(Locale.ROOT, "| %s | %,.1f | %,.1f | %.2f | %,.1f / %,.1f | %.1f | %,.1f / %,.1f |%n", one.what(),
            a.perSecond(), b.perSecond(), a.perSecond() / b.perSecond(), a.serverMicros(), b.serverMicros(),
            b.serverMicros() / a.serverMicros(), a.clientMicros(), b.clientMicros());
      }
    }
    System.exit(0);
  }
}
