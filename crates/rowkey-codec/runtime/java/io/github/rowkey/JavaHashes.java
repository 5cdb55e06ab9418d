package io.github.rowkey;

/** The hashes of Java's own classes. */
final class JavaHashes {
  private JavaHashes() {}

  /** That of {@link java.util.Arrays#hashCode(byte[])}, of a part of bytes. */
  static int ofBytes(byte[] bytes, int from, int to) {
    int hash = 1;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }

  /** That of {@link String#hashCode}, of UTF-8; of other bytes, as if each were a character. */
  static int ofText(byte[] bytes, int from, int to) {
    int hash = 0;
    boolean isText = Utf8.valid(bytes, from, to) == to;
    for (int i = from; i < to; i++) {
      int next = bytes[i] & 0xff;
      if (isText && next >= 0x80) {
        int more = next < 0xe0 ? 1 : next < 0xf0 ? 2 : 3;
        next &= 0x3f >> more;
        for (int end = i + more; i < end; ) {
          next = next << 6 | bytes[++i] & 0x3f;
        }
      }
      if (next > 0xffff) {
        hash = 31 * hash + Character.highSurrogate(next);
        next = Character.lowSurrogate(next);
      }
      hash = 31 * hash + next;
    }
    return hash;
  }
}
