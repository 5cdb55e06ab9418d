package io.github.rowkey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys whose fields begin with {@code body} and go on between two cuts.
 *
 * @param body the bytes of the fields that are fixed, and perhaps of the beginning of the next
 * @param ends where each field ends that is fixed
 * @param low the lower cut
 * @param high the upper cut
 */
record KeySpan(byte[] body, int[] ends, Cut low, Cut high) {
  static KeySpan prefix(byte[] body, int[] ends) {
    return new KeySpan(body, ends, Cut.FIRST, Cut.LAST);
  }

  boolean isEverything() {
    return body.length == 0 && ends.length == 0 && isWhole();
  }

  private boolean isWhole() {
    return low.equals(Cut.FIRST) && high == Cut.LAST;
  }

  /** Whether the body ends with a field. */
  private boolean endsWithField() {
    return ends.length > 0 && ends[ends.length - 1] == body.length;
  }

  /**
   * The same without the keys whose last fixed field is a longer value, which goes on with these
   * bytes or greater.
   */
  KeySpan narrowed(byte[] longer) {
    boolean isNarrowed = endsWithField() && high == Cut.LAST;
    return isNarrowed ? new KeySpan(body, ends, low, new Cut(longer, false)) : this;
  }

  /**
   * The same without keys that have, after all fields but one, anything but a delimiter or their
   * end.
   */
  List<KeySpan> beforeOptional(byte[] delimiter, int fields) {
    if (ends.length + 1 != fields || !endsWithField()) {
      return List.of(this);
    }
    byte[] from = low.key();
    if (from == null) {
      return List.of();
    }
    List<KeySpan> spans = new ArrayList<>(2);
    byte[] to = high.key();
    byte[] first = Arrays.compareUnsigned(from, delimiter) > 0 ? from : delimiter;
    byte[] after = KeyRange.successor(delimiter);
    byte[] last = to == null || after != null && Arrays.compareUnsigned(after, to) < 0 ? after : to;
    if (last == null || Arrays.compareUnsigned(first, last) < 0) {
      Cut end = last == null ? Cut.LAST : new Cut(last, false);
      spans.add(new KeySpan(body, ends, new Cut(first, false), end));
    }
    if (from.length == 0 && (to == null || to.length > 0)) {
      int[] whole = Arrays.copyOf(ends, fields);
      whole[fields - 1] = body.length;
      spans.add(prefix(body, whole));
    }
    return spans;
  }

  /** The range of the keys that begin with {@code lead}; null if there can be none. */
  KeyRange range(byte[] lead, int fields) {
    byte[] prefix = Cut.join(lead, body);
    if (ends.length == fields) {
      return KeyRange.point(prefix);
    }
    byte[] start = low.within(prefix).key();
    return start == null ? null : KeyRange.of(start, high.within(prefix).key());
  }
}
