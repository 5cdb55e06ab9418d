import io.github.rowkey.DecodeException;
import io.github.rowkey.HostPath;
import io.github.rowkey.KeyBytes;
import io.github.rowkey.KeyDuration;
import io.github.rowkey.KeyInstant;
import io.github.rowkey.KeyRange;
import io.github.rowkey.KeyReader;
import io.github.rowkey.KeyWriter;
import io.github.rowkey.Selection;
import io.github.rowkey.Tile;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Runs the lines of a file against generated classes, and prints each line that does not hold.
 *
 * <pre>
 * key     CLASS VALUES HEX    the values have these bytes, and the bytes these values
 * refuse  CLASS HEX           no key has these bytes
 * unwritable CLASS VALUES     no key has these values
 * ranges  CLASS STEPS RANGES  what a prefix selects: [["user", "x"], ["atIn", [1, 2]]]
 * </pre>
 */
public final class Harness {
  private static final Map<String, Class<?>> CLASSES = new HashMap<>();
  private static final KeyWriter WRITER = new KeyWriter(1);
  private static final KeyReader READER = new KeyReader(new byte[0]);

  private Harness() {}

  /** Arguments: the package of the classes, the file of lines. */
  public static void main(String[] args) throws Exception {
    int passed = 0;
    for (String line : Files.readAllLines(Path.of(args[1]), StandardCharsets.UTF_8)) {
      String[] columns = line.split("\t", -1);
      String fault;
      try {
        fault = check(args[0], columns);
      } catch (InvocationTargetException thrown) {
        fault = String.valueOf(thrown.getCause());
      } catch (RuntimeException thrown) {
        fault = thrown + " " + Arrays.toString(thrown.getStackTrace());
      }
      if (fault == null) {
        passed++;
      } else {
        System.out.println("wrong\t" + fault + "\t" + line);
      }
    }
    System.out.println("passed\t" + passed);
  }

  private static String check(String pkg, String[] columns) throws Exception {
    Class<?> type = CLASSES.get(columns[1]);
    if (type == null) {
      type = Class.forName(pkg + "." + columns[1]);
      CLASSES.put(columns[1], type);
    }
    return switch (columns[0]) {
      case "key" -> key(type, columns[2], columns[3]);
      case "refuse" -> refuse(type, KeyBytes.ofHex(columns[2]).toByteArray());
      case "unwritable" -> unwritable(type, columns[2]);
      case "ranges" -> ranges(type, columns[2], columns[3]);
      default -> "no such line";
    };
  }

  private static String key(Class<?> type, String values, String hex) throws Exception {
    byte[] due = KeyBytes.ofHex(hex).toByteArray();
    Object built = record(type, (List<?>) Json.parse(values));
    byte[] plain = (byte[]) type.getMethod("encode").invoke(built);
    byte[] again = (byte[]) type.getMethod("encode", KeyWriter.class).invoke(built, WRITER);
    if (!Arrays.equals(plain, due) || !Arrays.equals(again, due)) {
      return "encoded as " + KeyBytes.of(plain) + " and " + KeyBytes.of(again);
    }
    Object read = type.getMethod("decode", byte[].class).invoke(null, due);
    Object reused = type.getMethod("decode", KeyReader.class).invoke(null, READER.reset(due));
    if (!read.equals(built) || !reused.equals(built) || read.hashCode() != built.hashCode()) {
      return "decoded as " + read + " and " + reused + ", not " + built;
    }
    if (!Arrays.equals((byte[]) type.getMethod("encode").invoke(read), due)) {
      return "what was decoded is encoded otherwise";
    }
    String table = (String) type.getMethod("explain", byte[].class).invoke(null, due);
    return table.contains(" at byte ") ? "explained as " + table : null;
  }

  private static String refuse(Class<?> type, byte[] bytes) throws Exception {
    try {
      Object read = type.getMethod("decode", byte[].class).invoke(null, bytes);
      return "decoded as " + read;
    } catch (InvocationTargetException thrown) {
      boolean isRight =
          thrown.getCause() instanceof DecodeException error
              && error.key().equals(type.getSimpleName())
              && error.offset() <= bytes.length
              && !error.found().isEmpty();
      String table = (String) type.getMethod("explain", byte[].class).invoke(null, bytes);
      return isRight && table.contains(" at byte ") ? null : String.valueOf(thrown.getCause());
    }
  }

  private static String unwritable(Class<?> type, String values) throws Exception {
    try {
      Object built = record(type, (List<?>) Json.parse(values));
      return "encoded as " + KeyBytes.of((byte[]) type.getMethod("encode").invoke(built));
    } catch (InvocationTargetException thrown) {
      boolean isRefused = thrown.getCause() instanceof IllegalArgumentException;
      return isRefused ? null : String.valueOf(thrown.getCause());
    } catch (IllegalArgumentException refused) {
      return null;
    }
  }

