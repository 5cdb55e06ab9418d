package io.github.rowkey;

/**
 * A {@code char}: its Unicode scalar value in four bytes. It is an {@code int}, as those of {@link
 * String#codePointAt}.
 *
 * <pre>
 * €   00 00 20 ac
 * </pre>
 */
public final class CodePoint {
  private CodePoint() {}

  /** Writes a {@code char}. */
  public static void write(KeyWriter w, int value) {
    if (!isScalar(value)) {
      throw new IllegalArgumentException(Integer.toHexString(value) + " is no character");
    }
    w.putInt(value);
  }

  /** Reads a {@code char}. */
  public static int read(KeyReader r) {
    int at = r.position();
    int value = r.takeInt();
    if (!isScalar(value)) {
      throw r.wrong(
          at, "found " + Integer.toHexString(value) + ", a char is to 10ffff and no surrogate");
    }
    return value;
  }

  /** The character of a {@code char}, for people. */
  public static String shown(int value) {
    return Character.toString(value);
  }

  private static boolean isScalar(int value) {
    return Character.isValidCodePoint(value) && (value < 0xd800 || value > 0xdfff);
  }
}
