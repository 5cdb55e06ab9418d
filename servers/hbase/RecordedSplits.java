// This package has the index of a file's blocks.
package org.apache.hadoop.hbase.io.hfile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.SteppingSplitPolicy;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * HBase's default split policy, which also writes down what it decided from: for each split point that it gives, a line of JSON with
 * the region's files as they are at that moment, the oldest first, each with the first keys of its blocks. Every region server
 * appends to a file of its own in the folder that the property `recorded.splits` names.
 */
public class RecordedSplits extends SteppingSplitPolicy {
    @Override
    protected byte[] getSplitPoint() {
        byte[] point = super.getSplitPoint();
        if (point != null) {
            try {
                write(point);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
        return point;
    }

    private void write(byte[] point) throws IOException {
        HStore store = region.getStores().get(0);
        String files = store.getStorefiles().stream().map(RecordedSplits::file).collect(Collectors.joining(","));
        long minimum = store.getStoreEngine().getCompactionPolicy().getConf().getMinCompactSize();
        String line = String.format("{\"ms\":%d,\"table\":\"%s\",\"region\":\"%s\",\"start\":%s,\"at\":%s,\"compaction_min_size\":%d,\"files\":[%s]}\n",
            System.currentTimeMillis(), region.getTableDescriptor().getTableName(), region.getRegionInfo().getEncodedName(),
            hex(region.getRegionInfo().getStartKey()), hex(point), minimum, files);
        Path folder = Path.of(getConf().get("recorded.splits"));
        Path file = folder.resolve("splits-" + ProcessHandle.current().pid() + ".jsonl");
        Files.write(file, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static String file(HStoreFile file) {
        HFileBlockIndex.CellBasedKeyBlockIndexReader index =
            file.getReader().getHFileReader().getDataBlockIndexReader();
        String blocks = IntStream.range(0, index.getRootBlockCount()).mapToObj(at -> row(index.getRootBlockKey(at))).collect(Collectors.joining(","));
        return String.format("{\"bytes\":%d,\"first\":%s,\"last\":%s,\"blocks\":[%s],\"is_reference\":%b}", file.getReader().length(),
            row(file.getFirstKey().get()), row(file.getLastKey().get()), blocks, file.isReference());
    }

    private static String row(Cell cell) {
        return hex(CellUtil.cloneRow(cell));
    }

    private static String hex(byte[] bytes) {
        return "\"" + Bytes.toHex(bytes) + "\"";
    }
}
