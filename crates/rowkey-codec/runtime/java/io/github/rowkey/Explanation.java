package io.github.rowkey;

/** A table of a key's bytes: which are of what field, and their value. */
public final class Explanation {
  private final StringBuilder text = new StringBuilder();
  private final byte[] key;
  private int told;

  /** Begins the table of a key; null has no bytes. */
  public Explanation(String name, byte[] key) {
    this.key = key == null ? new byte[0] : key;
    text.append(name).append(", ").append(this.key.length).append(" bytes\n");
  }

  /** Adds the bytes from the end of what was told to a place. */
  public void part(int to, String field, String shape, Object value) {
    if (to > key.length) {
      return;
    }
    String bytes = KeyReader.hex(key, told, to);
    text.append(
        String.format(
            "%4d..%-4d %-16s %-20s %-24s %s%n",
            told, to, field, shape, bytes, printable(String.valueOf(value))));
    told = to;
  }

  /** Adds why the rest is no part of a valid key. */
  public void error(DecodeException error) {
    part(key.length, error.field(), "?", "");
    text.append(error.getMessage()).append('\n');
  }

  /** The text of a record of a key: its name, and the names and values of its components. */
  public static String record(String name, Object... parts) {
    StringBuilder record = new StringBuilder(name).append('[');
    for (int i = 0; i < parts.length; i += 2) {
      record.append(i == 0 ? "" : ", ").append(parts[i]).append('=').append(parts[i + 1]);
    }
    return record.append(']').toString();
  }

  /** A text in one line: characters that control a terminal are shown by their numbers. */
  static String printable(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            next -> {
              switch (Character.getType(next)) {
                case Character.CONTROL -> printable.append(String.format("\\x%02x", next));
                case Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED ->
                    printable.append(String.format("\\u{%x}", next));
                default -> printable.appendCodePoint(next);
              }
            });
    return printable.toString();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
