package io.github.rowkey;

/**
 * A range of a field's values, in the order of the values, whatever the direction of the field. A
 * bound that is null is refused by the prefix that takes it: it is not the same as none.
 *
 * @param low the lower bound; null if there is none
 * @param lowEnd what the lower bound is
 * @param high the upper bound; null if there is none
 * @param highEnd what the upper bound is
 */
public record Bounds<T>(T low, End lowEnd, T high, End highEnd) {
  /** Whether there is a bound, and whether it is in the range itself. */
  public enum End {
    /** There is none. */
    NONE,
    /** It is in the range. */
    INCLUDED,
    /** It is not in the range. */
    EXCLUDED
  }

  /** From {@code low} to before {@code high}. */
  public static <T> Bounds<T> halfOpen(T low, T high) {
    return new Bounds<>(low, End.INCLUDED, high, End.EXCLUDED);
  }

  /** From {@code low} to {@code high}, both included. */
  public static <T> Bounds<T> closed(T low, T high) {
    return new Bounds<>(low, End.INCLUDED, high, End.INCLUDED);
  }

  /** From {@code low} on. */
  public static <T> Bounds<T> atLeast(T low) {
    return new Bounds<>(low, End.INCLUDED, null, End.NONE);
  }

  /** What is greater than {@code low}. */
  public static <T> Bounds<T> above(T low) {
    return new Bounds<>(low, End.EXCLUDED, null, End.NONE);
  }

  /** What is less than {@code high}. */
  public static <T> Bounds<T> below(T high) {
    return new Bounds<>(null, End.NONE, high, End.EXCLUDED);
  }

  /** Up to {@code high}, which is included. */
  public static <T> Bounds<T> atMost(T high) {
    return new Bounds<>(null, End.NONE, high, End.INCLUDED);
  }

  /** All values. */
  public static <T> Bounds<T> all() {
    return new Bounds<>(null, End.NONE, null, End.NONE);
  }
}
