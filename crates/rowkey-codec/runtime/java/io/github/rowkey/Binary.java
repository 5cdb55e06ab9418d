package io.github.rowkey;

import java.math.BigInteger;

/**
 * Integers in binary as other programs write them: big-endian or little-endian, those below 0 in
 * two's complement.
 *
 * <pre>
 * be[i64]   -2    ff ff ff ff ff ff ff fe
 * le[u32]   258   02 01 00 00
 * uint[3]   258   00 01 02
 * </pre>
 */
public final class Binary {
  private Binary() {}

  /** Writes a number of up to eight bytes, big-endian. */
  public static void writeBig(KeyWriter w, long value, int width) {
    int at = w.reserve(width);
    for (int i = 0; i < width; i++) {
      w.buffer()[at + i] = (byte) (value >> 8 * (width - 1 - i));
    }
  }

  /** Writes a number of up to eight bytes, little-endian. */
  public static void writeLittle(KeyWriter w, long value, int width) {
    int at = w.reserve(width);
    for (int i = 0; i < width; i++) {
      w.buffer()[at + i] = (byte) (value >> 8 * i);
    }
  }

  /**
   * Checks that a number without a sign has no more than so many bytes, up to eight, and returns
   * it.
   */
  public static long unsigned(long value, int width) {
    if (width < 8 && value >>> 8 * width != 0) {
      throw new IllegalArgumentException(
          Long.toUnsignedString(value) + " has more than " + width + " bytes");
    }
    return value;
  }

  /**
   * Reads a number without a sign of up to eight bytes, big-endian; its sign, if it has one, is
   * left to a cast.
   */
  public static long readBig(KeyReader r, int width) {
    long value = 0;
    for (int i = 0; i < width; i++) {
      value = value << 8 | r.takeByte();
    }
    return value;
  }

  /** Reads a number of up to eight bytes, little-endian, as {@link #readBig} does. */
  public static long readLittle(KeyReader r, int width) {
    long value = 0;
    for (int i = 0; i < width; i++) {
      value |= (long) r.takeByte() << 8 * i;
    }
    return value;
  }

  /** Writes a number of nine to sixteen bytes, big-endian. */
  public static void writeBig(KeyWriter w, BigInteger value, int width) {
    writeBig(w, value.shiftRight(64).longValue(), width - 8);
    w.putLong(value.longValue());
  }

  /** Writes a number of sixteen bytes, little-endian. */
  public static void writeLittle(KeyWriter w, BigInteger value, int width) {
    writeLittle(w, value.longValue(), 8);
    writeLittle(w, value.shiftRight(64).longValue(), width - 8);
  }

  /** Checks that a number without a sign has no more than so many bytes, and returns it. */
  public static BigInteger unsigned(BigInteger value, int width) {
    if (value.signum() < 0 || value.bitLength() > 8 * width) {
      throw new IllegalArgumentException(
          value + " is not from 0 on with up to " + width + " bytes");
    }
    return value;
  }

  /** Checks that a number with a sign has no more than 128 bits, and returns it. */
  public static BigInteger signed(BigInteger value) {
    if (value.bitLength() > 127) {
      throw new IllegalArgumentException(value + " is no signed number of 128 bits");
    }
    return value;
  }

  /** Reads a number of nine to sixteen bytes, big-endian. */
  public static BigInteger readWideBig(KeyReader r, int width, boolean isSigned) {
    byte[] bytes = r.takeBytes(width);
    return isSigned ? new BigInteger(bytes) : new BigInteger(1, bytes);
  }

  /** Reads a number of sixteen bytes, little-endian. */
  public static BigInteger readWideLittle(KeyReader r, int width, boolean isSigned) {
    byte[] bytes = r.takeBytes(width);
    for (int i = 0; i < width / 2; i++) {
      byte swapped = bytes[i];
      bytes[i] = bytes[width - 1 - i];
      bytes[width - 1 - i] = swapped;
    }
    return isSigned ? new BigInteger(bytes) : new BigInteger(1, bytes);
  }
}
