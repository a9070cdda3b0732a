package klip.compat;

/**
 * An op, option or filter that this runner does not support. It is printed as "skip: ...", which never compares equal.
 */
final class UnknownWord extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnknownWord(String what) {
    super(what);
  }
}
