package io.github.rowkey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The ends of fields of text keys. A form writes the content of a field; then one of these checks
 * it, from its first byte on, and writes what ends it. Reading is the other way round.
 *
 * <pre>
 * text['#']       ada#        before a delimiter
 * dec[4]          0042        by its width
 * text[end]       ada         with the key
 * text[rest-12]   ada         so many bytes before the end of the key
 * text[until '#'] ada         before a delimiter of the next field, or with the key
 * </pre>
 */
public final class TextEnds {
  private TextEnds() {}

  /** Checks the width of what was written. */
  public static void writeWidth(KeyWriter w, int at, int width) {
    if (w.length() - at != width) {
      throw new IllegalArgumentException(
          "found " + (w.length() - at) + " bytes, the field has " + width);
    }
  }

  /** Checks that what was written would be read back, and writes the delimiter. */
  public static void writeBefore(KeyWriter w, int at, KeyBytes delimiter) {
    int end = w.length();
    w.putBytes(delimiter.array());
    if (find(w.buffer(), at, w.length(), delimiter.array()) != end) {
      throw new IllegalArgumentException(
          "the value holds the delimiter, and would not be read back");
    }
  }

  /**
   * Checks that what was written would be read back before a delimiter that is the next field's.
   */
  public static void writeUntil(KeyWriter w, int at, KeyBytes delimiter) {
    writeBefore(w, at, delimiter);
    w.truncate(w.length() - delimiter.length());
  }

  /**
   * The shorter texts, each with its delimiter, that begin so: as {@code a} and {@code ::} do with
   * {@code a:}. They are sorted, and none begins with another.
   */
  static List<byte[]> shorter(byte[] start, byte[] delimiter) {
    if (find(start, 0, start.length, delimiter) >= 0) {
      throw new IllegalArgumentException("the beginning holds the delimiter");
    }
    List<byte[]> texts = new ArrayList<>();
    for (int size = 1; size < delimiter.length; size++) {
      int at = start.length - size;
      if (at >= 0 && Arrays.equals(start, at, start.length, delimiter, 0, size)) {
        texts.add(Cut.join(start, Arrays.copyOfRange(delimiter, size, delimiter.length)));
      }
    }
    texts.sort(Arrays::compareUnsigned);
    List<byte[]> kept = new ArrayList<>();
    for (byte[] text : texts) {
      byte[] last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
      if (last == null || Arrays.mismatch(last, text) < last.length) {
        kept.add(text);
      }
    }
    return kept;
  }

  /** Reads so many bytes. */
  public static void readWidth(KeyReader r, int width) {
    r.takeContent(width);
  }

  /** Reads the delimiter after a width, or before an optional field. */
  public static void readDelimiter(KeyReader r, KeyBytes delimiter) {
    int at = r.position();
    r.skip(delimiter.length());
    if (!r.isAt(at, delimiter.array())) {
      throw r.wrong(at, "here is the delimiter " + delimiter + " of the field");
    }
  }

  /** Reads to a delimiter, and the delimiter. */
  public static void readBefore(KeyReader r, KeyBytes delimiter) {
    int end = r.find(delimiter.array());
    if (end < 0) {
      throw r.wrong(r.position(), "the delimiter " + delimiter + " is not after the field");
    }
    r.takeContent(end - r.position());
    r.skip(delimiter.length());
  }

  /** Reads to a delimiter, which is left, or to the end of the key. */
  public static void readUntil(KeyReader r, KeyBytes delimiter) {
    int at = r.position();
    int end = r.find(delimiter.array());
    r.takeContent(end < 0 ? r.left() : end - at);
    for (int i = Math.max(r.contentFrom(), r.contentTo() - delimiter.length() + 1);
        i < r.contentTo();
        i++) {
      if (repeats(r, i, delimiter.array())) {
        throw r.wrong(at, "the field ends with the beginning of its delimiter");
      }
    }
  }

  /** Reads to the end of the key. */
  public static void readToEnd(KeyReader r) {
    r.takeContent(r.left());
  }

  /** Reads all but so many bytes. */
  public static void readRest(KeyReader r, int after) {
    if (r.left() < after) {
      r.skip(after);
    }
    r.takeContent(r.left() - after);
  }

  /** Returns whether the content from a place on, then the delimiter, begins with the delimiter. */
  private static boolean repeats(KeyReader r, int from, byte[] delimiter) {
    int rest = r.contentTo() - from;
    for (int i = 0; i < delimiter.length; i++) {
      byte next = i < rest ? r.content()[from + i] : delimiter[i - rest];
      if (next != delimiter[i]) {
        return false;
      }
    }
    return true;
  }

  private static int find(byte[] bytes, int from, int to, byte[] what) {
    for (int i = from; i <= to - what.length; i++) {
      int same = 0;
      while (same < what.length && bytes[i + same] == what[same]) {
        same++;
      }
      if (same == what.length) {
        return i;
      }
    }
    return -1;
  }
}
