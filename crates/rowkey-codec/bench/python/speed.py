"""Times of keys by pyperf: `--by hand` or `--by generated`. `run` beside it compares the two."""

import time

import by_hand
import pyperf


def timed(loops, work, values):
    start = time.perf_counter()
    for _ in range(loops):
        for value in values:
            work(value)
    return time.perf_counter() - start


def main():
    runner = pyperf.Runner(add_cmdline_args=lambda command, args: command.extend(["--by", args.by]))
    runner.argparser.add_argument("--by", choices=["hand", "generated"], required=True)
    by = ["hand", "generated"].index(runner.parse_args().by)
    by_hand.check()
    for name, (*types, rows) in by_hand.KEYS.items():
        key = types[by]
        values = [key(*row) for row in rows]
        keys = [value.encode() for value in values]
        runner.bench_time_func(f"{name} encode", timed, key.encode, values, inner_loops=len(rows))
        runner.bench_time_func(f"{name} decode", timed, key.decode, keys, inner_loops=len(rows))


main()
