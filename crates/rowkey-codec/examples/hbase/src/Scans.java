import io.github.rowkey.KeyRange;
import io.github.rowkey.Selection;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Scan;

/** The scans of a prefix, for HBase's client and for jobs whose input are tables. */
final class Scans {
  private Scans() {}

  /** The scans of each bucket; each of them is in the order of the keys. */
  static List<List<Scan>> byBucket(Selection selection) {
    List<List<Scan>> buckets = new ArrayList<>();
    for (List<KeyRange> ranges : selection.rangesByBucket()) {
      buckets.add(ranges.stream().map(Scans::of).toList());
    }
    return buckets;
  }

  /** The scans of all buckets, as the input of a job on a table. */
  static List<Scan> of(Selection selection, String table) {
    List<Scan> scans = new ArrayList<>();
    for (KeyRange range : selection.ranges()) {
      scans.add(of(range).setAttribute(Scan.SCAN_ATTRIBUTES_TABLE_NAME, table.getBytes()));
    }
    return scans;
  }

  private static Scan of(KeyRange range) {
    return new Scan().withStartRow(range.start()).withStopRow(range.end());
  }
}
