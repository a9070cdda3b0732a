import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;

/**
 * Compares an index of klip serve, under HBase's Java client, with a global index of Phoenix on HBase, under Phoenix's JDBC driver. Both
 * have the same rows: a key, F.CITY of CITIES values, F.NAME and F.AGE; and the same index on F.CITY that includes F.NAME. Prints for each
 * case the medians of ROUNDS alternating rounds, in units per second of wall time and in CPU time of the server, and their ratios.
 *
 * <pre>IndexBench ROWS ROUNDS SECONDS KLIP_ZOOKEEPER,PID HBASE_ZOOKEEPER,PID</pre>
 */
public final class IndexBench {
  private static final int BATCH = 1000;
  private static final int ROWS_OF_CITY = 100;
  private static final byte[] FAMILY = bytes("F");

  private IndexBench() {}

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String key(int row) {
    return String.format(Locale.ROOT, "user%08d", row);
  }

  private static String city(int number) {
    return String.format(Locale.ROOT, "city%05d", number);
  }

  private static String name(int row) {
    return "name of user number " + row;
  }

  /** A system with the table and the index. */
  private interface Target {
    void create() throws Exception;

    void putAll(int first, int count, int cities) throws Exception;

    void put(int row, String city) throws Exception;

    /** Reads rows by their city and returns how many. `covered`: only the columns that the index includes. */
    int readCity(String city, boolean covered) throws Exception;

    /** Returns how many rows have this age, which no index knows. */
    int scanAge(int age) throws Exception;
  }

  private static final class Klip implements Target {
    private final Connection connection;
    private final TableName name = TableName.valueOf("PEOPLE");
    private Table table;

    Klip(String zookeeper) throws Exception {
      Configuration conf = HBaseConfiguration.create();
      conf.set("hbase.zookeeper.quorum", zookeeper.split(":")[0]);
      conf.set("hbase.zookeeper.property.clientPort", zookeeper.split(":")[1]);
      connection = ConnectionFactory.createConnection(conf);
    }

    @Override public void create() throws Exception {
      connection.getAdmin().createTable(TableDescriptorBuilder.newBuilder(name)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
          .setValue("KLIP_INDEX$by_city", "F:CITY text INCLUDE F:CITY, F:NAME").build());
      table = connection.getTable(name);
    }

    private static Put putOf(int row, String city) {
      return new Put(bytes(key(row))).addColumn(FAMILY, bytes("CITY"), bytes(city))
          .addColumn(FAMILY, bytes("NAME"), bytes(name(row))).addColumn(FAMILY, bytes("AGE"), bytes(Integer.toString(row % 100)));
    }

    @Override public void putAll(int first, int count, int cities) throws Exception {
      List<Put> puts = new ArrayList<>();
      for (int row = first; row < first + count; ++row) {
        puts.add(putOf(row, city(row % cities)));
      }
      table.put(puts);
    }

    @Override public void put(int row, String city) throws Exception {
      table.put(putOf(row, city));
    }

    private int count(Scan scan) throws Exception {
      int rows = 0;
      try (ResultScanner found = table.getScanner(scan.setCaching(BATCH))) {
        for (Result row : found) {
          rows += row.isEmpty() ? 0 : 1;
        }
      }
      return rows;
    }

    private static SingleColumnValueFilter equal(String qualifier, String value) {
      SingleColumnValueFilter filter = new SingleColumnValueFilter(FAMILY, bytes(qualifier), CompareOperator.EQUAL, bytes(value));
      filter.setFilterIfMissing(true);
      return filter;
    }

    @Override public int readCity(String city, boolean covered) throws Exception {
      Scan scan = new Scan().setFilter(equal("CITY", city));
      return count(covered ? scan.addColumn(FAMILY, bytes("CITY")).addColumn(FAMILY, bytes("NAME")) : scan);
    }

    @Override public int scanAge(int age) throws Exception {
      return count(new Scan().setFilter(equal("AGE", Integer.toString(age))));
    }
  }

  private static final class Phoenix implements Target {
    private final java.sql.Connection connection;
    private PreparedStatement upsert;
    private PreparedStatement covered;
    private PreparedStatement fetched;
    private PreparedStatement scanned;

    Phoenix(String zookeeper) throws Exception {
      connection = DriverManager.getConnection("jdbc:phoenix:" + zookeeper);
    }

    @Override public void create() throws Exception {
      try (Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE PEOPLE (ID VARCHAR PRIMARY KEY, F.CITY VARCHAR, F.NAME VARCHAR, F.AGE VARCHAR)");
        statement.execute("CREATE INDEX BY_CITY ON PEOPLE (F.CITY) INCLUDE (F.NAME)");
      }
      upsert = connection.prepareStatement("UPSERT INTO PEOPLE VALUES (?, ?, ?, ?)");
      covered = connection.prepareStatement("SELECT ID, CITY, NAME FROM PEOPLE WHERE CITY = ?");
      fetched = connection.prepareStatement("SELECT /*+ INDEX(PEOPLE BY_CITY) */ ID, CITY, NAME, AGE FROM PEOPLE WHERE CITY = ?");
      scanned = connection.prepareStatement("SELECT ID, CITY, NAME, AGE FROM PEOPLE WHERE AGE = ?");
    }

