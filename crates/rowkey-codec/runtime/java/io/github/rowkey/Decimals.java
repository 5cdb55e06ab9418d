package io.github.rowkey;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * Decimal numbers: 0, or ± d.ddd… × 100^e in digits of base 100.
 *
 * <pre>
 * 0       80 00
 * 12.5    c1 0d 33 00      c1 + e, each digit + 1, the terminator
 * -12.5   3e 59 33 66 00   3e - e, 101 - each digit, 66, the terminator
 * </pre>
 *
 * <p>1.0 and 1.00 are one number. What is read has a scale from 0 on, and no needless zeros.
 */
public final class Decimals {
  private static final int ZERO = 0x80;
  private static final int NEGATIVE_END = 0x66;
  private static final int LEAST_EXPONENT = -64;
  private static final int MOST_EXPONENT = 61;

  private Decimals() {}

  /** Writes a number and its terminator. */
  public static void write(KeyWriter w, BigDecimal value) {
    writeRaw(w, value);
    w.putByte(0);
  }

  /** Writes a number to the end of the key. */
  public static void writeRaw(KeyWriter w, BigDecimal value) {
    if (value.signum() == 0) {
      w.putByte(ZERO);
      return;
    }
    boolean isNegative = value.signum() < 0;
    String digits = value.unscaledValue().abs().toString();
    // Digits in pairs, of which the last one is whole.
    int right = value.scale() & 1;
    int left = digits.length() + right & 1;
    int pairs = (left + digits.length() + right) / 2;
    long exponent = pairs - 1 - Math.floorDiv((long) value.scale() + right, 2L);
    if (exponent < LEAST_EXPONENT || exponent > MOST_EXPONENT) {
      throw new IllegalArgumentException("a decimal is 0, or from 10^-128 to below 10^124 in size");
    }
    w.putByte(isNegative ? 0x3e - (int) exponent : 0xc1 + (int) exponent);
    int last = w.length();
    for (int i = 0; i < pairs; i++) {
      int digit = 10 * digit(digits, 2 * i - left) + digit(digits, 2 * i + 1 - left);
      w.putByte(isNegative ? 101 - digit : digit + 1);
      if (digit != 0) {
        last = w.length();
      }
    }
    w.truncate(last);
    if (isNegative) {
      w.putByte(NEGATIVE_END);
    }
  }

  /** Reads a number and its terminator. */
  public static BigDecimal read(KeyReader r) {
    int at = r.position();
    int end = r.findZero();
    if (end - at == r.left()) {
      throw r.wrong(end, "the terminator of the decimal is missing");
    }
    r.takeContent(end - at);
    BigDecimal value = number(r, at);
    r.skip(1);
    return value;
  }

  /** Reads a number to the end of the key. */
  public static BigDecimal readRaw(KeyReader r) {
    int at = r.position();
    r.takeContent(r.left());
    return number(r, at);
  }

  private static BigDecimal number(KeyReader r, int at) {
    byte[] bytes = r.content();
    int from = r.contentFrom();
    int count = r.contentTo() - from;
    int first = count == 0 ? 0 : bytes[from] & 0xff;
    if (first == ZERO && count == 1) {
      return BigDecimal.ZERO;
    }
    boolean isNegative = first < 0x7f;
    if (first == ZERO) {
      throw r.wrong(at + 1, "nothing follows the 80 of a decimal 0");
    }
    if (first == 0 || first == 0x7f || first == 0xff) {
      throw r.wrong(at, "a decimal begins with 01 to 7e, is 80 alone, or begins with 81 to fe");
    }
    int digits = isNegative ? count - 2 : count - 1;
    if (isNegative && bytes[from + count - 1] != NEGATIVE_END) {
      throw r.wrong(at + count, "a negative decimal ends with 66");
    }
    byte[] text = new byte[Math.max(2 * digits, 0)];
    for (int i = 0; i < digits; i++) {
      int next = bytes[from + 1 + i] & 0xff;
      int digit = isNegative ? 101 - next : next - 1;
      if (digit < 0 || digit > 99) {
        throw r.wrong(at + 1 + i, "a decimal's digits are from 0 to 99");
      }
      text[2 * i] = (byte) ('0' + digit / 10);
      text[2 * i + 1] = (byte) ('0' + digit % 10);
    }
    if (digits < 1 || isZero(text, 0) || isZero(text, 2 * digits - 2)) {
      throw r.wrong(at + 1, "a decimal has digits, of which the first and the last are not 0");
    }
    int exponent = isNegative ? 0x3e - first : first - 0xc1;
    BigInteger whole = new BigInteger(new String(text, StandardCharsets.ISO_8859_1));
    BigDecimal value =
        new BigDecimal(isNegative ? whole.negate() : whole, 2 * (digits - 1 - exponent));
    BigDecimal shortest = value.stripTrailingZeros();
    return shortest.scale() < 0 ? shortest.setScale(0) : shortest;
  }

  private static boolean isZero(byte[] text, int at) {
    return text[at] == '0' && text[at + 1] == '0';
  }

  private static int digit(String digits, int at) {
    return at < 0 || at >= digits.length() ? 0 : digits.charAt(at) - '0';
  }
}
