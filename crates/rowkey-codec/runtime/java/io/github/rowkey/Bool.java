package io.github.rowkey;

/** A {@code bool}: {@code 00} is false, {@code 01} is true. */
public final class Bool {
  private Bool() {}

  /** Writes a {@code bool}. */
  public static void write(KeyWriter w, boolean value) {
    w.putByte(value ? 1 : 0);
  }

  /** Reads a {@code bool}. */
  public static boolean read(KeyReader r) {
    int at = r.position();
    int value = r.takeByte();
    if (value > 1) {
      throw r.wrongByte(at, "a bool is 00 or 01");
    }
    return value == 1;
  }
}
