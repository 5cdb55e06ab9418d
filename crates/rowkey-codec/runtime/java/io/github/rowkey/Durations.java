package io.github.rowkey;

/**
 * A duration: the seconds as a {@code u64}, and the nanoseconds past them as a {@code u32}.
 *
 * <pre>
 * 1 h and 5 ns   00 00 00 00 00 00 0e 10 00 00 00 05
 * </pre>
 */
public final class Durations {
  private Durations() {}

  /** Writes a duration. */
  public static void write(KeyWriter w, KeyDuration value) {
    w.putLong(value.seconds());
    w.putInt(value.nanos());
  }

  /** Reads a duration. */
  public static KeyDuration read(KeyReader r) {
    long seconds = r.takeLong();
    return new KeyDuration(seconds, Instants.readNanos(r));
  }
}
