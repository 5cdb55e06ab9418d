import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as maps, lists, strings, booleans and null; numbers are strings. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    return new Json(text).value();
  }

  static String write(Object value) {
    StringBuilder to = new StringBuilder();
    write(value, to);
    return to.toString();
  }

  private static void write(Object value, StringBuilder to) {
    if (value instanceof List<?> items) {
      String between = "[";
      for (Object item : items) {
        to.append(between);
        write(item, to);
        between = ",";
      }
      to.append(items.isEmpty() ? "[]" : "]");
    } else if (value instanceof String string) {
      to.append('"');
      for (int i = 0; i < string.length(); i++) {
        char next = string.charAt(i);
        boolean isPlain = next >= ' ' && next <= '~' && next != '"' && next != '\\';
        to.append(isPlain ? String.valueOf(next) : String.format("\\u%04x", (int) next));
      }
      to.append('"');
    } else {
      to.append(value);
    }
  }

  private Object value() {
    char first = text.charAt(at);
    if (first == '[') {
      List<Object> items = new ArrayList<>();
      for (at++; text.charAt(at) != ']'; skipComma()) {
        items.add(value());
      }
      at++;
      return items;
    }
    if (first == '{') {
      Map<String, Object> members = new LinkedHashMap<>();
      for (at++; text.charAt(at) != '}'; skipComma()) {
        String name = string();
        at++;
        members.put(name, value());
      }
      at++;
      return members;
    }
    if (first == '"') {
      return string();
    }
    int start = at;
    while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> null;
      default -> word;
    };
  }

  private void skipComma() {
    if (text.charAt(at) == ',') {
      at++;
    }
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      if (text.charAt(at) != '\\') {
        string.append(text.charAt(at));
        continue;
      }
      char escaped = text.charAt(++at);
      if (escaped == 'u') {
        string.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
        at += 4;
      } else {
        int known = "bfnrt".indexOf(escaped);
        string.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
      }
    }
    at++;
    return string.toString();
  }
}
