package io.github.rowkey;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * The content of a field of a text key that is a number: in decimal or hex, with a width padded
 * with zeros, and without one (a width of 0) with none.
 *
 * <pre>
 * dec[4]        42   0042
 * minus[99 2]   42   57        99 less the number
 * hex[4]        42   002a
 * </pre>
 *
 * <p>A {@code long} has the bits of a number without a sign.
 */
public final class NumberText {
  private static final String ONE_FORM = "the field is a number in its one form";
  private static final int BITS = 128;

  private NumberText() {}

  /** Writes a number. */
  public static void write(KeyWriter w, long value, int width, int radix, boolean isUpper) {
    int digits = 1;
    for (long rest = Long.divideUnsigned(value, radix);
        rest != 0;
        rest = Long.divideUnsigned(rest, radix)) {
      digits++;
    }
    int count = Math.max(digits, width);
    int at = w.reserve(count);
    long rest = value;
    for (int i = count - 1; i >= 0; i--) {
      w.buffer()[at + i] = Digits.of((int) Long.remainderUnsigned(rest, radix), isUpper);
      rest = Long.divideUnsigned(rest, radix);
    }
  }

  /** Writes a number of up to 128 bits. */
  public static void write(KeyWriter w, BigInteger value, int width, int radix, boolean isUpper) {
    String digits = Binary.unsigned(value, BITS / 8).toString(radix);
    for (int i = digits.length(); i < width; i++) {
      w.putByte('0');
    }
    Utf8.write(w, isUpper ? digits.toUpperCase(java.util.Locale.ROOT) : digits, false);
  }

  /** Writes a number of up to 128 bits in decimal, with a {@code -} if it is below 0. */
  public static void writeSigned(KeyWriter w, BigInteger value) {
    Utf8.write(w, Binary.signed(value).toString(), false);
  }

  /** Writes {@code most} less a number in decimal. */
  public static void writeMinus(KeyWriter w, long value, long most, int width) {
    if (Long.compareUnsigned(value, most) > 0) {
      throw new IllegalArgumentException(
          Long.toUnsignedString(value) + " is more than the field's most");
    }
    write(w, most - value, width, 10, false);
  }

  /** Writes {@code most} less a number in decimal. */
  public static void writeMinus(KeyWriter w, BigInteger value, BigInteger most, int width) {
    write(w, most.subtract(Binary.unsigned(value, BITS / 8)), width, 10, false);
  }

  /** Reads a number of up to 64 bits. */
  public static long read(KeyReader r, int at, int width, int radix, boolean isUpper) {
    BigInteger value = readWide(r, at, width, radix, isUpper);
    if (value.bitLength() > 64) {
      throw r.wrong(at, ONE_FORM);
    }
    return value.longValue();
  }

  /** Reads a number of up to 128 bits. */
  public static BigInteger readWide(KeyReader r, int at, int width, int radix, boolean isUpper) {
    int count = r.contentTo() - r.contentFrom();
    boolean isPadded = width > 0 || count == 1;
    if (count == 0 || !isPadded && r.content()[r.contentFrom()] == '0') {
      throw r.wrong(at, ONE_FORM);
    }
    for (int i = r.contentFrom(); i < r.contentTo(); i++) {
      int digit = Digits.value(r.content()[i], isUpper);
      if (digit < 0 || digit >= radix) {
        throw r.wrong(at, ONE_FORM);
      }
    }
    BigInteger value = new BigInteger(latin(r), radix);
    if (value.bitLength() > BITS) {
      throw r.wrong(at, ONE_FORM);
    }
    return value;
  }

  /** Reads a number in decimal that may be below 0. */
  public static BigInteger readSigned(KeyReader r, int at) {
    String text = latin(r);
    boolean isNumber = text.length() <= 40 && text.matches("0|-?[1-9][0-9]*");
    BigInteger value = isNumber ? new BigInteger(text) : null;
    if (value == null || value.bitLength() > BITS - 1) {
      throw r.wrong(at, ONE_FORM);
    }
    return value;
  }

  /** Reads a number that was taken from {@code most}. */
  public static long readMinus(KeyReader r, int at, long most, int width) {
    long left = read(r, at, width, 10, false);
    if (Long.compareUnsigned(left, most) > 0) {
      throw r.wrong(at, "the field is at most " + Long.toUnsignedString(most));
    }
    return most - left;
  }

  /** Reads a number that was taken from {@code most}. */
  public static BigInteger readMinus(KeyReader r, int at, BigInteger most, int width) {
    BigInteger number = most.subtract(readWide(r, at, width, 10, false));
    if (number.signum() < 0) {
      throw r.wrong(at, "the field is at most " + most);
    }
    return number;
  }

  private static String latin(KeyReader r) {
    return new String(
        r.content(), r.contentFrom(), r.contentTo() - r.contentFrom(), StandardCharsets.ISO_8859_1);
  }
}
