import io.github.rowkey.Merge;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** What a merge gives when a scan fails: the rows before that, and the error, as often as asked. */
public final class MergeLaws {
  private static final List<List<String>> SCANS =
      List.of(List.of("0a", "0d", "0e"), List.of(), List.of("1b", "1c", "1g"), List.of("2f"));
  private static final List<String> MERGED = List.of("0a", "1b", "1c", "0d", "0e", "2f", "1g");

  private MergeLaws() {}

  /** Fails at the first law that does not hold. */
  public static void main(String[] args) {
    for (int failing = 0; failing < SCANS.size(); failing++) {
      int size = SCANS.get(failing).size();
      for (int at = 0; at <= size; at++) {
        for (Throwable failure :
            List.of(new IllegalStateException(), new Exception(), new Error())) {
          Failing scan = new Failing(SCANS.get(failing), at, failure);
          holds(failing, scan, true);
          holds(failing, new Failing(SCANS.get(failing), at, failure), false);
        }
      }
    }
    Iterator<String> whole = merge(SCANS.stream().map(List::iterator).toList());
    List<String> rows = new ArrayList<>();
    whole.forEachRemaining(rows::add);
    hold(rows.equals(MERGED), rows + " are all rows");
    Iterator<byte[]> shorter =
        Merge.of(
            List.of(List.of(new byte[1]).iterator(), List.of(new byte[0]).iterator()), r -> r, 2);
    hold(shorter.next().length + shorter.next().length == 1, "keys without a whole salt");
  }

  private static void holds(int failing, Failing scan, boolean looks) {
    List<Iterator<String>> scans = new ArrayList<>();
    for (int i = 0; i < SCANS.size(); i++) {
      scans.add(i == failing ? scan : SCANS.get(i).iterator());
    }
    String law = "scan " + failing + " throws " + scan.failure + " at " + scan.at + ": ";
    Iterator<String> merge = merge(scans);
    List<String> rows = new ArrayList<>();
    int thrown = 0;
    while (thrown < 3) {
      try {
        if (looks && !merge.hasNext()) {
          hold(false, law + "it ends without an error, " + rows);
        }
        rows.add(merge.next());
      } catch (NoSuchElementException end) {
        hold(false, law + "it ends without an error, " + rows);
      } catch (Throwable found) {
        hold(found == scan.failure, law + found);
        thrown++;
      }
      hold(rows.equals(MERGED.subList(0, rows.size())), law + rows);
    }
    int before = scan.at == 0 ? 0 : MERGED.indexOf(scan.rows.get(scan.at - 1)) + 1;
    hold(rows.size() == before, law + rows + ": all rows up to the last one that it gave");
  }

  private static Iterator<String> merge(List<Iterator<String>> scans) {
    return Merge.of(scans, row -> row.getBytes(java.nio.charset.StandardCharsets.US_ASCII), 1);
  }

  private static void hold(boolean holds, String law) {
    if (!holds) {
      throw new AssertionError(law);
    }
  }

  /** Rows, before one of which it fails once; then it goes on. */
  private static final class Failing implements Iterator<String> {
    final List<String> rows;
    final int at;
    final Throwable failure;
    private int next;
    private boolean failed;

    Failing(List<String> rows, int at, Throwable failure) {
      this.rows = rows;
      this.at = at;
      this.failure = failure;
    }

    @Override
    public boolean hasNext() {
      if (next == at && at == rows.size()) {
        fail();
      }
      return next < rows.size();
    }

    @Override
    public String next() {
      if (next == at) {
        fail();
      }
      return rows.get(next++);
    }

    private void fail() {
      if (!failed) {
        failed = true;
        MergeLaws.<RuntimeException>sneak(failure);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }
}
