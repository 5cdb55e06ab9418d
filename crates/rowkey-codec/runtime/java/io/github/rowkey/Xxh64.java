package io.github.rowkey;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * XXH64 with the seed 0, by the specification of <a
 * href="https://github.com/Cyan4973/xxHash">xxHash</a>.
 */
final class Xxh64 {
  static final long PRIME_1 = 0x9E3779B185EBCA87L;
  static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
  static final long PRIME_3 = 0x165667B19E3779F9L;
  static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
  static final long PRIME_5 = 0x27D4EB2F165667C5L;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private Xxh64() {}

  /** The hash of a part of bytes. */
  static long hash(byte[] bytes, int from, int to) {
    int count = to - from;
    int at = from;
    long hash;
    if (count >= 32) {
      long a = PRIME_1 + PRIME_2;
      long b = PRIME_2;
      long c = 0;
      long d = -PRIME_1;
      for (; at <= to - 32; at += 32) {
        a = round(a, read64(bytes, at));
        b = round(b, read64(bytes, at + 8));
        c = round(c, read64(bytes, at + 16));
        d = round(d, read64(bytes, at + 24));
      }
      hash = Long.rotateLeft(a, 1) + Long.rotateLeft(b, 7);
      hash += Long.rotateLeft(c, 12) + Long.rotateLeft(d, 18);
      hash = merge(merge(merge(merge(hash, a), b), c), d);
    } else {
      hash = PRIME_5;
    }
    hash += count;
    for (; at <= to - 8; at += 8) {
      hash = Long.rotateLeft(hash ^ round(0, read64(bytes, at)), 27) * PRIME_1 + PRIME_4;
    }
    if (at <= to - 4) {
      hash = Long.rotateLeft(hash ^ read32(bytes, at) * PRIME_1, 23) * PRIME_2 + PRIME_3;
      at += 4;
    }
    for (; at < to; at++) {
      hash = Long.rotateLeft(hash ^ (bytes[at] & 0xff) * PRIME_5, 11) * PRIME_1;
    }
    return avalanche(hash);
  }

  static long avalanche(long hash) {
    hash = (hash ^ hash >>> 33) * PRIME_2;
    hash = (hash ^ hash >>> 29) * PRIME_3;
    return hash ^ hash >>> 32;
  }

  static long read64(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  static long read32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at) & 0xffff_ffffL;
  }

  private static long round(long sum, long lane) {
    return Long.rotateLeft(sum + lane * PRIME_2, 31) * PRIME_1;
  }

  private static long merge(long hash, long sum) {
    return (hash ^ round(0, sum)) * PRIME_1 + PRIME_4;
  }
}
