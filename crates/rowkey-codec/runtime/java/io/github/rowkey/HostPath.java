package io.github.rowkey;

/**
 * A host and a path, a page for instance. Pages sort by the host's labels from the last to the
 * first, so that those of a domain and its subdomains are one range.
 *
 * @param host a name in lower case, or an address: an IPv6 address in brackets, in its shortest
 *     form
 * @param path any text from the first {@code /} on, with query and fragment
 */
public record HostPath(String host, String path) {
  /** Checks that the host has its one form, and that the path begins with {@code /}. */
  public HostPath {
    String fault = host.isEmpty() ? "there is no host before the path" : Hosts.fault(host);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("a path begins with /");
    }
  }

  /**
   * Parses a host and its path, as {@code apache.org/index.html}. A host alone has the path {@code
   * /}.
   */
  public static HostPath parse(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? new HostPath(text, "/")
        : new HostPath(text.substring(0, slash), text.substring(slash));
  }

  /** The host and the path, as people write them. */
  @Override
  public String toString() {
    return host + path;
  }
}
