package io.github.rowkey;

/**
 * Text that is padded to a width: with blanks, as Phoenix's {@code CHAR(n)}, or with zero bytes, as
 * HBase's {@code Bytes.padTail}.
 *
 * <pre>
 * char[5]         "ab"   61 62 20 20 20
 * char[5 zeros]   "ab"   61 62 00 00 00
 * </pre>
 */
public final class Padded {
  private static final String BLANKS =
      "the text is ASCII without control characters, and without blanks at its end";
  private static final String ZEROS = "the text is UTF-8 without zero bytes";

  private Padded() {}

  /** Writes text of printable ASCII, and blanks. */
  public static void writeBlanks(KeyWriter w, String value, int width) {
    if (!value.isEmpty() && value.charAt(value.length() - 1) == ' ') {
      throw new IllegalArgumentException(BLANKS);
    }
    pad(w, writeStart(w, value, width), width, ' ');
  }

  /** Writes text without zero bytes, and zero bytes. */
  public static void writeZeros(KeyWriter w, String value, int width) {
    pad(w, writeZerosStart(w, value, width), width, 0);
  }

  /** Reads text and blanks. */
  public static String readBlanks(KeyReader r, int width) {
    int at = r.position();
    r.takeContent(width);
    unpad(r, ' ');
    for (int i = r.contentFrom(); i < r.contentTo(); i++) {
      if (r.content()[i] < ' ' || r.content()[i] > '~') {
        throw r.wrong(at, BLANKS);
      }
    }
    return Utf8.read(r, at);
  }

  /** Reads text and zero bytes. */
  public static String readZeros(KeyReader r, int width) {
    int at = r.position();
    r.takeContent(width);
    unpad(r, 0);
    for (int i = r.contentFrom(); i < r.contentTo(); i++) {
      if (r.content()[i] == 0) {
        throw r.wrong(at, ZEROS);
      }
    }
    return Utf8.read(r, at);
  }

  /**
   * Writes the beginning of texts that are padded with zero bytes; returns the place of its first
   * byte.
   */
  public static int writeZerosStart(KeyWriter w, String start, int width) {
    if (start.indexOf(0) >= 0) {
      throw new IllegalArgumentException(ZEROS);
    }
    int at = w.length();
    Utf8.write(w, start, false);
    if (w.length() - at > width) {
      throw new IllegalArgumentException(start + " has more than " + width + " bytes");
    }
    return at;
  }

  /**
   * Writes the beginning of texts that are padded with blanks; returns the place of its first byte.
   */
  static int writeStart(KeyWriter w, String start, int width) {
    for (int i = 0; i < start.length(); i++) {
      if (start.charAt(i) < ' ' || start.charAt(i) > '~') {
        throw new IllegalArgumentException(BLANKS);
      }
    }
    return writeZerosStart(w, start, width);
  }

  private static void pad(KeyWriter w, int from, int width, int padding) {
    while (w.length() - from < width) {
      w.putByte(padding);
    }
  }

  private static void unpad(KeyReader r, int padding) {
    int end = r.contentTo();
    while (end > r.contentFrom() && r.content()[end - 1] == padding) {
      end--;
    }
    r.setContent(r.content(), r.contentFrom(), end);
  }
}
