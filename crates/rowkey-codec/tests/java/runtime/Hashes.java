package io.github.rowkey;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The hashes of salts and digests, by the vectors that their authors published. */
public final class Hashes {
  /** Size and hash, of xxHash's {@code cli/xsum_sanity_check.c}, with the seed 0. */
  private static final long[][] XXH64 = {
    {0, 0xEF46DB3751D8E999L},
    {1, 0xE934A84ADB052768L},
    {4, 0x9136A0DCA57457EEL},
    {14, 0x8282DCC4994E35C8L},
    {222, 0xB641AE8CB691C174L}
  };

  private static final long[][] XXH3 = {
    {0, 0x2D06800538D394C2L},
    {1, 0xC44BDFF4074EECDBL},
    {6, 0x27B56A84CD2D7325L},
    {12, 0xA713DAF0DFBB77E7L},
    {24, 0xA3FE70BF9D3510EBL},
    {48, 0x397DA259ECBA1F11L},
    {80, 0xBCDEFBBB2C47C90AL},
    {195, 0xCD94217EE362EC3AL},
    {403, 0xCDEB804D65C6DEA4L},
    {512, 0x617E49599013CB6BL},
    {2048, 0xDD59E2C3A5F038E0L},
    {2099, 0xC6B9D9B3FC9AC765L},
    {2240, 0x6E73A90539CF2948L},
    {2367, 0xCB37AEB9E5D361EDL}
  };

  private Hashes() {}

  /** Fails at the first hash that is another one. */
  public static void main(String[] args) {
    byte[] input = new byte[2367];
    long state = 2654435761L;
    for (int i = 0; i < input.length; i++) {
      input[i] = (byte) (state >>> 56);
      state *= 0x9E3779B185EBCA8DL;
    }
    for (long[] vector : XXH64) {
      same(vector[1], SaltHash.XXH64.of(input, 0, (int) vector[0]));
    }
    for (long[] vector : XXH3) {
      same(vector[1], SaltHash.XXH3.of(input, 0, (int) vector[0]));
    }
    // RFC 1321, FIPS 180-4's examples, the check value of CRC-32, and SMHasher's of MurmurHash3
    // with the seed 0.
    digest(HashFunction.MD5, "abc", "900150983cd24fb0d6963f7d28e17f72");
    digest(HashFunction.SHA_1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    digest(
        HashFunction.SHA_256,
        "abc",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest(HashFunction.CRC_32, "123456789", "cbf43926");
    digest(HashFunction.MURMUR3, "", "00000000");
    digest(HashFunction.MURMUR3, "test", "ba6bd213");
    digest(HashFunction.MURMUR3, "Hello, world!", "c0363e43");
    same(0x900150983cd24fb0L, salt(SaltHash.MD5, "abc"));
    same(0xcbf43926L, salt(SaltHash.CRC32, "123456789"));
    same(0xba6bd213L, salt(SaltHash.MURMUR3, "test"));
    // Java's own.
    for (String text : new String[] {"", "hello", "é😀", "polygenelubricants", "ÿ\u0000"}) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      digest(HashFunction.HASH_CODE, text, String.format("%08x", text.hashCode()));
      same(Math.abs((long) text.hashCode()), salt(SaltHash.HASH_CODE, text));
      same(Math.abs((long) Arrays.hashCode(bytes)), salt(SaltHash.JAVA, text));
      same(Arrays.hashCode(bytes) & 0x7fffffffL, salt(SaltHash.JAVA_31, text));
    }
    byte[] latin = "ÿ".getBytes(StandardCharsets.ISO_8859_1);
    same(0xff, JavaHashes.ofText(latin, 0, 1));
  }

  private static long salt(SaltHash hash, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return hash.of(bytes, 0, bytes.length);
  }

  private static void digest(HashFunction function, String text, String due) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    String found = KeyBytes.of(function.of(bytes, 0, bytes.length)).toString();
    if (!found.equals(due)) {
      throw new AssertionError(function + " of " + text + " is " + found + ", not " + due);
    }
  }

  private static void same(long due, long found) {
    if (due != found) {
      throw new AssertionError(Long.toHexString(found) + " is not " + Long.toHexString(due));
    }
  }
}
