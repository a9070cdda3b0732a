import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Measures memory under concurrent writers of small and large batches, and readers of random rows and ranges. */
public final class MemoryLoad {
  private static final TableName TABLE = TableName.valueOf("memory");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 200_000;
  private static final AtomicLong WRITTEN = new AtomicLong();
  private static final AtomicLong READ = new AtomicLong();
  private static volatile boolean done;

  private interface Work {
    void run(Table table, SplittableRandom random) throws IOException;
  }

  public static void main(String[] args) throws Exception {
    long limit = Long.parseLong(args[2]) << 20;
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", args[0]);
    try (Connection connection = ConnectionFactory.createConnection(configuration); Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TABLE).setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; ++i) {
        threads.add(start(connection, i, MemoryLoad::writeBatch));
        threads.add(start(connection, 10 + i, MemoryLoad::writeLarge));
        threads.add(start(connection, 20 + i, MemoryLoad::readRows));
        threads.add(start(connection, 30 + i, MemoryLoad::readRange));
      }
      long most = 0;
      long end = System.nanoTime() + Long.parseLong(args[3]) * 1_000_000_000L;
      while (System.nanoTime() < end) {
        most = Math.max(most, resident(args[1]));
        Thread.sleep(100);
      }
      done = true;
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.printf("memory: limit %d MB, most %d MB (%.0f %%), after %d MB written and %d MB read%n", limit >> 20, most >> 20,
          100.0 * most / limit, WRITTEN.get() >> 20, READ.get() >> 20);
      System.exit(most <= limit + limit / 10 && READ.get() > 0 ? 0 : 1);
    }
  }

  private static Thread start(Connection connection, int seed, Work work) {
    Thread thread = new Thread(() -> {
      SplittableRandom random = new SplittableRandom(seed);
      try (Table table = connection.getTable(TABLE)) {
        while (!done) {
          work.run(table, random);
        }
      } catch (IOException e) {
        System.err.println("memory: " + e);
        System.exit(1);
      }
    });
    thread.start();
    return thread;
  }

  private static byte[] row(SplittableRandom random) {
    return Bytes.toBytes(String.format("r%07d", random.nextInt(ROWS)));
  }

  private static Put put(SplittableRandom random, int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    WRITTEN.addAndGet(bytes);
    return new Put(row(random)).addColumn(FAMILY, QUALIFIER, value);
  }

  private static void writeBatch(Table table, SplittableRandom random) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 500; ++i) {
      puts.add(put(random, 200 + random.nextInt(2000)));
    }
    table.put(puts);
  }

  private static void writeLarge(Table table, SplittableRandom random) throws IOException {
    table.put(put(random, 1 << (10 + random.nextInt(13))));
  }

  private static void readRows(Table table, SplittableRandom random) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < 100; ++i) {
      gets.add(new Get(row(random)));
    }
    for (Result result : table.get(gets)) {
      READ.addAndGet(result.isEmpty() ? 0 : result.value().length);
    }
  }

  private static void readRange(Table table, SplittableRandom random) throws IOException {
    try (ResultScanner rows = table.getScanner(new Scan().withStartRow(row(random)).setLimit(2000))) {
      for (Result result : rows) {
        READ.addAndGet(result.value().length);
      }
    }
  }

  private static long resident(String process) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", process, "status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
      }
    }
    return 0;
  }
}
