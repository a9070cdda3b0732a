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
import java.util.List;
import java.util.Properties;

/**
 * Runs the statements of a file, one per line, by JDBC and prints their results: {@code > statement}, then the columns'
 * labels and types, the rows, the count of changed rows, or the error's number.
 *
 * <p>A line {@code TENANT name} connects as that tenant; without a name, as none. {@code MARK} notes the time, and
 * {@code SCN} connects as of then. Usage: RunScript URL FILE
 */
public final class RunScript {
  private RunScript() {}

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Connection connection = DriverManager.getConnection(args[0]);
    connection.setAutoCommit(true);
    long marked = 0;
    for (String sql : statements(Path.of(args[1]))) {
      out.println("> " + sql);
      if (sql.equals("MARK")) {
        marked = mark();
        continue;
      }
      if (sql.equals("SCN") || sql.equals("TENANT") || sql.startsWith("TENANT ")) {
        Properties properties = new Properties();
        if (sql.equals("SCN")) {
          properties.setProperty("CurrentSCN", Long.toString(marked));
        } else if (sql.length() > "TENANT".length()) {
          properties.setProperty("TenantId", sql.substring("TENANT".length()).strip());
        }
        connection.close();
        connection = DriverManager.getConnection(args[0], properties);
        connection.setAutoCommit(true);
        continue;
      }
      try (Statement statement = connection.createStatement()) {
        if (sql.startsWith("FETCH ")) { // after execute(), Phoenix has no result set
          print(statement.executeQuery(sql), out);
        } else if (statement.execute(sql)) {
          print(statement.getResultSet(), out);
        } else {
          out.println(statement.getUpdateCount() + " changed");
        }
      } catch (SQLException error) {
        out.println("error " + error.getErrorCode() + " " + error.getSQLState());
      } catch (RuntimeException error) {
        out.println("error " + error.getClass().getSimpleName());
      }
    }
    System.exit(0);
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
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank() && !line.startsWith("--")) {
          all.add(line.strip());
        }
      }
    }
    return all;
  }

  /** Numbers without the grouping and rounding of Phoenix's getString. */
  private static String text(ResultSet rows, int column) throws SQLException {
    Object value = rows.getObject(column);
    return value instanceof BigDecimal number ? number.toPlainString()
        : value instanceof Number ? value.toString()
        : rows.getString(column);
  }

  private static void print(ResultSet rows, PrintStream out) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    StringBuilder line = new StringBuilder("columns");
    for (int i = 1; i <= columns.getColumnCount(); ++i) {
      line.append(i == 1 ? " " : " | ").append(columns.getColumnLabel(i)).append(' ').append(columns.getColumnTypeName(i));
    }
    out.println(line);
    while (rows.next()) {
      line.setLength(0);
      for (int i = 1; i <= columns.getColumnCount(); ++i) {
        line.append(i == 1 ? "" : " | ").append(text(rows, i));
      }
      out.println(line);
    }
  }
}
