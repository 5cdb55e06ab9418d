package io.github.rowkey;

/**
 * A salt, which spreads consecutive keys over buckets: {@code hash(m) mod buckets}.
 *
 * @param buckets from 1 to 65,536
 * @param hash what picks the bucket
 * @param format how a bucket is written
 */
public record Salt(int buckets, SaltHash hash, SaltFormat format) implements Lead {
  @Override
  public int width() {
    return format.width();
  }

  @Override
  public void write(byte[] of, int from, int to, byte[] out, int at) {
    format.write(bucket(of, from, to), out, at);
  }

  /** The bucket, from 0 on, for what the salt is taken over. */
  public int bucket(byte[] of, int from, int to) {
    return (int) Long.remainderUnsigned(hash.of(of, from, to), buckets);
  }
}
