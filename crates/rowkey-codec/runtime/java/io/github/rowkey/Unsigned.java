package io.github.rowkey;

/**
 * Unsigned integers, big-endian: {@code u8} to {@code u64}.
 *
 * <pre>
 * u16   258   01 02
 * </pre>
 *
 * <p>{@code u8} and {@code u16} are an {@code int}, {@code u32} is a {@code long}, {@code u64} a
 * {@code long} whose bits are those of the number: see {@link Long#toUnsignedString(long)}.
 */
public final class Unsigned {
  private Unsigned() {}

  /** Writes a {@code u8}. */
  public static void write8(KeyWriter w, int value) {
    w.putByte(atMost(value, 0xff));
  }

  /** Writes a {@code u16}. */
  public static void write16(KeyWriter w, int value) {
    w.putShort(atMost(value, 0xffff));
  }

  /** Writes a {@code u32}. */
  public static void write32(KeyWriter w, long value) {
    w.putInt(checked(value));
  }

  /** Writes a {@code u64}. */
  public static void write64(KeyWriter w, long value) {
    w.putLong(value);
  }

  /** Writes a {@code u8} at a place of a key. */
  public static void set8(byte[] key, int at, int value) {
    key[at] = (byte) atMost(value, 0xff);
  }

  /** Writes it with all bits inverted. */
  public static void set8Inverted(byte[] key, int at, int value) {
    key[at] = (byte) ~atMost(value, 0xff);
  }

  /** Writes a {@code u16} at a place of a key. */
  public static void set16(byte[] key, int at, int value) {
    KeyWriter.SHORT.set(key, at, (short) atMost(value, 0xffff));
  }

  /** Writes it with all bits inverted. */
  public static void set16Inverted(byte[] key, int at, int value) {
    KeyWriter.SHORT.set(key, at, (short) ~atMost(value, 0xffff));
  }

  /** Writes a {@code u32} at a place of a key. */
  public static void set32(byte[] key, int at, long value) {
    KeyWriter.INT.set(key, at, checked(value));
  }

  /** Writes it with all bits inverted. */
  public static void set32Inverted(byte[] key, int at, long value) {
    KeyWriter.INT.set(key, at, ~checked(value));
  }

  /** Writes a {@code u64} at a place of a key. */
  public static void set64(byte[] key, int at, long value) {
    KeyWriter.LONG.set(key, at, value);
  }

  /** Writes it with all bits inverted. */
  public static void set64Inverted(byte[] key, int at, long value) {
    KeyWriter.LONG.set(key, at, ~value);
  }

  /** Reads a {@code u8}. */
  public static int read8(KeyReader r) {
    return r.takeByte();
  }

  /** Reads a {@code u16}. */
  public static int read16(KeyReader r) {
    return r.takeShort() & 0xffff;
  }

  /** Reads a {@code u32}. */
  public static long read32(KeyReader r) {
    return r.takeInt() & 0xffff_ffffL;
  }

  /** Reads a {@code u64}. */
  public static long read64(KeyReader r) {
    return r.takeLong();
  }

  private static int checked(long value) {
    if (value >>> 32 != 0) {
      throw new IllegalArgumentException(value + " is not from 0 to 4294967295");
    }
    return (int) value;
  }

  private static int atMost(int value, int most) {
    if (value < 0 || value > most) {
      throw new IllegalArgumentException(value + " is not from 0 to " + most);
    }
    return value;
  }
}