  private static String ranges(Class<?> type, String steps, String due) throws Exception {
    Object at = type.getMethod("prefix").invoke(null);
    for (Object step : (List<?>) Json.parse(steps)) {
      List<?> call = (List<?>) step;
      Method method = null;
      for (Method each : at.getClass().getMethods()) {
        boolean isIt =
            each.getName().equals(call.get(0)) && each.getParameterCount() == call.size() - 1;
        method = isIt && each.getDeclaringClass() == at.getClass() ? each : method;
      }
      if (method == null) {
        return "there is no " + call.get(0);
      }
      Object[] arguments = new Object[call.size() - 1];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = value(method.getGenericParameterTypes()[i], call.get(i + 1));
      }
      at = method.invoke(at, arguments);
    }
    Selection selection =
        at instanceof Selection ready
            ? ready
            : (Selection) at.getClass().getMethod("select").invoke(at);
    StringBuilder found = new StringBuilder();
    for (List<KeyRange> bucket : selection.rangesByBucket()) {
      found.append(found.length() == 0 ? "" : ";");
      for (int i = 0; i < bucket.size(); i++) {
        found.append(i == 0 ? "" : ",").append(bucket.get(i));
      }
    }
    return found.toString().equals(due) ? null : "selected " + found;
  }

  private static Object record(Class<?> type, List<?> values) throws Exception {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] arguments = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      arguments[i] = value(components[i].getGenericType(), values.get(i));
    }
    Constructor<?> constructor = type.getDeclaredConstructor(types);
    return constructor.newInstance(arguments);
  }

  private static Object value(Type type, Object json) throws Exception {
    if (type instanceof java.lang.reflect.WildcardType wildcard) {
      return value(wildcard.getUpperBounds()[0], json);
    }
    if (type instanceof ParameterizedType generic) {
      Type inner = generic.getActualTypeArguments()[0];
      List<?> items = (List<?>) json;
      if (generic.getRawType() == Optional.class) {
        return items.isEmpty() ? Optional.empty() : Optional.of(value(inner, items.get(0)));
      }
      if (generic.getRawType() == io.github.rowkey.Bounds.class) {
        Object low = items.get(0) == null ? null : value(inner, items.get(0));
        Object high = items.get(2) == null ? null : value(inner, items.get(2));
        return new io.github.rowkey.Bounds<>(
            low, (Boolean) items.get(1), high, (Boolean) items.get(3));
      }
      List<Object> values = new ArrayList<>();
      for (Object item : items) {
        values.add(value(inner, item));
      }
      return values;
    }
    Class<?> of = (Class<?>) type;
    if (of.isEnum()) {
      return of.getField((String) ((List<?>) json).get(0)).get(null);
    }
    if (of.isSealed()) {
      List<?> parts = (List<?>) json;
      Class<?> variant = Class.forName(of.getEnclosingClass().getName() + "$" + parts.get(0));
      return record(variant, (List<?>) parts.get(1));
    }
    if (json instanceof List<?> parts) {
      return switch (of.getSimpleName()) {
        case "Instant" ->
            Instant.ofEpochSecond(
                Long.parseLong((String) parts.get(0)), Long.parseLong((String) parts.get(1)));
        case "KeyInstant" ->
            new KeyInstant(number((String) parts.get(0)), Integer.parseInt((String) parts.get(1)));
        case "KeyDuration" ->
            new KeyDuration(number((String) parts.get(0)), Integer.parseInt((String) parts.get(1)));
        default -> record(of, parts);
      };
    }
    return json instanceof Boolean ? json : scalar(of, (String) json);
  }

  private static Object scalar(Class<?> of, String text) throws Exception {
    return switch (of.getSimpleName()) {
      case "byte", "Byte" -> Byte.valueOf(text);
      case "short", "Short" -> Short.valueOf(text);
      case "int", "Integer" -> Integer.valueOf(text);
      case "long", "Long" -> number(text);
      case "float", "Float" -> Float.intBitsToFloat(Integer.parseUnsignedInt(text, 16));
      case "double", "Double" -> Double.longBitsToDouble(Long.parseUnsignedLong(text, 16));
      case "String" -> text;
      case "BigInteger" -> new BigInteger(text);
      case "BigDecimal" -> new BigDecimal(text);
      case "KeyBytes" -> KeyBytes.ofHex(text);
      case "UUID" ->
          new UUID(
              Long.parseUnsignedLong(text.substring(0, 16), 16),
              Long.parseUnsignedLong(text.substring(16), 16));
      case "InetAddress" -> address(text);
      case "Tile" -> Tile.ofQuadkey(text);
      case "HostPath" -> HostPath.parse(text);
      default -> throw new IllegalStateException("no value of " + of);
    };
  }

  private static long number(String text) {
    return text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
  }

  private static InetAddress address(String text) throws Exception {
    byte[] bytes = InetAddress.getByName(text).getAddress();
    if (text.indexOf(':') >= 0 && bytes.length == 4) {
      byte[] mapped = new byte[16];
      mapped[10] = -1;
      mapped[11] = -1;
      System.arraycopy(bytes, 0, mapped, 12, 4);
      bytes = mapped;
    }
    return bytes.length == 4
        ? InetAddress.getByAddress(bytes)
        : Inet6Address.getByAddress(null, bytes, -1);
  }
}
