package session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
 * Clients write a table with two observers while the host of klip's coprocessors, or klip itself, is killed repeatedly. One
 * observer adds a second row to the commit of each put: no row may exist without its second one, or vice versa. The other
 * writes an index table in postPut: no index row may exist without its row, and every acknowledged row has one. No
 * acknowledged row may be missing.
 *
 * <pre>
 * KillHost HOST:PORT JAR KLIP_PID KILLS    kills the host so many times
 * KillHost HOST:PORT JAR FILE              writes until somebody creates FILE; the caller kills klip. Prints how many rows were acknowledged so far
 * </pre>
 */
public final class KillHost {
  private static final int THREADS = 4;
  private static final int PAUSE_MS = 60_000; // after four deaths: klip does not restart a host that has died five times within a minute
  private static final TableName NAME = TableName.valueOf("cop_killed");
  private static final TableName INDEX = TableName.valueOf("cop_killed_index");
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
          table.put(new Put(row(thread, i)).addColumn(F, Bytes.toBytes("q"), Bytes.toBytes(i))
            .addColumn(F, Bytes.toBytes("city"), Bytes.toBytes("x")));
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
    Set<String> indexed = new HashSet<>();
    try (Table table = connection.getTable(INDEX); ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) {
        indexed.add(Bytes.toString(result.getRow()).replace("x/", ""));
      }
    }
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
        String row = Bytes.toString(row(thread, i));
        if (Collections.binarySearch(rows, row) < 0 || !indexed.contains(row)) {
          throw new IllegalStateException("acknowledged, but the row or its index row is lost: " + row);
        }
      }
    }
    int indexRows = indexed.size();
    rows.forEach(indexed::remove); // removeAll would search the list for each
    if (!indexed.isEmpty()) {
      throw new IllegalStateException(indexed.size() + " index rows without a row, such as " + indexed.iterator().next());
    }
    System.out.println(rows.size() + " rows, " + indexRows + " index rows, " + acknowledged + " acknowledged, " + failed + " puts failed");
  }

  private void createTables(String jar) throws IOException {
    connection.getAdmin().createTable(TableDescriptorBuilder.newBuilder(INDEX)
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build());
    connection.getAdmin().createTable(TableDescriptorBuilder.newBuilder(NAME)
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
      .setCoprocessor(CoprocessorDescriptorBuilder.newBuilder("session.Observers$Editor").setJarPath(jar).build())
      .setCoprocessor(CoprocessorDescriptorBuilder.newBuilder("session.Observers$Indexer").setJarPath(jar)
        .setProperty("index", INDEX.getNameAsString()).build())
      .build());
  }

  private void killHosts(long klip, int kills) throws InterruptedException {
    Random random = new Random();
    for (int kill = 0; kill < kills;) {
      long before = acknowledged.get();
      Thread.sleep(kill > 0 && kill % 4 == 0 ? PAUSE_MS : 500 + random.nextInt(1500));
      if (acknowledged.get() == before) {
        continue; // it is not back yet
      }
      kill += killHost(klip) ? 1 : 0;
    }
  }

  private void awaitPut() throws InterruptedException {
    long before = acknowledged.get();
    for (int tries = 0; acknowledged.get() == before; tries++) {
      if (tries == 60) {
        throw new IllegalStateException("no put has succeeded for a minute");
      }
      Thread.sleep(1000);
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    int colon = args[0].lastIndexOf(':');
    configuration.set("hbase.zookeeper.quorum", args[0].substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", args[0].substring(colon + 1));
    configuration.setInt("hbase.client.retries.number", 0);
    try (Connection connection = ConnectionFactory.createConnection(configuration)) {
      KillHost load = new KillHost(connection);
      load.createTables(args[1]);
      System.out.println("writing");
      List<Thread> threads = new ArrayList<>();
      List<List<Integer>> known = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        known.add(new ArrayList<>());
        threads.add(new Thread(() -> load.write(thread, known.get(thread))));
        threads.get(i).start();
      }
      if (args.length > 3) {
        load.killHosts(Long.parseLong(args[2]), Integer.parseInt(args[3]));
      } else {
        while (!Files.exists(Path.of(args[2]))) {
          System.out.println(load.acknowledged);
          Thread.sleep(200);
        }
      }
      load.awaitPut();
      load.stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      load.check(known);
    }
  }
}
