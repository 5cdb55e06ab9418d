package io.github.rowkey;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Function;

/**
 * Rows of several scans in one order: that of their keys without the salt. Each scan is of one
 * bucket and in the order of its keys, as any client reads it; one row of each is held.
 *
 * <pre>
 * bucket 0:  00 a, 00 c      →   00 a, 01 b, 00 c
 * bucket 1:  01 b
 * </pre>
 *
 * <p>What a scan throws is thrown behind the rows that come before it, and by each call after that:
 * rows behind it would leave out those of that scan.
 */
public final class Merge<R> implements Iterator<R> {
  private final PriorityQueue<Head<R>> heads;

  /** Those whose next row is still to be read. */
  private final Queue<Head<R>> unread = new ArrayDeque<>();

  private final Function<? super R, byte[]> keyOf;
  private Throwable failure;

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
    return of(scans, keyOf, (a, b) -> compare(a.key, b.key, saltWidth));
  }

  /** Merges the rows of scans that go from the last key to the first. */
  public static <R> Merge<R> reversed(
      Collection<? extends Iterator<? extends R>> scans,
      Function<? super R, byte[]> keyOf,
      int saltWidth) {
    return of(scans, keyOf, (a, b) -> compare(b.key, a.key, saltWidth));
  }

  private static <R> Merge<R> of(
      Collection<? extends Iterator<? extends R>> scans,
      Function<? super R, byte[]> keyOf,
      Comparator<Head<R>> order) {
    Merge<R> merge = new Merge<>(order, scans.size(), keyOf);
    for (Iterator<? extends R> scan : scans) {
      merge.unread.add(new Head<>(scan));
    }
    return merge;
  }

  private static int compare(byte[] a, byte[] b, int saltWidth) {
    int fromA = Math.min(saltWidth, a.length);
    int fromB = Math.min(saltWidth, b.length);
    return Arrays.compareUnsigned(a, fromA, a.length, b, fromB, b.length);
  }

  @Override
  public boolean hasNext() {
    readOn();
    return !heads.isEmpty();
  }

  @Override
  public R next() {
    readOn();
    Head<R> first = heads.poll();
    if (first == null) {
      throw new NoSuchElementException("all scans are at their end");
    }
    unread.add(first);
    return first.row;
  }

  private void readOn() {
    if (failure != null) {
      throw Merge.<RuntimeException>unchecked(failure);
    }
    try {
      for (Head<R> head = unread.poll(); head != null; head = unread.poll()) {
        read(head);
      }
    } catch (Throwable thrown) {
      failure = thrown;
      throw thrown;
    }
  }

  private void read(Head<R> head) {
    if (head.scan.hasNext()) {
      head.row = head.scan.next();
      head.key = keyOf.apply(head.row);
      heads.add(head);
    }
  }

  /** What was thrown, to be thrown again: other languages throw checked exceptions here too. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
    throw (E) thrown;
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
