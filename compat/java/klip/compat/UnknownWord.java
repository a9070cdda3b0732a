package klip.compat;

/** An op, option or filter that this runner does not have. It is printed as "skip: ...", which compares equal to nothing. */
final class UnknownWord extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnknownWord(String what) {
    super(what);
  }
}
