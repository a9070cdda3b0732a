import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Runs Queries in a URLClassLoader: Hive 3 casts its class loader to one, which the class loader of a Java after 8 is not. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      path.add(new File(entry).toURI().toURL());
    }
    ClassLoader loader = new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    loader.loadClass("Queries").getMethod("main", String[].class).invoke(null, (Object) arguments);
  }
}
