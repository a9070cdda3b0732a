package klip.compat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.util.Bytes;

/** The words of an op line (tests/ops/op_language.h): operands, and option=value pairs. */
final class Words {
  private static final Set<String> OPTIONS =
      Set.of(
          "ts", "ttl", "durability", "time", "versions", "per-family", "offset", "filter", "start", "stop", "limit",
          "start-after", "stop-at", "prefix", "batch", "partial", "where", "threads", "last", "reversed", "raw", "count",
          "no-results", "existence", "no-cache", "force");

  final List<String> words = new ArrayList<>();
  final Map<String, String> options = new HashMap<>();

  Words(List<String> tokens) {
    for (String token : tokens) {
      int equals = token.indexOf('=');
      String name = equals < 0 ? token : token.substring(0, equals);
      if (OPTIONS.contains(name) || name.startsWith("time:")) {
        options.put(name, equals < 0 ? "" : token.substring(equals + 1));
      } else {
        words.add(token);
      }
    }
  }

  boolean has(String name) {
    return options.containsKey(name);
  }

  String text(String name) {
    return options.getOrDefault(name, "");
  }

  long number(String name, long otherwise) {
    return has(name) ? Long.parseLong(text(name)) : otherwise;
  }

  /** Cut at blanks, with "..." taken off. */
  static List<String> split(String line) {
    List<String> tokens = new ArrayList<>();
    StringBuilder token = null;
    boolean quoted = false;
    for (char c : line.toCharArray()) {
      if (c == ' ' && !quoted) {
        if (token != null) {
          tokens.add(token.toString());
        }
        token = null;
        continue;
      }
      token = token == null ? new StringBuilder() : token;
      if (c == '"') {
        quoted = !quoted;
      } else {
        token.append(c);
      }
    }
    if (token != null) {
      tokens.add(token.toString());
    }
    return tokens;
  }

  /** Ops between ";" words. */
  static List<List<String>> ops(List<String> tokens) {
    List<List<String>> ops = new ArrayList<>();
    ops.add(new ArrayList<>());
    for (String token : tokens) {
      if (token.equals(";")) {
        ops.add(new ArrayList<>());
      } else {
        ops.get(ops.size() - 1).add(token);
      }
    }
    return ops;
  }

  static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  static TimeRange timeRange(String text) throws IOException {
    int dots = text.indexOf("..");
    if (dots < 0) {
      return TimeRange.at(Long.parseLong(text));
    }
    String low = text.substring(0, dots);
    String high = text.substring(dots + 2);
    return TimeRange.between(
        low.isEmpty() ? 0 : Long.parseLong(low), high.isEmpty() ? Long.MAX_VALUE : Long.parseLong(high));
  }

  /** "f", "f:q", "f:q@5", "f:q@5=value". */
  static final class Column {
    final byte[] family;
    final byte[] qualifier; // null: the whole family
    final byte[] value; // null: none given
    final long timestamp;

    Column(String word) {
      int equals = word.indexOf('=');
      value = equals < 0 ? null : bytes(word.substring(equals + 1));
      word = equals < 0 ? word : word.substring(0, equals);
      int at = word.lastIndexOf('@');
      timestamp = at < 0 ? HConstants.LATEST_TIMESTAMP : Long.parseLong(word.substring(at + 1));
      word = at < 0 ? word : word.substring(0, at);
      int colon = word.indexOf(':');
      family = bytes(colon < 0 ? word : word.substring(0, colon));
      qualifier = colon < 0 ? null : bytes(word.substring(colon + 1));
    }

    byte[] qualifierOrEmpty() {
      return qualifier == null ? HConstants.EMPTY_BYTE_ARRAY : qualifier;
    }

    byte[] valueOrEmpty() {
      return value == null ? HConstants.EMPTY_BYTE_ARRAY : value;
    }
  }
}
