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
    super(key + (field.isEmpty() ? "" : "." + field) + " at byte " + offset + ": " + shown(found));
    this.key = key;
    this.field = field;
    this.offset = offset;
    this.found = shown(found);
  }

  /** A text of a key's bytes in one line: control characters are shown by their numbers. */
  private static String shown(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      if (Character.isISOControl(next)) {
        shown.append(String.format("\\x%02x", (int) next));
      } else {
        shown.append(next);
      }
    }
    return shown.toString();
  }

  /** The name of the key type. */
  public String key() {
    return key;
  }

  /** The path to the field, names joined by dots; empty for the key as a whole. */
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
