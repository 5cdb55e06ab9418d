package io.github.rowkey;

/**
 * Hosts, which have one form each: names in lower case, whose labels are reversed in a key, and
 * addresses.
 *
 * <pre>
 * kafka.apache.org   org.apache.kafka
 * 10.0.0.1           10.0.0.1
 * [2001:db8::7]      [2001:db8::7]
 * </pre>
 */
final class Hosts {
  private Hosts() {}

  /** Says what is wrong with a host as people write it; null if nothing is. */
  static String fault(String host) {
    if (host.startsWith("[")) {
      boolean isValid = host.endsWith("]") && isShortestIpv6(host.substring(1, host.length() - 1));
      return isValid ? null : host + " is not an IPv6 address in its shortest form";
    }
    int start = 0;
    for (int i = 0; i <= host.length(); i++) {
      if (i == host.length() || host.charAt(i) == '.') {
        if (i == start) {
          return "a label of " + host + " is empty";
        }
        start = i + 1;
      } else if (!isLabel(host.charAt(i))) {
        return host + " has " + host.charAt(i) + ": labels are of a-z, 0-9, - and _";
      }
    }
    if (endsWithNumber(host) && !isIpv4(host)) {
      return "the last label of " + host + " is a number, and it is no IPv4 address";
    }
    return null;
  }

  /** Returns whether a valid host is an address. */
  static boolean isAddress(String host) {
    return host.startsWith("[") || endsWithNumber(host);
  }

  /** The labels of a name from the last to the first. */
  static String backwards(String host) {
    StringBuilder reversed = new StringBuilder(host.length());
    for (int end = host.length(); end >= 0; ) {
      int dot = host.lastIndexOf('.', end - 1);
      reversed.append(host, dot + 1, end);
      if (dot >= 0) {
        reversed.append('.');
      }
      end = dot;
    }
    return reversed.toString();
  }

  static boolean isIpv4(String host) {
    int dots = 0;
    int number = -1;
    for (int i = 0; i < host.length(); i++) {
      char next = host.charAt(i);
      if (next == '.' && number >= 0) {
        dots++;
        number = -1;
      } else if (next >= '0' && next <= '9' && number != 0) {
        number = Math.max(number, 0) * 10 + next - '0';
        if (number > 255) {
          return false;
        }
      } else {
        return false;
      }
    }
    return dots == 3 && number >= 0;
  }

  private static boolean isLabel(char next) {
    return next >= 'a' && next <= 'z' || next >= '0' && next <= '9' || next == '-' || next == '_';
  }

  private static boolean endsWithNumber(String host) {
    int i = host.length();
    while (i > 0 && host.charAt(i - 1) >= '0' && host.charAt(i - 1) <= '9') {
      i--;
    }
    return i < host.length() && (i == 0 || host.charAt(i - 1) == '.');
  }

  private static boolean isShortestIpv6(String address) {
    int gap = address.indexOf("::");
    int[] groups = new int[8];
    String before = gap < 0 ? address : address.substring(0, gap);
    String after = gap < 0 ? "" : address.substring(gap + 2);
    int head = groups(before, groups, 0);
    int tail = groups(after, groups, Math.max(head, 0));
    if (head < 0 || tail < 0 || (gap < 0 ? head != 8 : tail > 7)) {
      return false;
    }
    int[] whole = new int[8];
    System.arraycopy(groups, 0, whole, 0, head);
    System.arraycopy(groups, head, whole, 8 - (tail - head), tail - head);
    return shortest(whole).equals(address);
  }

  /** Reads groups from a place on; returns the place after them, -1 if they are no groups. */
  private static int groups(String text, int[] groups, int to) {
    if (text.isEmpty()) {
      return to;
    }
    for (String group : text.split(":", -1)) {
      if (to == 8 || group.isEmpty() || group.length() > 4) {
        return -1;
      }
      int value = 0;
      for (int i = 0; i < group.length(); i++) {
        int digit = "0123456789abcdef".indexOf(group.charAt(i));
        if (digit < 0) {
          return -1;
        }
        value = value << 4 | digit;
      }
      groups[to++] = value;
    }
    return to;
  }

  private static String shortest(int[] groups) {
    int longest = 0;
    int first = -1;
    for (int i = 0; i < 8; i++) {
      int zeros = 0;
      while (i + zeros < 8 && groups[i + zeros] == 0) {
        zeros++;
      }
      if (zeros > Math.max(longest, 1)) {
        longest = zeros;
        first = i;
      }
    }
    StringBuilder text = new StringBuilder(39);
    for (int i = 0; i < 8; i++) {
      if (i == first) {
        text.append("::");
        i += longest - 1;
      } else {
        text.append(i == 0 || text.charAt(text.length() - 1) == ':' ? "" : ":");
        text.append(Integer.toHexString(groups[i]));
      }
    }
    return text.toString();
  }
}
