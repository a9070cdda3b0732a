package session;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** The printed report. It must not depend on times, addresses or chance. */
final class Report {
  interface Work {
    Object run() throws Exception;
  }

  private Report() {
  }

  static void attempt(String what, Work work) {
    try {
      Object result = work.run();
      System.out.println(what + ": " + (result == null ? "ok" : result));
    } catch (Exception e) {
      System.out.println(what + ": " + cause(e).getClass().getSimpleName());
    }
  }

  private static Throwable cause(Throwable e) {
    while (e.getCause() != null && (e instanceof ExecutionException || e instanceof CompletionException
        || e instanceof RetriesExhaustedException)) {
      e = e.getCause();
    }
    return e;
  }

  static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  /** Timestamps below a million are the program's own. */
  static String text(Cell cell) {
    String at = cell.getTimestamp() < 1000000 ? "@" + cell.getTimestamp() : "";
    return Bytes.toStringBinary(CellUtil.cloneFamily(cell)) + ":" + Bytes.toStringBinary(CellUtil.cloneQualifier(cell)) + at
        + "=" + Bytes.toStringBinary(CellUtil.cloneValue(cell));
  }

  static String text(Result row) {
    if (row.getExists() != null) {
      return row.getExists().toString();
    }
    if (row.isEmpty()) {
      return "(none)";
    }
    StringBuilder out = new StringBuilder(Bytes.toStringBinary(row.getRow()));
    for (Cell cell : row.rawCells()) {
      out.append(' ').append(text(cell));
    }
    return out.toString();
  }

  static String text(List<Result> rows) {
    StringBuilder out = new StringBuilder(rows.size() + " rows");
    for (Result row : rows) {
      out.append("\n  ").append(text(row));
    }
    return out.toString();
  }

  static void scan(Table table, String what, Scan scan) {
    attempt("scan " + what, () -> {
      try (ResultScanner scanner = table.getScanner(scan)) {
        List<Result> rows = new java.util.ArrayList<>();
        scanner.forEach(rows::add);
        return text(rows);
      }
    });
  }
}
