import io.github.rowkey.Splits;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.hbase.mapreduce.TableMapper;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import rowkeys.Events;

/**
 * A job on a table: its input are the scans of a prefix, and each reducer has the keys of one
 * bucket, in their order.
 */
final class CountEvents {
  private CountEvents() {}

  /** Events, and those that came to the wrong reducer. */
  enum Count {
    EVENTS,
    MISPLACED
  }

  /** Returns the number of events of a table. */
  static long run(Configuration conf, String table) throws Exception {
    List<byte[]> splits = Splits.ofBuckets(Events.LAYOUT);
    SplitPartitioner.setSplits(conf, splits);
    Job job = Job.getInstance(conf, "events");
    List<org.apache.hadoop.hbase.client.Scan> scans = Scans.of(Events.prefix().select(), table);
    TableMapReduceUtil.initTableMapperJob(
        scans, Rows.class, ImmutableBytesWritable.class, LongWritable.class, job, false);
    job.setPartitionerClass(SplitPartitioner.class);
    job.setReducerClass(Buckets.class);
    job.setNumReduceTasks(splits.size() + 1);
    job.setOutputFormatClass(NullOutputFormat.class);
    if (!job.waitForCompletion(false)) {
      throw new IllegalStateException("the job failed");
    }
    if (job.getCounters().findCounter(Count.MISPLACED).getValue() != 0) {
      throw new IllegalStateException("rows came to the wrong reducer");
    }
    return job.getCounters().findCounter(Count.EVENTS).getValue();
  }

  /** Each row once. */
  public static final class Rows extends TableMapper<ImmutableBytesWritable, LongWritable> {
    @Override
    protected void map(ImmutableBytesWritable key, Result row, Context context)
        throws IOException, InterruptedException {
      context.write(key, new LongWritable(Events.decode(key.copyBytes()).at()));
    }
  }

  /** The rows of one bucket, in the order of their keys. */
  public static final class Buckets
      extends Reducer<ImmutableBytesWritable, LongWritable, ImmutableBytesWritable, LongWritable> {
    private byte[] last = new byte[0];

    @Override
    protected void reduce(
        ImmutableBytesWritable key, Iterable<LongWritable> instants, Context context) {
      byte[] bytes = key.copyBytes();
      int bucket = context.getTaskAttemptID().getTaskID().getId();
      boolean isInOrder = java.util.Arrays.compareUnsigned(last, bytes) < 0;
      context.getCounter(Count.MISPLACED).increment(bytes[0] == bucket && isInOrder ? 0 : 1);
      context.getCounter(Count.EVENTS).increment(1);
      last = bytes;
    }
  }
}
