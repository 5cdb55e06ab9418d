package bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import rowkeys.Action;
import rowkeys.Visit;

/** The same keys as a program writes that has one layout alone: as short as the bytes allow. */
final class ByHand {
  private ByHand() {}

  static byte[] action(Action key) {
    return ByteBuffer.allocate(20)
        .putLong(key.user())
        .putLong(~(key.at() ^ Long.MIN_VALUE))
        .putInt((int) key.event())
        .array();
  }

  static Action action(byte[] key) {
    if (key.length != 20) {
      throw new IllegalArgumentException("an action has 20 bytes");
    }
    ByteBuffer bytes = ByteBuffer.wrap(key);
    return new Action(
        bytes.getLong(), ~bytes.getLong() ^ Long.MIN_VALUE, bytes.getInt() & 0xffffffffL);
  }

  static byte[] visit(Visit key) {
    byte[] host = key.host().getBytes(StandardCharsets.UTF_8);
    int escapes = 0;
    for (byte next : host) {
      escapes += next == 0 || next == 1 ? 1 : 0;
    }
    byte[] bytes = new byte[host.length + escapes + 14];
    int at = 1;
    for (byte next : host) {
      if (next == 0 || next == 1) {
        bytes[at++] = 1;
        bytes[at++] = (byte) (next + 1);
      } else {
        bytes[at++] = next;
      }
    }
    bytes[at++] = 0;
    bytes[0] = bucket(bytes, at);
    ByteBuffer.wrap(bytes, at, 12).putLong(~(key.at() ^ Long.MIN_VALUE)).putInt((int) key.id());
    return bytes;
  }

  static Visit visit(byte[] key) {
    int end = 1;
    boolean isEscaped = false;
    while (end < key.length && key[end] != 0) {
      isEscaped |= key[end++] == 1;
    }
    if (key.length != end + 13 || key[0] != bucket(key, end + 1)) {
      throw new IllegalArgumentException("no visit");
    }
    byte[] host = Arrays.copyOfRange(key, 1, end);
    String text =
        new String(host, 0, isEscaped ? unescape(host) : host.length, StandardCharsets.UTF_8);
    ByteBuffer rest = ByteBuffer.wrap(key, end + 1, 12);
    return new Visit(text, ~rest.getLong() ^ Long.MIN_VALUE, rest.getInt() & 0xffffffffL);
  }

  private static byte bucket(byte[] key, int end) {
    int hash = 1;
    for (int i = 1; i < end; i++) {
      hash = 31 * hash + key[i];
    }
    return (byte) (Math.abs((long) hash) % 16);
  }

  private static int unescape(byte[] bytes) {
    int to = 0;
    for (int i = 0; i < bytes.length; i++) {
      bytes[to++] = bytes[i] == 1 ? (byte) (bytes[++i] - 1) : bytes[i];
    }
    return to;
  }
}
