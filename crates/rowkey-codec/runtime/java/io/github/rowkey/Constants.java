package io.github.rowkey;

/** Bytes that are the same in every key. */
public final class Constants {
  private Constants() {}

  /** Writes them. */
  public static void write(KeyWriter w, KeyBytes constant) {
    w.putBytes(constant.array());
  }

  /** Reads them, and refuses others. */
  public static KeyBytes read(KeyReader r, KeyBytes constant) {
    int at = r.position();
    r.skip(constant.length());
    if (!r.isAt(at, constant.array())) {
      throw r.wrong(at, "the field is always " + constant);
    }
    return constant;
  }
}
