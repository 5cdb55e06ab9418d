package io.github.rowkey;

/** A table has keys of another layout than the program. */
public final class LayoutException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LayoutException(String message) {
    super(message);
  }
}
