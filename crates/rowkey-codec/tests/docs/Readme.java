import com.example.keys.Event;
import io.github.rowkey.KeyRange;
import java.util.List;

final class Readme {
  public static void main(String[] args) {
    Event value = new Event("ada", 1);
    // EXAMPLE
    if (!read.equals(value) || ranges.size() != 1) {
      throw new AssertionError(ranges);
    }
  }
}
