import io.github.rowkey.Bounds;
import io.github.rowkey.DecodeException;
import io.github.rowkey.EncodeException;
import io.github.rowkey.KeyBytes;
import io.github.rowkey.LayoutException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import rowkeys.Key;
import rowkeys.Key_2;

/**
 * What is told of values and bytes that are no key's: the key, the field, null by name; and what a
 * terminal is not to get.
 */
public final class Errors {
  private static final Key.F1 NINE = new Key.F19(1, "a");
  private static final Key.F3 PAIR = new Key.F3((short) 1, KeyBytes.ofHex("0001"));

  private Errors() {}

  /** Fails at the first law that does not hold. */
  public static void main(String[] args) throws Exception {
    InetAddress ip = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    byte[] local = new byte[16];
    local[0] = (byte) 0xfe;
    local[1] = (byte) 0x80;
    InetAddress zoned = Inet6Address.getByAddress(null, local, 3);
    List<String> tags = List.of("b");
    Optional<String> some = Optional.of("c");
    new Key(7, NINE, tags, PAIR, some, ip, 'x').encode();
    new Key(7, NINE, tags, PAIR, some, Inet6Address.getByAddress(null, local, -1), 'x').encode();
    told("_0", () -> new Key(256, NINE, tags, PAIR, some, ip, 'x').encode());
    told("_1", () -> new Key(7, null, tags, PAIR, some, ip, 'x').encode());
    told("_1.9._0", () -> new Key(7, new Key.F19(-1, ""), tags, PAIR, some, ip, 'x').encode());
    told("_1.9._1", () -> new Key(7, new Key.F19(1, null), tags, PAIR, some, ip, 'x').encode());
    told("_1.9._1", () -> new Key(7, new Key.F19(1, "\ud800"), tags, PAIR, some, ip, 'x').encode());
    told("_2[0]", () -> new Key(7, NINE, List.of("\ud800"), PAIR, some, ip, 'x').encode());
    told("_2[1]", () -> new Key(7, NINE, Arrays.asList("a", null), PAIR, some, ip, 'x').encode());
    told("_2", () -> new Key(7, NINE, null, PAIR, some, ip, 'x').encode());
    KeyBytes one = KeyBytes.ofHex("00");
    told("_3._1", () -> new Key(7, NINE, tags, new Key.F3((short) 1, one), some, ip, 'x').encode());
    told("_4", () -> new Key(7, NINE, tags, PAIR, null, ip, 'x').encode());
    told("_4", () -> new Key(7, NINE, tags, PAIR, Optional.of("\ud800"), ip, 'x').encode());
    told("_5", () -> new Key(7, NINE, tags, PAIR, some, null, 'x').encode());
    told("_5", () -> new Key(7, NINE, tags, PAIR, some, zoned, 'x').encode());
    told("_6", () -> new Key(7, NINE, tags, PAIR, some, ip, 0xd800).encode());

    for (long number : new long[] {-1, 1L << 32}) {
      try {
        new Key_2(1, number).encode();
        hold(false, number + " is no u32");
      } catch (EncodeException thrown) {
        hold(thrown.getMessage().startsWith("Key_2._1: "), thrown.getMessage());
      }
    }

    told("_0", () -> Key.prefix().f0(-1));
    told("_0", () -> Key.prefix().f0In(List.of(1, 256)));
    told("_0", () -> Key.prefix().f0Range(Bounds.atLeast(256)));
    told("_1.9._0", () -> Key.prefix().f0(1).f1(new Key.F19(-1, "")));
    told("_1", () -> Key.prefix().f0(1).f1(null));
    told("_0", () -> Key.prefix().f0In(null));
    told("_0", () -> Key.prefix().f0In(Arrays.asList(1, null)));
    told("_0", () -> Key.prefix().f0Range(null));
    for (Bounds<Integer> bounds :
        List.of(
            Bounds.closed(1, null),
            Bounds.closed(null, 1),
            Bounds.halfOpen(1, (Integer) null),
            Bounds.halfOpen((Integer) null, 1),
            Bounds.atLeast((Integer) null),
            Bounds.above((Integer) null),
            Bounds.below((Integer) null),
            Bounds.atMost((Integer) null))) {
      told("_0", () -> Key.prefix().f0Range(bounds));
    }
    told("_2", () -> Key.prefix().f0(1).f1(NINE).f2(null));
    told("_2[1]", () -> Key.prefix().f0(1).f1(NINE).f2(Arrays.asList("a", null)));

    String raw = "\u001b[31m\n\u202e";
    Key key =
        new Key(7, new Key.F19(1, raw), List.of(raw), PAIR, Optional.of(raw), ip, 0x10ffff - 0xfff);
    String table = Key.explain(key.encode());
    hold(table.indexOf('\u001b') < 0 && table.indexOf('\u202e') < 0, table);
    hold(table.contains("F19[f0=1, f1=\\x1b[31m\\x0a\\u{202e}]"), table);
    hold(
        Key.explain(new Key(7, NINE, tags, PAIR, some, ip, 0x20ac).encode()).contains(" \u20ac"),
        "a char");

    byte[] damaged = new Key(7, new Key.F19(1, "abc"), tags, PAIR, some, ip, 'x').encode();
    damaged[8] = (byte) 0xc3;
    try {
      Key.decode(damaged);
      hold(false, "text that is not UTF-8");
    } catch (DecodeException thrown) {
      hold(thrown.offset() == 8 && thrown.field().equals("_1.9._1"), thrown.getMessage());
    }

    try {
      Key.decode((byte[]) null);
      hold(false, "null is decoded");
    } catch (DecodeException thrown) {
      hold(thrown.getMessage().equals("Key at byte 0: null is no key"), thrown.getMessage());
    }
    hold(Key.explain(null).contains("null is no key"), Key.explain(null));

    layout("u8", ": u8, not");
    layout("a table\nrow key: u8\n", ": u8, not");
    layout("0123456789abcdef", ": 0123456789abcdef, not");
    layout("0123456789abcdef\r\n", ": 0123456789abcdef, not");
    layout(null, ": none, not");
    for (String end : List.of("", "\n", "\r\n", "\n\n")) {
      Key.checkTable(Key.LAYOUT.shape() + end);
      Key.checkTable(Key.FINGERPRINT + end);
      Key.checkTable("a table\nrow key: " + Key.LAYOUT.shape() + end);
    }
  }

  private static void layout(String kept, String due) {
    try {
      Key.checkTable(kept);
      hold(false, kept);
    } catch (LayoutException thrown) {
      hold(thrown.getMessage().contains(due), thrown.getMessage());
    }
  }

  private static void told(String field, Runnable refused) {
    try {
      refused.run();
    } catch (EncodeException thrown) {
      hold(thrown.key().equals("Key") && thrown.field().equals(field), thrown.getMessage());
      hold(thrown.getMessage().startsWith("Key." + field + ": "), thrown.getMessage());
      hold(!thrown.reason().contains("because"), thrown.getMessage());
      return;
    }
    hold(false, field + " is not refused");
  }

  private static void hold(boolean holds, String law) {
    if (!holds) {
      throw new AssertionError(law);
    }
  }
}
