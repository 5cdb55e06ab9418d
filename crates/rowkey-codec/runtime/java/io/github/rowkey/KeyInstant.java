package io.github.rowkey;

import java.time.DateTimeException;
import java.time.Instant;

/**
 * An instant of a range wider than that of {@link Instant}: up to 292 thousand million years from
 * 1970.
 *
 * @param seconds the seconds since 1970-01-01T00:00:00Z, rounded down
 * @param nanos the nanoseconds past that second, below 1,000,000,000
 */
public record KeyInstant(long seconds, int nanos) implements Comparable<KeyInstant> {
  /** Checks the nanoseconds. */
  public KeyInstant {
    if (nanos < 0 || nanos >= Instants.NANOS) {
      throw new IllegalArgumentException("nanoseconds are from 0 to 999999999");
    }
  }

  /** The same instant. */
  public static KeyInstant of(Instant instant) {
    return new KeyInstant(instant.getEpochSecond(), instant.getNano());
  }

  /**
   * The same instant.
   *
   * @throws DateTimeException if it is beyond {@link Instant#MIN} or {@link Instant#MAX}
   */
  public Instant toInstant() {
    return Instant.ofEpochSecond(seconds, nanos);
  }

  @Override
  public int compareTo(KeyInstant other) {
    int order = Long.compare(seconds, other.seconds);
    return order != 0 ? order : Integer.compare(nanos, other.nanos);
  }

  @Override
  public String toString() {
    boolean isHeld =
        seconds >= Instant.MIN.getEpochSecond() && seconds <= Instant.MAX.getEpochSecond();
    return isHeld ? toInstant().toString() : String.format("%d.%09ds", seconds, nanos);
  }
}
