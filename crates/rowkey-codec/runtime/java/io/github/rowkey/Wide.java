package io.github.rowkey;

import java.math.BigInteger;

/**
 * Integers of 128 bits, {@code u128} and {@code i128}: sixteen bytes, as the {@link Unsigned} and
 * {@link Signed} ones.
 *
 * <pre>
 * i128   -1   7f ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff
 * </pre>
 */
public final class Wide {
  private static final BigInteger SIGN = BigInteger.ONE.shiftLeft(127);

  private Wide() {}

  /** Writes a {@code u128}. */
  public static void writeUnsigned(KeyWriter w, BigInteger value) {
    if (value.signum() < 0 || value.bitLength() > 128) {
      throw new IllegalArgumentException(value + " is no unsigned number of 128 bits");
    }
    w.putLong(value.shiftRight(64).longValue());
    w.putLong(value.longValue());
  }

  /** Writes an {@code i128}. */
  public static void writeSigned(KeyWriter w, BigInteger value) {
    if (value.bitLength() > 127) {
      throw new IllegalArgumentException(value + " is no signed number of 128 bits");
    }
    w.putLong(value.shiftRight(64).longValue() ^ Long.MIN_VALUE);
    w.putLong(value.longValue());
  }

  /** Reads a {@code u128}. */
  public static BigInteger readUnsigned(KeyReader r) {
    return new BigInteger(1, r.takeBytes(16));
  }

  /** Reads an {@code i128}. */
  public static BigInteger readSigned(KeyReader r) {
    return readUnsigned(r).subtract(SIGN);
  }
}
