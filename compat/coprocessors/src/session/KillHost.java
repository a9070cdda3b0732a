package session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Repeatedly kills the host of klip's coprocessors while clients write a table whose observer adds a second row to the
 * commit of each put. No acknowledged row may be missing, and no row may exist without its second one, or vice versa.
 *
 * <pre>KillHost HOST:PORT JAR KLIP_PID KILLS</pre>
 */
public final class KillHost {
  private static final int THREADS = 4;
  private static final int PAUSE_MS = 15_000; // so many deaths within a minute klip takes
  private static final TableName NAME = TableName.valueOf("cop_killed");
  private static final byte[] F = Observers.FAMILY;

  private final Connection connection;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  private KillHost(Connection connection) {
    this.connection = connection;
  }

  /** Writes rows of its own. Returns how many of them, from the first one, were tried; `known` gets those acknowledged. */
  private void write(int thread, List<Integer> known) {
    try (Table table = connection.getTable(NAME)) {
      for (int i = 0; !stop.get(); i++) {
        try {
          table.put(new Put(row(thread, i)).addColumn(F, Bytes.toBytes("q"), Bytes.toBytes(i)));
          known.add(i);
          acknowledged.incrementAndGet();
        } catch (IOException e) {
          failed.incrementAndGet();
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] row(int thread, int i) {
    return Bytes.toBytes(String.format("twin-%d-%08d", thread, i));
  }

  private static boolean killHost(long klip) {
    List<ProcessHandle> children = ProcessHandle.of(klip).orElseThrow().children().toList();
    children.forEach(ProcessHandle::destroyForcibly);
    return !children.isEmpty();
  }

  private void check(List<List<Integer>> known) throws IOException {
    List<String> rows = new ArrayList<>();
    List<String> twins = new ArrayList<>();
    try (Table table = connection.getTable(NAME); ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) {
        String row = Bytes.toString(result.getRow());
        (row.startsWith("second-") ? twins : rows).add(row.replace("second-", ""));
      }
    }
    if (!rows.equals(twins)) {
      throw new IllegalStateException(rows.size() + " rows and " + twins.size() + " second rows differ");
    }
    for (int thread = 0; thread < THREADS; thread++) {
      for (int i : known.get(thread)) {
        if (java.util.Collections.binarySearch(rows, Bytes.toString(row(thread, i))) < 0) {
          throw new IllegalStateException("acknowledged and lost: " + Bytes.toString(row(thread, i)));
        }
      }
    }
    System.out.println(rows.size() + " rows, " + acknowledged + " acknowledged, " + failed + " puts failed");
  }

  public static void main(String[] args) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    int colon = args[0].lastIndexOf(':');
    configuration.set("hbase.zookeeper.quorum", args[0].substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", args[0].substring(colon + 1));
    configuration.setInt("hbase.client.retries.number", 0);
    int kills = Integer.parseInt(args[3]);
    try (Connection connection = ConnectionFactory.createConnection(configuration)) {
      connection.getAdmin().createTable(TableDescriptorBuilder.newBuilder(NAME)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).setCoprocessor(CoprocessorDescriptorBuilder
          .newBuilder("session.Observers$Editor").setJarPath(args[1]).build()).build());
      KillHost load = new KillHost(connection);
      List<Thread> threads = new ArrayList<>();
      List<List<Integer>> known = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        known.add(new ArrayList<>());
        threads.add(new Thread(() -> load.write(thread, known.get(thread))));
        threads.get(i).start();
      }
      Random random = new Random();
      for (int kill = 0; kill < kills;) {
        long before = load.acknowledged.get();
        Thread.sleep(kill % 4 == 3 ? PAUSE_MS : 500 + random.nextInt(1500));
        if (load.acknowledged.get() == before) {
          continue; // it is not back yet
        }
        kill += killHost(Long.parseLong(args[2])) ? 1 : 0;
      }
      long before = load.acknowledged.get();
      for (int tries = 0; load.acknowledged.get() == before; tries++) {
        if (tries == 60) {
          throw new IllegalStateException("no put has succeeded for a minute");
        }
        Thread.sleep(1000);
      }
      load.stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      load.check(known);
    }
  }
}
