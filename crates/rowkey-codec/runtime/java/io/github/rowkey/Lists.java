package io.github.rowkey;

/**
 * A list: {@code 01} before each element, {@code 00} after the last.
 *
 * <pre>
 * ["a", ""]   01 61 00 01 00 00
 * </pre>
 */
public final class Lists {
  private Lists() {}

  /** Writes what comes before an element. */
  public static void writeNext(KeyWriter w) {
    w.putByte(1);
  }

  /** Writes the end. */
  public static void writeEnd(KeyWriter w) {
    w.putByte(0);
  }

  /** Reads either of them; returns whether an element comes next. */
  public static boolean readNext(KeyReader r) {
    int at = r.position();
    int marker = r.takeByte();
    if (marker > 1) {
      throw r.wrongByte(at, "before an element is 01, at the end of a list 00");
    }
    return marker == 1;
  }
}
