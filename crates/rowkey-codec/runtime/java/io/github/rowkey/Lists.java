package io.github.rowkey;

import java.util.ArrayList;
import java.util.Collections;
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

  /**
   * A copy of a list, unless it can't be changed. What is null in it is refused once it is written.
   */
  public static <T> List<T> copy(List<T> list) {
    if (list == null) {
      return null;
    }
    try {
      return List.copyOf(list);
    } catch (NullPointerException ofElement) {
      return Collections.unmodifiableList(new ArrayList<>(list));
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

  /** The exception for what was thrown within an element of a list. */
  public static EncodeException refused(List<?> list, int item, RuntimeException thrown) {
    return EncodeException.of(list == null ? "" : "[" + item + "]", thrown);
  }

  /** Begins to read a list, of the field that was named last. */
  public static void begin(KeyReader r) {
    r.beginList();
  }

  /** Reads what comes before an element, or the end; returns whether an element comes next. */
  public static boolean readNext(KeyReader r) {
    r.endItem();
    int at = r.position();
    int marker = r.takeByte();
    if (marker > 1) {
      throw r.wrongByte(at, "before an element is 01, at the end of a list 00");
    }
    return next(r, marker == 1);
  }

  /** Returns whether an element comes next of a list that ends with the key. */
  public static boolean readNextRaw(KeyReader r) {
    r.endItem();
    return next(r, r.left() > 0);
  }

  private static boolean next(KeyReader r, boolean isItem) {
    if (isItem) {
      r.beginItem();
    } else {
      r.endList();
    }
    return isItem;
  }
}
