import io.github.rowkey.Bounds;
import io.github.rowkey.DecodeException;
import io.github.rowkey.KeyBytes;
import io.github.rowkey.KeyRange;
import io.github.rowkey.KeyReader;
import io.github.rowkey.KeyWriter;
import io.github.rowkey.Selection;
import io.github.rowkey.Tile;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Answers the questions of {@code tests/vectors/program.rs} about generated classes, by a manifest.
 */
public final class Driver {
  private static final KeyWriter WRITER = new KeyWriter(0);
  private static final KeyReader READER = new KeyReader(new byte[0]);

  private final Class<?> type;
  private final List<?> fields;
  private final Values values;

  private Driver(String pkg, Map<?, ?> described) throws ClassNotFoundException {
    type = Class.forName(pkg + "." + described.get("ident"));
    fields = (List<?>) described.get("fields");
    values = new Values(type, (List<?>) described.get("types"));
  }

  /** Arguments: the package of the classes, the file of the manifest. */
  public static void main(String[] args) throws Exception {
    Map<?, ?> manifest = (Map<?, ?>) Json.parse(Files.readString(Path.of(args[1])));
    List<Driver> keys = new ArrayList<>();
    for (Object key : (List<?>) manifest.get("keys")) {
      keys.add(new Driver(args[0], (Map<?, ?>) key));
    }
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.print(answer(keys, line.split("\t", -1)).replace('\n', ' ') + "\n");
    }
    out.flush();
  }

  private static String answer(List<Driver> keys, String[] question)
      throws ReflectiveOperationException {
    Driver key = keys.get(Integer.parseInt(question[1]));
    try {
      return switch (question[0]) {
        case "encode" -> key.encode(question[2]);
        case "decode" -> key.decode(KeyBytes.ofHex(question[2]).toByteArray());
        case "ranges" -> key.ranges(question[2], question[3]);
        default -> "? " + question[0];
      };
    } catch (IllegalArgumentException refused) {
      return "! " + refused.getMessage();
    } catch (InvocationTargetException thrown) {
      boolean isRefused = thrown.getCause() instanceof IllegalArgumentException;
      return (isRefused ? "! " : "? ") + thrown.getCause();
    }
  }

  private String encode(String json) throws ReflectiveOperationException {
    Object key = values.record(type, fields, (List<?>) Json.parse(json));
    byte[] plain = (byte[]) type.getMethod("encode").invoke(key);
    byte[] again = (byte[]) type.getMethod("encode", KeyWriter.class).invoke(key, WRITER);
    if (!Arrays.equals(plain, again)) {
      return "? a writer that is used again has other bytes";
    }
    Object read = type.getMethod("decode", byte[].class).invoke(null, plain);
    boolean isSame = read.equals(key) && read.hashCode() == key.hashCode();
    return isSame ? KeyBytes.of(plain).toString() : "? decoded as " + read;
  }

  private String decode(byte[] bytes) throws ReflectiveOperationException {
    String table = (String) type.getMethod("explain", byte[].class).invoke(null, bytes);
    boolean isExplained = !table.contains(" at byte ");
    try {
      Object key = type.getMethod("decode", byte[].class).invoke(null, bytes);
      Object again = type.getMethod("decode", KeyReader.class).invoke(null, READER.reset(bytes));
      boolean isSame = again.equals(key) && isExplained;
      return isSame ? Json.write(values.fields(fields, key)) : "? read again as " + again + table;
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof DecodeException error
          && error.key().equals(type.getSimpleName())
          && !error.found().isEmpty()
          && !isExplained) {
        return "!" + error.field() + "\t" + error.offset() + "\t" + error.getMessage();
      }
      return "? " + thrown.getCause();
    }
  }

  private String ranges(String leading, String condition) throws ReflectiveOperationException {
    Object step = type.getMethod("prefix").invoke(null);
    List<?> fixed = (List<?>) Json.parse(leading);
    for (int i = 0; i < fixed.size(); i++) {
      Map<?, ?> field = (Map<?, ?>) fields.get(i);
      if (!field.get("ident").equals("")) {
        Method method = method(step, (String) field.get("ident"));
        Object value =
            values.value(
                field.get("type"), fixed.get(i), Values.leaf(method.getGenericParameterTypes()[0]));
        step = method.invoke(step, value);
      }
    }
    Selection selection;
    if (Json.parse(condition) instanceof Map<?, ?> one) {
      selection = select(step, (Map<?, ?>) fields.get(fixed.size()), one);
    } else {
      selection = (Selection) step.getClass().getMethod("select").invoke(step);
    }
    List<Object> found = new ArrayList<>();
    for (List<KeyRange> bucket : selection.rangesByBucket()) {
      List<Object> ranges = new ArrayList<>();
      for (KeyRange range : bucket) {
        Object end =
            range.isUnbounded() ? new StringBuilder("null") : KeyBytes.of(range.end()).toString();
        ranges.add(List.of(KeyBytes.of(range.start()).toString(), end));
      }
      found.add(ranges);
    }
    return Json.write(found);
  }

  private Selection select(Object step, Map<?, ?> field, Map<?, ?> condition)
      throws ReflectiveOperationException {
    String kind = (String) condition.keySet().iterator().next();
    Object given = condition.get(kind);
    String suffix =
        switch (kind) {
          case "in" -> "In";
          case "range" -> "Range";
          case "starts_with" -> "StartsWith";
          case "within" -> "Within";
          default -> "Under";
        };
    Method method = method(step, field.get("ident") + suffix);
    if (suffix.equals("Within")) {
      return (Selection) method.invoke(step, Tile.ofQuadkey((String) given));
    }
    if (suffix.equals("StartsWith") || suffix.equals("Under")) {
      boolean isBytes = method.getParameterTypes()[0] == KeyBytes.class;
      return (Selection) method.invoke(step, isBytes ? KeyBytes.ofHex((String) given) : given);
    }
    Class<?> as = Values.leaf(method.getGenericParameterTypes()[0]);
    List<Object> parts = new ArrayList<>();
    for (Object part : (List<?>) given) {
      Object json = suffix.equals("Range") && part != null ? ((List<?>) part).get(1) : part;
      boolean isUnbounded = suffix.equals("Range") && part == null;
      parts.add(isUnbounded ? null : values.value(field.get("type"), json, as));
    }
    if (suffix.equals("In")) {
      return (Selection) method.invoke(step, parts);
    }
    Bounds.End[] ends = new Bounds.End[2];
    for (int i = 0; i < 2; i++) {
      Object bound = ((List<?>) given).get(i);
      ends[i] = bound == null ? Bounds.End.NONE : end((List<?>) bound);
    }
    return (Selection)
        method.invoke(step, new Bounds<>(parts.get(0), ends[0], parts.get(1), ends[1]));
  }

  private static Bounds.End end(List<?> bound) {
    return bound.get(0).equals("included") ? Bounds.End.INCLUDED : Bounds.End.EXCLUDED;
  }

  private static Method method(Object step, String name) {
    for (Method method : step.getClass().getDeclaredMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == 1) {
        return method;
      }
    }
    throw new IllegalStateException("there is no " + name + " of " + step.getClass());
  }
}
