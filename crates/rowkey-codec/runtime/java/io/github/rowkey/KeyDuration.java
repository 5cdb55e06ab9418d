package io.github.rowkey;

import java.time.Duration;

/**
 * A duration that is not below zero, and can be twice as long as the longest {@link Duration}.
 *
 * @param seconds the bits of an unsigned number
 * @param nanos the nanoseconds past the seconds, below 1,000,000,000
 */
public record KeyDuration(long seconds, int nanos) implements Comparable<KeyDuration> {
  /** Checks the nanoseconds. */
  public KeyDuration {
    if (nanos < 0 || nanos >= Instants.NANOS) {
      throw new IllegalArgumentException("nanoseconds are from 0 to 999999999");
    }
  }

  /** The same duration; one below zero is refused. */
  public static KeyDuration of(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(duration + " is below zero");
    }
    return new KeyDuration(duration.getSeconds(), duration.getNano());
  }

  /** The same duration; one that is too long is refused. */
  public Duration toDuration() {
    if (seconds < 0) {
      throw new ArithmeticException(this + " is longer than a Duration can be");
    }
    return Duration.ofSeconds(seconds, nanos);
  }

  @Override
  public int compareTo(KeyDuration other) {
    int order = Long.compareUnsigned(seconds, other.seconds);
    return order != 0 ? order : Integer.compare(nanos, other.nanos);
  }

  @Override
  public String toString() {
    return String.format("%s.%09ds", Long.toUnsignedString(seconds), nanos);
  }
}
