package io.github.rowkey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * The bytes of the leading fields of a key: what the builders of prefixes hold. It does not change.
 */
public final class LeadingFields {
  private static final byte[] NONE = {};

  private final Layout layout;
  private final byte[] body;
  private final int[] ends;

  private LeadingFields(Layout layout, byte[] body, int[] ends) {
    this.layout = layout;
    this.body = body;
    this.ends = ends;
  }

  /** No field yet. */
  public static LeadingFields of(Layout layout) {
    return new LeadingFields(layout, NONE, new int[0]);
  }

  /** Fixes the next field, which has the same bytes in every key. */
  public LeadingFields constant(KeyBytes constant, boolean isDesc) {
    return field(new KeyField<>("", Constants::write, isDesc, false, false), constant);
  }

  /** Fixes the next field. */
  public <T> LeadingFields field(KeyField<T> field, T value) {
    byte[] next = with(field.bytes(layout, value), field.isDesc());
    int[] more = Arrays.copyOf(ends, ends.length + 1);
    more[ends.length] = next.length;
    return new LeadingFields(layout, next, more);
  }

  /** Selects the keys that begin with these fields. */
  public Selection select() {
    return new Selection(layout, List.of(KeySpan.prefix(body, ends)));
  }

  /** Selects those whose next field has one of these values. */
  public <T> Selection in(KeyField<T> field, Collection<? extends T> values) {
    field.present(layout, values);
    List<KeySpan> spans = new ArrayList<>(values.size());
    for (T value : values) {
      LeadingFields with = field(field, value);
      spans.add(KeySpan.prefix(with.body, with.ends));
    }
    return new Selection(layout, spans);
  }

  /** Selects those whose next field is in a range of values. */
  public <T> Selection range(KeyField<T> field, Bounds<? extends T> bounds) {
    field.present(layout, bounds);
    byte[] longer = layout.isJoined() ? Ordered.LONGER : null;
    boolean isTurned = field.isReversed();
    T first = isTurned ? bounds.high() : bounds.low();
    T last = isTurned ? bounds.low() : bounds.high();
    Bounds.End atFirst = isTurned ? bounds.highEnd() : bounds.lowEnd();
    Bounds.End atLast = isTurned ? bounds.lowEnd() : bounds.highEnd();
    Cut low =
        switch (atFirst) {
          case NONE -> Cut.FIRST;
          case INCLUDED -> field.cut(layout, first, false, longer);
          case EXCLUDED -> field.cut(layout, first, true, longer);
        };
    Cut high =
        switch (atLast) {
          case NONE -> Cut.LAST;
          case INCLUDED -> field.cut(layout, last, true, longer);
          case EXCLUDED -> field.cut(layout, last, false, longer);
        };
    return between(low, high, field.isDesc());
  }

  /** Selects those whose next field begins with what {@code writer} writes of {@code start}. */
  public <V> Selection startsWith(KeyField<?> field, ValueWriter<? super V> writer, V start) {
    return startsWith(field.bytes(layout, writer, start), field.isDesc());
  }

  private Selection startsWith(KeyWriter start, boolean isDesc) {
    byte[] begun = with(start.toByteArray(), isDesc);
    return new Selection(layout, List.of(KeySpan.prefix(begun, ends)));
  }

  /**
   * Selects those whose next field, a host path, is of a domain or its subdomains, or of an
   * address.
   */
  public Selection under(KeyField<HostPath> field, String host) {
    byte[] low = field.bytes(layout, LeadingFields::writeUnder, host).toByteArray();
    byte[] high = low.clone();
    high[high.length - 1] = '0';
    return between(new Cut(low, false), new Cut(high, false), field.isDesc());
  }

  private static void writeUnder(KeyWriter w, String host) {
    String fault = host.isEmpty() ? "there is no host" : Hosts.fault(host);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
    HostPaths.writeHost(w, host);
    w.putByte(Hosts.isAddress(host) ? '/' : '.');
  }

