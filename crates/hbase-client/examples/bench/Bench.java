import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * HBase's own client, for main.rs: each line of input is a work, a table and numbers. Each answer is a line: nanoseconds, rows and
 * the sum of what was read.
 */
public class Bench {
    static final byte[] FAMILY = {'f'}, QUALIFIER = {'q'};
    static final long AT = 1_700_000_000_000L;
    static final int REGIONS = 16;
    static Connection connection;

    record Counted(long rows, long sum) {
        Counted add(Counted other) {
            return new Counted(rows + other.rows, sum + other.sum);
        }
    }

    interface Caller {
        Counted run(Table table, long from, long to) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split(" ");
            TableName table = TableName.valueOf(words[1]);
            long[] n = new long[words.length - 2];
            for (int i = 0; i < n.length; i++) n[i] = Long.parseLong(words[i + 2]);
            know(table);
            long begun = System.nanoTime();
            Counted counted = switch (words[0]) {
                case "flush" -> flush(table);
                case "load" -> callers(table, n[0], n[1], (t, from, to) -> load(t, from, to, (int) n[2]));
                case "scan" -> scan(table, 0, REGIONS, (int) n[0], n[1] == 1);
                case "scans" -> callers(table, REGIONS, REGIONS, (t, from, to) -> scan(table, from, to, (int) n[0], n[1] == 1));
                case "gets" -> callers(table, n[0], n[1], (t, from, to) -> gets(t, from, to, n[2]));
                case "many" -> callers(table, n[0], n[1], (t, from, to) -> many(t, from, to, n[2], (int) n[3]));
                case "increments" -> callers(table, n[0], n[1], (t, from, to) -> increments(t, from, to, n[2]));
                default -> throw new IllegalArgumentException(line);
            };
            System.out.println((System.nanoTime() - begun) + " " + counted.rows + " " + counted.sum);
        }
        System.exit(0);
    }

    /** The regions are known before the clock runs, also of a table that was dropped and created since. */
    static void know(TableName table) throws Exception {
        try (RegionLocator regions = connection.getRegionLocator(table)) {
            regions.clearRegionLocationCache();
            regions.getAllRegionLocations();
        }
    }

    /** Each caller does its share of `count`. */
    static Counted callers(TableName name, long callers, long count, Caller caller) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool((int) callers);
        List<Callable<Counted>> calls = new ArrayList<>();
        for (long at = 0; at < callers; at++) {
            long from = count * at / callers, to = count * (at + 1) / callers;
            calls.add(() -> {
                try (Table table = connection.getTable(name)) {
                    return caller.run(table, from, to);
                }
            });
        }
        Counted counted = new Counted(0, 0);
        for (Future<Counted> done : threads.invokeAll(calls)) counted = counted.add(done.get());
        threads.shutdown();
        return counted;
    }

    static Counted flush(TableName table) throws Exception {
        connection.getAdmin().flush(table);
        return new Counted(0, 0);
    }

    static Counted load(Table table, long from, long to, int batch) throws Exception {
        List<Put> puts = new ArrayList<>(batch);
        for (long n = from; n < to; n++) {
            puts.add(new Put(key(n)).addColumn(FAMILY, QUALIFIER, AT + n, value(n)));
            if (puts.size() == batch || n + 1 == to) {
                table.put(puts);
                puts.clear();
            }
        }
        return new Counted(to - from, 0);
    }

    /** The rows of some regions. */
    static Counted scan(TableName name, long from, long to, int caching, boolean prefetch) throws Exception {
        Scan scan = new Scan().setCaching(caching).setAsyncPrefetch(prefetch);
        if (from > 0) scan.withStartRow(bucket(from));
        if (to < REGIONS) scan.withStopRow(bucket(to));
        long rows = 0, sum = 0;
        try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(scan)) {
            for (Result row; (row = scanner.next()) != null; rows++) sum += sum(row);
        }
        return new Counted(rows, sum);
    }

    static Counted gets(Table table, long from, long to, long rows) throws Exception {
        long sum = 0;
        for (long i = from; i < to; i++) sum += sum(table.get(new Get(key(some(i, rows)))));
        return new Counted(to - from, sum);
    }

    static Counted many(Table table, long from, long to, long rows, int batch) throws Exception {
        List<Get> gets = new ArrayList<>(batch);
        long sum = 0;
        for (long i = from; i < to; i++) {
            gets.add(new Get(key(some(i, rows))));
            if (gets.size() == batch || i + 1 == to) {
                for (Result row : table.get(gets)) sum += sum(row);
                gets.clear();
            }
        }
        return new Counted(to - from, sum);
    }

    static Counted increments(Table table, long from, long to, long counters) throws Exception {
        long read = 0;
        for (long i = from; i < to; i++) {
            Result row = table.increment(new Increment(key(i % counters)).addColumn(FAMILY, QUALIFIER, 1));
            if (sum(row) != 0) read++;
        }
        return new Counted(read, 0);
    }

    /** All that there is of a row. */
    static long sum(Result row) {
        long sum = 0;
        for (Cell cell : row.rawCells()) {
            sum += sum(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength())
                + sum(cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength())
                + sum(cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength())
                + sum(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength())
                + cell.getTimestamp();
        }
        return sum;
    }

    static long sum(byte[] bytes, int offset, int length) {
        int sum = 0;
        for (int i = offset; i < offset + length; i++) sum += bytes[i] & 0xff;
        return sum;
    }

    /** A hexadecimal digit, which is the region's, and a decimal number: 32 bytes. */
    static byte[] key(long n) {
        byte[] key = new byte[32];
        key[0] = (byte) "0123456789abcdef".charAt((int) (n % REGIONS));
        decimal(key, 1, n);
        return key;
    }

    static byte[] bucket(long region) {
        return new byte[] {(byte) "0123456789abcdef".charAt((int) region)};
    }

    /** A decimal number: 20 bytes. */
    static byte[] value(long n) {
        byte[] value = new byte[20];
        decimal(value, 0, n * 7919);
        return value;
    }

    static void decimal(byte[] bytes, int from, long n) {
        for (int at = bytes.length - 1; at >= from; at--, n /= 10) bytes[at] = (byte) ('0' + n % 10);
    }

    /** One of the rows, far from the one before. */
    static long some(long i, long rows) {
        return i * 7919 % rows;
    }
}
