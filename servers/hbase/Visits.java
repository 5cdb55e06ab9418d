import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Visits with a salted key, by HBase's Java client alone, for the tests of `rowkey-hbase`. Runs commands of a file, a
 * line each with tabs between words: `put USER AT SHOP QUALIFIER TIMESTAMP VALUE`. Users and values are in hex.
 */
public class Visits {
    static final int BUCKETS = 16;
    static final byte[] F = Bytes.toBytes("f");
    static final HexFormat HEX = HexFormat.of();

    /** Bucket, user, time (the newest first), shop. The bucket is that of the user. */
    static byte[] key(String user, long at, int shop) throws Exception {
        var text = new ByteArrayOutputStream();
        for (byte b : user.getBytes(StandardCharsets.UTF_8)) {
            // A zero byte ends the text, so in it 0 and 1 are two bytes.
            if (b == 0 || b == 1) text.write(1);
            text.write(b == 0 || b == 1 ? b + 1 : b);
        }
        text.write(0);
        byte[] digest = MessageDigest.getInstance("MD5").digest(text.toByteArray());
        byte bucket = (byte) Long.remainderUnsigned(Bytes.toLong(digest), BUCKETS);
        byte[] newestFirst = Bytes.toBytes(Long.MAX_VALUE - at);
        return Bytes.add(Bytes.add(new byte[] {bucket}, text.toByteArray()), newestFirst, Bytes.toBytes(shop));
    }

    /** Prints all cells, the rows in the order of their keys without the bucket. */
    static void scan(Table table) throws Exception {
        record Bucket(Result row, ResultScanner rest) {}
        Comparator<byte[]> afterTheBucket = (a, b) -> Arrays.compareUnsigned(a, 1, a.length, b, 1, b.length);
        var buckets = new PriorityQueue<Bucket>(Comparator.comparing(bucket -> bucket.row.getRow(), afterTheBucket));
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            byte[] start = {(byte) bucket}, stop = {(byte) (bucket + 1)};
            ResultScanner rows = table.getScanner(new Scan().withStartRow(start).withStopRow(stop).readVersions(3));
            Result first = rows.next();
            if (first != null) buckets.add(new Bucket(first, rows));
        }
        while (!buckets.isEmpty()) {
            Bucket bucket = buckets.poll();
            for (Cell cell : bucket.row.rawCells()) {
                String qualifier = Bytes.toString(CellUtil.cloneQualifier(cell)), at = "" + cell.getTimestamp();
                String key = HEX.formatHex(CellUtil.cloneRow(cell)), value = HEX.formatHex(CellUtil.cloneValue(cell));
                System.out.println(String.join("\t", key, qualifier, at, value));
            }
            Result next = bucket.rest.next();
            if (next != null) buckets.add(new Bucket(next, bucket.rest));
        }
    }

    static void create(Admin admin, TableName name) throws Exception {
        List<byte[]> splits = new ArrayList<>();
        for (int bucket = 1; bucket < BUCKETS; bucket++) splits.add(new byte[] {(byte) bucket});
        var family = ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build();
        var table = TableDescriptorBuilder.newBuilder(name).setColumnFamily(family).build();
        admin.createTable(table, splits.toArray(new byte[0][]));
    }

    /** A command on a row: its word, user, time, shop, and what follows. */
    static void row(Table table, String[] words) throws Exception {
        String user = new String(HEX.parseHex(words[1]), StandardCharsets.UTF_8);
        byte[] row = key(user, Long.parseLong(words[2]), Integer.parseUnsignedInt(words[3]));
        byte[] column = words.length > 4 ? Bytes.toBytes(words[4]) : null;
        String more = words.length > 5 ? words[5] : null, last = words.length > 6 ? words[6] : null;
        switch (words[0]) {
            case "put" -> table.put(new Put(row).addColumn(F, column, Long.parseLong(more), HEX.parseHex(last)));
            case "append" -> table.append(new Append(row).addColumn(F, column, HEX.parseHex(more)));
            case "increment" -> System.out.println(table.incrementColumnValue(row, F, column, Long.parseLong(more)));
            case "replace" -> {
                var put = new Put(row).addColumn(F, column, HEX.parseHex(last));
                var replace = CheckAndMutate.newBuilder(row).ifEquals(F, column, HEX.parseHex(more)).build(put);
                System.out.println(table.checkAndMutate(replace).isSuccess());
            }
            case "delete" -> table.delete(new Delete(row));
            case "delete_column" -> table.delete(new Delete(row).addColumns(F, column));
            case "delete_version" -> table.delete(new Delete(row).addColumn(F, column, Long.parseLong(more)));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    public static void main(String[] args) throws Exception {
        try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create())) {
            Table table = null;
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                String[] words = line.split("\t", -1);
                switch (words[0]) {
                    case "create" -> create(connection.getAdmin(), TableName.valueOf(words[1]));
                    case "use" -> table = connection.getTable(TableName.valueOf(words[1]));
                    case "scan" -> scan(table);
                    default -> row(table, words);
                }
            }
        }
        System.exit(0);
    }
}
