package io.github.rowkey;

/** A value has no bytes in a key: says of which key type and field, and why. */
public final class EncodeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;
  private static final int MOST_SHOWN = 200;

  private final String key;
  private final String field;
  private final String reason;

  private EncodeException(String key, String field, String reason, Throwable cause) {
    super(joined(key, field) + ": " + reason, cause);
    this.key = key;
    this.field = field;
    this.reason = reason;
  }

  /** The exception for what was thrown within a part of a field's value. */
  public static EncodeException of(String part, RuntimeException thrown) {
    return of("", part, thrown);
  }

  /** The exception for what was thrown within a field of a key type. */
  public static EncodeException of(String key, String field, RuntimeException thrown) {
    if (thrown instanceof EncodeException inner) {
      String path = inner.key.isEmpty() ? joined(field, inner.field) : inner.field;
      return new EncodeException(key, path, inner.reason, inner.getCause());
    }
    boolean isNull = thrown instanceof NullPointerException;
    String reason = isNull ? "null is no value" : String.valueOf(thrown.getMessage());
    String start =
        reason.length() > MOST_SHOWN ? reason.substring(0, MOST_SHOWN) + "\u2026" : reason;
    return new EncodeException(key, field, Explanation.printable(start), thrown);
  }

  private static String joined(String outer, String inner) {
    boolean isOne = outer.isEmpty() || inner.isEmpty() || inner.startsWith("[");
    return isOne ? outer + inner : outer + "." + inner;
  }

  /** The name of the key type. */
  public String key() {
    return key;
  }

  /** The path to the field, names joined by dots, elements of lists as {@code [n]}. */
  public String field() {
    return field;
  }

  /** Why the value has no bytes. */
  public String reason() {
    return reason;
  }
}
