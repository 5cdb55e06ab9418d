import io.github.rowkey.Bounds;
import io.github.rowkey.DecodeException;
import io.github.rowkey.EncodeException;
import io.github.rowkey.KeyRange;
import io.github.rowkey.KeyWriter;
import io.github.rowkey.Layout;
import io.github.rowkey.LayoutException;
import io.github.rowkey.Merge;
import io.github.rowkey.Splits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import rowkeys.Event;

/**
 * What holds of a salted key: merged scans have its order, its ranges have the rows, other tables
 * are refused.
 */
public final class Laws {
  private Laws() {}

  /** Fails at the first law that does not hold. */
  public static void main(String[] args) {
    TreeSet<byte[]> table = new TreeSet<>(Arrays::compareUnsigned);
    Random random = new Random(7);
    for (int i = 0; i < 2000; i++) {
      String user = "u" + random.nextInt(40);
      table.add(new Event(user, random.nextInt(1000), Optional.empty(), List.of(user)).encode());
    }
    List<List<KeyRange>> all = Event.prefix().select().rangesByBucket();
    hold(all.size() == 16, "a list of ranges for each bucket");
    List<Event> merged = new ArrayList<>();
    Iterator<byte[]> rows =
        Event.merge(all.stream().map(ranges -> scan(table, ranges)).toList(), key -> key);
    rows.forEachRemaining(key -> merged.add(Event.decode(key)));
    hold(merged.size() == table.size(), "each row once");
    for (int i = 1; i < merged.size(); i++) {
      Event a = merged.get(i - 1);
      Event b = merged.get(i);
      int order = a.user().compareTo(b.user());
      hold(order < 0 || order == 0 && a.at() >= b.at(), "users ascend, instants descend");
    }
    List<Iterator<byte[]>> backwards = new ArrayList<>();
    for (List<KeyRange> ranges : all) {
      List<byte[]> keys = new ArrayList<>();
      scan(table, ranges).forEachRemaining(key -> keys.add(0, key));
      backwards.add(keys.iterator());
    }
    Iterator<byte[]> last = Merge.reversed(backwards, key -> key, 1);
    for (int i = merged.size() - 1; i >= 0; i--) {
      hold(Event.decode(last.next()).equals(merged.get(i)), "the reverse order");
    }
    hold(!last.hasNext(), "no row more");

    Iterator<byte[]> found =
        scan(table, Event.prefix().user("u7").atRange(Bounds.halfOpen(100L, 500L)).ranges());
    List<Event> due =
        merged.stream()
            .filter(e -> e.user().equals("u7") && e.at() >= 100 && e.at() < 500)
            .toList();
    for (Event event : due) {
      hold(Event.decode(found.next()).equals(event), "a range has its rows in order");
    }
    hold(!found.hasNext() && due.size() > 10, "a range has no others");

    List<byte[]> splits = Splits.ofBuckets(Event.LAYOUT);
    hold(splits.size() == 15, "a split point between two buckets");
    for (byte[] key : table) {
      hold(Splits.partOf(key, splits) == key[0], "each bucket is a part");
    }
    hold(Splits.partOf(new byte[0], splits) == 0, "what is before all is in the first part");

    Event.checkTable(Event.LAYOUT.shape());
    Event.checkTable(Layout.fingerprint(Event.LAYOUT.shape()));
    Event.checkTable("row key: " + Event.LAYOUT.shape() + "\nfamily f: max versions 1\n");
    refused(LayoutException.class, () -> Event.checkTable("row key: text, i64 desc\nfamily f: \n"));
    hold(
        io.github.rowkey.Layout.fingerprint(Event.LAYOUT.shape()).equals(Event.FINGERPRINT),
        "the fingerprint");
    refused(LayoutException.class, () -> Event.checkTable("text, i64 desc"));
    refused(DecodeException.class, () -> Event.decode(new byte[] {1}));
    refused(
        EncodeException.class, () -> new Event("\ud800", 0, Optional.empty(), List.of()).encode());
    KeyWriter w = new KeyWriter();
    Event one = new Event("ada", 7, Optional.of(5), List.of());
    one.write(w);
    int first = w.length();
    one.write(w);
    hold(Arrays.equals(w.toByteArray(first, w.length()), one.encode()), "keys that are appended");
    List<String> tags = new ArrayList<>(List.of("a"));
    Event copied = new Event("ada", 7, Optional.empty(), tags);
    tags.add("b");
    hold(copied.tags().equals(List.of("a")), "a record does not change");
  }

  private static Iterator<byte[]> scan(TreeSet<byte[]> table, List<KeyRange> ranges) {
    List<byte[]> rows = new ArrayList<>();
    for (KeyRange range : ranges) {
      rows.addAll(
          range.isUnbounded()
              ? table.tailSet(range.start())
              : table.subSet(range.start(), range.end()));
    }
    return rows.iterator();
  }

  private static void refused(Class<? extends RuntimeException> due, Runnable run) {
    try {
      run.run();
    } catch (RuntimeException thrown) {
      hold(thrown.getClass() == due, String.valueOf(thrown));
      return;
    }
    hold(false, "it is not refused");
  }

  private static void hold(boolean holds, String law) {
    if (!holds) {
      throw new AssertionError(law);
    }
  }
}
