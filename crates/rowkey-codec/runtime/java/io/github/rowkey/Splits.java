package io.github.rowkey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where regions, tablets or partitions of a job meet: each split point is the first key of the part
 * that it begins.
 *
 * <pre>
 * salt(4 xxh3) binary   01, 02, 03
 * </pre>
 */
public final class Splits {
  private Splits() {}

  /**
   * The split points that give each bucket of a key's salt a part of its own; none for a key
   * without one.
   */
  public static List<byte[]> ofBuckets(Layout layout) {
    List<byte[]> splits = new ArrayList<>();
    if (layout.lead() instanceof Salt salt) {
      for (int bucket = 1; bucket < salt.buckets(); bucket++) {
        byte[] first = new byte[salt.width()];
        salt.format().write(bucket, first, 0);
        splits.add(first);
      }
    }
    return List.copyOf(splits);
  }

  /** The number of the part, from 0 on, that a key is in; the split points are sorted. */
  public static int partOf(byte[] key, List<byte[]> splits) {
    int low = 0;
    int high = splits.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(splits.get(middle), key) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
