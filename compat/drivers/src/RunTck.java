import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Runs Avatica's compatibility tests, which find their classes only in a URLClassLoader. Usage: RunTck DIRECTORY-OF-JARS URL */
public final class RunTck {
  public static void main(String[] arguments) throws Exception {
    List<URL> jars = new ArrayList<>();
    for (File jar : new File(arguments[0]).listFiles((directory, name) -> name.endsWith(".jar"))) {
      jars.add(jar.toURI().toURL());
    }
    URLClassLoader loader = new URLClassLoader(jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    String[] options = {"-u", arguments[1]};
    loader.loadClass("org.apache.calcite.avatica.tck.TestRunner").getMethod("main", String[].class).invoke(null, (Object) options);
  }
}
