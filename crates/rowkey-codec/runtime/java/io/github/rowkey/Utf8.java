package io.github.rowkey;

import java.nio.charset.StandardCharsets;

/** Text as UTF-8, written without another copy, and read strictly. */
final class Utf8 {
  private static final char REPLACEMENT = '\ufffd';

  private Utf8() {}

  /** Appends text; {@code 00} and {@code 01} are escaped if that is asked for. */
  static void write(KeyWriter w, String text, boolean escaped) {
    int chars = text.length();
    w.ensure(Math.multiplyExact(3, chars));
    byte[] out = w.buffer();
    int start = w.length();
    int at = start;
    int least = escaped ? 2 : 0;
    for (int i = 0; i < chars; i++) {
      char next = text.charAt(i);
      if (next >= least && next < 0x80) {
        out[at++] = (byte) next;
      } else if (next < 2) {
        out[at++] = 1;
        out[at++] = (byte) (next + 1);
      } else if (next < 0x800) {
        out[at++] = (byte) (0xc0 | next >> 6);
        out[at++] = (byte) (0x80 | next & 0x3f);
      } else if (!Character.isSurrogate(next)) {
        out[at++] = (byte) (0xe0 | next >> 12);
        out[at++] = (byte) (0x80 | next >> 6 & 0x3f);
        out[at++] = (byte) (0x80 | next & 0x3f);
      } else {
        int whole = i + 1 < chars ? text.codePointAt(i) : next;
        if (!Character.isSupplementaryCodePoint(whole)) {
          throw new IllegalArgumentException("a surrogate stands alone at character " + i);
        }
        i++;
        out[at++] = (byte) (0xf0 | whole >> 18);
        out[at++] = (byte) (0x80 | whole >> 12 & 0x3f);
        out[at++] = (byte) (0x80 | whole >> 6 & 0x3f);
        out[at++] = (byte) (0x80 | whole & 0x3f);
      }
    }
    w.reserve(at - start);
  }

  /**
   * The text of the content that was read last, of a field that begins in the key at this place.
   */
  static String read(KeyReader r, int at) {
    return read(r, at, -1);
  }

  /**
   * The same of a field that ends at a place: what is wrong is told by its byte, if the text is in
   * the key as it is.
   */
  static String read(KeyReader r, int at, int end) {
    int from = r.contentFrom();
    int count = r.contentTo() - from;
    String text = new String(r.content(), from, count, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0) {
      int valid = valid(r.content(), from, from + count) - from;
      if (valid < count) {
        boolean isAsInKey = r.content() == r.buffer() && end - at == count;
        throw r.wrong(isAsInKey ? at + valid : at, "the text is not UTF-8");
      }
    }
    return text;
  }

  /** The end of the first bytes that are UTF-8: in the shortest form, and without surrogates. */
  static int valid(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to) {
      int start = i;
      int lead = bytes[i++];
      if (lead >= 0) {
        continue;
      }
      int more = Integer.numberOfLeadingZeros(~lead << 24) - 1;
      if (more < 1 || more > 3 || to - i < more) {
        return start;
      }
      int value = lead & 0x3f >> more;
      for (int end = i + more; i < end; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
          return start;
        }
        value = value << 6 | bytes[i] & 0x3f;
      }
      int least = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
      if (value < least || value > 0x10ffff || (value >> 11) == 0x1b) {
        return start;
      }
    }
    return to;
  }
}
