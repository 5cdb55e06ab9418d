package io.github.rowkey;

import java.util.Arrays;

/**
 * The elements of lists that a reader is in. A field's path in generated code has no places in
 * lists; they are put in when an exception needs them.
 *
 * <pre>
 * stops._1, in the third element of stops   stops[2]._1
 * </pre>
 */
final class ReadPath {
  private static final int NONE = -1;

  /** The path of each list, without places. */
  private String[] lists = {};

  /** The place of the last element of each list, from 0 on; {@code NONE} before the first. */
  private int[] items = {};

  private int depth;
  private boolean isInItem;

  void clear() {
    depth = 0;
  }

  void beginList(String path) {
    if (depth == lists.length) {
      lists = Arrays.copyOf(lists, depth + 4);
      items = Arrays.copyOf(items, depth + 4);
    }
    lists[depth] = path;
    items[depth] = NONE;
    depth++;
    isInItem = false;
  }

  void beginItem() {
    items[depth - 1]++;
    isInItem = true;
  }

  /** Ends an element; returns the path of the list. */
  String endItem() {
    isInItem = false;
    return lists[depth - 1];
  }

  void endList() {
    depth--;
    isInItem = true;
  }

  /** The path with the places of the elements. */
  String of(String field) {
    StringBuilder path = new StringBuilder(field);
    for (int i = isInItem ? depth - 1 : depth - 2; i >= 0; i--) {
      path.insert(lists[i].length(), "[" + items[i] + "]");
    }
    return path.toString();
  }
}
