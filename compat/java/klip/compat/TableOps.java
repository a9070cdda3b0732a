package klip.compat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.util.Bytes;

/** The ops on a table of tests/ops/op_language.h, by HBase's own client. */
final class TableOps {
  private static final Set<String> NAMES =
      Set.of(
          "put", "delete-row", "delete-family", "delete-family-version", "delete-column", "delete-version", "increment",
          "append", "mutate", "batch", "check", "get", "exists", "multi-get", "scan", "rows", "count", "first", "last",
          "prepend", "distinct");

  private TableOps() {}

  static boolean has(String name) {
    return NAMES.contains(name);
  }

  static String run(Table table, List<String> tokens) throws Exception {
    String name = tokens.get(0);
    List<String> rest = tokens.subList(1, tokens.size());
    switch (name) {
      case "get":
        return get(table, rest);
      case "exists":
        return table.exists(parseGet(rest)) ? "true\n" : "false\n";
      case "multi-get":
        return multiGet(table, rest);
      case "scan":
      case "rows":
      case "count":
        return scan(table, name, parseScan(rest));
      case "first":
        return edge(table, new Scan().setLimit(1));
      case "last":
        return edge(table, new Scan().setLimit(1).setReversed(true));
      case "batch":
        return batch(table, rest);
      case "check":
        return written(table.checkAndMutate(parseCheck(rest)), "true\n", "false\n");
      case "mutate":
        Result result = table.mutateRow(parseRowMutations(rest.get(0), rest.subList(1, rest.size())));
        return result.isEmpty() ? "" : Answers.format(result);
      case "prepend":
      case "distinct":
        throw new UnknownWord("op " + name);
      default:
        return mutation(table, parseMutation(tokens));
    }
  }

  private static String mutation(Table table, Mutation mutation) throws IOException {
    if (mutation instanceof Put) {
      table.put((Put) mutation);
      return "";
    }
    if (mutation instanceof Delete) {
      table.delete((Delete) mutation);
      return "";
    }
    return Answers.format(
        mutation instanceof Increment ? table.increment((Increment) mutation) : table.append((Append) mutation));
  }

  private static String written(CheckAndMutateResult outcome, String met, String unmet) {
    String result =
        outcome.getResult() == null || outcome.getResult().isEmpty() ? "" : Answers.format(outcome.getResult());
    return (outcome.isSuccess() ? met : unmet) + result;
  }

  private static String get(Table table, List<String> tokens) throws Exception {
    Get get = parseGet(tokens);
    Result result = table.get(get);
    if (get.isCheckExistenceOnly()) {
      return (Boolean.TRUE.equals(result.getExists()) ? "exists " : "absent ") + result.size() + " cells\n";
    }
    return Answers.format(result);
  }

