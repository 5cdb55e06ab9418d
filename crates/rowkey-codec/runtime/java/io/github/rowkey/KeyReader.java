package io.github.rowkey;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Reads the bytes of a key from its first to its last. In a descending part it inverts each byte
 * back. It can be used again after {@link #reset}, and is not safe for use by several threads at
 * once.
 */
public final class KeyReader {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final byte[] NONE = {};

  private byte[] bytes;
  private int at;
  private int mask;
  private String key = "";
  private String field = "";

  /** None until a list is read: most keys have none. */
  private ReadPath lists;

  private byte[] scratch = NONE;
  private byte[] content = NONE;
  private int contentFrom;
  private int contentTo;

  /** Makes a reader of these bytes. */
  public KeyReader(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Begins with other bytes. */
  public KeyReader reset(byte[] other) {
    bytes = other;
    at = 0;
    mask = 0;
    field = "";
    return this;
  }

  /**
   * Names the key type that is read, for exceptions.
   *
   * @throws DecodeException if there are no bytes, but null
   */
  public void key(String name) {
    key = name;
    field = "";
    if (lists != null) {
      lists.clear();
    }
    if (bytes == null) {
      throw wrong(0, "null is no key");
    }
  }

  /** Names the field that is read next, for exceptions. */
  public void field(String name) {
    field = name;
  }

  /** Begins or ends a part whose bytes are inverted. */
  public void invert() {
    mask = ~mask;
  }

  /** The place of the next byte. */
  public int position() {
    return at;
  }

  /** The number of bytes that are left. */
  public int left() {
    return bytes.length - at;
  }

  /** Checks that nothing is left after the last field. */
  public void end() {
    if (at != bytes.length) {
      field = "";
      String found = hex(bytes, at, at + 1);
      throw wrong(at, left() + " bytes are left after the last field, from " + found + " on");
    }
  }

  /** Goes over bytes that are read later. */
  public void skip(int count) {
    need(count);
    at += count;
  }

  /** Reads a byte, from 0 to 255. */
  public int takeByte() {
    need(1);
    return (bytes[at++] ^ mask) & 0xff;
  }

  /** Reads two bytes, big-endian. */
  public short takeShort() {
    need(2);
    short value = (short) SHORT.get(bytes, at);
    at += 2;
    return (short) (value ^ mask);
  }

  /** Reads four bytes, big-endian. */
  public int takeInt() {
    need(4);
    int value = (int) INT.get(bytes, at);
    at += 4;
    return value ^ mask;
  }

  /** Reads eight bytes, big-endian. */
  public long takeLong() {
    need(8);
    long value = (long) LONG.get(bytes, at);
    at += 8;
    return value ^ mask;
  }

  /** Reads this many bytes into an array of their own. */
  public byte[] takeBytes(int count) {
    need(count);
    byte[] taken = Arrays.copyOfRange(bytes, at, at + count);
    at += count;
    return upright(taken, count);
  }

  /** The exception for what is wrong at a place of the key. */
  public DecodeException wrong(int offset, String found) {
    return new DecodeException(key, lists == null ? field : lists.of(field), offset, found);
  }

  /** Begins a list of the field that was named last. */
  void beginList() {
    if (lists == null) {
      lists = new ReadPath();
    }
    lists.beginList(field);
  }

  /** Begins the next element of the list that was begun last. */
  void beginItem() {
    lists.beginItem();
  }

  /** Ends the element: what comes next is of the list itself. */
  void endItem() {
    field = lists.endItem();
  }

  /** Ends the list that was begun last. */
  void endList() {
    lists.endList();
  }

  /** The exception for a byte, already read, that is not valid. */
  DecodeException wrongByte(int offset, String due) {
    return wrong(offset, "found " + hex(bytes, offset, offset + 1) + ", " + due);
  }

  /** The key's bytes as they are. */
  byte[] buffer() {
    return bytes;
  }

  /** The byte that a 0 of an ascending part is. */
  byte zero() {
    return (byte) mask;
  }

  /**
   * The place of the next byte that is a 0 of an ascending part; the key's length if there is none.
   */
  int findZero() {
    byte zero = (byte) mask;
    int i = at;
    while (i < bytes.length && bytes[i] != zero) {
      i++;
    }
    return i;
  }

  /** The place where these bytes are next; -1 if they are nowhere. */
  int find(byte[] what) {
    for (int i = at; i <= bytes.length - what.length; i++) {
      if (isAt(i, what)) {
        return i;
      }
    }
    return -1;
  }

  /** Returns whether these bytes are at a place. */
  boolean isAt(int place, byte[] what) {
    if (what.length > bytes.length - place) {
      return false;
    }
    for (int i = 0; i < what.length; i++) {
      if ((byte) (bytes[place + i] ^ mask) != what[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads this many bytes as the {@linkplain #content content}, which are copied only if they are
   * inverted.
   */
  void takeContent(int count) {
    need(count);
    at += count;
    if (mask == 0) {
      setContent(bytes, at - count, at);
      return;
    }
    byte[] room = scratch(count);
    System.arraycopy(bytes, at - count, room, 0, count);
    setContent(upright(room, count), 0, count);
  }

  /** Says where the content of a field is, without what marks its end. */
  void setContent(byte[] of, int from, int to) {
    content = of;
    contentFrom = from;
    contentTo = to;
  }

  /**
   * An array that has the content of the last field from {@link #contentFrom} to {@link
   * #contentTo}.
   */
  byte[] content() {
    return content;
  }

  int contentFrom() {
    return contentFrom;
  }

  int contentTo() {
    return contentTo;
  }

  /** An array of at least so many bytes, whose contents are undefined. */
  byte[] scratch(int count) {
    if (scratch.length < count) {
      scratch = new byte[Math.max(count, 64)];
    }
    return scratch;
  }

  private byte[] upright(byte[] taken, int count) {
    if (mask != 0) {
      for (int i = 0; i < count; i++) {
        taken[i] = (byte) ~taken[i];
      }
    }
    return taken;
  }

  private void need(int count) {
    if (bytes.length - at < count) {
      int missing = count - (bytes.length - at);
      throw wrong(bytes.length, "the key ends here, expected " + missing + " more bytes");
    }
  }

  static String hex(byte[] bytes, int from, int to) {
    StringBuilder text = new StringBuilder(2 * (to - from));
    for (int i = from; i < to; i++) {
      text.append(Character.forDigit(bytes[i] >> 4 & 15, 16));
      text.append(Character.forDigit(bytes[i] & 15, 16));
    }
    return text.toString();
  }
}
