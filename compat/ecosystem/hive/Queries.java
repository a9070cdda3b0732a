import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.processors.CommandProcessor;
import org.apache.hadoop.hive.ql.processors.CommandProcessorFactory;
import org.apache.hadoop.hive.ql.processors.CommandProcessorResponse;
import org.apache.hadoop.hive.ql.session.SessionState;

/** Runs a file of statements, each of which ends with a semicolon at the end of a line, and prints them and their results. */
public final class Queries {
  public static void main(String[] arguments) {
    int failed = 0;
    try {
      HiveConf settings = new HiveConf();
      SessionState.start(settings);
      for (String statement : Files.readString(Path.of(arguments[0])).split(";\\s*\n")) {
        failed += run(statement.strip(), settings) ? 0 : 1;
      }
    } catch (Throwable e) {  // other threads would keep the program alive
      e.printStackTrace();
      failed = 1;
    }
    System.out.flush();
    Runtime.getRuntime().halt(failed);
  }

  private static boolean run(String statement, HiveConf settings) throws Exception {
    System.out.println("> " + statement);
    String[] words = statement.split("\\s+");
    CommandProcessor processor = CommandProcessorFactory.get(words, settings);
    boolean query = processor instanceof IDriver;
    CommandProcessorResponse response = processor.run(query ? statement : statement.substring(words[0].length()).strip());
    List<String> rows = new ArrayList<>();
    while (query && response.getResponseCode() == 0 && ((IDriver) processor).getResults(rows)) {
      rows.forEach(System.out::println);
      rows.clear();
    }
    processor.close();
    if (response.getResponseCode() == 0) {
      return true;
    }
    System.out.println("failed: " + response.getErrorMessage());
    if (response.getException() != null) {
      response.getException().printStackTrace();
    }
    return false;
  }
}
