package io.github.rowkey;

/**
 * Signed integers: two's complement, big-endian, the highest bit flipped, so that -1 sorts before
 * 0.
 *
 * <pre>
 * i16   -2   7f fe
 * </pre>
 */
public final class Signed {
  private Signed() {}

  /** Writes an {@code i8}. */
  public static void write8(KeyWriter w, byte value) {
    w.putByte(value ^ 0x80);
  }

  /** Writes an {@code i16}. */
  public static void write16(KeyWriter w, short value) {
    w.putShort(value ^ 0x8000);
  }

  /** Writes an {@code i32}. */
  public static void write32(KeyWriter w, int value) {
    w.putInt(value ^ Integer.MIN_VALUE);
  }

  /** Writes an {@code i64}. */
  public static void write64(KeyWriter w, long value) {
    w.putLong(value ^ Long.MIN_VALUE);
  }

  /** Writes an {@code i8} at a place of a key. */
  public static void set8(byte[] key, int at, byte value) {
    key[at] = (byte) (value ^ 0x80);
  }

  /** Writes it with all bits inverted. */
  public static void set8Inverted(byte[] key, int at, byte value) {
    key[at] = (byte) ~(value ^ 0x80);
  }

  /** Writes an {@code i16} at a place of a key. */
  public static void set16(byte[] key, int at, short value) {
    KeyWriter.SHORT.set(key, at, (short) (value ^ 0x8000));
  }

  /** Writes it with all bits inverted. */
  public static void set16Inverted(byte[] key, int at, short value) {
    KeyWriter.SHORT.set(key, at, (short) ~(value ^ 0x8000));
  }

  /** Writes an {@code i32} at a place of a key. */
  public static void set32(byte[] key, int at, int value) {
    KeyWriter.INT.set(key, at, value ^ Integer.MIN_VALUE);
  }

  /** Writes it with all bits inverted. */
  public static void set32Inverted(byte[] key, int at, int value) {
    KeyWriter.INT.set(key, at, ~(value ^ Integer.MIN_VALUE));
  }

  /** Writes an {@code i64} at a place of a key. */
  public static void set64(byte[] key, int at, long value) {
    KeyWriter.LONG.set(key, at, value ^ Long.MIN_VALUE);
  }

  /** Writes it with all bits inverted. */
  public static void set64Inverted(byte[] key, int at, long value) {
    KeyWriter.LONG.set(key, at, ~(value ^ Long.MIN_VALUE));
  }

  /** Reads an {@code i8}. */
  public static byte read8(KeyReader r) {
    return (byte) (r.takeByte() ^ 0x80);
  }

  /** Reads an {@code i16}. */
  public static short read16(KeyReader r) {
    return (short) (r.takeShort() ^ 0x8000);
  }

  /** Reads an {@code i32}. */
  public static int read32(KeyReader r) {
    return r.takeInt() ^ Integer.MIN_VALUE;
  }

  /** Reads an {@code i64}. */
  public static long read64(KeyReader r) {
    return r.takeLong() ^ Long.MIN_VALUE;
  }
}
