package io.github.rowkey;

import java.util.Arrays;

/**
 * Bytes of any length: escaped before a terminator, or raw, to the end of the key.
 *
 * <pre>
 * 00 ff 01   01 01 ff 01 02 00
 * </pre>
 */
public final class ByteStrings {
  private ByteStrings() {}

  /** Writes bytes and their terminator. */
  public static void write(KeyWriter w, KeyBytes value) {
    writeStart(w, value);
    w.putByte(0);
  }

  /** Writes the beginning of bytes: without a terminator. */
  public static void writeStart(KeyWriter w, KeyBytes start) {
    Escapes.write(w, start.array(), 0, start.length());
  }

  /** Writes bytes to the end of the key. */
  public static void writeRaw(KeyWriter w, KeyBytes value) {
    w.putBytes(value.array());
  }

  /** Reads bytes and their terminator. */
  public static KeyBytes read(KeyReader r) {
    Escapes.read(r);
    return KeyBytes.owned(Arrays.copyOfRange(r.content(), r.contentFrom(), r.contentTo()));
  }

  /** Reads bytes to the end of the key. */
  public static KeyBytes readRaw(KeyReader r) {
    return KeyBytes.owned(r.takeBytes(r.left()));
  }
}
