package io.github.rowkey;

/**
 * A host path: text of the host in its key's form, then of the path.
 *
 * <pre>
 * b.a/x   61 2e 62 2f 78 00
 * </pre>
 */
public final class HostPaths {
  private HostPaths() {}

  /** Writes a host path and its terminator. */
  public static void write(KeyWriter w, HostPath value) {
    writeHost(w, value.host());
    Utf8.write(w, value.path(), true);
    w.putByte(0);
  }

  /** Writes a host path to the end of the key. */
  public static void writeRaw(KeyWriter w, HostPath value) {
    writeHost(w, value.host());
    Utf8.write(w, value.path(), false);
  }

  /** Reads a host path and its terminator. */
  public static HostPath read(KeyReader r) {
    int at = r.position();
    return fromKey(r, at, Text.read(r));
  }

  /** Reads a host path to the end of the key. */
  public static HostPath readRaw(KeyReader r) {
    int at = r.position();
    return fromKey(r, at, Text.readRaw(r));
  }

  /**
   * Writes what the keys of a domain and of its subdomains begin with, up to a byte that is {@code
   * .} or after it.
   */
  static void writeHost(KeyWriter w, String host) {
    if (Hosts.isAddress(host)) {
      Utf8.write(w, host, false);
      return;
    }
    int at = w.reserve(host.length());
    byte[] out = w.buffer();
    for (int end = host.length(); end >= 0; ) {
      int dot = host.lastIndexOf('.', end - 1);
      for (int i = dot + 1; i < end; i++) {
        out[at++] = (byte) host.charAt(i);
      }
      if (dot >= 0) {
        out[at++] = '.';
      }
      end = dot;
    }
  }

  private static HostPath fromKey(KeyReader r, int at, String text) {
    int slash = text.indexOf('/');
    if (slash <= 0) {
      throw r.wrong(at, "found " + text + ", a host and a path that begins with / are due");
    }
    String inKey = text.substring(0, slash);
    boolean isAddress = inKey.startsWith("[") || Hosts.isIpv4(inKey);
    String host = isAddress ? inKey : Hosts.backwards(inKey);
    String fault = Hosts.fault(host);
    if (fault != null || !isAddress && Hosts.isAddress(host)) {
      throw r.wrong(at, fault != null ? fault : inKey + " is an address backwards");
    }
    return new HostPath(host, text.substring(slash));
  }
}
