package io.github.rowkey;

import java.util.List;

/**
 * A list: {@code 01} before each element, {@code 00} after the last.
 *
 * <pre>
 * ["a", ""]   01 61 00 01 00 00
 * </pre>
 */
public final class Lists {
  private Lists() {}

  /** A copy of the list of this name, unless it can't be changed. */
  public static <T> List<T> copy(String name, List<T> list) {
    if (list == null) {
      throw new NullPointerException(name + " is null");
    }
    try {
      return List.copyOf(list);
    } catch (NullPointerException ofElement) {
      throw new NullPointerException(name + " has an element that is null");
    }
  }

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
