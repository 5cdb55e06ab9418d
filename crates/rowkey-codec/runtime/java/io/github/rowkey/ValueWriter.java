package io.github.rowkey;

/** Writes a value of a field as if the field were ascending. */
@FunctionalInterface
public interface ValueWriter<T> {
  /** Appends the value's bytes. */
  void write(KeyWriter w, T value);
}
