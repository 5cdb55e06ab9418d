package io.github.rowkey;

/**
 * The bytes before the fields of a key: a salt, a digest, or the beginning of a hash of another
 * program.
 */
public sealed interface Lead permits Salt, Digest, HashPrefix {
  /** The number of bytes. */
  int width();

  /**
   * Writes the bytes for what they are taken over, a part of {@code of}, into {@code out} from
   * {@code at} on.
   */
  void write(byte[] of, int from, int to, byte[] out, int at);

  /** Writes the bytes of a key that begins at {@code at}; room for them was reserved. */
  default void write(KeyWriter w, int at, int from, int to) {
    write(w.buffer(), from, to, w.buffer(), at);
  }

  /** Checks that a key begins with the bytes for this part of it. */
  default void check(KeyReader r, int from, int to) {
    check(r, r.buffer(), from, to);
  }

  /** Checks that a key begins with the bytes for parts of it, each from a place to another. */
  default void checkJoined(KeyReader r, int unhashed, int... places) {
    KeyWriter joined = new KeyWriter();
    for (int i = 0; i < places.length; i += 2) {
      joined.putBytes(r.buffer(), places[i], places[i + 1] - places[i]);
    }
    check(r, joined.buffer(), 0, joined.length() - unhashed);
  }

  /** Checks that a key begins with the bytes for this part of {@code of}. */
  default void check(KeyReader r, byte[] of, int from, int to) {
    byte[] key = r.buffer();
    byte[] due = r.scratch(width());
    write(of, from, to, due, 0);
    for (int i = 0; i < width(); i++) {
      if (key[i] != due[i]) {
        r.field("");
        String found = KeyReader.hex(key, 0, width());
        throw r.wrong(
            0, "found " + found + " before the fields, due is " + KeyReader.hex(due, 0, width()));
      }
    }
  }
}