    private void add(int row, String city) throws Exception {
      upsert.setString(1, key(row));
      upsert.setString(2, city);
      upsert.setString(3, name(row));
      upsert.setString(4, Integer.toString(row % 100));
      upsert.executeUpdate();
    }

    @Override public void putAll(int first, int count, int cities) throws Exception {
      for (int row = first; row < first + count; ++row) {
        add(row, city(row % cities));
      }
      connection.commit();
    }

    @Override public void put(int row, String city) throws Exception {
      add(row, city);
      connection.commit();
    }

    private static int count(PreparedStatement statement, String value) throws Exception {
      statement.setString(1, value);
      int rows = 0;
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          rows += found.getString(1).isEmpty() ? 0 : 1;
        }
      }
      return rows;
    }

    @Override public int readCity(String city, boolean onlyCovered) throws Exception {
      return count(onlyCovered ? covered : fetched, city);
    }

    @Override public int scanAge(int age) throws Exception {
      return count(scanned, Integer.toString(age));
    }
  }

  private interface Work {
    /** Returns how many units were done. */
    long run(Target target) throws Exception;
  }

  private record Rate(double perSecond, double serverUs) {}

  private static double cpu(String pid) throws Exception {
    String text = Files.readString(Path.of("/proc", pid, "stat"));
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
  }

  private static Rate measure(Target target, String pid, double seconds, Work work) throws Exception {
    double cpuBefore = cpu(pid);
    long begin = System.nanoTime();
    long units = 0;
    do {
      units += work.run(target);
    } while (System.nanoTime() - begin < seconds * 1e9);
    return new Rate(units * 1e9 / (System.nanoTime() - begin), (cpu(pid) - cpuBefore) * 1e6 / units);
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static void check(int found, int expected, String what) {
    if (found != expected) {
      throw new IllegalStateException(what + ": " + found + " rows instead of " + expected);
    }
  }

  public static void main(String[] args) throws Exception {
    int rows = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    double seconds = Double.parseDouble(args[2]);
    int cities = Math.max(rows / ROWS_OF_CITY, 1);
    String[] places = {args[3].split(",")[0], args[4].split(",")[0]};
    String[] pids = {args[3].split(",")[1], args[4].split(",")[1]};
    Target[] targets = {new Klip(places[0]), new Phoenix(places[1])};
    SplittableRandom random = new SplittableRandom(7);
    int[] next = {rows};
    String[] names = {"row of a batch of 1,000 new rows", "single new row", "single update of the city", "read of 100 rows, covered",
        "read of 100 rows, fetched", "scan without index, a row"};
    Work[] works = {
        target -> {
          target.putAll(next[0], BATCH, Integer.MAX_VALUE);
          next[0] += BATCH;
          return BATCH;
        },
        target -> {
          target.put(next[0]++, "new" + next[0]);
          return 1;
        },
        target -> {
          target.put(random.nextInt(rows), "moved" + random.nextInt());
          return 1;
        },
        target -> {
          check(target.readCity(city(random.nextInt(cities)), true), ROWS_OF_CITY, "covered");
          return 1;
        },
        target -> {
          check(target.readCity(city(random.nextInt(cities)), false), ROWS_OF_CITY, "fetched");
          return 1;
        },
        target -> {
          target.scanAge(random.nextInt(100));
          return rows;
        }};
    for (Target target : targets) {
      target.create();
      for (int row = 0; row < rows; row += BATCH) {
        target.putAll(row, BATCH, cities);
      }
    }
    System.out.printf(Locale.ROOT, "| what | klip, a second | Phoenix, a second | klip / Phoenix | server CPU each, us | less CPU by |%n");
    System.out.printf(Locale.ROOT, "|---|---|---|---|---|---|%n");
    // Reads before writes, so that both read the loaded rows.
    for (int which : new int[] {5, 3, 4, 0, 1, 2}) {
      List<List<Double>> rates = List.of(new ArrayList<>(), new ArrayList<>());
      List<List<Double>> cpus = List.of(new ArrayList<>(), new ArrayList<>());
      for (int round = -1; round < rounds; ++round) {  // the first one warms up
        for (int i = 0; i < 2; ++i) {
          Rate rate = measure(targets[i], pids[i], seconds, works[which]);
          if (round >= 0) {
            rates.get(i).add(rate.perSecond());
            cpus.get(i).add(rate.serverUs());
          }
        }
      }
      double[] rate = {median(rates.get(0)), median(rates.get(1))};
      double[] used = {median(cpus.get(0)), median(cpus.get(1))};
      System.out.printf(Locale.ROOT, "| %s | %,.0f | %,.0f | %.1f | %.1f / %.1f | %.1f × |%n", names[which], rate[0], rate[1],
          rate[0] / rate[1], used[0], used[1], used[1] / Math.max(used[0], 1e-3));
    }
    System.exit(0);
  }
}
