import io.github.rowkey.HostPath;
import io.github.rowkey.KeyBytes;
import io.github.rowkey.KeyDuration;
import io.github.rowkey.KeyInstant;
import io.github.rowkey.Tile;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Values of generated types as JSON, by the manifest's types of a key, and back. */
final class Values {
  private final Class<?> key;
  private final List<?> types;

  Values(Class<?> key, List<?> types) {
    this.key = key;
    this.types = types;
  }

  Object record(Class<?> type, List<?> fields, List<?> values) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] parameters = new Class<?>[components.length];
    Object[] arguments = new Object[components.length];
    int next = 0;
    for (int i = 0; i < fields.size(); i++) {
      Map<?, ?> field = (Map<?, ?>) fields.get(i);
      if (!field.get("ident").equals("")) {
        parameters[next] = components[next].getType();
        arguments[next] =
            value(field.get("type"), values.get(i), leaf(components[next].getGenericType()));
        next++;
      }
    }
    return type.getDeclaredConstructor(parameters).newInstance(arguments);
  }

  List<Object> fields(List<?> fields, Object record) throws ReflectiveOperationException {
    List<Object> values = new ArrayList<>();
    for (Object each : fields) {
      Map<?, ?> field = (Map<?, ?>) each;
      String ident = (String) field.get("ident");
      Object value = ident.isEmpty() ? null : record.getClass().getMethod(ident).invoke(record);
      values.add(ident.isEmpty() ? List.of() : json(field.get("type"), value));
    }
    return values;
  }

  /** The class of values, of those within an option, a list or a range too. */
  static Class<?> leaf(Type type) {
    if (type instanceof ParameterizedType generic) {
      return leaf(generic.getActualTypeArguments()[0]);
    }
    return type instanceof WildcardType wildcard
        ? leaf(wildcard.getUpperBounds()[0])
        : (Class<?>) type;
  }

  /**
   * The value of JSON; {@code as} is the class that it has, or that those have which it is made of.
   */
  Object value(Object type, Object json, Class<?> as) throws ReflectiveOperationException {
    if (type instanceof String word) {
      return scalar(word, json, as);
    }
    Map<?, ?> of = (Map<?, ?>) type;
    if (of.containsKey("int")) {
      return number(of, new BigInteger((String) json));
    }
    if (of.containsKey("option")) {
      Object inner = json != null && of.get("nested").equals(true) ? ((List<?>) json).get(0) : json;
      return json == null ? Optional.empty() : Optional.of(value(of.get("option"), inner, as));
    }
    List<?> items = (List<?>) json;
    if (of.containsKey("list")) {
      List<Object> values = new ArrayList<>();
      for (Object item : items) {
        values.add(value(of.get("list"), item, as));
      }
      return values;
    }
    if (of.containsKey("tuple")) {
      Map<?, ?> declared = declared(of.get("tuple"));
      return record(nested(declared), (List<?>) declared.get("tuple"), items);
    }
    Map<?, ?> declared = declared(of.get("enum"));
    for (Object each : (List<?>) declared.get("enum")) {
      Map<?, ?> variant = (Map<?, ?>) each;
      if (variant.get("tag").equals(items.get(0))) {
        return declared.get("plain").equals(true)
            ? nested(declared).getField((String) variant.get("constant")).get(null)
            : record(nested(variant), (List<?>) variant.get("fields"), (List<?>) items.get(1));
      }
    }
    throw new IllegalStateException("no variant " + items);
  }

  private Object json(Object type, Object value) throws ReflectiveOperationException {
    if (type instanceof String word) {
      return ofScalar(word, value);
    }
    Map<?, ?> of = (Map<?, ?>) type;
    if (of.containsKey("int")) {
      boolean isUnsigned = value instanceof Long && of.get("signed").equals(false);
      return isUnsigned ? Long.toUnsignedString((Long) value) : value.toString();
    }
    if (value instanceof Optional<?> option) {
      Object inner = option.isEmpty() ? null : json(of.get("option"), option.get());
      return option.isPresent() && of.get("nested").equals(true) ? List.of(inner(inner)) : inner;
    }
    if (of.containsKey("list")) {
      List<Object> values = new ArrayList<>();
      for (Object item : (List<?>) value) {
        values.add(json(of.get("list"), item));
      }
      return values;
    }
    if (of.containsKey("tuple")) {
      return fields((List<?>) declared(of.get("tuple")).get("tuple"), value);
    }
    for (Object each : (List<?>) declared(of.get("enum")).get("enum")) {
      Map<?, ?> variant = (Map<?, ?>) each;
      boolean isPlain =
          value instanceof Enum<?> constant && constant.name().equals(variant.get("constant"));
      if (isPlain || value.getClass().getSimpleName().equals(variant.get("ident"))) {
        Object tag = new StringBuilder((String) variant.get("tag"));
        return List.of(tag, isPlain ? List.of() : fields((List<?>) variant.get("fields"), value));
      }
    }
    throw new IllegalStateException("no variant " + value);
  }

  /** A null in a list of its own. */
  private static Object inner(Object value) {
    return value == null ? new StringBuilder("null") : value;
  }

  private Map<?, ?> declared(Object index) {
    return (Map<?, ?>) types.get(Integer.parseInt((String) index));
  }

  private Class<?> nested(Map<?, ?> declared) throws ClassNotFoundException {
    return Class.forName(key.getName() + "$" + declared.get("ident"));
  }

  private static Object number(Map<?, ?> of, BigInteger value) {
    boolean isSigned = of.get("signed").equals(true);
    int bits = Integer.parseInt((String) of.get("int"));
    if (value.bitLength() > bits - (isSigned ? 1 : 0)) {
      throw new IllegalArgumentException(value + " is none of the type");
    }
    return switch (isSigned ? bits : 2 * bits) {
      case 8 -> value.byteValueExact();
      case 16 -> isSigned ? (Object) value.shortValueExact() : (Object) value.intValueExact();
      case 32 -> value.intValueExact();
      case 64 -> value.longValueExact();
      case 128 -> isSigned ? (Object) value : (Object) value.longValue();
      default -> value;
    };
  }

  private static Object scalar(String word, Object json, Class<?> as) {
    if (json instanceof List<?> parts) {
      if (word.equals("unit")) {
        return KeyBytes.of();
      }
      long seconds = new BigInteger((String) parts.get(0)).longValue();
      int nanos = Integer.parseInt((String) parts.get(1));
      return word.equals("duration")
          ? new KeyDuration(seconds, nanos)
          : as == Instant.class
              ? Instant.ofEpochSecond(seconds, nanos)
              : new KeyInstant(seconds, nanos);
    }
    String text = json instanceof String string ? string : "";
    return switch (word) {
      case "bool" -> json;
      case "f32" -> Float.intBitsToFloat(Integer.parseUnsignedInt(text, 16));
      case "f64" -> Double.longBitsToDouble(Long.parseUnsignedLong(text, 16));
      case "char" -> text.codePointAt(0);
      case "text" -> text;
      case "bytes" -> KeyBytes.ofHex(text);
      case "uuid" ->
          new UUID(
              Long.parseUnsignedLong(text.substring(0, 16), 16),
              Long.parseUnsignedLong(text.substring(16), 16));
      case "decimal" -> new BigDecimal(text);
      case "ip" -> address(text);
      case "digits" -> Tile.ofQuadkey(text);
      case "host_path" -> HostPath.parse(text);
      default -> throw new IllegalStateException("no type " + word);
    };
  }

  private static Object ofScalar(String word, Object value) {
    return switch (word) {
      case "bool" -> value;
      case "unit" -> List.of();
      case "f32" -> String.format("%08x", Float.floatToRawIntBits((Float) value));
      case "f64" -> String.format("%016x", Double.doubleToRawLongBits((Double) value));
      case "char" -> Character.toString((Integer) value);
      case "uuid" -> value.toString().replace("-", "");
      case "decimal" -> ((BigDecimal) value).toPlainString();
      case "ip" -> ((InetAddress) value).getHostAddress();
      case "digits" -> ((Tile) value).quadkey();
      case "duration" -> {
        KeyDuration span = (KeyDuration) value;
        yield List.of(Long.toUnsignedString(span.seconds()), String.valueOf(span.nanos()));
      }
      case "instant" -> {
        KeyInstant instant =
            value instanceof Instant held ? KeyInstant.of(held) : (KeyInstant) value;
        yield List.of(String.valueOf(instant.seconds()), String.valueOf(instant.nanos()));
      }
      default -> value.toString();
    };
  }

  private static InetAddress address(String text) {
    try {
      byte[] bytes = InetAddress.getByName(text).getAddress();
      if (text.indexOf(':') < 0) {
        return InetAddress.getByAddress(bytes);
      }
      // `InetAddress` makes an IPv4 address of an IPv6 address that holds one.
      byte[] whole = new byte[16];
      whole[10] = -1;
      whole[11] = -1;
      System.arraycopy(bytes, 0, whole, 16 - bytes.length, bytes.length);
      return Inet6Address.getByAddress(null, whole, -1);
    } catch (java.net.UnknownHostException wrong) {
      throw new IllegalStateException(wrong);
    }
  }
}
