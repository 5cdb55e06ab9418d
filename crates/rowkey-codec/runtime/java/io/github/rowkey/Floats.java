package io.github.rowkey;

/**
 * Floats in IEEE's total order: all bits inverted if the number is negative, else the sign bit
 * flipped.
 *
 * <pre>
 * f64    1.0   bf f0 00 00 00 00 00 00
 * f64   -1.0   40 0f ff ff ff ff ff ff
 * </pre>
 *
 * <p>All bits are kept, those of a NaN too.
 */
public final class Floats {
  private Floats() {}

  /** Writes an {@code f32}. */
  public static void write32(KeyWriter w, float value) {
    int bits = Float.floatToRawIntBits(value);
    w.putInt(bits ^ (bits >> 31 | Integer.MIN_VALUE));
  }

  /** Writes an {@code f64}. */
  public static void write64(KeyWriter w, double value) {
    long bits = Double.doubleToRawLongBits(value);
    w.putLong(bits ^ (bits >> 63 | Long.MIN_VALUE));
  }

  /** Reads an {@code f32}. */
  public static float read32(KeyReader r) {
    int bits = r.takeInt();
    return Float.intBitsToFloat(bits ^ (~bits >> 31 | Integer.MIN_VALUE));
  }

  /** Reads an {@code f64}. */
  public static double read64(KeyReader r) {
    long bits = r.takeLong();
    return Double.longBitsToDouble(bits ^ (~bits >> 63 | Long.MIN_VALUE));
  }
}
