package io.github.rowkey;

/**
 * An instant: the seconds since 1970, rounded down, as an {@code i64}, and the nanoseconds past
 * that second as a {@code u32}.
 *
 * <pre>
 * 1 ns before 1970   7f ff ff ff ff ff ff ff 3b 9a c9 ff
 * </pre>
 */
public final class Instants {
  static final int NANOS = 1_000_000_000;

  private Instants() {}

  /** Writes an instant. */
  public static void write(KeyWriter w, KeyInstant value) {
    Signed.write64(w, value.seconds());
    w.putInt(value.nanos());
  }

  /** Reads an instant. */
  public static KeyInstant read(KeyReader r) {
    long seconds = Signed.read64(r);
    return new KeyInstant(seconds, readNanos(r));
  }

  static int readNanos(KeyReader r) {
    int at = r.position();
    long nanos = Unsigned.read32(r);
    if (nanos >= NANOS) {
      throw r.wrong(at, "found " + nanos + ", nanoseconds are below 1000000000");
    }
    return (int) nanos;
  }
}
