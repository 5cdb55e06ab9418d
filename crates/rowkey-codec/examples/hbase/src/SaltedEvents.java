import io.github.rowkey.Bounds;
import io.github.rowkey.KeyWriter;
import io.github.rowkey.Splits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import rowkeys.Events;

/**
 * Salted rows in HBase with generated keys: written, scanned in one order, and as the input of a
 * job.
 *
 * <pre>
 * SaltedEvents create TABLE       a table with a region for each bucket
 * SaltedEvents write TABLE ROWS
 * SaltedEvents read TABLE ROWS    fails if these are not the rows, or not in their order
 * SaltedEvents job TABLE ROWS
 * </pre>
 */
public final class SaltedEvents {
  private static final byte[] FAMILY = {'e'};
  private static final byte[] WHAT = "what".getBytes(StandardCharsets.UTF_8);

  private SaltedEvents() {}

  /** Runs a command. */
  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    TableName name = TableName.valueOf(args[1]);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      switch (args[0]) {
        case "create" -> create(connection, name);
        case "write" -> write(connection, name, Integer.parseInt(args[2]));
        case "read" -> read(connection, name, Integer.parseInt(args[2]));
        case "job" ->
            same(Integer.parseInt(args[2]), CountEvents.run(conf, args[1]), "events of the job");
        default -> throw new IllegalArgumentException(args[0]);
      }
    }
    System.out.println("java: " + String.join(" ", args));
  }

  /** The event of a number. */
  private static Events event(int number) {
    String user = "user " + number % 997;
    Optional<Integer> kind = number % 3 == 0 ? Optional.empty() : Optional.of(number % 256);
    return new Events(user, 1_000L * number, kind);
  }

  private static void create(Connection connection, TableName name) throws Exception {
    byte[][] splits = Splits.ofBuckets(Events.LAYOUT).toArray(new byte[0][]);
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build(),
          splits);
    }
  }

  private static void write(Connection connection, TableName name, int rows) throws Exception {
    KeyWriter w = new KeyWriter();
    try (BufferedMutator table = connection.getBufferedMutator(name)) {
      for (int i = 0; i < rows; i++) {
        table.mutate(new Put(event(i).encode(w)).addColumn(FAMILY, WHAT, value(i)));
      }
    }
  }

  private static byte[] value(int number) {
    return ("event " + number).getBytes(StandardCharsets.UTF_8);
  }

  private static void read(Connection connection, TableName name, int rows) throws Exception {
    try (Table table = connection.getTable(name)) {
      List<Iterator<Result>> buckets = new ArrayList<>();
      for (List<Scan> scans : Scans.byBucket(Events.prefix().select())) {
        buckets.add(rows(table, scans));
      }
      Iterator<Result> merged = Events.merge(buckets, Result::getRow);
      Events last = null;
      int found = 0;
      for (; merged.hasNext(); found++) {
        Result row = merged.next();
        Events next = Events.decode(row.getRow());
        int order = last == null ? -1 : last.user().compareTo(next.user());
        boolean isInOrder = order < 0 || order == 0 && last.at() > next.at();
        int number = (int) (next.at() / 1000);
        if (!isInOrder
            || !next.equals(event(number))
            || !Arrays.equals(row.getValue(FAMILY, WHAT), value(number))) {
          throw new IllegalStateException(Events.explain(row.getRow()));
        }
        last = next;
      }
      same(rows, found, "rows of all buckets");

      // A user's events of a time are in one bucket.
      Bounds<Long> time = Bounds.halfOpen(0L, 1_000L * rows / 2);
      List<List<Scan>> ofUser = Scans.byBucket(Events.prefix().user("user 7").atRange(time));
      same(1, ofUser.size(), "buckets of a user");
      int due = 0;
      for (int i = 7; i < rows / 2; i += 997) {
        due++;
      }
      int events = 0;
      for (Iterator<Result> some = rows(table, ofUser.get(0)); some.hasNext(); some.next()) {
        events++;
      }
      same(due, events, "events of a user");
    }
  }

  /** The rows of scans, one after another. */
  private static Iterator<Result> rows(Table table, List<Scan> scans) throws Exception {
    List<Iterator<Result>> parts = new ArrayList<>();
    for (Scan scan : scans) {
      ResultScanner scanner = table.getScanner(scan.setCaching(1000));
      parts.add(scanner.iterator());
    }
    return new Iterator<>() {
      private int part;

      @Override
      public boolean hasNext() {
        while (part < parts.size() && !parts.get(part).hasNext()) {
          part++;
        }
        return part < parts.size();
      }

      @Override
      public Result next() {
        return parts.get(part).next();
      }
    };
  }

  private static void same(long due, long found, String what) {
    if (due != found) {
      throw new IllegalStateException(found + " " + what + ", due are " + due);
    }
  }
}