  private static String multiGet(Table table, List<String> tokens) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (String row : tokens) {
      gets.add(new Get(Words.bytes(row)));
    }
    StringBuilder out = new StringBuilder();
    for (Result result : table.get(gets)) {
      out.append(Answers.format(result));
    }
    return out.toString();
  }

  private static String edge(Table table, Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(scan)) {
      Result result = scanner.next();
      return result == null ? "(empty)\n" : Answers.format(result);
    }
  }

  private static String scan(Table table, String name, Scan scan) throws IOException {
    StringBuilder out = new StringBuilder();
    int rows = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        ++rows;
        if (name.equals("scan")) {
          out.append(Answers.format(result));
        } else if (name.equals("rows")) {
          out.append(Bytes.toStringBinary(result.getRow())).append('\n');
        }
      }
    }
    if (name.equals("count")) {
      return rows + "\n";
    }
    return rows == 0 ? "(empty)\n" : out.toString();
  }

  private static String batch(Table table, List<String> tokens) throws Exception {
    List<Row> actions = new ArrayList<>();
    for (List<String> op : Words.ops(tokens)) {
      List<String> rest = op.subList(1, op.size());
      actions.add(
          op.get(0).equals("get") ? parseGet(rest) : op.get(0).equals("check") ? parseCheck(rest) : parseMutation(op));
    }
    Object[] results = new Object[actions.size()];
    try {
      table.batch(actions, results);
    } catch (RetriesExhaustedWithDetailsException e) {
      // The results contain the errors.
    }
    StringBuilder out = new StringBuilder();
    for (Object result : results) {
      if (result instanceof Throwable) {
        out.append(Answers.error((Throwable) result));
      } else if (result instanceof CheckAndMutateResult) {
        CheckAndMutateResult outcome = (CheckAndMutateResult) result;
        boolean cells = outcome.getResult() != null && !outcome.getResult().isEmpty();
        out.append(written(outcome, cells ? "" : "true\n", "(empty)\n"));
      } else {
        out.append(Answers.format((Result) result));
      }
    }
    return out.toString();
  }

  static Mutation parseMutation(List<String> tokens) throws IOException {
    String name = tokens.get(0);
    Words words = new Words(tokens.subList(1, tokens.size()));
    byte[] row = Words.bytes(words.words.get(0));
    List<Words.Column> columns = new ArrayList<>();
    for (String word : words.words.subList(1, words.words.size())) {
      columns.add(new Words.Column(word));
    }
    Mutation mutation = name.startsWith("delete-") ? delete(name, row, words, columns) : write(name, row, words, columns);
    if (words.number("ttl", 0) != 0) {
      mutation.setTTL(words.number("ttl", 0));
    }
    String durability = words.text("durability");
    if (!durability.isEmpty() && !durability.equals("default")) {
      mutation.setDurability(Durability.valueOf(durability.toUpperCase() + "_WAL"));
    }
    return mutation;
  }

  private static Mutation write(String name, byte[] row, Words words, List<Words.Column> columns) throws IOException {
    switch (name) {
      case "put":
        Put put = words.has("ts") ? new Put(row, words.number("ts", 0)) : new Put(row);
        for (Words.Column column : columns) {
          boolean own = column.timestamp != Long.MAX_VALUE;
          long timestamp = own ? column.timestamp : put.getTimestamp();
          put.addColumn(column.family, column.qualifierOrEmpty(), timestamp, column.valueOrEmpty());
        }
        return put;
      case "increment":
        Increment increment = new Increment(row);
        for (Words.Column column : columns) {
          long amount = column.value == null ? 1 : Long.parseLong(Bytes.toString(column.value));
          increment.addColumn(column.family, column.qualifierOrEmpty(), amount);
        }
        if (words.has("time")) {
          TimeRange range = Words.timeRange(words.text("time"));
          increment.setTimeRange(range.getMin(), range.getMax());
        }
        return increment.setReturnResults(!words.has("no-results"));
      case "append":
        Append append = new Append(row);
        for (Words.Column column : columns) {
          append.addColumn(column.family, column.qualifierOrEmpty(), column.valueOrEmpty());
        }
        if (words.has("time")) {
          TimeRange range = Words.timeRange(words.text("time"));
          append.setTimeRange(range.getMin(), range.getMax());
        }
        return append.setReturnResults(!words.has("no-results"));
      default:
        throw new UnknownWord("op " + name);
    }
  }

  private static Delete delete(String kind, byte[] row, Words words, List<Words.Column> columns) {
    Delete delete = words.has("ts") ? new Delete(row, words.number("ts", 0)) : new Delete(row);
    for (Words.Column column : columns) {
      long timestamp = column.timestamp == Long.MAX_VALUE ? delete.getTimestamp() : column.timestamp;
      switch (kind) {
        case "delete-family":
          delete.addFamily(column.family, timestamp);
          break;
        case "delete-family-version":
          delete.addFamilyVersion(column.family, timestamp);
          break;
        case "delete-column":
          delete.addColumns(column.family, column.qualifierOrEmpty(), timestamp);
          break;
        case "delete-version":
          delete.addColumn(column.family, column.qualifierOrEmpty(), timestamp);
          break;
        default:
          throw new UnknownWord("op " + kind);
      }
    }
    return delete;
  }

  private static RowMutations parseRowMutations(String row, List<String> tokens) throws IOException {
    List<Mutation> mutations = new ArrayList<>();
    for (List<String> op : Words.ops(tokens)) {
      mutations.add(parseMutation(op));
    }
    return new RowMutations(Words.bytes(row)).add(mutations);
  }

  private static CheckAndMutate parseCheck(List<String> tokens) throws Exception {
    int then = tokens.indexOf("then");
    Words condition = new Words(tokens.subList(1, then));
    CheckAndMutate.Builder builder = CheckAndMutate.newBuilder(Words.bytes(tokens.get(0)));
    if (condition.has("time")) {
      builder.timeRange(Words.timeRange(condition.text("time")));
    }
    if (condition.has("filter")) {
      builder.ifMatches(FilterText.parse(condition.text("filter")));
    } else if (!condition.words.isEmpty()) {
      Words.Column column = new Words.Column(condition.words.get(0));
      String operator = condition.words.size() < 2 ? "absent" : condition.words.get(1);
      if (operator.equals("absent")) {
        builder.ifNotExists(column.family, column.qualifierOrEmpty());
      } else {
        byte[] value = Words.bytes(condition.words.size() > 2 ? condition.words.get(2) : "");
        builder.ifMatches(column.family, column.qualifierOrEmpty(), FilterText.operator(operator), value);
      }
    }
    List<String> action = tokens.subList(then + 1, tokens.size());
    if (action.contains(";")) {
      return builder.build(parseRowMutations(tokens.get(0), action));
    }
    Mutation mutation = parseMutation(action);
    if (mutation instanceof Put) {
      return builder.build((Put) mutation);
    }
    if (mutation instanceof Delete) {
      return builder.build((Delete) mutation);
    }
    return mutation instanceof Increment ? builder.build((Increment) mutation) : builder.build((Append) mutation);
  }

  private static Get parseGet(List<String> tokens) throws Exception {
    Words words = new Words(tokens);
    Get get = new Get(Words.bytes(words.words.get(0)));
    for (String word : words.words.subList(1, words.words.size())) {
      Words.Column column = new Words.Column(word);
      if (column.qualifier == null) {
        get.addFamily(column.family);
      } else {
        get.addColumn(column.family, column.qualifier);
      }
    }
    for (Map.Entry<String, String> option : words.options.entrySet()) {
      if (option.getKey().startsWith("time")) {
        TimeRange range = Words.timeRange(option.getValue());
        if (option.getKey().equals("time")) {
          get.setTimeRange(range.getMin(), range.getMax());
        } else {
          get.setColumnFamilyTimeRange(
              Bytes.toBytes(option.getKey().substring(5)), range.getMin(), range.getMax());
        }
      }
    }
    if (words.text("versions").equals("all")) {
      get.readAllVersions();
    } else {
      get.readVersions((int) words.number("versions", 1));
    }
    if (words.has("filter")) {
      get.setFilter(FilterText.parse(words.text("filter")));
    }
    get.setMaxResultsPerColumnFamily((int) words.number("per-family", -1));
    get.setRowOffsetPerColumnFamily((int) words.number("offset", 0));
    get.setCacheBlocks(!words.has("no-cache"));
    get.setCheckExistenceOnly(words.has("existence"));
    return get;
  }

  private static Scan parseScan(List<String> tokens) throws Exception {
    Words words = new Words(tokens);
    if (words.has("where")) {
      throw new UnknownWord("option where");
    }
    Scan scan = new Scan();
    if (words.has("prefix")) {
      scan.setStartStopRowForPrefixScan(Words.bytes(words.text("prefix")));
    }
    if (words.has("start") || words.has("start-after")) {
      scan.withStartRow(Words.bytes(words.text("start") + words.text("start-after")), words.has("start"));
    }
    if (words.has("stop") || words.has("stop-at")) {
      scan.withStopRow(Words.bytes(words.text("stop") + words.text("stop-at")), words.has("stop-at"));
    }
    for (String word : words.words) {
      Words.Column column = new Words.Column(word);
      if (column.qualifier == null) {
        scan.addFamily(column.family);
      } else {
        scan.addColumn(column.family, column.qualifier);
      }
    }
    for (Map.Entry<String, String> option : words.options.entrySet()) {
      if (option.getKey().startsWith("time")) {
        TimeRange range = Words.timeRange(option.getValue());
        if (option.getKey().equals("time")) {
          scan.setTimeRange(range.getMin(), range.getMax());
        } else {
          scan.setColumnFamilyTimeRange(
              Bytes.toBytes(option.getKey().substring(5)), range.getMin(), range.getMax());
        }
      }
    }
    if (words.text("versions").equals("all")) {
      scan.readAllVersions();
    } else {
      scan.readVersions((int) words.number("versions", 1));
    }
    if (words.has("filter")) {
      scan.setFilter(FilterText.parse(words.text("filter")));
    }
    scan.setMaxResultsPerColumnFamily((int) words.number("per-family", -1));
    scan.setRowOffsetPerColumnFamily((int) words.number("offset", 0));
    scan.setCacheBlocks(!words.has("no-cache"));
    scan.setReversed(words.has("reversed"));
    scan.setRaw(words.has("raw"));
    if (words.number("limit", 0) > 0) { // with 0 the client ends the scan after one region
      scan.setLimit((int) words.number("limit", 0));
    }
    if (words.has("batch")) {
      scan.setBatch((int) words.number("batch", 0));
    }
    if (words.has("partial")) {
      scan.setAllowPartialResults(true);
      scan.setMaxResultSize(words.number("partial", 0));
    }
    return scan;
  }
}
