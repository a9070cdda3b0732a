package session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Measures the cost of an empty observer: sequential puts, puts by 8 threads, and batches, on a table with and one
 * without it, alternating.
 *
 * <pre>Rates HOST:PORT JAR</pre>
 */
public final class Rates {
  private static final int ROUNDS = 5;
  private static final int SINGLE = 3000;
  private static final int THREADS = 8;
  private static final int BATCHED = 40_000;
  private final byte[] value = new byte[100];
  private final Connection connection;
  private int next;

  private Rates(Connection connection) {
    this.connection = connection;
  }

  private synchronized Put put() {
    return new Put(Bytes.toBytes(next++)).addColumn(Observers.FAMILY, Bytes.toBytes("q"), value);
  }

  private double single(Table table, int count) throws IOException {
    long[] took = new long[count];
    for (int i = 0; i < count; i++) {
      Put put = put();
      long start = System.nanoTime();
      table.put(put);
      took[i] = System.nanoTime() - start;
    }
    Arrays.sort(took);
    return took[count / 2] / 1e3;
  }

  private double threads(Table table) throws Exception {
    List<Thread> threads = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < THREADS; i++) {
      threads.add(new Thread(() -> {
        try {
          single(table, SINGLE);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      }));
      threads.get(i).start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return THREADS * SINGLE / ((System.nanoTime() - start) / 1e9);
  }

  private double batches(Table table, int size) throws IOException {
    long start = System.nanoTime();
    for (int done = 0; done < BATCHED; done += size) {
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        puts.add(put());
      }
      table.put(puts);
    }
    return (System.nanoTime() - start) / 1e3 / BATCHED;
  }

  private static double median(List<double[]> rounds, int column) {
    return rounds.stream().mapToDouble(round -> round[column]).sorted().toArray()[rounds.size() / 2];
  }

  public static void main(String[] args) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    int colon = args[0].lastIndexOf(':');
    configuration.set("hbase.zookeeper.quorum", args[0].substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", args[0].substring(colon + 1));
    try (Connection connection = ConnectionFactory.createConnection(configuration); Admin admin = connection.getAdmin()) {
      Rates rates = new Rates(connection);
      List<List<double[]>> results = List.of(new ArrayList<>(), new ArrayList<>());
      List<Table> tables = new ArrayList<>();
      for (String name : new String[] { "cop_plain", "cop_noop" }) {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Observers.FAMILY));
        if (name.equals("cop_noop")) {
          builder.setCoprocessor(
            CoprocessorDescriptorBuilder.newBuilder("session.Observers$Noop").setJarPath(args[1]).build());
        }
        if (!admin.tableExists(TableName.valueOf(name))) {
          admin.createTable(builder.build());
        }
        tables.add(connection.getTable(TableName.valueOf(name)));
      }
      for (int round = -1; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
          Table table = tables.get(i);
          double[] one = { rates.single(table, SINGLE), rates.threads(table), rates.batches(table, 100),
            rates.batches(table, 1000) };
          if (round >= 0) { // the first one warms up
            results.get(i).add(one);
          }
        }
      }
      String[] what = { "p50 of a put, us", "puts/s of 8 threads", "us a put of 100", "us a put of 1000" };
      for (int column = 0; column < what.length; column++) {
        double plain = median(results.get(0), column);
        double noop = median(results.get(1), column);
        System.out.printf("%-20s  without %10.2f  with %10.2f  ratio %.2f%n", what[column], plain, noop, noop / plain);
      }
    }
  }
}
