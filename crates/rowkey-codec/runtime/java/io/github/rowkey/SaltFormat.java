package io.github.rowkey;

/**
 * The bytes of a bucket: so many bytes or digits, and what comes after them.
 *
 * <pre>
 * binary, 2 bytes       bucket 76    00 4c
 * decimal, 2 and '-'    bucket 7     30 37 2d
 * </pre>
 *
 * @param base 256 for binary, 10 or 16 for digits
 * @param digits the number of bytes or digits
 * @param isUpper whether hex digits are in upper case
 * @param delimiter what comes after them, not part of the number; perhaps nothing
 */
public record SaltFormat(int base, int digits, boolean isUpper, KeyBytes delimiter) {
  private static final KeyBytes NOTHING = KeyBytes.of();

  /** Big-endian, in so many bytes. */
  public static SaltFormat binary(int bytes) {
    return new SaltFormat(256, bytes, false, NOTHING);
  }

  /** So many hex digits in lower case. */
  public static SaltFormat hex(int digits) {
    return new SaltFormat(16, digits, false, NOTHING);
  }

  /** So many hex digits in upper case. */
  public static SaltFormat upperHex(int digits) {
    return new SaltFormat(16, digits, true, NOTHING);
  }

  /** So many decimal digits. */
  public static SaltFormat decimal(int digits) {
    return new SaltFormat(10, digits, false, NOTHING);
  }

  /** The same before a delimiter. */
  public SaltFormat before(KeyBytes other) {
    return new SaltFormat(base, digits, isUpper, other);
  }

  int width() {
    return digits + delimiter.length();
  }

  void write(int bucket, byte[] out, int at) {
    int rest = bucket;
    for (int i = digits - 1; i >= 0; i--) {
      int digit = rest % base;
      rest /= base;
      out[at + i] = base == 256 ? (byte) digit : Digits.of(digit, isUpper);
    }
    System.arraycopy(delimiter.array(), 0, out, at + digits, delimiter.length());
  }
}
