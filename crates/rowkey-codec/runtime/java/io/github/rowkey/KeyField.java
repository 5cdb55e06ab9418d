package io.github.rowkey;

/**
 * What prefixes know of a field.
 *
 * @param writer writes its values
 * @param isDesc whether its bytes are inverted
 * @param endsWithKey whether nothing but the end of the key marks the end of a value
 * @param isReversed whether its bytes, not inverted, have the reverse order of the values
 */
public record KeyField<T>(
    ValueWriter<T> writer, boolean isDesc, boolean endsWithKey, boolean isReversed) {
  /** A field whose ascending bytes tell where they end and have the order of the values. */
  public static <T> KeyField<T> of(ValueWriter<T> writer, boolean isDesc) {
    return new KeyField<>(writer, isDesc, false, false);
  }

  byte[] bytes(T value) {
    KeyWriter w = new KeyWriter();
    writer.write(w, value);
    return w.toByteArray();
  }

  /** The cut before a value, or after it. */
  Cut cut(T value, boolean isAfter, byte[] longer) {
    byte[] bytes = bytes(value);
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
