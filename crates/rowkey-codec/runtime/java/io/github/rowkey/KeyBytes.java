package io.github.rowkey;

import java.util.Arrays;

/**
 * Bytes as a value: they do not change, are equal if their contents are, and sort byte by byte as
 * unsigned numbers, as row keys do.
 */
public final class KeyBytes implements Comparable<KeyBytes> {
  private final byte[] bytes;

  private KeyBytes(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A copy of these bytes. */
  public static KeyBytes of(byte... bytes) {
    return new KeyBytes(bytes.clone());
  }

  /** The bytes of hex digits, as in {@code KeyBytes.ofHex("00ff")}. */
  public static KeyBytes ofHex(String digits) {
    if (digits.length() % 2 != 0) {
      throw new IllegalArgumentException("a byte has two hex digits");
    }
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      int high = Character.digit(digits.charAt(2 * i), 16);
      int low = Character.digit(digits.charAt(2 * i + 1), 16);
      if (high < 0 || low < 0) {
        throw new IllegalArgumentException(digits + " is not hex");
      }
      bytes[i] = (byte) (high << 4 | low);
    }
    return new KeyBytes(bytes);
  }

  /** Bytes that nobody else holds. */
  static KeyBytes owned(byte[] bytes) {
    return new KeyBytes(bytes);
  }

  /** The number of bytes. */
  public int length() {
    return bytes.length;
  }

  /** A byte, from 0 to 255. */
  public int get(int index) {
    return bytes[index] & 0xff;
  }

  /** A copy of the bytes. */
  public byte[] toByteArray() {
    return bytes.clone();
  }

  /** The bytes themselves, not to be changed. */
  byte[] array() {
    return bytes;
  }

  @Override
  public int compareTo(KeyBytes other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyBytes that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Lower-case hex digits. */
  @Override
  public String toString() {
    return KeyReader.hex(bytes, 0, bytes.length);
  }
}
