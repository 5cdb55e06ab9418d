package io.github.rowkey;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;

/**
 * The content of a field of a text key that is an instant in UTC, by a pattern with letters of
 * {@link java.time.format.DateTimeFormatter}: {@code yyyyMMdd}, {@code yyyyDDD}, {@code
 * yyyy-MM-dd'T'HH:mm:ss.SSS}.
 *
 * <p>What a pattern leaves out is the first: {@code yyyyMM} is the first instant of a month. An
 * instant that is not exactly that of a text can't be written.
 */
public final class DatePattern {
  /** The parts: a letter of the pattern, or 0 for a literal character. */
  private final char[] letters;

  /** The number of digits of each part; of a literal the character. */
  private final int[] widths;

  private final int parts;
  private final int width;

  private DatePattern(String pattern) {
    letters = new char[pattern.length()];
    widths = new int[pattern.length()];
    int part = 0;
    int sum = 0;
    boolean isQuoted = false;
    for (int i = 0; i < pattern.length(); ) {
      char next = pattern.charAt(i);
      int run = 1;
      if (next == '\'') {
        isQuoted = !isQuoted;
        i++;
        continue;
      }
      if (!isQuoted && Character.isLetter(next)) {
        while (i + run < pattern.length() && pattern.charAt(i + run) == next) {
          run++;
        }
        letters[part] = next;
        widths[part++] = run;
      } else {
        widths[part++] = next;
      }
      sum += run;
      i += run;
    }
    parts = part;
    width = sum;
  }

  /** Makes the pattern of a text. */
  public static DatePattern of(String pattern) {
    return new DatePattern(pattern);
  }

  /** The number of characters of each text. */
  public int width() {
    return width;
  }

  /** Writes an instant. */
  public void write(KeyWriter w, Instant value) {
    LocalDateTime time = LocalDateTime.ofInstant(value, ZoneOffset.UTC);
    if (time.getYear() < 0 || time.getYear() > 9999) {
      throw new IllegalArgumentException(value + " is not within the years 0000 to 9999");
    }
    int at = w.reserve(width);
    for (int i = 0; i < parts; i++) {
      if (letters[i] == 0) {
        w.buffer()[at++] = (byte) widths[i];
        continue;
      }
      int rest = number(time, letters[i], widths[i]);
      for (int digit = widths[i] - 1; digit >= 0; digit--) {
        w.buffer()[at + digit] = (byte) ('0' + rest % 10);
        rest /= 10;
      }
      at += widths[i];
    }
    Instant back = instant(w.buffer(), w.length() - width);
    if (!value.equals(back)) {
      w.truncate(w.length() - width);
      throw new IllegalArgumentException("the pattern has no text for " + value);
    }
  }

  /** Reads an instant. */
  public Instant read(KeyReader r, int at) {
    Instant value = instant(r.content(), r.contentFrom());
    if (value == null) {
      throw r.wrong(at, "the field is a date of its pattern");
    }
    return value;
  }

  private static int number(LocalDateTime time, char letter, int width) {
    return switch (letter) {
      case 'y' -> time.getYear();
      case 'M' -> time.getMonthValue();
      case 'd' -> time.getDayOfMonth();
      case 'D' -> time.getDayOfYear();
      case 'H' -> time.getHour();
      case 'm' -> time.getMinute();
      case 's' -> time.getSecond();
      default -> time.getNano() / power(9 - width);
    };
  }

  /** The instant of a text; null if it is none. */
  private Instant instant(byte[] text, int from) {
    int year = 0;
    int month = 1;
    int day = 1;
    int dayOfYear = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int nanos = 0;
    boolean isByYear = false;
    int at = from;
    for (int i = 0; i < parts; i++) {
      if (letters[i] == 0) {
        if (text[at++] != (byte) widths[i]) {
          return null;
        }
        continue;
      }
      int number = 0;
      for (int end = at + widths[i]; at < end; at++) {
        if (text[at] < '0' || text[at] > '9') {
          return null;
        }
        number = 10 * number + text[at] - '0';
      }
      switch (letters[i]) {
        case 'y' -> year = number;
        case 'M' -> month = number;
        case 'd' -> day = number;
        case 'D' -> {
          dayOfYear = number;
          isByYear = true;
        }
        case 'H' -> hour = number;
        case 'm' -> minute = number;
        case 's' -> second = number;
        default -> nanos = number * power(9 - widths[i]);
      }
    }
    try {
      LocalDate date =
          isByYear ? LocalDate.ofYearDay(year, dayOfYear) : LocalDate.of(year, month, day);
      return date.atTime(LocalTime.of(hour, minute, second, nanos)).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException none) {
      return null;
    }
  }

  private static int power(int exponent) {
    int power = 1;
    for (int i = 0; i < exponent; i++) {
      power *= 10;
    }
    return power;
  }
}
