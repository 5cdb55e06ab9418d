package io.github.rowkey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A range of row keys that is never empty, for the scan of any client. */
public final class KeyRange {
  private static final byte[] NONE = {};

  private final byte[] start;
  private final byte[] end;

  private KeyRange(byte[] start, byte[] end) {
    this.start = start;
    this.end = end;
  }

  /** Every key. */
  public static KeyRange all() {
    return new KeyRange(NONE, null);
  }

  /**
   * The keys from {@code start} to before {@code end}, which is null for the end of the table; null
   * if there are none.
   */
  public static KeyRange of(byte[] start, byte[] end) {
    return end != null && Arrays.compareUnsigned(end, start) <= 0 ? null : new KeyRange(start, end);
  }

  /** One key. */
  public static KeyRange point(byte[] key) {
    return new KeyRange(key, Arrays.copyOf(key, key.length + 1));
  }

  /** Every key that begins with these bytes. */
  public static KeyRange prefix(byte[] prefix) {
    return new KeyRange(prefix, successor(prefix));
  }

  /** The first key after all that begin with these bytes; null if no key is after them. */
  public static byte[] successor(byte[] prefix) {
    int last = prefix.length - 1;
    while (last >= 0 && prefix[last] == -1) {
      last--;
    }
    if (last < 0) {
      return null;
    }
    byte[] next = Arrays.copyOf(prefix, last + 1);
    next[last]++;
    return next;
  }

  /** The first possible key. */
  public byte[] start() {
    return start.clone();
  }

  /**
   * The first key after the range; empty if it goes to the end of the table, as clients of HBase
   * and Bigtable have it.
   */
  public byte[] end() {
    return end == null ? NONE : end.clone();
  }

  /** Returns whether the range goes to the end of the table. */
  public boolean isUnbounded() {
    return end == null;
  }

  /** Returns whether a key is in the range. */
  public boolean contains(byte[] key) {
    return Arrays.compareUnsigned(start, key) <= 0
        && (end == null || Arrays.compareUnsigned(key, end) < 0);
  }

  /** The same keys in the fewest ranges, sorted. */
  public static List<KeyRange> merged(List<KeyRange> ranges) {
    List<KeyRange> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparing(range -> range.start, Arrays::compareUnsigned));
    List<KeyRange> merged = new ArrayList<>(sorted.size());
    for (KeyRange next : sorted) {
      KeyRange last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last != null && (last.end == null || Arrays.compareUnsigned(next.start, last.end) <= 0)) {
        boolean isLonger =
            last.end != null
                && (next.end == null || Arrays.compareUnsigned(next.end, last.end) > 0);
        merged.set(merged.size() - 1, isLonger ? new KeyRange(last.start, next.end) : last);
      } else {
        merged.add(next);
      }
    }
    return List.copyOf(merged);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyRange that
        && Arrays.equals(start, that.start)
        && Arrays.equals(end, that.end);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(start) + Arrays.hashCode(end);
  }

  /** Both ends in hex. */
  @Override
  public String toString() {
    String to = end == null ? "" : KeyReader.hex(end, 0, end.length);
    return KeyReader.hex(start, 0, start.length) + ".." + to;
  }
}
