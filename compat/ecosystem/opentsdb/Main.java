import com.stumbleupon.async.Deferred;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.opentsdb.core.Aggregators;
import net.opentsdb.core.DataPoint;
import net.opentsdb.core.DataPoints;
import net.opentsdb.core.Query;
import net.opentsdb.core.TSDB;
import net.opentsdb.uid.UniqueId;
import net.opentsdb.utils.Config;

/** Points of three hosts into OpenTSDB, and queries. Arguments: ZooKeeper's address; whether points are appended to one cell a row. */
public final class Main {
  private static final long START = 1_400_000_400;

  public static void main(String[] arguments) {
    try {
      run(arguments);
      System.exit(0);
    } catch (Throwable e) {  // other threads would keep the program alive
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(String[] arguments) throws Exception {
    Config config = new Config(false);
    config.overrideConfig("tsd.storage.hbase.zk_quorum", arguments[0]);
    config.overrideConfig("tsd.core.auto_create_metrics", "true");
    config.overrideConfig("tsd.storage.enable_appends", arguments[1]);
    config.overrideConfig("tsd.core.meta.enable_tsuid_tracking", "true");
    TSDB tsdb = new TSDB(config);
    tsdb.checkNecessaryTablesExist().join();
    String metric = "cpu." + (arguments[1].equals("true") ? "appended" : "put");
    List<Deferred<Object>> written = new ArrayList<>();
    for (int i = 0; i < 900; ++i) {
      Map<String, String> tags = new HashMap<>();
      tags.put("host", "h" + i % 3);
      tags.put("rack", "r" + i % 2);
      if (i % 5 == 0) {
        written.add(tsdb.addPoint(metric, START + i * 20L, i / 4.0, tags));
      } else {
        written.add(tsdb.addPoint(metric, START + i * 20L, i, tags));
      }
    }
    tsdb.flush().join();
    Deferred.group(written).join();
    print(tsdb, metric + " sum", metric, new HashMap<>(), null);
    print(tsdb, metric + " of h1", metric, Collections.singletonMap("host", "h1"), null);
    print(tsdb, metric + " by host", metric, Collections.singletonMap("host", "*"), "1h");
    print(tsdb, metric + " of h0|h2", metric, Collections.singletonMap("host", "h0|h2"), "10m");
    System.out.println("metrics " + tsdb.suggestMetrics("cpu") + " tags " + tsdb.suggestTagNames("") + " values " + tsdb.suggestTagValues("h"));
    System.out.println("uid " + UniqueId.uidToString(tsdb.getUID(net.opentsdb.uid.UniqueId.UniqueIdType.METRIC, metric)));
    tsdb.shutdown().join();
  }

  private static void print(TSDB tsdb, String what, String metric, Map<String, String> tags, String downsample) throws Exception {
    Query query = tsdb.newQuery();
    query.setStartTime(START);
    query.setEndTime(START + 20_000);
    query.setTimeSeries(metric, new HashMap<>(tags), Aggregators.SUM, false);
    if (downsample != null) {
      query.downsample(net.opentsdb.utils.DateTime.parseDuration(downsample), Aggregators.AVG);
    }
    List<String> lines = new ArrayList<>();
    for (DataPoints points : query.run()) {
      double sum = 0;
      long first = 0;
      int count = 0;
      for (DataPoint point : points) {
        first = count == 0 ? point.timestamp() : first;
        ++count;
        sum += point.toDouble();
      }
      lines.add("  " + points.metricName() + new java.util.TreeMap<>(points.getTags()) + ": " + count + " points from " + first + ", sum " + sum);
    }
    Collections.sort(lines);
    System.out.println(what + ":");
    lines.forEach(System.out::println);
  }
}
