package io.github.rowkey;

/** MurmurHash3 of 32 bits for x86 with the seed 0. */
final class Murmur3 {
  private Murmur3() {}

  /** The hash of a part of bytes. */
  static int hash(byte[] bytes, int from, int to) {
    int hash = 0;
    int at = from;
    for (; at <= to - 4; at += 4) {
      hash =
          Integer.rotateLeft(hash ^ scramble((int) Xxh64.read32(bytes, at)), 13) * 5 + 0xe6546b64;
    }
    int tail = 0;
    for (int i = to - 1; i >= at; i--) {
      tail = tail << 8 | bytes[i] & 0xff;
    }
    hash ^= scramble(tail) ^ to - from;
    hash = (hash ^ hash >>> 16) * 0x85ebca6b;
    hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
    return hash ^ hash >>> 16;
  }

  private static int scramble(int block) {
    return Integer.rotateLeft(block * 0xcc9e2d51, 15) * 0x1b873593;
  }
}
