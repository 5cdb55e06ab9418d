package io.github.rowkey;

/**
 * Tiles: those of one zoom, {@code quadkey[Z]}, and those of any, {@code tile}.
 *
 * <pre>
 * quadkey[3]  012    18                        two bits a digit, then zeros to the end of the byte
 * tile        0123   0d ff ff ff ff ff ff fb   0, the digits, then ones, 31 less the zoom
 * </pre>
 */
public final class Tiles {
  private static final int DIGIT_BITS = 58;

  private Tiles() {}

  /** Writes a tile of the field's zoom. */
  public static void writeQuadkey(KeyWriter w, Tile value, int zoom) {
    if (value.zoom() != zoom) {
      throw new IllegalArgumentException(
          "a tile of zoom " + value.zoom() + ", the field has those of zoom " + zoom);
    }
    long bits = value.path() << 64 - 2 * zoom;
    for (int i = 0; i < width(zoom); i++) {
      w.putByte((int) (bits >>> 56 - 8 * i));
    }
  }

  /** Reads a tile of the field's zoom. */
  public static Tile readQuadkey(KeyReader r, int zoom) {
    int at = r.position();
    long bits = 0;
    for (int i = 0; i < width(zoom); i++) {
      bits |= (long) r.takeByte() << 56 - 8 * i;
    }
    if (bits << 2 * zoom != 0) {
      throw r.wrong(at + width(zoom) - 1, "after the digits of a quadkey are zeros");
    }
    return Tile.ofPath(zoom, bits >>> 64 - 2 * zoom);
  }

  /** Writes a tile of any zoom. */
  public static void write(KeyWriter w, Tile value) {
    int ones = DIGIT_BITS - 2 * value.zoom();
    long digits = value.path() << ones | (1L << ones) - 1;
    w.putLong(digits << 5 | 31 - value.zoom());
  }

  /** Writes the first bytes of the tiles in one. */
  static void writeFirst(KeyWriter w, Tile area) {
    w.putLong(area.path() << DIGIT_BITS - 2 * area.zoom() << 5);
  }

  /** Reads a tile of any zoom. */
  public static Tile read(KeyReader r) {
    int at = r.position();
    long bits = r.takeLong();
    int zoom = 31 - (int) (bits & 31);
    if (bits < 0) {
      throw r.wrong(at, "the first bit of a tile is 0");
    }
    if (zoom > Tile.MOST_ZOOM) {
      throw r.wrong(at, "found the zoom " + zoom + ", a zoom is to 29");
    }
    int ones = DIGIT_BITS - 2 * zoom;
    long padding = (1L << ones) - 1;
    if ((bits >>> 5 & padding) != padding) {
      throw r.wrong(at, "between the digits and the zoom of a tile are ones");
    }
    return Tile.ofPath(zoom, bits >>> 5 + ones);
  }

  private static int width(int zoom) {
    return (zoom + 3) / 4;
  }
}
