package io.github.rowkey;

/**
 * Bytes are not a valid key: says of which key type and field, at which byte, and what was found
 * there.
 */
public final class DecodeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final String field;
  private final int offset;
  private final String found;

  DecodeException(String key, String field, int offset, String found) {
    super(
        key
            + (field.isEmpty() ? "" : "." + field)
            + " at byte "
            + offset
            + ": "
            + Explanation.printable(found));
    this.key = key;
    this.field = field;
    this.offset = offset;
    this.found = Explanation.printable(found);
  }

  /** The name of the key type. */
  public String key() {
    return key;
  }

  /**
   * The path to the field, names joined by dots, elements of lists as {@code [n]}; empty for the
   * key as a whole.
   */
  public String field() {
    return field;
  }

  /** The place in the key, in bytes from 0 on. */
  public int offset() {
    return offset;
  }

  /** What was found there, and what is valid. */
  public String found() {
    return found;
  }
}
