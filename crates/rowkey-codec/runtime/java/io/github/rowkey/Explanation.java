package io.github.rowkey;

/** A table of a key's bytes: which are of what field, and their value. */
public final class Explanation {
  private final StringBuilder text = new StringBuilder();
  private final byte[] key;
  private int told;

  /** Begins the table of a key. */
  public Explanation(String name, byte[] key) {
    this.key = key;
    text.append(name).append(", ").append(key.length).append(" bytes\n");
  }

  /** Adds the bytes from the end of what was told to a place. */
  public void part(int to, String field, String shape, Object value) {
    if (to > key.length) {
      return;
    }
    String bytes = KeyReader.hex(key, told, to);
    text.append(
        String.format("%4d..%-4d %-16s %-20s %-24s %s%n", told, to, field, shape, bytes, value));
    told = to;
  }

  /** Adds why the rest is no part of a valid key. */
  public void error(DecodeException error) {
    part(key.length, error.field(), "?", "");
    text.append(error.getMessage()).append('\n');
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
