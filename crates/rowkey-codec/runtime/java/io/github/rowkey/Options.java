package io.github.rowkey;

/**
 * An option: {@code 00}, or {@code 01} and the value. Where None is on the other side, its byte is
 * {@code 02}.
 *
 * <pre>
 * Some(5)   01 05
 * </pre>
 */
public final class Options {
  /** The byte of None where it has its usual side. */
  public static final int NONE = 0;

  /**
   * The byte of None where it has the other side: last in an ascending field, first in a descending
   * one.
   */
  public static final int NONE_LAST = 2;

  private static final int SOME = 1;

  private Options() {}

  /** Writes what comes before a value, or stands for none. */
  public static void write(KeyWriter w, boolean isPresent, int none) {
    w.putByte(isPresent ? SOME : none);
  }

  /** Reads it; returns whether a value comes next. */
  public static boolean read(KeyReader r, int none) {
    int at = r.position();
    int tag = r.takeByte();
    if (tag != SOME && tag != none) {
      throw r.wrongByte(
          at,
          String.format(
              "an option begins with %02x or %02x", Math.min(none, 1), Math.max(none, 1)));
    }
    return tag == SOME;
  }
}
