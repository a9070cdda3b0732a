import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Runs the statements of a file by JDBC, and prints each with its answer: the columns' labels and types and the rows, the
 * count of changed rows, or the error's number. tests/sql/sql_file.h describes such files, which this prints as well, and
 * tests/sql/sql_script.h the statements that are not SQL. Usage: RunScript URL FILE [drop]; with {@code drop}, no tables and
 * sequences remain.
 */
public final class RunScript {
  private final String url;
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final Map<String, Connection> sessions = new HashMap<>();
  private String current = "";
  private long marked = 0;

  private RunScript(String url) throws SQLException {
    this.url = url;
    connect(new Properties());
  }

  public static void main(String[] args) throws Exception {
    RunScript script = new RunScript(args[0]);
    for (String sql : statements(Path.of(args[1]))) {
      script.out.println(sql + "\n----\n" + String.join("\n", script.run(sql)) + "\n");
    }
    if (args.length > 2) {
      script.runOwn("REOPEN");
      script.drop("TABLE", "SELECT DISTINCT TENANT_ID, TABLE_SCHEM, TABLE_NAME FROM SYSTEM.CATALOG WHERE TABLE_TYPE = 'u'");
      script.drop("SEQUENCE", "SELECT TENANT_ID, SEQUENCE_SCHEMA, SEQUENCE_NAME FROM SYSTEM.\"SEQUENCE\"");
    }
    System.exit(0);
  }

  private void drop(String kind, String names) throws SQLException {
    List<String[]> found = new ArrayList<>();
    try (Statement statement = statement(); ResultSet rows = statement.executeQuery(names)) {
      while (rows.next()) {
        found.add(new String[] {rows.getString(1), rows.getString(2), rows.getString(3)});
      }
    }
    for (String[] one : found) {
      Properties properties = new Properties();
      if (one[0] != null) {
        properties.setProperty("TenantId", one[0]);
        connect(properties);
      }
      try (Statement statement = statement()) {
        String schema = one[1] == null ? "" : '"' + one[1] + "\".";
        statement.execute("DROP " + kind + " IF EXISTS " + schema + '"' + one[2] + '"' + (kind.equals("TABLE") ? " CASCADE" : ""));
      }
      if (one[0] != null) {
        connect(new Properties());
      }
    }
  }

  private void connect(Properties properties) throws SQLException {
    Connection connection = DriverManager.getConnection(url, properties);
    connection.setAutoCommit(true);
    Connection before = sessions.put(current, connection);
    if (before != null) {
      before.close();
    }
  }

  private Statement statement() throws SQLException {
    return sessions.get(current).createStatement();
  }

  /** The lines of the answer; of an error without the rows before it, whose number depends on when Phoenix fetches them. */
  private List<String> run(String sql) throws SQLException, InterruptedException {
    try {
      if (runOwn(sql)) {
        return List.of("ok");
      }
    } catch (SQLException error) {
      return List.of("error " + error.getErrorCode() + " " + error.getSQLState());
    }
    try (Statement statement = statement()) {
      if (sql.startsWith("FETCH ")) { // after execute(), Phoenix has no result set
        return lines(statement.executeQuery(sql));
      }
      return statement.execute(sql) ? lines(statement.getResultSet()) : List.of(statement.getUpdateCount() + " changed");
    } catch (SQLException error) {
      return List.of("error " + error.getErrorCode() + " " + error.getSQLState());
    } catch (RuntimeException error) {
      return List.of("error " + error.getClass().getSimpleName());
    }
  }

  /** A statement that is not SQL. */
  private boolean runOwn(String sql) throws SQLException, InterruptedException {
    Properties properties = new Properties();
    String[] words = sql.split(" ", 2);
    switch (words[0]) {
      case "MARK" -> marked = mark();
      case "FLUSH", "COMPACT" -> { } // change no answer
      case "JDBC" -> {
        Connection session = sessions.get(current);
        switch (words[1]) {
          case "commit" -> session.commit();
          case "rollback" -> session.rollback();
          default -> session.setAutoCommit(words[1].equals("autocommit on"));
        }
      }
      case "REOPEN" -> {
        for (Connection session : sessions.values()) {
          session.close();
        }
        sessions.clear();
        current = "";
        connect(properties);
      }
      case "SESSION" -> {
        current = words.length > 1 ? words[1] : "";
        if (!sessions.containsKey(current)) {
          connect(properties);
        }
      }
      case "SCN" -> {
        properties.setProperty("CurrentSCN", words.length > 1 ? words[1] : Long.toString(marked));
        connect(properties);
      }
      case "TENANT" -> {
        if (words.length > 1) {
          properties.setProperty("TenantId", words[1]);
        }
        connect(properties);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /** A millisecond in which nothing is written. */
  private static long mark() throws InterruptedException {
    Thread.sleep(2);
    long now = System.currentTimeMillis();
    Thread.sleep(2);
    return now;
  }

  private static List<String> statements(Path file) throws IOException {
    List<String> all = new ArrayList<>();
    List<String> statement = new ArrayList<>();
    boolean answer = false;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); ; line = lines.readLine()) {
        if (line == null || line.isEmpty()) {
          if (!statement.isEmpty()) {
            all.add(String.join("\n", statement));
          }
          statement.clear();
          answer = false;
          if (line == null) {
            return all;
          }
        } else if (!statement.isEmpty() && (line.equals("----") || line.startsWith("---- "))) {
          answer = true;
        } else if (!answer && !(statement.isEmpty() && line.startsWith("#"))) {
          statement.add(line);
        }
      }
    }
  }

  /** Numbers without the grouping and rounding of Phoenix's getString. */
  private static String text(ResultSet rows, int column) throws SQLException {
    Object value = rows.getObject(column);
    return value instanceof BigDecimal number ? number.toPlainString()
        : value instanceof Number ? value.toString()
        : rows.getString(column);
  }

  /** As one line that is not empty. */
  private static String line(CharSequence text) {
    if (text.length() == 0) {
      return "(empty)";
    }
    StringBuilder line = new StringBuilder();
    text.chars().forEach(c -> line.append(c < 0x20 || c == 0x7F ? String.format("\\x%02X", c) : String.valueOf((char) c)));
    return line.toString();
  }

  private static List<String> lines(ResultSet rows) throws SQLException {
    List<String> lines = new ArrayList<>();
    ResultSetMetaData columns = rows.getMetaData();
    StringBuilder line = new StringBuilder("columns");
    for (int i = 1; i <= columns.getColumnCount(); ++i) {
      line.append(i == 1 ? " " : " | ").append(columns.getColumnLabel(i)).append(' ').append(columns.getColumnTypeName(i));
    }
    lines.add(line(line));
    while (rows.next()) {
      line.setLength(0);
      for (int i = 1; i <= columns.getColumnCount(); ++i) {
        line.append(i == 1 ? "" : " | ").append(text(rows, i));
      }
      lines.add(line(line));
    }
    return lines;
  }
}
