package klip.compat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;

/** Empty tables by their settings. Creating one takes about a second, so sessions return them. */
final class TablePool {
  private final Cluster cluster;
  private final Map<String, Deque<TableName>> idle = new HashMap<>();
  private final AtomicInteger made = new AtomicInteger();

  TablePool(Cluster cluster) {
    this.cluster = cluster;
  }

  /** `words` are what stands behind the name in "create NAME ...". */
  TableName take(Admin admin, List<String> words) throws IOException {
    synchronized (this) {
      Deque<TableName> tables = idle.get(String.join(" ", words));
      if (tables != null && !tables.isEmpty()) {
        return tables.pop();
      }
    }
    TableName name = TableName.valueOf("pool" + made.incrementAndGet());
    admin.createTable(Descriptors.table(name, words), Descriptors.splits(words));
    return name;
  }

  void giveBack(TableName name, List<String> words) throws IOException {
    Wipe.empty(cluster.regions(name));
    synchronized (this) {
      idle.computeIfAbsent(String.join(" ", words), key -> new ArrayDeque<>()).push(name);
    }
  }
}
