package io.github.rowkey;

/**
 * Bytes of a fixed number, {@code bytes[N]}, as they are: UUIDs, ULIDs, addresses of one family.
 */
public final class ByteArrays {
  private ByteArrays() {}

  /** Writes bytes, which must be so many. */
  public static void write(KeyWriter w, KeyBytes value, int count) {
    if (value.length() != count) {
      throw new IllegalArgumentException(
          "found " + value.length() + " bytes, the field has " + count);
    }
    w.putBytes(value.array());
  }

  /** Reads so many bytes. */
  public static KeyBytes read(KeyReader r, int count) {
    return KeyBytes.owned(r.takeBytes(count));
  }
}
