package io.github.rowkey;

/**
 * A digest, which scatters keys: the first bytes of MD5.
 *
 * @param width the number of bytes, from 1 to 16
 */
public record Digest(int width) implements Lead {
  @Override
  public void write(byte[] of, int from, int to, byte[] out, int at) {
    System.arraycopy(Digests.MD5.of(of, from, to), 0, out, at, width);
  }
}
