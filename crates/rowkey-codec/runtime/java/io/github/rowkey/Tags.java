package io.github.rowkey;

/** The tag of an enum's variant: one byte. */
public final class Tags {
  private Tags() {}

  /** Writes a tag. */
  public static void write(KeyWriter w, int tag) {
    w.putByte(tag);
  }

  /** Reads a tag. */
  public static int read(KeyReader r) {
    return r.takeByte();
  }

  /** The exception for a tag, just read, that no variant has. */
  public static DecodeException unknown(KeyReader r) {
    return r.wrongByte(r.position() - 1, "which is the tag of no variant");
  }
}