  /** Selects those whose next field, padded with blanks, begins with this. */
  public Selection startsWithPadded(KeyField<String> field, String start, int width) {
    boolean isDesc = field.isDesc();
    ValueWriter<String> writer = (w, value) -> Padded.writeStart(w, value, width);
    KeyWriter begun = field.bytes(layout, writer, start);
    String text = start.stripTrailing();
    if (text.length() == start.length()) {
      return startsWith(begun, isDesc);
    }
    // The text without the blanks has them too, as its padding.
    KeyWriter shorter = new KeyWriter();
    Padded.writeBlanks(shorter, text, width);
    Cut high = new Cut(KeyRange.successor(begun.toByteArray()), false);
    return between(new Cut(shorter.toByteArray(), true), high, isDesc);
  }

  /** Selects those whose next field, a text before a delimiter, begins with this. */
  public Selection startsWithBefore(KeyField<?> field, String start, KeyBytes delimiter) {
    boolean isDesc = field.isDesc();
    KeyWriter begun = field.bytes(layout, PlainText::write, start);
    byte[] low = begun.toByteArray();
    List<byte[]> others;
    try {
      others = TextEnds.shorter(low, delimiter.array());
    } catch (IllegalArgumentException thrown) {
      throw EncodeException.of(layout.name(), field.name(), thrown);
    }
    if (others.isEmpty()) {
      return startsWith(begun, isDesc);
    }
    byte[] end = KeyRange.successor(low);
    List<KeySpan> spans = new ArrayList<>();
    for (byte[] other : others) {
      spans.add(span(new Cut(low, false), new Cut(other, false), isDesc));
      low = KeyRange.successor(other);
      if (low == null) {
        return new Selection(layout, spans);
      }
    }
    spans.add(span(new Cut(low, false), end == null ? Cut.LAST : new Cut(end, false), isDesc));
    return new Selection(layout, spans);
  }

  /** Selects those whose next field, a tile of any zoom, is in a tile or is it. */
  public Selection within(KeyField<Tile> field, Tile area) {
    field.present(layout, area);
    KeyWriter first = new KeyWriter();
    Tiles.writeFirst(first, area);
    KeyWriter last = new KeyWriter();
    Tiles.write(last, area);
    return between(first, last, field.isDesc());
  }

  /** Selects those whose next field, a tile of one zoom, is in a tile or is it. */
  public Selection within(KeyField<Tile> field, Tile area, int zoom) {
    field.present(layout, area);
    int down = zoom - area.zoom();
    if (down < 0) {
      return new Selection(layout, List.of());
    }
    int side = (1 << down) - 1;
    KeyWriter first = new KeyWriter();
    Tiles.writeQuadkey(first, new Tile(zoom, area.x() << down, area.y() << down), zoom);
    KeyWriter last = new KeyWriter();
    Tile corner = new Tile(zoom, area.x() << down | side, area.y() << down | side);
    Tiles.writeQuadkey(last, corner, zoom);
    return between(first, last, field.isDesc());
  }

  private Selection between(KeyWriter first, KeyWriter last, boolean isDesc) {
    return between(new Cut(first.toByteArray(), false), new Cut(last.toByteArray(), true), isDesc);
  }

  private Selection between(Cut low, Cut high, boolean isDesc) {
    return new Selection(layout, List.of(span(low, high, isDesc)));
  }

  private KeySpan span(Cut low, Cut high, boolean isDesc) {
    return new KeySpan(body, ends, isDesc ? high.inverted() : low, isDesc ? low.inverted() : high);
  }

  private byte[] with(byte[] next, boolean isDesc) {
    KeyWriter w = new KeyWriter(body.length + next.length);
    w.putBytes(body);
    w.putBytes(next);
    if (isDesc) {
      w.invert(body.length);
    }
    return w.toByteArray();
  }
}
