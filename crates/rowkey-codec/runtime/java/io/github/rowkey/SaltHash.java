package io.github.rowkey;

/** The hash that picks the bucket of a salt: a number of 64 bits without a sign. */
public enum SaltHash {
  /** XXH3 of 64 bits, seed 0: {@code xxh3}. */
  XXH3 {
    @Override
    long of(byte[] bytes, int from, int to) {
      return Xxh3.hash(bytes, from, to);
    }
  },
  /** XXH64, seed 0: {@code xxh64}. */
  XXH64 {
    @Override
    long of(byte[] bytes, int from, int to) {
      return Xxh64.hash(bytes, from, to);
    }
  },
  /** The first eight bytes of MD5, big-endian: {@code md5}. */
  MD5 {
    @Override
    long of(byte[] bytes, int from, int to) {
      return Long.reverseBytes(Xxh64.read64(Digests.MD5.of(bytes, from, to), 0));
    }
  },
  /** The hash of Apache Phoenix, the absolute value of {@code Arrays.hashCode}: {@code java}. */
  JAVA {
    @Override
    long of(byte[] bytes, int from, int to) {
      return Math.abs((long) JavaHashes.ofBytes(bytes, from, to));
    }
  },
  /** The hash of Pinpoint, the lower 31 bits of {@code Arrays.hashCode}: {@code java[31]}. */
  JAVA_31 {
    @Override
    long of(byte[] bytes, int from, int to) {
      return JavaHashes.ofBytes(bytes, from, to) & Integer.MAX_VALUE;
    }
  },
  /** The absolute value of {@code String.hashCode}: {@code hash_code[java]}. */
  HASH_CODE {
    @Override
    long of(byte[] bytes, int from, int to) {
      return Math.abs((long) JavaHashes.ofText(bytes, from, to));
    }
  },
  /** MurmurHash3 of 32 bits, seed 0: {@code murmur3[32]}. */
  MURMUR3 {
    @Override
    long of(byte[] bytes, int from, int to) {
      return Integer.toUnsignedLong(Murmur3.hash(bytes, from, to));
    }
  },
  /** CRC-32 of IEEE 802.3: {@code crc32[ieee]}. */
  CRC32 {
    @Override
    long of(byte[] bytes, int from, int to) {
      return Integer.toUnsignedLong(HashFunction.crc32(bytes, from, to));
    }
  };

  abstract long of(byte[] bytes, int from, int to);
}
