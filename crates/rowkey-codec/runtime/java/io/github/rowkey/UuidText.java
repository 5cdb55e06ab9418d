package io.github.rowkey;

import java.util.UUID;

/** The content of a field of a text key that is a UUID: 8-4-4-4-12 hex digits in lower case. */
public final class UuidText {
  /** The number of characters. */
  public static final int WIDTH = 36;

  private UuidText() {}

  /** Writes a UUID. */
  public static void write(KeyWriter w, UUID value) {
    int at = w.reserve(WIDTH);
    for (int i = 0, shift = 60; i < WIDTH; i++) {
      if (isHyphen(i)) {
        w.buffer()[at + i] = '-';
        continue;
      }
      long half = i < 18 ? value.getMostSignificantBits() : value.getLeastSignificantBits();
      w.buffer()[at + i] = Digits.of((int) (half >>> shift) & 15, false);
      shift = shift == 0 ? 60 : shift - 4;
    }
  }

  /** Reads a UUID. */
  public static UUID read(KeyReader r, int at) {
    long most = 0;
    long least = 0;
    for (int i = 0; i < WIDTH; i++) {
      byte next = r.content()[r.contentFrom() + i];
      int digit = Digits.value(next, false);
      if (isHyphen(i) ? next != '-' : digit < 0) {
        throw r.wrong(at, "a UUID is 8-4-4-4-12 hex digits in lower case");
      }
      if (!isHyphen(i) && i < 18) {
        most = most << 4 | digit;
      } else if (!isHyphen(i)) {
        least = least << 4 | digit;
      }
    }
    return new UUID(most, least);
  }

  private static boolean isHyphen(int at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
  }
}
