package klip.coprocessor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** Makes a jar with an observer that is on no class path. */
final class JarOfTests {
  private static final String SOURCE = """
      package own;
      import java.util.Optional;
      import org.apache.hadoop.hbase.client.Put;
      import org.apache.hadoop.hbase.coprocessor.*;
      import org.apache.hadoop.hbase.util.Bytes;
      import org.apache.hadoop.hbase.wal.WALEdit;
      public class Observer implements RegionCoprocessor, RegionObserver {
        public Optional<RegionObserver> getRegionObserver() { return Optional.of(this); }
        public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
          put.addColumn(Bytes.toBytes("f"), Bytes.toBytes("own"), Bytes.toBytes("from the jar"));
        }
      }
      """;

  private JarOfTests() {
  }

  static void write(Path jar) throws IOException {
    Path work = Files.createTempDirectory("jar");
    Path source = Files.writeString(work.resolve("Observer.java"), SOURCE);
    String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp", classPath, "-d",
      work.toString(), source.toString());
    if (failed != 0) {
      throw new IOException("javac failed");
    }
    Path compiled = work.resolve("own/Observer.class");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("own/Observer.class"));
      out.write(Files.readAllBytes(compiled));
      out.closeEntry();
    }
    for (Path left : List.of(compiled, compiled.getParent(), source, work)) {
      Files.delete(left);
    }
  }
}
