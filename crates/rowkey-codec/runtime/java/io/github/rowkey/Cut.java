package io.github.rowkey;

/**
 * A place between keys: before, or after, all that begin with some bytes.
 *
 * @param bytes the bytes
 * @param isAfter whether it is after them
 */
record Cut(byte[] bytes, boolean isAfter) {
  private static final byte[] NONE = {};

  /** Before every key. */
  static final Cut FIRST = new Cut(NONE, false);

  /** After every key. */
  static final Cut LAST = new Cut(NONE, true);

  /** The same cut once all bytes are inverted. */
  Cut inverted() {
    byte[] other = bytes.clone();
    for (int i = 0; i < other.length; i++) {
      other[i] = (byte) ~other[i];
    }
    return new Cut(other, !isAfter);
  }

  /** The same cut among keys that begin with a prefix. */
  Cut within(byte[] prefix) {
    return new Cut(join(prefix, bytes), isAfter);
  }

  /** The first key after the cut; null if there is none. */
  byte[] key() {
    return isAfter ? KeyRange.successor(bytes) : bytes;
  }

  static byte[] join(byte[] a, byte[] b) {
    byte[] both = new byte[a.length + b.length];
    System.arraycopy(a, 0, both, 0, a.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
