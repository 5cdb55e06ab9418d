package io.github.rowkey;

import static io.github.rowkey.Xxh64.read32;
import static io.github.rowkey.Xxh64.read64;

/**
 * XXH3 of 64 bits with the seed 0, by the specification of <a
 * href="https://github.com/Cyan4973/xxHash">xxHash</a>.
 */
final class Xxh3 {
  private static final long PRIME32_1 = 0x9E3779B1L;
  private static final long PRIME32_2 = 0x85EBCA77L;
  private static final long PRIME32_3 = 0xC2B2AE3DL;
  private static final long MIX = 0x165667919E3779F9L;
  private static final long MIX_SHORT = 0x9FB21C651E98DF25L;
  private static final int STRIPE = 64;
  private static final int STRIPES = 16;

  /** The specification's secret. */
  private static final byte[] SECRET =
      KeyBytes.ofHex(
              "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                  + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                  + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                  + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                  + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                  + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
          .array();

  private Xxh3() {}

  /** The hash of a part of bytes. */
  static long hash(byte[] bytes, int from, int to) {
    int count = to - from;
    if (count <= 16) {
      return upTo16(bytes, from, count);
    }
    if (count <= 128) {
      return upTo128(bytes, from, to, count);
    }
    return count <= 240 ? upTo240(bytes, from, to, count) : longer(bytes, from, to, count);
  }

  private static long upTo16(byte[] bytes, int from, int count) {
    if (count > 8) {
      long low = read64(bytes, from) ^ secret(24) ^ secret(32);
      long high = read64(bytes, from + count - 8) ^ secret(40) ^ secret(48);
      return avalanche(count + Long.reverseBytes(low) + high + fold(low, high));
    }
    if (count >= 4) {
      long both = read32(bytes, from + count - 4) + (read32(bytes, from) << 32);
      long hash = both ^ secret(8) ^ secret(16);
      hash ^= Long.rotateLeft(hash, 49) ^ Long.rotateLeft(hash, 24);
      hash *= MIX_SHORT;
      hash = (hash ^ (hash >>> 35) + count) * MIX_SHORT;
      return hash ^ hash >>> 28;
    }
    if (count > 0) {
      long first = bytes[from] & 0xff;
      long middle = bytes[from + (count >> 1)] & 0xff;
      long last = bytes[from + count - 1] & 0xff;
      long all = first << 16 | middle << 24 | last | (long) count << 8;
      return Xxh64.avalanche(all ^ read32(SECRET, 0) ^ read32(SECRET, 4));
    }
    return Xxh64.avalanche(secret(56) ^ secret(64));
  }

  private static long upTo128(byte[] bytes, int from, int to, int count) {
    long sum = count * Xxh64.PRIME_1;
    for (int i = (count - 1) / 32; i >= 0; i--) {
      sum += mix(bytes, from + 16 * i, 32 * i);
      sum += mix(bytes, to - 16 * (i + 1), 32 * i + 16);
    }
    return avalanche(sum);
  }

  private static long upTo240(byte[] bytes, int from, int to, int count) {
    long sum = count * Xxh64.PRIME_1;
    for (int i = 0; i < 8; i++) {
      sum += mix(bytes, from + 16 * i, 16 * i);
    }
    sum = avalanche(sum);
    for (int i = 8; i < count / 16; i++) {
      sum += mix(bytes, from + 16 * i, 16 * (i - 8) + 3);
    }
    return avalanche(sum + mix(bytes, to - 16, 136 - 17));
  }

  private static long longer(byte[] bytes, int from, int to, int count) {
    long[] sums = {
      PRIME32_3,
      Xxh64.PRIME_1,
      Xxh64.PRIME_2,
      Xxh64.PRIME_3,
      Xxh64.PRIME_4,
      PRIME32_2,
      Xxh64.PRIME_5,
      PRIME32_1
    };
    int stripes = (count - 1) / STRIPE;
    for (int stripe = 0; stripe < stripes; stripe++) {
      accumulate(sums, bytes, from + STRIPE * stripe, 8 * (stripe % STRIPES));
      if (stripe % STRIPES == STRIPES - 1) {
        scramble(sums);
      }
    }
    accumulate(sums, bytes, to - STRIPE, SECRET.length - STRIPE - 7);
    long hash = count * Xxh64.PRIME_1;
    for (int i = 0; i < 4; i++) {
      hash += fold(sums[2 * i] ^ secret(11 + 16 * i), sums[2 * i + 1] ^ secret(19 + 16 * i));
    }
    return avalanche(hash);
  }

  private static void accumulate(long[] sums, byte[] bytes, int at, int secret) {
    for (int i = 0; i < 8; i++) {
      long lane = read64(bytes, at + 8 * i);
      long keyed = lane ^ secret(secret + 8 * i);
      sums[i ^ 1] += lane;
      sums[i] += (keyed & 0xffff_ffffL) * (keyed >>> 32);
    }
  }

  private static void scramble(long[] sums) {
    for (int i = 0; i < 8; i++) {
      long mixed = sums[i] ^ sums[i] >>> 47 ^ secret(SECRET.length - STRIPE + 8 * i);
      sums[i] = mixed * PRIME32_1;
    }
  }

  private static long mix(byte[] bytes, int at, int secret) {
    return fold(read64(bytes, at) ^ secret(secret), read64(bytes, at + 8) ^ secret(secret + 8));
  }

  /** The product in 128 bits, its halves joined. */
  private static long fold(long a, long b) {
    long high = Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
    return a * b ^ high;
  }

  private static long avalanche(long hash) {
    hash = (hash ^ hash >>> 37) * MIX;
    return hash ^ hash >>> 32;
  }

  private static long secret(int at) {
    return read64(SECRET, at);
  }
}
