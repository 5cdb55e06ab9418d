package io.github.rowkey;

import java.time.DateTimeException;
import java.time.Instant;

/**
 * An instant: the seconds since 1970, rounded down, as an {@code i64}, and the nanoseconds past
 * that second as a {@code u32}.
 *
 * <pre>
 * 1 ns before 1970   7f ff ff ff ff ff ff ff 3b 9a c9 ff
 * </pre>
 *
 * <p>Instants beyond {@link Instant#MIN} and {@link Instant#MAX}, a thousand million years from
 * 1970, are refused.
 */
public final class Instants {
  static final int NANOS = 1_000_000_000;

  private Instants() {}

  /** Writes an instant. */
  public static void write(KeyWriter w, Instant value) {
    Signed.write64(w, value.getEpochSecond());
    w.putInt(value.getNano());
  }

  /** Reads an instant. */
  public static Instant read(KeyReader r) {
    int at = r.position();
    long seconds = Signed.read64(r);
    int nanos = readNanos(r);
    try {
      return Instant.ofEpochSecond(seconds, nanos);
    } catch (DateTimeException beyond) {
      throw r.wrong(at, "found " + seconds + " seconds, which an Instant does not hold");
    }
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
