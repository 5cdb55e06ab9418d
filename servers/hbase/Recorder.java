// Runs every case of a file of cases, see its header, in a fresh table of a real HBase, and writes the file again with
// the answers that HBase gave.
//
// Needs JDK 17 and an HBase on 127.0.0.1. CLASSPATH is the folder that holds its hbase-site.xml (for the quorum and the
// port of ZooKeeper), then the jars of hbase-client of the same version and all they depend on:
//
//     java -cp CLASSPATH Recorder.java hbase.cases

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

public class Recorder {
    /** A refusal's text, or a piece of it, and our word for it. */
    static final String[][] ERRORS = {
        {"NoSuchColumnFamilyException", "no-such-family"},
        {"Timestamp cannot be negative", "negative-timestamp"},
        {"Field is not a long", "not-a-counter"},
        {"versions must be positive", "versions-not-positive"},
        {"Row length is 0", "empty-row"},
        {"maxStamp is smaller", "backward-time-range"},
        {"Cannot set batch", "batch-with-row-filter"},
        {"is > 32767", "row-too-long"},
        {"KeyValue size too large", "cell-too-large"},
        {"exceeds limit of", "cell-too-large"},
        {"startRow's length must be", "row-too-long"},
        {"Index 0 out of bounds", "no-mutations"},
    };

    final Admin admin;
    final Connection connection;
    final TableName name;
    final TableDescriptor descriptor;
    final Table table;
    /** What `now` in a timestamp means. */
    final long begin = System.currentTimeMillis();
    /** The timestamps that the case gave, as it wrote them. */
    final Map<Long, String> given = new HashMap<>();
    /** Rows of a case that have another name in the table. */
    final Map<String, String> renamed = new HashMap<>();
    /** How far the clock of who asks is ahead, and how far it has been at most. */
    long ahead, most;

    Recorder(Connection connection, String families, int number) throws IOException {
        this.connection = connection;
        admin = connection.getAdmin();
        name = TableName.valueOf("case" + number);
        var builder = TableDescriptorBuilder.newBuilder(name);
        for (String family : families.split(";")) builder.setColumnFamily(family(family.trim().split(" +")));
        if (admin.tableExists(name)) drop();
        descriptor = builder.build();
        admin.createTable(descriptor);
        table = connection.getTable(name);
    }

