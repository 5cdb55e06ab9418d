package bench;

import io.github.rowkey.KeyReader;
import io.github.rowkey.KeyWriter;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;
import rowkeys.Action;
import rowkeys.Visit;

/** Generated code beside code by hand, a thousand keys a call. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Keys.COUNT)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Keys {
  static final int COUNT = 1000;

  private final Action[] actions = new Action[COUNT];
  private final Visit[] visits = new Visit[COUNT];
  private final byte[][] actionKeys = new byte[COUNT][];
  private final byte[][] visitKeys = new byte[COUNT][];
  private final KeyWriter writer = new KeyWriter();
  private final KeyReader reader = new KeyReader(new byte[0]);

  /** Makes the keys, and holds that both have the same bytes. */
  @Setup
  public void prepare() {
    for (int i = 0; i < COUNT; i++) {
      long at = 1_307_097_848_000L + 7919L * i;
      actions[i] = new Action(42 + i % 7, at, i);
      visits[i] = new Visit("host" + i * 31 % 1000 + ".example.org", at, i);
      actionKeys[i] = actions[i].encode();
      visitKeys[i] = visits[i].encode();
      boolean isSame = Arrays.equals(actionKeys[i], ByHand.action(actions[i]));
      isSame &= Arrays.equals(visitKeys[i], ByHand.visit(visits[i]));
      isSame &=
          ByHand.action(actionKeys[i]).equals(actions[i])
              && ByHand.visit(visitKeys[i]).equals(visits[i]);
      if (!isSame) {
        throw new IllegalStateException("code by hand has other keys");
      }
    }
  }

  @Benchmark
  public void actionEncodeByHand(Blackhole hole) {
    for (Action key : actions) {
      hole.consume(ByHand.action(key));
    }
  }

  @Benchmark
  public void actionEncodeGenerated(Blackhole hole) {
    for (Action key : actions) {
      hole.consume(key.encode());
    }
  }

  @Benchmark
  public void actionDecodeByHand(Blackhole hole) {
    for (byte[] key : actionKeys) {
      hole.consume(ByHand.action(key));
    }
  }

  @Benchmark
  public void actionDecodeGenerated(Blackhole hole) {
    for (byte[] key : actionKeys) {
      hole.consume(Action.decode(key));
    }
  }

  @Benchmark
  public void visitEncodeByHand(Blackhole hole) {
    for (Visit key : visits) {
      hole.consume(ByHand.visit(key));
    }
  }

  @Benchmark
  public void visitEncodeGenerated(Blackhole hole) {
    for (Visit key : visits) {
      hole.consume(key.encode(writer));
    }
  }

  @Benchmark
  public void visitDecodeByHand(Blackhole hole) {
    for (byte[] key : visitKeys) {
      hole.consume(ByHand.visit(key));
    }
  }

  @Benchmark
  public void visitDecodeGenerated(Blackhole hole) {
    for (byte[] key : visitKeys) {
      hole.consume(Visit.decode(reader.reset(key)));
    }
  }
}
