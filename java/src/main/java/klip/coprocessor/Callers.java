package klip.coprocessor;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.PrivilegedAction;
import java.security.PrivilegedExceptionAction;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.UserGroupInformation;

/** Makes the user and the address of an operation known to hooks, as HBase's RpcServer does. */
final class Callers {
  private String user = "";
  private String address = "";
  private RpcCall call;

  /** Reads both from the call, and sets them for this thread until the next one; "" is nobody. */
  void read(Input input) {
    set(input.string(), input.string());
  }

  /** For work that no client requested: opening a region, a flush. */
  void none() {
    set("", "");
  }

  private void set(String newUser, String newAddress) {
    if (call == null || !newUser.equals(user) || !newAddress.equals(address)) {
      user = newUser;
      address = newAddress;
      call = newUser.isEmpty() ? null : rpcCall(newUser, newAddress);
    }
    RpcServer.setCurrentCall(call);
  }

  /** What is set now, to be set again after calls of klip that came in between. */
  Runnable save() {
    String oldUser = user;
    String oldAddress = address;
    return () -> set(oldUser, oldAddress);
  }

  private static RpcCall rpcCall(String name, String address) {
    Optional<User> user = Optional.of(user(name));
    InetAddress remote = parse(address);
    long now = System.currentTimeMillis();
    return (RpcCall) Proxy.newProxyInstance(RpcCall.class.getClassLoader(), new Class<?>[] {RpcCall.class},
      (proxy, method, arguments) -> {
        switch (method.getName()) {
          case "getRequestUser":
            return user;
          case "getRequestUserName":
            return Optional.of(name);
          case "getRemoteAddress":
            return remote;
          case "getClientCertificateChain":
            return Optional.empty();
          case "getConnectionAttributes":
          case "getRequestAttributes":
            return Map.of();
          case "getReceiveTime":
          case "getStartTime":
            return now;
          case "getDeadline":
            return Long.MAX_VALUE;
          case "getRemotePort":
            return port(address);
          case "disconnectSince":
            return -1L;
          case "hashCode":
            return System.identityHashCode(proxy);
          case "equals":
            return proxy == arguments[0];
          case "toString":
          case "toShortString":
            return name + "@" + address;
          default:
            return zero(method.getReturnType());
        }
      });
  }

  static User user(String name) {
    return new RemoteUser(name);
  }

  static Object zero(Class<?> type) {
    if (type == boolean.class) {
      return false;
    }
    return type == long.class ? (Object) 0L : type == int.class ? (Object) 0 : null;
  }

  private static InetAddress parse(String address) {
    int colon = address.lastIndexOf(':');
    boolean hasPort = colon > 0 && (address.indexOf(':') == colon || address.charAt(colon - 1) == ']');
    String host = (hasPort ? address.substring(0, colon) : address).replaceAll("[\\[\\]]", "");
    try {
      return host.isEmpty() ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      return InetAddress.getLoopbackAddress();
    }
  }

  private static int port(String address) {
    try {
      return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** A user whose Hadoop identity is created on first use, since that loads a large part of Hadoop. */
  private static final class RemoteUser extends User {
    private final String name;

    RemoteUser(String name) {
      this.name = name;
    }

    @Override
    public synchronized UserGroupInformation getUGI() {
      if (ugi == null) {
        ugi = UserGroupInformation.createRemoteUser(name);
      }
      return ugi;
    }

    @Override
    public String getName() {
      return name;
    }

    @Override
    public String getShortName() {
      int end = name.indexOf('@');
      int slash = name.indexOf('/');
      end = slash >= 0 && (end < 0 || slash < end) ? slash : end;
      return end < 0 ? name : name.substring(0, end);
    }

    @Override
    public String[] getGroupNames() {
      return getUGI().getGroupNames();
    }

    @Override
    public <T> T runAs(PrivilegedAction<T> action) {
      return getUGI().doAs(action);
    }

    @Override
    public <T> T runAs(PrivilegedExceptionAction<T> action) throws IOException, InterruptedException {
      return getUGI().doAs(action);
    }

    @Override
    public boolean equals(Object other) {
      getUGI();
      return other instanceof User && ugi.equals(((User) other).getUGI());
    }

    @Override
    public int hashCode() {
      return getUGI().hashCode();
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
