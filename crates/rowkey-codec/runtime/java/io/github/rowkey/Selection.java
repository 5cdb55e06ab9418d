package io.github.rowkey;

import java.util.ArrayList;
import java.util.List;

/** A set of keys, to be scanned by any client: what a prefix selects, or a range at its end. */
public final class Selection {
  private static final byte[] NONE = {};

  private final Layout layout;
  private final List<KeySpan> spans;

  Selection(Layout layout, List<KeySpan> spans) {
    this.layout = layout;
    this.spans = spans;
  }

  /** The ranges of the keys, in the fewest that hold them and no others: sorted. */
  public List<KeyRange> ranges() {
    List<KeyRange> all = new ArrayList<>();
    rangesByBucket().forEach(all::addAll);
    return KeyRange.merged(all);
  }

  /**
   * The ranges of each bucket of a salt that can hold such keys; of a key without a salt one list.
   * A scan of each list, merged by {@link Merge}, has the keys in one order.
   */
  public List<List<KeyRange>> rangesByBucket() {
    List<List<KeyRange>> buckets = new ArrayList<>();
    int lists = layout.lead() instanceof Salt salt ? salt.buckets() : 1;
    for (int i = 0; i < lists; i++) {
      buckets.add(new ArrayList<>());
    }
    for (KeySpan span : spans) {
      for (KeySpan part : parts(span)) {
        add(part, buckets);
      }
    }
    List<List<KeyRange>> found = new ArrayList<>();
    for (List<KeyRange> ranges : buckets) {
      if (!ranges.isEmpty()) {
        List<KeyRange> merged = KeyRange.merged(ranges);
        found.add(layout.isJoined() ? Ordered.narrowed(merged) : merged);
      }
    }
    found.removeIf(List::isEmpty);
    return List.copyOf(found);
  }

  /** The span without keys that only begin as its own do. */
  private List<KeySpan> parts(KeySpan span) {
    if (layout.until() != null) {
      return span.beforeOptional(layout.until().array(), layout.fields());
    }
    if (!layout.isJoined()) {
      return List.of(span);
    }
    KeySpan narrowed = span.narrowed(Ordered.LONGER);
    if (span.ends().length < layout.fields()) {
      return List.of(narrowed);
    }
    KeyWriter whole = new KeyWriter();
    whole.putBytes(span.body());
    Ordered.writeEnd(whole, 0);
    return List.of(new KeySpan(whole.toByteArray(), span.ends(), narrowed.low(), narrowed.high()));
  }

  private void add(KeySpan span, List<List<KeyRange>> buckets) {
    Lead lead = layout.lead();
    byte[] hashed = layout.hashed(span);
    if (lead == null) {
      add(span, NONE, buckets.get(0));
    } else if (lead instanceof Salt salt) {
      byte[] bytes = new byte[salt.width()];
      int first = hashed == null ? 0 : salt.bucket(hashed, 0, hashed.length);
      int last = hashed == null ? salt.buckets() - 1 : first;
      for (int bucket = first; bucket <= last; bucket++) {
        salt.format().write(bucket, bytes, 0);
        add(span, bytes, buckets.get(bucket));
      }
    } else if (hashed != null) {
      byte[] bytes = new byte[lead.width()];
      lead.write(hashed, 0, hashed.length, bytes, 0);
      add(span, bytes, buckets.get(0));
    } else if (span.isEverything()) {
      buckets.get(0).add(KeyRange.all());
    } else {
      throw new IllegalStateException(
          "the key begins with a digest of fields that are not all fixed");
    }
  }

  private void add(KeySpan span, byte[] lead, List<KeyRange> ranges) {
    KeyRange range = span.range(lead, layout.fields());
    if (range != null) {
      ranges.add(range);
    }
  }
}
