package io.github.rowkey;

/**
 * Text: UTF-8, escaped, before a terminator; or raw, to the end of the key.
 *
 * <pre>
 * "a"       61 00
 * "a\0"     61 01 01 00
 * </pre>
 */
public final class Text {
  private Text() {}

  /** Writes text and its terminator. */
  public static void write(KeyWriter w, String value) {
    Utf8.write(w, value, true);
    w.putByte(0);
  }

  /** Writes the beginning of texts: without a terminator. */
  public static void writeStart(KeyWriter w, String start) {
    Utf8.write(w, start, true);
  }

  /** Writes text to the end of the key. */
  public static void writeRaw(KeyWriter w, String value) {
    Utf8.write(w, value, false);
  }

  /** Reads text and its terminator. */
  public static String read(KeyReader r) {
    int at = r.position();
    Escapes.read(r);
    return Utf8.read(r, at, r.position() - 1);
  }

  /** Reads text to the end of the key. */
  public static String readRaw(KeyReader r) {
    int at = r.position();
    r.takeContent(r.left());
    return Utf8.read(r, at, r.position());
  }
}
