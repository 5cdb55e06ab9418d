package io.github.rowkey;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A buffer that keys are written to. It grows, and can be used again after {@link #clear}, so that
 * a program that keeps one allocates nothing but its keys. It is not safe for use by several
 * threads at once.
 */
public final class KeyWriter {
  static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes;
  private int length;

  /** Makes a writer with room for a usual key. */
  public KeyWriter() {
    this(64);
  }

  /** Makes a writer with room for this many bytes. */
  public KeyWriter(int capacity) {
    bytes = new byte[capacity];
  }

  /** Forgets what was written, and keeps the room. */
  public void clear() {
    length = 0;
  }

  /** The number of bytes written. */
  public int length() {
    return length;
  }

  /** A copy of what was written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  /** What was written, by a writer that is not used again: without a copy if it fills the room. */
  public byte[] take() {
    return length == bytes.length ? bytes : toByteArray();
  }

  /** A copy of what was written from one place to another. */
  public byte[] toByteArray(int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  /** Drops what was written from this place on. */
  public void truncate(int to) {
    length = to;
  }

  /** Appends a byte. */
  public void putByte(int value) {
    int at = reserve(1);
    bytes[at] = (byte) value;
  }

  /** Appends two bytes, big-endian. */
  public void putShort(int value) {
    int at = reserve(2);
    SHORT.set(bytes, at, (short) value);
  }

  /** Appends four bytes, big-endian. */
  public void putInt(int value) {
    int at = reserve(4);
    INT.set(bytes, at, value);
  }

  /** Appends eight bytes, big-endian. */
  public void putLong(long value) {
    int at = reserve(8);
    LONG.set(bytes, at, value);
  }

  /** Appends bytes as they are. */
  public void putBytes(byte[] from) {
    putBytes(from, 0, from.length);
  }

  /** Appends a part of bytes as they are. */
  public void putBytes(byte[] from, int start, int count) {
    int at = reserve(count);
    System.arraycopy(from, start, bytes, at, count);
  }

  /** Appends once more what was written from one place to another. */
  public void repeat(int from, int to) {
    int at = reserve(to - from);
    System.arraycopy(bytes, from, bytes, at, to - from);
  }

  /** Inverts each byte from this place on: what a descending field has. */
  public void invert(int from) {
    if (length - from == 8) {
      LONG.set(bytes, from, ~(long) LONG.get(bytes, from));
      return;
    }
    for (int i = from; i < length; i++) {
      bytes[i] = (byte) ~bytes[i];
    }
  }

  /** Makes room for bytes that the caller fills in, and returns the place of the first. */
  public int reserve(int count) {
    int at = length;
    if (count > bytes.length - at) {
      grow(count);
    }
    length = at + count;
    return at;
  }

  /** Makes room for bytes without counting them as written. */
  void ensure(int count) {
    if (count > bytes.length - length) {
      grow(count);
    }
  }

  /** The buffer; another one after each call that appends. */
  byte[] buffer() {
    return bytes;
  }

  private void grow(int count) {
    int due = Math.addExact(length, count);
    bytes =
        Arrays.copyOf(
            bytes, Math.max(due, (int) Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
  }
}
