package io.github.rowkey;

import java.util.Arrays;

/**
 * The content of a field of a text key that is text: as it is, or from its last character to its
 * first.
 */
public final class PlainText {
  private PlainText() {}

  /** Writes text. */
  public static void write(KeyWriter w, String value) {
    Utf8.write(w, value, false);
  }

  /** Writes the beginning of texts of a width. */
  public static void writeStart(KeyWriter w, String start, int width) {
    int at = w.length();
    Utf8.write(w, start, false);
    if (w.length() - at > width) {
      throw new IllegalArgumentException("the beginning is longer than the field");
    }
  }

  /** Writes text from its last character to its first. */
  public static void writeReversed(KeyWriter w, String value) {
    Utf8.write(w, new StringBuilder(value).reverse().toString(), false);
  }

  /** Reads text. */
  public static String read(KeyReader r, int at) {
    return Utf8.read(r, at);
  }

  /** Reads text from its last character to its first. */
  public static String readReversed(KeyReader r, int at) {
    return new StringBuilder(Utf8.read(r, at)).reverse().toString();
  }

  /** Writes bytes in hex, two digits each. */
  public static void writeHex(KeyWriter w, KeyBytes value, boolean isUpper) {
    int at = w.reserve(2 * value.length());
    for (byte next : value.array()) {
      w.buffer()[at++] = Digits.of(next >> 4 & 15, isUpper);
      w.buffer()[at++] = Digits.of(next & 15, isUpper);
    }
  }

  /** Reads bytes in hex. */
  public static KeyBytes readHex(KeyReader r, int at, boolean isUpper) {
    byte[] digits = Arrays.copyOfRange(r.content(), r.contentFrom(), r.contentTo());
    byte[] bytes = new byte[digits.length / 2];
    for (int i = 0; i < digits.length; i++) {
      int digit = Digits.value(digits[i], isUpper);
      if (digit < 0 || digits.length % 2 != 0) {
        throw r.wrong(at, "the field is bytes in hex, of one case");
      }
      bytes[i / 2] |= (byte) (digit << 4 * (1 - i % 2));
    }
    return KeyBytes.owned(bytes);
  }
}
