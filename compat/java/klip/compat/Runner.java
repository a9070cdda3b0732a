package klip.compat;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs op files on a real HBase that it starts in its own process, for tests/parity.
 *
 * <pre>
 *   Runner DIRECTORY THREADS
 *   in    case ID pooled|alone, a line per op, end        out  ready
 *                                                              case ID, per op "+N" and N lines, end
 * </pre>
 *
 * Pooled cases run THREADS at a time, in any order; a case with `alone` waits for all earlier ones. Exits at the end of
 * its input.
 */
public final class Runner {
  private final Cluster cluster;
  private final TablePool pool;
  private final ExecutorService batches = Executors.newCachedThreadPool(Runner::daemon);
  private final PrintStream out;

  private Runner(Cluster cluster, PrintStream out) {
    this.cluster = cluster;
    this.pool = new TablePool(cluster);
    this.out = out;
  }

  private static Thread daemon(Runnable body) {
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    return thread;
  }

  public static void main(String[] arguments) throws Exception {
    // HBase's own output must not reach the caller.
    PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false, "UTF-8");
    System.setOut(System.err);
    int threads = Integer.parseInt(arguments[1]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> e.printStackTrace());
    try {
      Cluster cluster = new Cluster(new File(arguments[0]), threads);
      out.println("ready");
      out.flush();
      new Runner(cluster, out).serve(in, threads);
    } catch (Throwable e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    // HBase's own shutdown would take seconds, and nobody reads what it would save.
    Runtime.getRuntime().halt(0);
  }

  private void serve(BufferedReader in, int threads) throws Exception {
    ExecutorService workers = Executors.newFixedThreadPool(threads, Runner::daemon);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] head = line.split(" ");
      List<String> ops = new ArrayList<>();
      for (line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
        ops.add(line);
      }
      if (line == null) {
        return;
      }
      if (head[2].equals("pooled")) {
        workers.execute(() -> run(head[1], ops, pool));
      } else {
        run(head[1], ops, null);
      }
    }
  }

  private void run(String id, List<String> ops, TablePool pool) {
    StringBuilder answer = new StringBuilder("case " + id + "\n");
    try {
      Session session = new Session(cluster, pool, batches);
      for (String op : ops) {
        String text = session.run(op);
        long lines = text.chars().filter(c -> c == '\n').count();
        answer.append('+').append(lines).append('\n').append(text);
      }
      session.close();
    } catch (Throwable e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    synchronized (out) {
      out.print(answer.append("end\n"));
      out.flush();
    }
  }
}
