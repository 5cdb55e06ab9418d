package io.github.rowkey;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Fields of Google's OrderedCode, as Bigtable's {@code row_key_schema} has them.
 *
 * <pre>
 * ("A", "", "C")   41 00 01 00 00 00 01 43    00 01 between fields, 00 00 for an empty one
 * ("A", "", "")    41                         no empty fields at the end, but for the first
 * "a\0b"           61 00 ff 62                in a field 00 is 00 ff
 * 5, -1, 64        85, 7f, c0 40              numbers of 1 to 10 bytes
 * </pre>
 */
public final class Ordered {
  /** What is after a value, and before the longer ones that begin with it. */
  static final byte[] LONGER = {0, 2};

  private static final long MICROS = 1_000_000;

  private Ordered() {}

  /** Writes text. */
  public static void writeText(KeyWriter w, String value, boolean isFirst) {
    int at = begin(w, isFirst);
    Utf8.write(w, value, false);
    escape(w, at);
  }

  /** Writes bytes. */
  public static void writeBytes(KeyWriter w, KeyBytes value, boolean isFirst) {
    int at = begin(w, isFirst);
    w.putBytes(value.array());
    escape(w, at);
  }

  /** Writes an {@code i64} of 1 to 10 bytes. */
  public static void writeInt(KeyWriter w, long value, boolean isFirst) {
    int at = begin(w, isFirst);
    int count = length(value);
    for (int i = 0; i < count; i++) {
      w.putByte((int) shifted(value, 8 * (count - 1 - i)) ^ header(count, i));
    }
    escape(w, at);
  }

  /** Writes an {@code i64} of eight bytes, big-endian. */
  public static void writeBigEndian(KeyWriter w, long value, boolean isFirst) {
    int at = begin(w, isFirst);
    w.putLong(value);
    escape(w, at);
  }

  /** Writes an instant of whole microseconds as a number of 1 to 10 bytes. */
  public static void writeMicros(KeyWriter w, Instant value, boolean isFirst) {
    writeInt(w, micros(value), isFirst);
  }

  /** Writes an instant of whole microseconds as a number of eight bytes. */
  public static void writeBigEndianMicros(KeyWriter w, Instant value, boolean isFirst) {
    writeBigEndian(w, micros(value), isFirst);
  }

  /** Writes the beginning of texts. */
  public static void writeTextStart(KeyWriter w, String start, boolean isFirst) {
    int at = begin(w, isFirst);
    Utf8.write(w, start, false);
    escapeZeros(w, at);
  }

  /** Writes the beginning of bytes. */
  public static void writeBytesStart(KeyWriter w, KeyBytes start, boolean isFirst) {
    int at = begin(w, isFirst);
    w.putBytes(start.array());
    escapeZeros(w, at);
  }

  /** Takes empty fields from the end of a key that begins at a place. */
  public static void writeEnd(KeyWriter w, int start) {
    w.truncate(start + length(w.buffer(), start, w.length()));
  }

  /** Reads text. */
  public static String readText(KeyReader r, boolean isFirst) {
    int at = r.position();
    take(r, isFirst);
    return Utf8.read(r, at);
  }

  /** Reads bytes. */
  public static KeyBytes readBytes(KeyReader r, boolean isFirst) {
    take(r, isFirst);
    return KeyBytes.owned(Arrays.copyOfRange(r.content(), r.contentFrom(), r.contentTo()));
  }

  /** Reads an {@code i64} of 1 to 10 bytes. */
  public static long readInt(KeyReader r, boolean isFirst) {
    int at = r.position();
    take(r, isFirst);
    int count = r.contentTo() - r.contentFrom();
    if (count < 1 || count > 10) {
      throw r.wrong(at, "a number has 1 to 10 bytes");
    }
    long value = 0;
    long high = 0;
    for (int i = 0; i < count; i++) {
      int next = (r.content()[r.contentFrom() + i] ^ header(count, i)) & 0xff;
      high = i == 0 ? (byte) next >> 7 : high << 8 | value >>> 56;
      value = i == 0 ? (byte) next : value << 8 | next;
    }
    if (high != value >> 63 || length(value) != count) {
      throw r.wrong(at, "a number has no more bytes than it needs, and their number");
    }
    return value;
  }

  /** Reads an {@code i64} of eight bytes, big-endian. */
  public static long readBigEndian(KeyReader r, boolean isFirst) {
    int at = r.position();
    take(r, isFirst);
    if (r.contentTo() - r.contentFrom() != 8) {
      throw r.wrong(at, "a number has eight bytes");
    }
    return Long.reverseBytes(Xxh64.read64(r.content(), r.contentFrom()));
  }

  /** Reads an instant from a number of 1 to 10 bytes. */
  public static Instant readMicros(KeyReader r, boolean isFirst) {
    return instant(readInt(r, isFirst));
  }

