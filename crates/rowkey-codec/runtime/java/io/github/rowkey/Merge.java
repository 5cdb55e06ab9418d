package io.github.rowkey;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.function.Function;

/**
 * Rows of several scans in one order: that of their keys without the salt. Each scan is of one
 * bucket and in the order of its keys, as any client reads it; one row of each is held.
 *
 * <pre>
 * bucket 0:  00 a, 00 c      →   00 a, 01 b, 00 c
 * bucket 1:  01 b
 * </pre>
 */
public final class Merge<R> implements Iterator<R> {
  private final PriorityQueue<Head<R>> heads;
  private final Function<? super R, byte[]> keyOf;

  private Merge(Comparator<Head<R>> order, int scans, Function<? super R, byte[]> keyOf) {
    heads = new PriorityQueue<>(Math.max(scans, 1), order);
    this.keyOf = keyOf;
  }

  /**
   * Merges the rows of scans.
   *
   * @param scans the rows of each bucket
   * @param keyOf the key of a row
   * @param saltWidth the number of bytes of the salt
   */
  public static <R> Merge<R> of(
      Collection<? extends Iterator<? extends R>> scans,
      Function<? super R, byte[]> keyOf,
      int saltWidth) {
    Comparator<Head<R>> order =
        (a, b) ->
            Arrays.compareUnsigned(a.key, saltWidth, a.key.length, b.key, saltWidth, b.key.length);
    return of(scans, keyOf, order);
  }

  /** Merges the rows of scans that go from the last key to the first. */
  public static <R> Merge<R> reversed(
      Collection<? extends Iterator<? extends R>> scans,
      Function<? super R, byte[]> keyOf,
      int saltWidth) {
    Comparator<Head<R>> order =
        (a, b) ->
            Arrays.compareUnsigned(b.key, saltWidth, b.key.length, a.key, saltWidth, a.key.length);
    return of(scans, keyOf, order);
  }

  private static <R> Merge<R> of(
      Collection<? extends Iterator<? extends R>> scans,
      Function<? super R, byte[]> keyOf,
      Comparator<Head<R>> order) {
    Merge<R> merge = new Merge<>(order, scans.size(), keyOf);
    for (Iterator<? extends R> scan : scans) {
      merge.push(new Head<>(scan));
    }
    return merge;
  }

  @Override
  public boolean hasNext() {
    return !heads.isEmpty();
  }

  @Override
  public R next() {
    Head<R> first = heads.poll();
    if (first == null) {
      throw new NoSuchElementException("all scans are at their end");
    }
    R row = first.row;
    push(first);
    return row;
  }

  private void push(Head<R> head) {
    if (head.scan.hasNext()) {
      head.row = head.scan.next();
      head.key = keyOf.apply(head.row);
      heads.add(head);
    }
  }

  private static final class Head<R> {
    final Iterator<? extends R> scan;
    R row;
    byte[] key;

    Head(Iterator<? extends R> scan) {
      this.scan = scan;
    }
  }
}
