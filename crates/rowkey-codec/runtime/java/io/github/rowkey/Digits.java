package io.github.rowkey;

/** Digits in ASCII. */
final class Digits {
  private Digits() {}

  /** The digit of a value from 0 to 15. */
  static byte of(int value, boolean isUpper) {
    return (byte) (value < 10 ? '0' + value : (isUpper ? 'A' : 'a') + value - 10);
  }

  /** The value of a hex digit of one case; -1 if it is none. */
  static int value(int digit, boolean isUpper) {
    if (digit >= '0' && digit <= '9') {
      return digit - '0';
    }
    int value = digit - (isUpper ? 'A' : 'a');
    return value >= 0 && value < 6 ? value + 10 : -1;
  }
}
