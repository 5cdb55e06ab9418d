import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * The scan of a salted table in the order of its keys, for main.rs: each line of input is a table, its buckets and the rows of a call.
 * Each answer is a line: nanoseconds, rows, and the bytes of their keys and values.
 */
public class Merged {
    record First(Result row, ResultScanner rest) implements Comparable<First> {
        static First of(ResultScanner rest) throws Exception {
            Result row = rest.next();
            return row == null ? null : new First(row, rest);
        }

        public int compareTo(First other) {
            byte[] one = row.getRow(), two = other.row.getRow();
            return Arrays.compareUnsigned(one, 1, one.length, two, 1, two.length);
        }
    }

    public static void main(String[] args) throws Exception {
        Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] words = line.split(" ");
            try (Table table = connection.getTable(TableName.valueOf(words[0]))) {
                System.out.println(scan(table, Integer.parseInt(words[1]), Integer.parseInt(words[2])));
            }
        }
        System.exit(0);
    }

    static String scan(Table table, int buckets, int caching) throws Exception {
        long begun = System.nanoTime(), rows = 0, bytes = 0;
        List<ResultScanner> scanners = new ArrayList<>();
        PriorityQueue<First> heap = new PriorityQueue<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            // Its scanners read ahead, which they do not by default.
            Scan scan = new Scan().setCaching(caching).setAsyncPrefetch(true).withStartRow(new byte[] {(byte) bucket});
            if (bucket + 1 < buckets) scan.withStopRow(new byte[] {(byte) (bucket + 1)});
            scanners.add(table.getScanner(scan));
        }
        for (ResultScanner scanner : scanners) {
            First first = First.of(scanner);
            if (first != null) heap.add(first);
        }
        for (First first; (first = heap.poll()) != null; rows++) {
            bytes += first.row.getRow().length;
            for (Cell cell : first.row.rawCells()) bytes += cell.getValueLength();
            First next = First.of(first.rest);
            if (next != null) heap.add(next);
        }
        for (ResultScanner scanner : scanners) scanner.close();
        return (System.nanoTime() - begun) + " " + rows + " " + bytes;
    }
}
