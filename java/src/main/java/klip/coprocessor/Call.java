package klip.coprocessor;

/** Numbers of the calls, klip's and the host's; docs/internals/coprocessor-host.md says what they carry. */
public final class Call {
  static final int START = 1;
  static final int CHECK = 2;
  static final int OPEN = 3;
  static final int CLOSE = 4;
  static final int WRITE = 5;
  static final int GET = 6;
  static final int SCAN_OPEN = 7;
  static final int SCAN_NEXT = 8;
  static final int SCAN_CLOSE = 9;
  static final int SERVICE = 10;
  static final int REGION_EVENT = 11;
  static final int MASTER = 12;
  static final int RELEASE = 13;
  static final int BACKGROUND = 14;
  static final int STATISTICS = 15;
  static final int RS_EVENT = 16;
  static final int STORE_NEXT = 17;
  static final int STORE_CLOSE = 18;

  public static final int KLIP_GET = 64;
  public static final int KLIP_SCAN_OPEN = 65;
  public static final int KLIP_SCAN_NEXT = 66;
  public static final int KLIP_SCAN_CLOSE = 67;
  public static final int KLIP_MUTATE = 68;
  public static final int KLIP_FLUSH = 69;
  public static final int KLIP_COMPACT = 70;
  public static final int KLIP_COUNTERS = 71;

  private Call() {
  }
}
