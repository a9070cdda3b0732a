import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Repeatedly kills klip serve (SIGKILL) while HBase's Java client writes to it, and restarts it on the same ports. The
 * client must continue without help. In the end, each acknowledged write must exist, and each increment and append must
 * be executed once: if an answer was lost, the client sends the call again with the same nonce. Tables are created,
 * truncated and dropped meanwhile: exactly the right tables and rows must exist.
 *
 * <pre>KillLoad KILLS RPC_PORT ZOOKEEPER_PORT COMMAND...    COMMAND starts the server; --rpc-port and --zk-port are added</pre>
 */
public final class KillLoad {
  private static final TableName TABLE = TableName.valueOf("kill");
  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};
  private static final byte[] OTHER = {'o'};
  private static final int BATCH = 7;

  private final List<String> command;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private Process server;

  private KillLoad(List<String> command) {
    this.command = command;
  }

  private void startServer() throws IOException {
    server = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = new BufferedReader(new InputStreamReader(server.getInputStream())).readLine();
    if (line == null || !line.startsWith("ready")) {
      throw new IOException("the server did not start: " + line);
    }
  }

  /** Writes rows in order, alone or some at once; each is counted when it is acknowledged. */
  private final class Writer extends Thread {
    final int id;
    final Table table;
    final AtomicLong acknowledged = new AtomicLong();
    final AtomicLong retried = new AtomicLong();
    volatile long longestNanos;

    Writer(int id, Connection connection) throws IOException {
      this.id = id;
      this.table = connection.getTable(TABLE);
    }

    byte[] row(long number) {
      return Bytes.toBytes(String.format("%02d-%09d", id, number));
    }

    Put put(long number) {
      return new Put(row(number)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(number));
    }

    @Override
    public void run() {
      RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
      while (!stopping.get()) {
        long next = acknowledged.get();
        long start = System.nanoTime();
        try {
          if (random.nextBoolean()) {
            table.put(put(next));
            acknowledged.set(next + 1);
          } else {
            List<Put> puts = new ArrayList<>();
            for (int i = 0; i < BATCH; ++i) {
              puts.add(put(next + i));
            }
            table.put(puts);
            acknowledged.set(next + BATCH);
          }
        } catch (IOException e) {
          retried.incrementAndGet();  // not acknowledged: the same rows again
        }
        longestNanos = Math.max(longestNanos, System.nanoTime() - start);
      }
    }

    long lost() throws IOException {
      long lost = 0;
      long expected = 0;
      Scan scan = new Scan().withStartRow(row(0)).withStopRow(row(acknowledged.get())).setCaching(10000);
      try (ResultScanner scanner = table.getScanner(scan)) {
        for (Result result; (result = scanner.next()) != null; ++expected) {
          long number = Long.parseLong(Bytes.toString(result.getRow()).substring(3));
          lost += number - expected;
          expected = number;
          if (Bytes.toLong(result.getValue(FAMILY, QUALIFIER)) != number) {
            throw new IOException("row " + number + " holds another's value");
          }
        }
      }
      return lost + acknowledged.get() - expected;
    }
  }

  private enum Way { INCREMENT, APPEND, BATCH, CHECK_AND_MUTATE, MUTATE_ROW }

  /** Counts in its own cell. */
  private final class Counter extends Thread {
    final Way way;
    final Table table;
    final byte[] row;
    long acknowledged;
    long unknown;

    Counter(Way way, Connection connection) throws IOException {
      this.way = way;
      this.table = connection.getTable(TABLE);
      this.row = Bytes.toBytes("count-" + way);
    }

    Increment increment() {
      return new Increment(row).addColumn(FAMILY, QUALIFIER, 1);
    }

    void count() throws IOException, InterruptedException {
      switch (way) {
        case INCREMENT -> table.incrementColumnValue(row, FAMILY, QUALIFIER, 1);
        case APPEND -> table.append(new Append(row).addColumn(FAMILY, QUALIFIER, new byte[1]));
        case BATCH -> table.batch(List.of(increment()), new Object[1]);
        case CHECK_AND_MUTATE ->
            table.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(FAMILY, OTHER).build(increment()));
        case MUTATE_ROW ->
            table.mutateRow(
                new RowMutations(row).add((Mutation) increment()).add((Mutation) new Put(row).addColumn(FAMILY, OTHER, row)));
      }
    }

    @Override
    public void run() {
      while (!stopping.get()) {
        try {
          count();
          ++acknowledged;
        } catch (IOException e) {
          ++unknown;  // the client gave up: it may be done or not
        } catch (InterruptedException e) {
          return;
        }
      }
    }

    /** The cell's error: below zero, increments were lost; above, executed twice. */
    long error() throws IOException {
      byte[] value = table.get(new Get(row)).getValue(FAMILY, QUALIFIER);
      long counted = way == Way.APPEND ? value.length : Bytes.toLong(value);
      return counted < acknowledged ? counted - acknowledged : Math.max(0, counted - acknowledged - unknown);
    }
  }

  private interface Change {
    void make() throws IOException;
  }

  /** Creates, fills, truncates and drops tables; repeats each step until it is acknowledged. */
  private final class Maker extends Thread {
    static final int KEPT = 20;

    final Connection connection;
    final Admin admin;
    final NavigableMap<TableName, Set<String>> rows = new TreeMap<>();
    long changes;
    long repeated;
    long gone;

    Maker(Connection connection) throws IOException {
      this.connection = connection;
      this.admin = connection.getAdmin();
    }

    /** A step that was executed, but whose answer was lost, may fail because nothing is left to do: `done`. */
    void change(Class<? extends IOException> done, Change change) {
      while (true) {
        try {
          change.make();
          break;
        } catch (IOException e) {
          if (done.isInstance(e)) {
            break;
          }
          ++repeated;
        }
      }
      ++changes;
    }

    /** A change of a table that was made and must be there. */
    void changeWhatIsThere(Change change) {
      change(TableNotFoundException.class, () -> {
        try {
          change.make();
        } catch (TableNotFoundException e) {
          ++gone;
          throw e;
        }
      });
    }

    void create(TableName name) {
      change(TableExistsException.class, () -> admin.createTable(
          TableDescriptorBuilder.newBuilder(name).setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build(),
          new byte[][] {Bytes.toBytes("m")}));
      rows.put(name, new TreeSet<>());
    }

    void disable(TableName name) throws IOException {
      if (admin.isTableEnabled(name)) {
        admin.disableTable(name);
      }
    }

    void truncate(TableName name) {
      changeWhatIsThere(() -> {
        disable(name);
        admin.truncateTable(name, true);
      });
      rows.get(name).clear();
    }

    void drop(TableName name) {
      change(TableNotFoundException.class, () -> {
        disable(name);
        admin.deleteTable(name);
      });
      rows.remove(name);
    }

    void put(TableName name, String row) {
      changeWhatIsThere(() -> {
        try (Table table = connection.getTable(name)) {
          table.put(new Put(Bytes.toBytes(row)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(row)));
        }
      });
      rows.get(name).add(row);
    }

    @Override
    public void run() {
      for (int number = 0; !stopping.get(); ++number) {
        TableName name = TableName.valueOf(String.format("made-%06d", number));
        create(name);
        put(name, "a");
        put(name, "z");
        if (number % 3 == 0) {
          changeWhatIsThere(() -> admin.flush(name));
        }
        switch (number % 4) {
          case 0 -> drop(name);
          case 1 -> {
            truncate(name);
            put(name, "b");
          }
          case 2 -> {
            drop(name);
            create(name);
            put(name, "n");
          }
          default -> { }
        }
        if (rows.size() > KEPT) {
          drop(rows.firstKey());
        }
      }
    }

    /** The number of tables that exist but should not, or are missing, or have wrong rows. */
    long wrong() throws IOException {
      Set<TableName> there = new TreeSet<>(List.of(admin.listTableNames(Pattern.compile("made-.*"))));
      Set<TableName> all = new TreeSet<>(there);
      all.addAll(rows.keySet());
      long wrong = gone;
      for (TableName name : all) {
        Set<String> found = new TreeSet<>();
        if (there.contains(name)) {
          try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(FAMILY)) {
            scanner.forEach(result -> found.add(Bytes.toString(result.getRow())));
          }
        }
        if (there.contains(name) != rows.containsKey(name) || !found.equals(rows.get(name))) {
          System.out.printf("%s: there %b, rows %s; should be %s%n", name, there.contains(name), found, rows.get(name));
          ++wrong;
        }
      }
      return wrong;
    }
  }

  private static Configuration clientConfiguration(String zookeeperPort) {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", "127.0.0.1");
    conf.set("hbase.zookeeper.property.clientPort", zookeeperPort);
    conf.setInt("hbase.client.retries.number", 50);
    conf.setInt("hbase.client.operation.timeout", 60000);
    conf.setInt("hbase.rpc.timeout", 5000);
    conf.setInt("hbase.client.pause", 20);
    return conf;
  }

  public static void main(String[] args) throws Exception {
    int kills = Integer.parseInt(args[0]);
    List<String> command = new ArrayList<>(List.of(args).subList(3, args.length));
    command.addAll(List.of("--rpc-port", args[1], "--zk-port", args[2]));
    KillLoad load = new KillLoad(command);
    load.startServer();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> load.server.destroyForcibly()));
    long lost = 0;
    long miscounted = 0;
    long wrongTables = 0;
    try (Connection connection = ConnectionFactory.createConnection(clientConfiguration(args[2]))) {
      try (Admin admin = connection.getAdmin()) {
        admin.createTable(
            TableDescriptorBuilder.newBuilder(TABLE).setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build(),
            new byte[][] {Bytes.toBytes("02"), Bytes.toBytes("05")});
      }
      List<Writer> writers = new ArrayList<>();
      for (int i = 0; i < 8; ++i) {
        writers.add(load.new Writer(i, connection));
      }
      List<Counter> counters = new ArrayList<>();
      for (Way way : Way.values()) {
        counters.add(load.new Counter(way, connection));
      }
      writers.forEach(Thread::start);
      counters.forEach(Thread::start);
      Maker maker = load.new Maker(connection);
      maker.start();
      RandomGenerator random = RandomGenerator.getDefault();
      for (int i = 0; i < kills; ++i) {
        Thread.sleep(random.nextLong(100, 1500));
        load.server.destroyForcibly();
        load.server.waitFor(10, TimeUnit.SECONDS);
        load.startServer();
      }
      load.stopping.set(true);
      long acknowledged = 0;
      long retried = 0;
      long longest = 0;
      for (Writer writer : writers) {
        writer.join();
        acknowledged += writer.acknowledged.get();
        retried += writer.retried.get();
        longest = Math.max(longest, writer.longestNanos);
      }
      for (Writer writer : writers) {
        lost += writer.lost();
      }
      System.out.printf("kills %d, acknowledged writes %d, lost %d, calls that gave up %d, longest call %.1f s%n", kills,
          acknowledged, lost, retried, longest / 1e9);
      for (Counter counter : counters) {
        counter.join();
        long error = counter.error();
        miscounted += Math.abs(error);
        System.out.printf("%s: acknowledged %d, calls that gave up %d, lost %d, done twice %d%n", counter.way,
            counter.acknowledged, counter.unknown, Math.max(0, -error), Math.max(0, error));
      }
      maker.join();
      wrongTables = maker.wrong();
      System.out.printf("tables made, filled, flushed, truncated and dropped: acknowledged changes %d, calls that gave up %d, wrong tables %d%n",
          maker.changes, maker.repeated, wrongTables);
    }
    load.server.destroy();
    System.exit(lost == 0 && miscounted == 0 && wrongTables == 0 ? 0 : 1);
  }
}
