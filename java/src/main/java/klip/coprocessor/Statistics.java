package klip.coprocessor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Calls, failures and time of each hook of each class. HBase's hosts run a chain of classes in one call, so the time of
 * a chain is shared out evenly among the classes that override the hook.
 */
final class Statistics {
  /** Of one hook of one class. */
  private static final class Entry {
    final LongAdder calls = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder nanoseconds = new LongAdder();
  }

  private static final Map<String, Map<String, Entry>> ENTRIES = new ConcurrentHashMap<>();

  private Statistics() {
  }

  /** Something that runs hooks. */
  interface Body<T> {
    T run() throws Exception;
  }

  /** Runs a hook, and counts it for those who override it. */
  static <T> T count(Hooks hooks, String hook, Body<T> body) throws Exception {
    Run run = new Run(hooks);
    run.enter(hook);
    try {
      T result = body.run();
      run.end();
      return result;
    } catch (Throwable e) {
      run.fail();
      throw e;
    }
  }

  /** A row of hooks, of which equal ones mostly follow each other; the clock is read when they change. */
  static final class Run {
    private Hooks hooks;
    private String current;
    private long calls;
    private long begin;

    Run(Hooks hooks) {
      this.hooks = hooks;
    }

    void enter(Hooks newHooks, String hook) {
      if (newHooks != hooks) {
        end();
        hooks = newHooks;
      }
      enter(hook);
    }

    void enter(String hook) {
      if (hook != current) {
        end();
        current = hook;
        begin = System.nanoTime();
      }
      calls++;
    }

    void end() {
      finish(0);
    }

    void fail() {
      finish(1);
    }

    private void finish(int failures) {
      if (current == null || calls == 0) {
        return;
      }
      var classes = hooks.classes(current);
      for (String name : classes) {
        Entry entry = ENTRIES.computeIfAbsent(name, key -> new ConcurrentHashMap<>())
          .computeIfAbsent(current, key -> new Entry());
        entry.calls.add(calls);
        entry.failures.add(failures);
        entry.nanoseconds.add((System.nanoTime() - begin) / classes.size());
      }
      current = null;
      calls = 0;
    }
  }

  static void write(Output output) {
    output.u32(ENTRIES.values().stream().mapToInt(Map::size).sum());
    ENTRIES.forEach((name, hooks) -> hooks.forEach((hook, entry) -> output.string(name).string(hook)
      .u64(entry.calls.sum()).u64(entry.failures.sum()).u64(entry.nanoseconds.sum())));
  }
}