    public static void main(String[] args) throws Exception {
        Configuration conf = HBaseConfiguration.create();
        conf.setInt("hbase.client.retries.number", 3);
        var out = new ArrayList<String>();
        try (Connection connection = ConnectionFactory.createConnection(conf)) {
            Recorder recorder = null;
            int number = 0;
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                String step = line.trim();
                if (step.startsWith("=")) continue;
                out.add(line);
                if (step.isEmpty() || step.startsWith("#") || step.startsWith("case ")) continue;
                if (step.startsWith("table ")) {
                    if (recorder != null) recorder.drop();
                    recorder = new Recorder(connection, step.substring(6), ++number);
                } else {
                    for (String answer : recorder.answer(step)) out.add("  = " + answer);
                }
            }
            if (recorder != null) recorder.drop();
        }
        Files.write(Path.of(args[0]), out);
    }

    void drop() throws IOException {
        admin.disableTable(name);
        admin.deleteTable(name);
    }

    List<String> answer(String step) throws Exception {
        // So that no two steps get one time of the server's.
        Thread.sleep(2);
        try {
            return run(new ArrayDeque<>(Arrays.asList(step.split(" +"))));
        } catch (IOException | RuntimeException e) {
            return List.of("error " + error(e));
        }
    }

    List<String> run(Deque<String> words) throws Exception {
        String verb = words.poll();
        switch (verb) {
            case "flush":
                admin.flush(name);
                return List.of();
            case "major-compact":
                admin.majorCompact(name);
                while (admin.getCompactionState(name) != CompactionState.NONE) Thread.sleep(10);
                return List.of();
            case "split":
                drop();
                admin.createTable(descriptor, words.stream().map(Recorder::bytes).toArray(byte[][]::new));
                return List.of();
            case "clock":
                ahead = Long.parseLong(words.poll());
                most = Math.max(most, ahead);
                EnvironmentEdgeManager.injectEdge(() -> System.currentTimeMillis() + ahead);
                return List.of();
            case "within-ms":
                withinMs(parts(words));
                return List.of();
            case "batch":
                return batch(parts(words));
            case "scan-while":
                var meanwhile = parts(words);
                return rows(scan(words).setCaching(1), meanwhile);
            case "get":
                return cells(table.get(get(words)));
            case "exists":
                return List.of("" + table.exists(get(words)));
            case "scan":
                return rows(scan(words), List.of());
            case "increment":
                return increment(words);
            case "check":
                return List.of("" + check(words));
        }
        byte[] row = row(words.poll());
        if (verb.equals("mutate")) {
            write(row, block(row, words));
        } else {
            var mutations = new ArrayList<Mutation>();
            words.push(verb);
            add(mutations, row, words);
            write(row, mutations);
        }
        return List.of();
    }

    // Writes.

    void write(byte[] row, List<Mutation> mutations) throws IOException {
        if (mutations.size() != 1) table.mutateRow(new RowMutations(row).add(mutations));
        else if (mutations.get(0) instanceof Put put) table.put(put);
        else table.delete((Delete) mutations.get(0));
    }

    /** The mutations between braces: neighbours of a kind make one Put or Delete. */
    List<Mutation> block(byte[] row, Deque<String> words) throws IOException {
        var mutations = new ArrayList<Mutation>();
        for (var part : parts(words)) add(mutations, row, part);
        return mutations;
    }

    /** What stands between braces, part by part. */
    static List<Deque<String>> parts(Deque<String> words) {
        var parts = new ArrayList<Deque<String>>();
        expect("{", words.poll());
        while (!words.peek().equals("}")) {
            if (parts.isEmpty() || words.peek().equals(";")) parts.add(new ArrayDeque<>());
            String word = words.poll();
            if (!word.equals(";")) parts.get(parts.size() - 1).add(word);
        }
        words.poll();
        return parts;
    }

    /** One after the other, each in a call of its own. */
    void each(List<Deque<String>> parts) throws IOException {
        for (var part : parts) {
            var words = new ArrayDeque<>(part);
            var mutations = new ArrayList<Mutation>();
            String verb = words.poll();
            byte[] row = row(words.poll());
            words.push(verb);
            add(mutations, row, words);
            write(row, mutations);
        }
    }

    /** All in one millisecond of the server's, tried in one row after the other until they are. */
    void withinMs(List<Deque<String>> parts) throws IOException {
        var iterator = parts.get(0).iterator();
        iterator.next();
        String row = iterator.next();
        for (int i = 0; i < 100_000; i++) {
            renamed.put(row, row + i);
            each(parts);
            Scan scan = new Scan().withStartRow(row(row)).withStopRow(row(row), true).setRaw(true).readAllVersions();
            try (var all = table.getScanner(scan)) {
                long times = Arrays.stream(all.next().rawCells()).mapToLong(Cell::getTimestamp).distinct().count();
                if (times == 1) return;
            }
        }
        throw new AssertionError("never within a millisecond");
    }

    /** All in one call; neighbours of one row are one. */
    List<String> batch(List<Deque<String>> parts) throws Exception {
        var rows = new ArrayList<String>();
        var blocks = new ArrayList<List<Mutation>>();
        for (var words : parts) {
            String verb = words.poll(), row = words.poll();
            words.push(verb);
            if (rows.isEmpty() || !rows.get(rows.size() - 1).equals(row)) {
                rows.add(row);
                blocks.add(new ArrayList<>());
            }
            add(blocks.get(blocks.size() - 1), row(row), words);
        }
        var actions = new ArrayList<Row>();
        for (var block : blocks) actions.add(block.size() > 1 ? RowMutations.of(block) : block.get(0));
        var results = new Object[actions.size()];
        try {
            table.batch(actions, results);
        } catch (RetriesExhaustedWithDetailsException e) {
            // Each has its own result.
        }
        var lines = new ArrayList<String>();
        for (int i = 0; i < results.length; i++) {
            String answer = results[i] instanceof Exception e ? "error " + error(e) : "done";
            lines.add("row " + rows.get(i) + " " + answer);
        }
        return lines;
    }

    void add(List<Mutation> mutations, byte[] row, Deque<String> words) throws IOException {
        String verb = words.poll();
        Mutation last = mutations.isEmpty() ? null : mutations.get(mutations.size() - 1);
        if (verb.equals("put")) {
            byte[][] column = column(words.poll());
            long at = at(words);
            byte[] value = bytes(words.poll());
            if (!(last instanceof Put)) mutations.add(last = new Put(row));
            if (at == SERVER) ((Put) last).addColumn(column[0], column[1], value);
            else ((Put) last).addColumn(column[0], column[1], at, value);
            return;
        }
        // A Delete with nothing in it is that of the row.
        boolean open = last instanceof Delete && !last.isEmpty() && !verb.equals("delete-row");
        if (!open) mutations.add(last = new Delete(row));
        Delete delete = (Delete) last;
        if (verb.equals("delete-row")) {
            long at = at(words);
            if (at != SERVER) mutations.set(mutations.size() - 1, new Delete(row, at));
            return;
        }
        byte[][] column = column(words.poll());
        long at = at(words);
        switch (verb) {
            case "delete-latest" -> delete.addColumn(column[0], column[1]);
            case "delete-version" -> delete.addColumn(column[0], column[1], at);
            case "delete-column" -> delete.addColumns(column[0], column[1], at == SERVER ? Long.MAX_VALUE : at);
            case "delete-family" -> delete.addFamily(column[0], at == SERVER ? Long.MAX_VALUE : at);
            default -> throw new AssertionError("no step " + verb);
        }
    }

    List<String> increment(Deque<String> words) throws IOException {
        Increment increment = new Increment(row(words.poll()));
        while (!words.isEmpty()) {
            byte[][] column = column(words.poll());
            increment.addColumn(column[0], column[1], Long.parseLong(words.poll()));
        }
        var lines = new ArrayList<String>();
        for (Cell cell : table.increment(increment).rawCells()) {
            lines.add(column(cell) + " " + Bytes.toLong(CellUtil.cloneValue(cell)));
        }
        return lines;
    }

    boolean check(Deque<String> words) throws IOException {
        byte[] row = row(words.poll());
        byte[][] column = column(words.poll());
        String op = words.poll();
        var check = CheckAndMutate.newBuilder(row);
        if (op.equals("absent")) check.ifNotExists(column[0], column[1]);
        else check.ifMatches(column[0], column[1], turned(operator(op)), bytes(words.poll()));
        List<Mutation> mutations = block(row, words);
        CheckAndMutate done;
        if (mutations.size() != 1) done = check.build(new RowMutations(row).add(mutations));
        else if (mutations.get(0) instanceof Put put) done = check.build(put);
        else done = check.build((Delete) mutations.get(0));
        return table.checkAndMutate(done).isSuccess();
    }

    // Reads.

    Get get(Deque<String> words) throws IOException {
        Get get = new Get(row(words.poll()));
        var filters = new FilterList();
        for (String word : words) {
            String option = word.replaceFirst("=.*", "");
            String value = word.substring(Math.min(word.length(), option.length() + 1));
            String[] span = value.split("\\.\\.", 2);
            switch (option) {
                case "families" -> { for (String f : value.split(",")) get.addFamily(bytes(f)); }
                case "columns" -> { for (String c : value.split(",")) get.addColumn(column(c)[0], column(c)[1]); }
                case "prefix" -> get.addFamily(column(value)[0]);
                case "range" -> get.addFamily(column(span[0])[0]);
                case "versions" -> get.readVersions(Integer.parseInt(value));
                case "time" -> get.setTimeRange(time(span[0]), time(span[1]));
                case "store-offset" -> get.setRowOffsetPerColumnFamily(Integer.parseInt(value));
                case "store-limit" -> get.setMaxResultsPerColumnFamily(Integer.parseInt(value));
                default -> {}
            }
            Filter filter = filter(option, value);
            if (filter != null) filters.addFilter(filter);
        }
        if (filters.size() > 0) get.setFilter(filters.size() == 1 ? filters.getFilters().get(0) : filters);
        return get;
    }

    /** The options that a get has as well are set on a get, and taken over. */
    Scan scan(Deque<String> words) throws IOException {
        var common = new ArrayDeque<String>(List.of("scan"));
        var own = new ArrayList<String>();
        var names = List.of("start", "start-after", "stop", "through", "reverse", "limit", "batch");
        for (String word : words) (names.contains(word.replaceFirst("=.*", "")) ? own : common).add(word);
        Get get = get(common);
        Scan scan = new Scan().readVersions(get.getMaxVersions()).setFilter(get.getFilter());
        scan.setTimeRange(get.getTimeRange().getMin(), get.getTimeRange().getMax());
        scan.setFamilyMap(get.getFamilyMap());
        scan.setRowOffsetPerColumnFamily(get.getRowOffsetPerColumnFamily());
        scan.setMaxResultsPerColumnFamily(get.getMaxResultsPerColumnFamily());
        for (String word : own) {
            String value = word.replaceFirst("^[^=]*=?", "");
            switch (word.replaceFirst("=.*", "")) {
                case "start" -> scan.withStartRow(bytes(value));
                case "start-after" -> scan.withStartRow(bytes(value), false);
                case "stop" -> scan.withStopRow(bytes(value));
                case "through" -> scan.withStopRow(bytes(value), true);
                case "reverse" -> scan.setReversed(true);
                case "limit" -> scan.setLimit(Integer.parseInt(value));
                case "batch" -> scan.setBatch(Integer.parseInt(value));
                default -> throw new AssertionError(word);
            }
        }
        return scan;
    }

    Filter filter(String option, String value) {
        switch (option) {
            case "families", "columns", "versions", "time", "store-offset", "store-limit":
                return null;
            case "prefix":
                return new ColumnPrefixFilter(column(value)[1]);
            case "range": {
                String[] span = value.split("\\.\\.", 2);
                byte[] from = column(span[0])[1], to = bytes(span[1]);
                return new ColumnRangeFilter(from.length == 0 ? null : from, true, to.length == 0 ? null : to, false);
            }
            case "value": {
                String[] parts = value.split(":");
                return new ValueFilter(operator(parts[0]), new BinaryComparator(bytes(parts[1])));
            }
            case "where", "where-present", "where-any": {
                String[] parts = value.split(":");
                var where = new SingleColumnValueFilter(
                        bytes(parts[0]), bytes(parts[1]), operator(parts[2]), bytes(parts[3]));
                where.setFilterIfMissing(option.equals("where-present"));
                where.setLatestVersionOnly(!option.equals("where-any"));
                return where;
            }
            case "first-key-only":
                return new FirstKeyOnlyFilter();
            case "page": {
                String[] parts = value.split(",");
                return new ColumnPaginationFilter(Integer.parseInt(parts[1]), Integer.parseInt(parts[0]));
            }
            default:
                throw new AssertionError("no option " + option);
        }
    }

    // Answers.

    List<String> rows(Scan scan, List<Deque<String>> meanwhile) throws IOException {
        var lines = new ArrayList<String>();
        try (ResultScanner results = table.getScanner(scan)) {
            for (Result result : results) {
                lines.add("row " + text(result.getRow()));
                for (Cell cell : result.rawCells()) lines.add(line(cell));
                each(meanwhile);
                meanwhile = List.of();
            }
        } catch (java.io.UncheckedIOException e) {
            throw e.getCause();
        }
        return lines.isEmpty() ? List.of("nothing") : lines;
    }

    List<String> cells(Result result) {
        var lines = new ArrayList<String>();
        for (Cell cell : result.rawCells()) lines.add(line(cell));
        return lines.isEmpty() ? List.of("nothing") : lines;
    }

    String line(Cell cell) {
        return column(cell) + " @" + stamp(cell.getTimestamp()) + " " + text(CellUtil.cloneValue(cell));
    }

    String stamp(long at) {
        if (given.containsKey(at)) return given.get(at);
        if (begin <= at && at <= System.currentTimeMillis()) return "server";
        if (most != 0 && begin + most <= at && at <= System.currentTimeMillis() + most) return "clock";
        return Math.abs(at - begin) < 1_000_000_000_000L ? String.format("now%+d", at - begin) : "" + at;
    }

    /** Our word, and the message without what differs from run to run. */
    static String error(Exception e) {
        Throwable cause = e;
        if (e instanceof RetriesExhaustedWithDetailsException many) cause = many.getCause(0);
        String message = ("" + cause.getMessage()).split("\n")[0].replaceFirst("^([\\w.$]+(Exception|Error): )+", "");
        message = message.replaceFirst(",? in (region|table) .*", "").replaceFirst(", Incrementing.*", "");
        for (String[] known : ERRORS) if (("" + cause).contains(known[0])) return known[1] + " " + message;
        throw new AssertionError("no word for this error", e);
    }

    // Words.

    static final long SERVER = Long.MIN_VALUE;

    static ColumnFamilyDescriptor family(String[] words) throws IOException {
        var builder = ColumnFamilyDescriptorBuilder.newBuilder(bytes(words[0]));
        for (int i = 1; i < words.length; i++) {
            int value = Integer.parseInt(words[i].replaceFirst(".*=", ""));
            switch (words[i].replaceFirst("=.*", "")) {
                case "versions" -> builder.setMaxVersions(value);
                case "min" -> builder.setMinVersions(value);
                case "ttl" -> builder.setTimeToLive(value);
                default -> throw new AssertionError(words[i]);
            }
        }
        return builder.build();
    }

    /** The timestamp that comes next, if one does. */
    long at(Deque<String> words) {
        if (words.isEmpty() || !words.peek().startsWith("@")) return SERVER;
        String word = words.poll().substring(1);
        long at = time(word);
        given.put(at, word);
        return at;
    }

    long time(String word) {
        return word.startsWith("now") ? begin + Long.parseLong(word.substring(3)) : Long.parseLong(word);
    }

    static byte[][] column(String word) {
        String[] parts = word.split(":");
        return new byte[][] {bytes(parts[0]), parts.length > 1 ? bytes(parts[1]) : null};
    }

    static String column(Cell cell) {
        return text(CellUtil.cloneFamily(cell)) + ":" + text(CellUtil.cloneQualifier(cell));
    }

    byte[] row(String word) {
        return bytes(renamed.getOrDefault(word, word));
    }

    static byte[] bytes(String word) {
        int times = word.indexOf('*');
        if (times >= 0) return bytes(word.substring(0, times).repeat(Integer.parseInt(word.substring(times + 1))));
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < word.length() && !word.equals("''"); i++) {
            if (word.charAt(i) != '%') out.write(word.charAt(i));
            else out.write(Integer.parseInt(word.substring(i + 1, (i += 2) + 1), 16));
        }
        return out.toByteArray();
    }

    static String text(byte[] bytes) {
        boolean same = bytes.length > 64;
        for (byte b : bytes) same &= b == bytes[0];
        if (same) return text(new byte[] {bytes[0]}) + "*" + bytes.length;
        var text = new StringBuilder();
        for (byte b : bytes) {
            boolean plain = Character.isLetterOrDigit(b) && b > 0 || "_.-".indexOf(b) >= 0;
            text.append(plain ? "" + (char) b : String.format("%%%02X", b));
        }
        return text.isEmpty() ? "''" : text.toString();
    }

    static CompareOperator operator(String word) {
        return switch (word) {
            case "=" -> CompareOperator.EQUAL;
            case "!=" -> CompareOperator.NOT_EQUAL;
            case "<" -> CompareOperator.LESS;
            case "<=" -> CompareOperator.LESS_OR_EQUAL;
            case ">" -> CompareOperator.GREATER;
            case ">=" -> CompareOperator.GREATER_OR_EQUAL;
            default -> throw new AssertionError("no operator " + word);
        };
    }

    /** `ifMatches` reads `value OP cell`, the cases read `cell OP value`. */
    static CompareOperator turned(CompareOperator op) {
        return switch (op) {
            case LESS -> CompareOperator.GREATER;
            case LESS_OR_EQUAL -> CompareOperator.GREATER_OR_EQUAL;
            case GREATER -> CompareOperator.LESS;
            case GREATER_OR_EQUAL -> CompareOperator.LESS_OR_EQUAL;
            default -> op;
        };
    }

    static void expect(String wanted, String word) {
        if (!wanted.equals(word)) throw new AssertionError(word + " where " + wanted + " is due");
    }
}
