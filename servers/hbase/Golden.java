import java.io.*;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import javax.net.SocketFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos;

/** Writes calls of the Java client as the servers got them, each with its answer: both are frames, with their lengths. */
public class Golden {
    /** What went through one socket. */
    static class Stream {
        final ByteArrayOutputStream sent = new ByteArrayOutputStream(), got = new ByteArrayOutputStream();
    }

    static final List<Stream> STREAMS = Collections.synchronizedList(new ArrayList<>());

    /** Sockets that keep what goes through them. */
    public static class Recording extends SocketFactory {
        @Override public Socket createSocket() {
            Stream stream = new Stream();
            STREAMS.add(stream);
            return new Socket() {
                @Override public InputStream getInputStream() throws IOException {
                    return new FilterInputStream(super.getInputStream()) {
                        @Override public int read() throws IOException {
                            int read = super.read();
                            if (read >= 0) stream.got.write(read);
                            return read;
                        }
                        @Override public int read(byte[] bytes, int at, int length) throws IOException {
                            int read = super.read(bytes, at, length);
                            if (read > 0) stream.got.write(bytes, at, read);
                            return read;
                        }
                    };
                }
                @Override public OutputStream getOutputStream() throws IOException {
                    return new FilterOutputStream(super.getOutputStream()) {
                        @Override public void write(byte[] bytes, int at, int length) throws IOException {
                            out.write(bytes, at, length);
                            stream.sent.write(bytes, at, length);
                        }
                        @Override public void write(int one) throws IOException {
                            out.write(one);
                            stream.sent.write(one);
                        }
                    };
                }
            };
        }
        @Override public Socket createSocket(String host, int port) { throw new UnsupportedOperationException(); }
        @Override public Socket createSocket(String host, int port, InetAddress local, int localPort) { throw new UnsupportedOperationException(); }
        @Override public Socket createSocket(InetAddress host, int port) { throw new UnsupportedOperationException(); }
        @Override public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) { throw new UnsupportedOperationException(); }
    }

    interface Work { void run() throws Exception; }

    static Path out;

    /** Frames from an offset on; the preamble is before the first. */
    static List<byte[]> frames(byte[] bytes, int from) {
        List<byte[]> frames = new ArrayList<>();
        while (from + 4 <= bytes.length) {
            int length = java.nio.ByteBuffer.wrap(bytes, from, 4).getInt();
            if (from + 4 + length > bytes.length) break;
            frames.add(Arrays.copyOfRange(bytes, from + 4, from + 4 + length));
            from += 4 + length;
        }
        return frames;
    }

    /** Writes the calls of this method that the work makes, in their order. */
    static void record(String name, String method, Work work) throws Exception {
        Map<Stream, Integer> before = new IdentityHashMap<>();
        for (Stream stream : List.copyOf(STREAMS)) before.put(stream, frames(stream.sent.toByteArray(), 6).size());
        work.run();
        Thread.sleep(300);
        try (DataOutputStream file = new DataOutputStream(Files.newOutputStream(out.resolve(name + ".bin")))) {
            for (Stream stream : List.copyOf(STREAMS)) {
                Map<Integer, byte[]> answers = new HashMap<>();
                for (byte[] frame : frames(stream.got.toByteArray(), 0))
                    answers.put(RPCProtos.ResponseHeader.parseDelimitedFrom(new ByteArrayInputStream(frame)).getCallId(), frame);
                // The header of a connection is a frame too.
                List<byte[]> sent = frames(stream.sent.toByteArray(), 6);
                for (int at = before.getOrDefault(stream, 1); at < sent.size(); at++) {
                    var header = RPCProtos.RequestHeader.parseDelimitedFrom(new ByteArrayInputStream(sent.get(at)));
                    if (at == 0 || !header.getMethodName().equals(method)) continue;
                    for (byte[] frame : List.of(sent.get(at), answers.get(header.getCallId()))) {
                        file.writeInt(frame.length);
                        file.write(frame);
                    }
                    System.out.println(name + " " + sent.get(at).length + " " + answers.get(header.getCallId()).length);
                }
            }
        }
    }

    static byte[] b(String text) { return text.getBytes(); }

    public static void main(String[] args) throws Exception {
        out = Files.createDirectories(Path.of(args[0]));
        Configuration conf = HBaseConfiguration.create();
        conf.setClassLoader(Golden.class.getClassLoader());
        conf.setClass("hadoop.rpc.socket.factory.class.default", Recording.class, SocketFactory.class);
        conf.set("hbase.rpc.client.impl", "org.apache.hadoop.hbase.ipc.BlockingRpcClient");
        TableName name = TableName.valueOf("golden");
        byte[] f = b("f");
        try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
            if (admin.tableExists(name)) {
                admin.disableTable(name);
                admin.deleteTable(name);
            }
            ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.newBuilder(f).setMaxVersions(3).setBlocksize(8192).build();
            TableDescriptor schema = TableDescriptorBuilder.newBuilder(name).setColumnFamily(family).setMaxFileSize(1L << 30).build();
            record("create", "CreateTable", () -> admin.createTable(schema, new byte[][] {b("m")}));
            // What was split with rows can be merged only after a compaction.
            byte[] whole = admin.getRegions(name).get(0).getRegionName();
            record("split", "SplitRegion", () -> admin.splitRegionAsync(whole, b("c")).get());
            byte[][] halves = admin.getRegions(name).stream().limit(2).map(RegionInfo::getEncodedNameAsBytes).toArray(byte[][]::new);
            record("merge", "MergeTableRegions", () -> admin.mergeRegionsAsync(halves, false).get());
            Table table = connection.getTable(name);
            table.get(new Get(b("warm")));
            record("put", "Mutate", () -> table.put(new Put(b("a")).addColumn(f, b("x"), b("1")).addColumn(f, b("y"), 5, b("2"))));
            record("get", "Get", () -> table.get(new Get(b("a")).addColumn(f, b("x")).addColumn(f, b("y"))));
            record("exists", "Get", () -> table.exists(new Get(b("a")).addFamily(f)));
            record("versions", "Get", () -> table.get(new Get(b("a")).readVersions(2).setTimeRange(1, 9)));
            record("increment", "Mutate", () -> table.increment(new Increment(b("c")).addColumn(f, b("n"), 7)));
            record("append", "Mutate", () -> table.append(new Append(b("c")).addColumn(f, b("t"), b("end"))));
            record("delete", "Mutate", () -> table.delete(new Delete(b("d")).addColumns(f, b("x")).addColumn(f, b("y")).addColumn(f, b("z"), 9)));
            record("delete_row", "Mutate", () -> table.delete(new Delete(b("d"))));
            record("check", "Mutate", () -> table.checkAndMutate(CheckAndMutate.newBuilder(b("a"))
                .ifMatches(f, b("x"), CompareOperator.EQUAL, b("1")).build(new Put(b("a")).addColumn(f, b("x"), b("3")))));
            record("check_absent", "Mutate", () -> table.checkAndMutate(CheckAndMutate.newBuilder(b("a"))
                .ifNotExists(f, b("x")).build(new Put(b("a")).addColumn(f, b("x"), b("4")))));
            record("row", "Multi", () -> table.mutateRow(RowMutations.of(List.of(
                new Put(b("r")).addColumn(f, b("x"), b("1")), new Delete(b("r")).addColumns(f, b("y"))))));
            record("check_row", "Multi", () -> table.checkAndMutate(CheckAndMutate.newBuilder(b("r"))
                .ifMatches(f, b("x"), CompareOperator.EQUAL, b("1")).build(RowMutations.of(List.of(
                    new Put(b("r")).addColumn(f, b("x"), b("2")), new Delete(b("r")).addColumns(f, b("y")))))));
            record("multi", "Multi", () -> table.batch(List.of(new Put(b("b1")).addColumn(f, b("x"), b("1")),
                new Get(b("a")), new Delete(b("b2")).addColumns(f, b("x")), new Increment(b("b3")).addColumn(f, b("n"), 1)), new Object[4]));
            record("check_increment", "Mutate", () -> table.checkAndMutate(CheckAndMutate.newBuilder(b("a"))
                .ifMatches(f, b("x"), CompareOperator.EQUAL, b("3")).build(new Increment(b("a")).addColumn(f, b("m"), 5))));
            record("multi_rows", "Multi", () -> table.batch(List.of(new Put(b("b4")).addColumn(f, b("x"), b("1")),
                RowMutations.of(List.of(new Put(b("b5")).addColumn(f, b("x"), b("1")), new Delete(b("b5")).addColumns(f, b("y")))),
                CheckAndMutate.newBuilder(b("a")).ifMatches(f, b("x"), CompareOperator.EQUAL, b("3"))
                    .build(new Put(b("a")).addColumn(f, b("z"), b("1"))),
                CheckAndMutate.newBuilder(b("b6")).ifMatches(f, b("x"), CompareOperator.EQUAL, b("3"))
                    .build(new Put(b("b6")).addColumn(f, b("z"), b("1")))), new Object[4]));
            for (int row = 0; row < 5; row++) table.put(new Put(b("s" + row)).addColumn(f, b("x"), b("v" + row)));
            record("scan", "Scan", () -> {
                Scan scan = new Scan().withStartRow(b("s1"), false).withStopRow(b("s4"), true).setCaching(2);
                try (ResultScanner scanner = table.getScanner(scan)) { for (Result row : scanner) row.size(); }
            });
            record("scan_reverse", "Scan", () -> {
                Scan scan = new Scan().withStartRow(b("s3")).setReversed(true).setLimit(2).addColumn(f, b("x"));
                try (ResultScanner scanner = table.getScanner(scan)) { for (Result row : scanner) row.size(); }
            });
            ServerName holder = connection.getRegionLocator(name).getRegionLocation(b("a")).getServerName();
            record("region_metrics", "GetRegionLoad", () -> {
                for (RegionMetrics of : admin.getRegionMetrics(holder, name)) System.out.println(of.getNameAsString()
                    + " " + of.getReadRequestCount() + " " + of.getFilteredReadRequestCount() + " " + of.getWriteRequestCount()
                    + " " + of.getStoreFileCount() + " " + of.getStoreFileSize() + " " + of.getMemStoreSize());
            });
            record("describe", "GetTableDescriptors", () -> admin.getDescriptor(name));
            ServerName to = List.copyOf(admin.getRegionServers()).get(0);
            record("move", "MoveRegion", () -> admin.move(admin.getRegions(name).get(0).getEncodedNameAsBytes(), to));
            TableDescriptor other = TableDescriptorBuilder.newBuilder(schema).setColumnFamily(ColumnFamilyDescriptorBuilder.of("g")).build();
            record("alter", "ModifyTable", () -> admin.modifyTable(other));
            byte[] region = admin.getRegions(name).get(0).getRegionName();
            record("flush", "FlushRegion", () -> admin.flushRegion(region));
            record("major_compact", "CompactRegion", () -> admin.majorCompactRegion(region));
            record("compacting", "GetRegionInfo", () -> admin.getCompactionStateForRegion(region));
            NamespaceDescriptor namespace = NamespaceDescriptor.create("golden_names").addConfiguration("a.b", "1").build();
            record("create_namespace", "CreateNamespace", () -> admin.createNamespace(namespace));
            record("alter_namespace", "ModifyNamespace", () -> admin.modifyNamespace(namespace));
            record("describe_namespace", "GetNamespaceDescriptor", () -> admin.getNamespaceDescriptor("golden_names"));
            record("namespaces", "ListNamespaceDescriptors", () -> admin.listNamespaceDescriptors());
            record("tables_of", "ListTableNamesByNamespace", () -> admin.listTableNamesByNamespace("default"));
            record("drop_namespace", "DeleteNamespace", () -> admin.deleteNamespace("golden_names"));
            record("alter_open", "ModifyTable", () -> admin.modifyTableAsync(TableDescriptorBuilder.newBuilder(other).setMaxFileSize(1L << 31).build(), false).get());
            record("disable", "DisableTable", () -> admin.disableTable(name));
            record("truncate", "truncateTable", () -> admin.truncateTable(name, true));
            admin.disableTable(name);
            record("enable", "EnableTable", () -> admin.enableTable(name));
            admin.disableTable(name);
            record("drop", "DeleteTable", () -> admin.deleteTable(name));
        }
        System.exit(0);
    }
}
