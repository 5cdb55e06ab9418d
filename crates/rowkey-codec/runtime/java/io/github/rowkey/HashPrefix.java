package io.github.rowkey;

/**
 * The beginning of a hash, as other programs write it before their keys.
 *
 * <pre>
 * md5 hex[4 '_']   of "ada"   8 c 8 d _
 * </pre>
 *
 * @param function the hash
 * @param taken how many bytes or digits of it
 * @param form whether these are bytes or digits
 * @param delimiter what comes after them; perhaps nothing
 */
public record HashPrefix(HashFunction function, int taken, Form form, KeyBytes delimiter)
    implements Lead {
  /** How a hash is written. */
  public enum Form {
    /** As it is. */
    BYTES,
    /** In hex digits of lower case. */
    HEX,
    /** In hex digits of upper case. */
    UPPER_HEX
  }

  @Override
  public int width() {
    return taken + delimiter.length();
  }

  @Override
  public void write(byte[] of, int from, int to, byte[] out, int at) {
    byte[] hash = function.of(of, from, to);
    for (int i = 0; i < taken; i++) {
      out[at + i] =
          form == Form.BYTES
              ? hash[i]
              : Digits.of(hash[i / 2] >> 4 * (1 - i % 2) & 15, form == Form.UPPER_HEX);
    }
    System.arraycopy(delimiter.array(), 0, out, at + taken, delimiter.length());
  }
}
