package io.github.rowkey;

/**
 * A tile of a slippy map.
 *
 * @param zoom from 0, the world, to 29
 * @param x the column, from 0 in the west to 2^zoom - 1
 * @param y the row, from 0 in the north to 2^zoom - 1
 */
public record Tile(int zoom, int x, int y) {
  /** The deepest zoom. */
  public static final int MOST_ZOOM = 29;

  /** Checks that there is such a tile. */
  public Tile {
    if (zoom < 0 || zoom > MOST_ZOOM) {
      throw new IllegalArgumentException("a zoom is from 0 to 29");
    }
    if (x >> zoom != 0 || y >> zoom != 0) {
      throw new IllegalArgumentException(
          "the tiles of zoom " + zoom + " are from 0 to " + ((1 << zoom) - 1));
    }
  }

  /** The tile of a quadkey: a digit from 0 to 3 for each zoom. */
  public static Tile ofQuadkey(String digits) {
    long path = 0;
    for (int i = 0; i < digits.length(); i++) {
      int digit = digits.charAt(i) - '0';
      if (digit < 0 || digit > 3) {
        throw new IllegalArgumentException("the digits of a quadkey are from 0 to 3");
      }
      path = path << 2 | digit;
    }
    return ofPath(digits.length(), path);
  }

  /** The quadkey: a digit from 0 to 3 for each zoom. */
  public String quadkey() {
    StringBuilder digits = new StringBuilder(zoom);
    for (int i = zoom - 1; i >= 0; i--) {
      digits.append((char) ('0' + (y >> i & 1) * 2 + (x >> i & 1)));
    }
    return digits.toString();
  }

  /** The digits of the quadkey, two bits each. */
  long path() {
    return spread(x) | spread(y) << 1;
  }

  static Tile ofPath(int zoom, long path) {
    return new Tile(zoom, gather(path), gather(path >>> 1));
  }

  private static long spread(long bits) {
    bits = (bits | bits << 16) & 0x0000ffff0000ffffL;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ffL;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fL;
    bits = (bits | bits << 2) & 0x3333333333333333L;
    return (bits | bits << 1) & 0x5555555555555555L;
  }

  private static int gather(long bits) {
    bits &= 0x5555555555555555L;
    bits = (bits | bits >>> 1) & 0x3333333333333333L;
    bits = (bits | bits >>> 2) & 0x0f0f0f0f0f0f0f0fL;
    bits = (bits | bits >>> 4) & 0x00ff00ff00ff00ffL;
    bits = (bits | bits >>> 8) & 0x0000ffff0000ffffL;
    return (int) (bits | bits >>> 16);
  }
}
