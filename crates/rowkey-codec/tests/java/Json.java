import java.util.ArrayList;
import java.util.List;

/** JSON of arrays, strings, booleans, numbers as text, and null. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    return new Json(text).value();
  }

  private Object value() {
    char first = text.charAt(at);
    if (first == '[') {
      at++;
      List<Object> items = new ArrayList<>();
      while (text.charAt(at) != ']') {
        items.add(value());
        at += text.charAt(at) == ',' ? 1 : 0;
      }
      at++;
      return items;
    }
    if (first == '"') {
      return string();
    }
    int start = at;
    while (at < text.length() && ",]".indexOf(text.charAt(at)) < 0) {
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
