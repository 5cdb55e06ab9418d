package io.github.rowkey;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digests of the JDK, one of each for every thread, so that a key needs no other. */
enum Digests {
  MD5("MD5"),
  SHA_1("SHA-1"),
  SHA_256("SHA-256");

  private final ThreadLocal<State> states;

  Digests(String algorithm) {
    states = ThreadLocal.withInitial(() -> new State(algorithm));
  }

  /** The digest of a part of bytes, in an array that is valid up to this thread's next call. */
  byte[] of(byte[] bytes, int from, int to) {
    State state = states.get();
    state.digest.update(bytes, from, to - from);
    try {
      state.digest.digest(state.result, 0, state.result.length);
    } catch (DigestException wrongLength) {
      throw new AssertionError(wrongLength);
    }
    return state.result;
  }

  private static final class State {
    final MessageDigest digest;
    final byte[] result;

    State(String algorithm) {
      try {
        digest = MessageDigest.getInstance(algorithm);
      } catch (NoSuchAlgorithmException missing) {
        throw new IllegalStateException("this Java has no " + algorithm, missing);
      }
      result = new byte[digest.getDigestLength()];
    }
  }
}