  /** Reads an instant from a number of eight bytes. */
  public static Instant readBigEndianMicros(KeyReader r, boolean isFirst) {
    return instant(readBigEndian(r, isFirst));
  }

  /** Ranges whose bounds are of keys: without empty fields at their ends. */
  static List<KeyRange> narrowed(List<KeyRange> ranges) {
    List<KeyRange> narrowed = new ArrayList<>(ranges.size());
    for (KeyRange range : ranges) {
      KeyRange cut = KeyRange.of(cut(range.start()), range.isUnbounded() ? null : cut(range.end()));
      if (cut != null) {
        narrowed.add(cut);
      }
    }
    return narrowed;
  }

  private static byte[] cut(byte[] bound) {
    return Arrays.copyOf(bound, length(bound, 0, bound.length));
  }

  /** The length without a separator, and without empty fields, at the end. */
  private static int length(byte[] bytes, int from, int to) {
    int end = to;
    if (endsWith(bytes, from, end, 1)) {
      end -= 2;
    }
    while (endsWith(bytes, from, end, 0) && endsWith(bytes, from, end - 2, 1)) {
      end -= 4;
    }
    return end - from;
  }

  private static boolean endsWith(byte[] bytes, int from, int to, int last) {
    return to - from >= 2 && bytes[to - 2] == 0 && bytes[to - 1] == last;
  }

  private static int begin(KeyWriter w, boolean isFirst) {
    if (!isFirst) {
      w.putShort(1);
    }
    return w.length();
  }

  private static void escape(KeyWriter w, int from) {
    if (w.length() == from) {
      w.putShort(0);
    } else {
      escapeZeros(w, from);
    }
  }

  private static void escapeZeros(KeyWriter w, int from) {
    int end = w.length();
    int zeros = 0;
    for (int i = from; i < end; i++) {
      zeros += w.buffer()[i] == 0 ? 1 : 0;
    }
    w.reserve(zeros);
    byte[] bytes = w.buffer();
    for (int i = end - 1, to = w.length(); i >= from && zeros > 0; i--) {
      if (bytes[i] == 0) {
        bytes[--to] = -1;
        zeros--;
      }
      bytes[--to] = bytes[i];
    }
  }

  private static void take(KeyReader r, boolean isFirst) {
    int start = r.position();
    if (!isFirst && r.left() > 0) {
      if (r.takeShort() != 1) {
        throw r.wrong(start, "00 01 is between two fields");
      }
    } else if (!isFirst) {
      r.setContent(r.buffer(), start, start);
      return;
    }
    content(r, isFirst);
  }

  private static void content(KeyReader r, boolean isFirst) {
    byte[] bytes = r.buffer();
    int start = r.position();
    byte[] out = r.scratch(r.left());
    int to = 0;
    int at = start;
    for (; at < bytes.length; at++) {
      int after = at + 1 < bytes.length ? bytes[at + 1] : 0x7f;
      if (bytes[at] == 0 && after == 1) {
        break;
      }
      if (bytes[at] == 0 && after == 0 && to == 0 && at == start) {
        if (at + 2 == bytes.length && !isFirst) {
          throw r.wrong(at, "an empty field at the end is left out");
        }
        r.skip(2);
        r.setContent(out, 0, 0);
        return;
      }
      out[to++] = bytes[at];
      if (bytes[at] == 0 && after != -1) {
        throw r.wrong(
            at, "00 is before ff in a field, before 01 between fields, and twice for an empty one");
      } else if (bytes[at] == 0) {
        at++;
      }
    }
    if (to == 0) {
      throw r.wrong(start, "an empty field is 00 00");
    }
    r.skip(at - start);
    r.setContent(out, 0, to);
  }

  private static long micros(Instant value) {
    if (value.getNano() % 1000 != 0) {
      throw new IllegalArgumentException(value + " is no whole number of microseconds");
    }
    long seconds = value.getEpochSecond();
    if (seconds < 0 && value.getNano() > 0) {
      return Math.addExact(
          Math.multiplyExact(seconds + 1, MICROS), value.getNano() / 1000 - MICROS);
    }
    return Math.addExact(Math.multiplyExact(seconds, MICROS), value.getNano() / 1000);
  }

  private static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1000);
  }

  private static int length(long value) {
    return (Long.SIZE - Long.numberOfLeadingZeros(value ^ value >> 63)) / 7 + 1;
  }

  private static long shifted(long value, int bits) {
    return value >> Math.min(bits, 63);
  }

  /** The bits of a byte that are inverted in a number of so many bytes: the first as many. */
  private static int header(int count, int index) {
    int bits = count - 8 * index;
    return bits <= 0 ? 0 : 0xff00 >> Math.min(bits, 8) & 0xff;
  }
}
