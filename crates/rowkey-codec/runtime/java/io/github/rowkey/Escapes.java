package io.github.rowkey;

/**
 * Bytes of any length before a terminator: {@code 00} is written {@code 01 01}, {@code 01} is
 * written {@code 01 02}, and then comes {@code 00}, which is nowhere before.
 */
final class Escapes {
  private Escapes() {}

  /** Appends a part of bytes, escaped. */
  static void write(KeyWriter w, byte[] bytes, int from, int to) {
    w.ensure(Math.multiplyExact(2, to - from));
    byte[] out = w.buffer();
    int start = w.length();
    int at = start;
    for (int i = from; i < to; i++) {
      byte next = bytes[i];
      if ((next & 0xfe) == 0) {
        out[at++] = 1;
        out[at++] = (byte) (next + 1);
      } else {
        out[at++] = next;
      }
    }
    w.reserve(at - start);
  }

  /** Reads to the terminator and over it; the content is without escapes. */
  static void read(KeyReader r) {
    byte[] bytes = r.buffer();
    int zero = r.zero() & 0xff;
    int start = r.position();
    int end = start;
    boolean escaped = false;
    while (true) {
      if (end == bytes.length) {
        throw r.wrong(end, String.format("the terminator %02x is missing", zero));
      }
      int next = bytes[end] & 0xff ^ zero;
      if (next == 0) {
        break;
      }
      escaped |= next == 1;
      end++;
    }
    if (!escaped) {
      r.takeContent(end - start);
    } else {
      unescape(r, start, end, zero);
      r.skip(end - start);
    }
    r.skip(1);
  }

  private static void unescape(KeyReader r, int start, int end, int zero) {
    byte[] bytes = r.buffer();
    byte[] out = r.scratch(end - start);
    int to = 0;
    for (int i = start; i < end; i++) {
      int next = bytes[i] & 0xff ^ zero;
      if (next == 1) {
        int after = ++i < bytes.length ? bytes[i] & 0xff ^ zero : 0;
        if (after != 1 && after != 2) {
          throw r.wrongByte(
              i, String.format("after the escape byte is %02x or %02x", 1 ^ zero, 2 ^ zero));
        }
        next = after - 1;
      }
      out[to++] = (byte) next;
    }
    r.setContent(out, 0, to);
  }
}
