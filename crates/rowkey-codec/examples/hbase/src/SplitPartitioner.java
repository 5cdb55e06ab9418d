import io.github.rowkey.KeyBytes;
import io.github.rowkey.Splits;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.mapreduce.Partitioner;

/**
 * Sends each row key to the part of its table that it is in, by the split points in the job's
 * configuration.
 */
public final class SplitPartitioner<V> extends Partitioner<ImmutableBytesWritable, V>
    implements Configurable {
  private static final String SPLITS = "rowkey.splits";

  private Configuration conf;
  private List<byte[]> splits = List.of();

  /** Keeps the split points for the job's tasks. */
  static void setSplits(Configuration conf, List<byte[]> splits) {
    String[] hex =
        splits.stream().map(split -> KeyBytes.of(split).toString()).toArray(String[]::new);
    conf.setStrings(SPLITS, hex);
  }

  @Override
  public int getPartition(ImmutableBytesWritable key, V value, int parts) {
    return Math.min(Splits.partOf(key.copyBytes(), splits), parts - 1);
  }

  @Override
  public void setConf(Configuration conf) {
    this.conf = conf;
    splits = new ArrayList<>();
    for (String hex : conf.getStrings(SPLITS, new String[0])) {
      splits.add(KeyBytes.ofHex(hex).toByteArray());
    }
  }

  @Override
  public Configuration getConf() {
    return conf;
  }
}
