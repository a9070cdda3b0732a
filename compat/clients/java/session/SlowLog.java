package session;

import static session.Report.attempt;
import static session.Report.bytes;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OnlineLogRecord;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ServerType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Calls that region servers record: those with large answers, since the duration of a call is not deterministic. */
final class SlowLog {
  private static final TableName NAME = TableName.valueOf("java_slow");
  private static final byte[] F = bytes("f");

  private final Connection connection;

  SlowLog(Connection connection) {
    this.connection = connection;
  }

  private static String text(OnlineLogRecord call) {
    String param = call.getParam();
    boolean known = call.getStartTime() > 0 && call.getProcessingTime() >= 0 && call.getQueueTime() >= 0
        && !call.getClientAddress().isEmpty() && !call.getUserName().isEmpty();
    return call.getMethodName() + " " + call.getCallDetails() + " " + call.getServerClass() + " "
        + (call.getResponseSize() > 100000) + " " + call.getRegionName().startsWith("java_slow,,") + " "
        + param.replaceAll("java_slow,,[0-9]+\\.[0-9a-f]+\\.", "REGION") + " gets " + call.getMultiGetsCount()
        + " " + known;
  }

  private static String text(Admin admin, int limit, Map<String, Object> filter) throws Exception {
    return admin.getLogEntries(new HashSet<>(admin.getRegionServers()), "LARGE_LOG", ServerType.REGION_SERVER, limit, filter)
        .stream().map(entry -> text((OnlineLogRecord) entry)).collect(Collectors.joining("\n  "));
  }

  void run() throws Exception {
    System.out.println("== slow log");
    try (Admin admin = connection.getAdmin(); Table table = connection.getTable(NAME)) {
      admin.createTable(TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build());
      table.put(new Put(bytes("r")).addColumn(F, bytes("q"), new byte[200000]));
      attempt("clear", () -> admin.clearSlowLogResponses(new HashSet<>(admin.getRegionServers())));
      table.get(new Get(bytes("r")));
      table.get(List.of(new Get(bytes("r")), new Get(bytes("r"))));
      Map<String, Object> ofTable = Collections.singletonMap("tableName", "java_slow");
      attempt("large", () -> text(admin, 10, ofTable));
      attempt("the last", () -> text(admin, 1, ofTable));
      attempt("of another table or nobody", () -> text(admin, 10, Map.of("tableName", "java_other", "userName", "nobody")));
      attempt("of both", () -> text(admin, 10, Map.of("tableName", "java_slow", "userName", "nobody", "filterByOperator", "AND")));
      attempt("clear", () -> admin.clearSlowLogResponses(new HashSet<>(admin.getRegionServers())));
      attempt("none", () -> text(admin, 10, ofTable));
    }
  }
}
