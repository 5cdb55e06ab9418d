package io.github.rowkey;

import java.util.zip.CRC32;

/** A hash that other programs put before their keys. */
public enum HashFunction {
  /** MD5 (RFC 1321), 16 bytes. */
  MD5 {
    @Override
    byte[] of(byte[] bytes, int from, int to) {
      return Digests.MD5.of(bytes, from, to);
    }
  },
  /** SHA-1 (FIPS 180-4), 20 bytes. */
  SHA_1 {
    @Override
    byte[] of(byte[] bytes, int from, int to) {
      return Digests.SHA_1.of(bytes, from, to);
    }
  },
  /** SHA-256 (FIPS 180-4), 32 bytes. */
  SHA_256 {
    @Override
    byte[] of(byte[] bytes, int from, int to) {
      return Digests.SHA_256.of(bytes, from, to);
    }
  },
  /** MurmurHash3 of 32 bits for x86, seed 0, big-endian. */
  MURMUR3 {
    @Override
    byte[] of(byte[] bytes, int from, int to) {
      return bytes(Murmur3.hash(bytes, from, to));
    }
  },
  /** CRC-32 of IEEE 802.3, as in zlib, big-endian. */
  CRC_32 {
    @Override
    byte[] of(byte[] bytes, int from, int to) {
      return bytes(crc32(bytes, from, to));
    }
  },
  /** {@link String#hashCode}, big-endian; of bytes that are not UTF-8, over each byte. */
  HASH_CODE {
    @Override
    byte[] of(byte[] bytes, int from, int to) {
      return bytes(JavaHashes.ofText(bytes, from, to));
    }
  };

  /** The hash of a part of bytes, in an array that is valid up to this thread's next call. */
  abstract byte[] of(byte[] bytes, int from, int to);

  static int crc32(byte[] bytes, int from, int to) {
    CRC32 sum = new CRC32();
    sum.update(bytes, from, to - from);
    return (int) sum.getValue();
  }

  private static byte[] bytes(int hash) {
    return new byte[] {(byte) (hash >> 24), (byte) (hash >> 16), (byte) (hash >> 8), (byte) hash};
  }
}
