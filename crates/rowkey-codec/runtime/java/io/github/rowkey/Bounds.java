package io.github.rowkey;

/**
 * A range of a field's values, in the order of the values, whatever the direction of the field.
 *
 * @param low the lower bound; null if there is none
 * @param isLowIncluded whether the lower bound is in the range
 * @param high the upper bound; null if there is none
 * @param isHighIncluded whether the upper bound is in the range
 */
public record Bounds<T>(T low, boolean isLowIncluded, T high, boolean isHighIncluded) {
  /** From {@code low} to before {@code high}. */
  public static <T> Bounds<T> halfOpen(T low, T high) {
    return new Bounds<>(low, true, high, false);
  }

  /** From {@code low} to {@code high}, both included. */
  public static <T> Bounds<T> closed(T low, T high) {
    return new Bounds<>(low, true, high, true);
  }

  /** From {@code low} on. */
  public static <T> Bounds<T> atLeast(T low) {
    return new Bounds<>(low, true, null, false);
  }

  /** What is greater than {@code low}. */
  public static <T> Bounds<T> above(T low) {
    return new Bounds<>(low, false, null, false);
  }

  /** What is less than {@code high}. */
  public static <T> Bounds<T> below(T high) {
    return new Bounds<>(null, false, high, false);
  }

  /** Up to {@code high}, which is included. */
  public static <T> Bounds<T> atMost(T high) {
    return new Bounds<>(null, false, high, true);
  }

  /** All values. */
  public static <T> Bounds<T> all() {
    return new Bounds<>(null, false, null, false);
  }
}
