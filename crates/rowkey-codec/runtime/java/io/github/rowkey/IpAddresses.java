package io.github.rowkey;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * An IP address of either family: {@code 04} or {@code 06}, and its bytes. Every IPv4 address sorts
 * before every IPv6 one. An IPv6 address with a zone has no bytes.
 *
 * <pre>
 * 10.0.0.1   04 0a 00 00 01
 * </pre>
 */
public final class IpAddresses {
  private IpAddresses() {}

  /** Writes an address. */
  public static void write(KeyWriter w, InetAddress value) {
    if (value instanceof Inet6Address address
        && (address.getScopeId() != 0 || address.getScopedInterface() != null)) {
      throw new IllegalArgumentException("the address " + address.getHostAddress() + " has a zone");
    }
    byte[] bytes = value.getAddress();
    w.putByte(value instanceof Inet4Address ? 4 : 6);
    w.putBytes(bytes);
  }

  /** Reads an address. */
  public static InetAddress read(KeyReader r) {
    int at = r.position();
    int family = r.takeByte();
    if (family != 4 && family != 6) {
      throw r.wrongByte(at, "an address begins with 04 or 06");
    }
    try {
      // `InetAddress` makes an IPv4 address of an IPv6 address that holds one.
      return family == 4
          ? InetAddress.getByAddress(r.takeBytes(4))
          : Inet6Address.getByAddress(null, r.takeBytes(16), -1);
    } catch (UnknownHostException wrongLength) {
      throw new AssertionError(wrongLength);
    }
  }
}
