package io.github.rowkey;

/**
 * What prefixes know of a field.
 *
 * @param name its name in the design
 * @param writer writes its values
 * @param isDesc whether its bytes are inverted
 * @param endsWithKey whether nothing but the end of the key marks the end of a value
 * @param isReversed whether its bytes, not inverted, have the reverse order of the values
 */
public record KeyField<T>(
    String name, ValueWriter<T> writer, boolean isDesc, boolean endsWithKey, boolean isReversed) {
  /** A field whose ascending bytes tell where they end and have the order of the values. */
  public static <T> KeyField<T> of(String name, ValueWriter<T> writer, boolean isDesc) {
    return new KeyField<>(name, writer, isDesc, false, false);
  }

  /** Refuses null, with this field's name. */
  void present(Layout layout, Object condition) {
    if (condition == null) {
      throw EncodeException.of(layout.name(), name, new NullPointerException());
    }
  }

  byte[] bytes(Layout layout, T value) {
    return bytes(layout, writer, value).toByteArray();
  }

  /** What a writer writes of a value of this field. */
  <V> KeyWriter bytes(Layout layout, ValueWriter<? super V> of, V value) {
    KeyWriter w = new KeyWriter();
    try {
      of.write(w, value);
    } catch (IllegalArgumentException | NullPointerException thrown) {
      throw EncodeException.of(layout.name(), name, thrown);
    }
    return w;
  }

  /** The cut before a value, or after it. */
  Cut cut(Layout layout, T value, boolean isAfter, byte[] longer) {
    byte[] bytes = bytes(layout, value);
    if (!isAfter) {
      return new Cut(bytes, false);
    }
    // After a value alone, not after all that begin with it.
    if (endsWithKey) {
      return new Cut(Cut.join(bytes, new byte[1]), false);
    }
    return longer == null ? new Cut(bytes, true) : new Cut(Cut.join(bytes, longer), false);
  }
}
