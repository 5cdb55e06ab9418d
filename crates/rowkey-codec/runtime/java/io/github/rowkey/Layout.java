package io.github.rowkey;

import java.nio.charset.StandardCharsets;

/**
 * What the ranges of a key type depend on, and what its table has to agree with.
 *
 * @param name the name of the key type
 * @param shape all that the bytes of a key depend on, as FORMAT.md of rowkey says
 * @param fields the number of fields
 * @param lead what comes before the fields; null for nothing
 * @param by the fields that the lead is taken over, from 0 on; none: all
 * @param unhashed the bytes at the end of these fields that the lead is not taken over
 * @param until the delimiter that only keys with a last field have before it; null for none
 * @param isJoined whether OrderedCode joins the fields
 */
public record Layout(
    String name,
    String shape,
    int fields,
    Lead lead,
    int[] by,
    int unhashed,
    KeyBytes until,
    boolean isJoined) {
  /** The beginning of the line of a wide table's schema that has its keys' shape. */
  private static final String ROW_KEY = "row key: ";

  /** The layout of a key without a lead. */
  public static Layout plain(String name, String shape, int fields) {
    return new Layout(name, shape, fields, null, new int[0], 0, null, false);
  }

  /** What the lead is taken over, of a span that fixes all of it; null if it does not. */
  byte[] hashed(KeySpan span) {
    int due = by.length == 0 ? fields : by[by.length - 1] + 1;
    if (span.ends().length < due) {
      return null;
    }
    KeyWriter w = new KeyWriter();
    if (by.length == 0) {
      w.putBytes(span.body());
    }
    for (int field : by) {
      int from = field == 0 ? 0 : span.ends()[field - 1];
      w.putBytes(span.body(), from, span.ends()[field] - from);
    }
    w.truncate(w.length() - unhashed);
    return w.toByteArray();
  }

  /** The fingerprint of a shape: XXH3 of its UTF-8, in 16 hex digits. */
  public static String fingerprint(String shape) {
    byte[] text = shape.getBytes(StandardCharsets.UTF_8);
    return String.format("%016x", Xxh3.hash(text, 0, text.length));
  }

  /**
   * Checks that a table has this layout.
   *
   * @param kept what the table kept: its shape, which is in {@code rowkey.layouts} in the row
   *     {@code t} and the table's name, its fingerprint, or a wide table's schema, which is in
   *     {@code rowkey.schemas} in the row of the table's name, or in HBase an attribute of the
   *     table; line ends behind it do not count
   * @throws LayoutException if it is another one
   */
  public void require(String kept) {
    String found = kept == null ? "none" : found(kept);
    if (kept == null || !found.equals(shape) && !found.equals(fingerprint(shape))) {
      String ours = shape + " (" + fingerprint(shape) + ")";
      String theirs = Explanation.printable(found);
      throw new LayoutException(
          "the table has keys of another layout than " + name + ": " + theirs + ", not " + ours);
    }
  }

  /**
   * The shape or fingerprint in what a table kept, without the line ends that a file has behind it.
   */
  private static String found(String kept) {
    String found = kept;
    for (String line : kept.split("\n")) {
      if (line.startsWith(ROW_KEY)) {
        found = line.substring(ROW_KEY.length());
        break;
      }
    }
    int end = found.length();
    while (end > 0 && (found.charAt(end - 1) == '\n' || found.charAt(end - 1) == '\r')) {
      end--;
    }
    return found.substring(0, end);
  }
}
