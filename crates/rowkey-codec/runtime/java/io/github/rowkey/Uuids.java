package io.github.rowkey;

import java.util.UUID;

/** A UUID: its 16 bytes as they are. */
public final class Uuids {
  private Uuids() {}

  /** Writes a UUID. */
  public static void write(KeyWriter w, UUID value) {
    w.putLong(value.getMostSignificantBits());
    w.putLong(value.getLeastSignificantBits());
  }

  /** Reads a UUID. */
  public static UUID read(KeyReader r) {
    long most = r.takeLong();
    return new UUID(most, r.takeLong());
  }
}
