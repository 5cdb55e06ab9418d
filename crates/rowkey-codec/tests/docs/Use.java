import com.example.keys.Event;
import io.github.rowkey.Bounds;
import io.github.rowkey.KeyRange;
import io.github.rowkey.KeyWriter;
import io.github.rowkey.Selection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

final class Use {
  private static final List<Row> ROWS = new ArrayList<>();

  record Row(byte[] key) {}

  private static Iterator<Row> scan(List<KeyRange> ranges) {
    return ROWS.stream()
        .filter(row -> ranges.stream().anyMatch(range -> range.contains(row.key())))
        .iterator();
  }

  private static void print(Iterator<Row> rows) {
    while (rows.hasNext()) {
      Event event = Event.decode(rows.next().key());
      System.out.println(event.user() + " " + event.at());
    }
  }

  public static void main(String[] args) {
    for (String user : List.of("cyd", "ada", "bob")) {
      for (long at : new long[] {1, 1_307_097_000_000L}) {
        ROWS.add(new Row(new Event(user, at).encode()));
      }
    }
    ROWS.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
    String kept = Event.LAYOUT.shape();

    // EXAMPLE

    if (!read.user().equals("ada") || scan(ranges).next().key().length != key.length) {
      throw new AssertionError(read);
    }
    print(rows);
  }
}
