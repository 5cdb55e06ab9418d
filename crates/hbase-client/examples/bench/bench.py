"""happybase, through HBase's Thrift gateway, for main.rs: `bench.py PORT`. Each line of input is a work, a table and numbers.
Each answer is a line: nanoseconds, rows and the sum of what was read.

Callers are threads with a connection each. Python's interpreter runs one thread at a time.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import happybase

FAMILY_QUALIFIER = b"f:q"
AT = 1_700_000_000_000
REGIONS = 16


def main(port):
    for line in sys.stdin:
        work, table, *words = line.split()
        numbers = [int(word) for word in words]
        if work == "scan":
            numbers = [1, REGIONS] + numbers
        elif work == "scans":
            numbers = [REGIONS, REGIONS] + numbers
        print(*callers(port, table, CALLERS[work], *numbers), flush=True)


def callers(port, table, caller, many, count, *numbers):
    """Each caller does its share of `count`. The clock runs when all are connected and the gateway knows the regions."""
    connections = [happybase.Connection("127.0.0.1", port) for _ in range(many)]
    tables = [connection.table(table) for connection in connections]
    tables[0].regions()
    with ThreadPoolExecutor(many) as threads:
        begun = time.perf_counter_ns()
        bounds = [count * at // many for at in range(many + 1)]
        shares = [threads.submit(caller, *share, *numbers) for share in zip(tables, bounds, bounds[1:])]
        counted = [share.result() for share in shares]
        took = time.perf_counter_ns() - begun
    for connection in connections:
        connection.close()
    return took, sum(rows for rows, _ in counted), sum(total for _, total in counted)


def load(table, start, stop, batch):
    for begin in range(start, stop, batch):
        # All mutations of a call have the same timestamp.
        with table.batch(timestamp=AT + begin) as puts:
            for n in range(begin, min(begin + batch, stop)):
                puts.put(key(n), {FAMILY_QUALIFIER: value(n)})
    return stop - start, 0


def scan(table, start, stop, caching, _prefetch):
    """The rows of some regions. Only Java's scanners can read ahead."""
    rows = total = 0
    first = bucket(start) if start > 0 else None
    end = bucket(stop) if stop < REGIONS else None
    for row, cells in table.scan(row_start=first, row_stop=end, include_timestamp=True, batch_size=caching):
        rows += 1
        total += sum_of(row, cells)
    return rows, total


def gets(table, start, stop, rows):
    total = 0
    for i in range(start, stop):
        row = key(some(i, rows))
        total += sum_of(row, table.row(row, include_timestamp=True))
    return stop - start, total


def get_many(table, start, stop, rows, batch):
    total = 0
    for begin in range(start, stop, batch):
        keys = [key(some(i, rows)) for i in range(begin, min(begin + batch, stop))]
        for row, cells in table.rows(keys, include_timestamp=True):
            total += sum_of(row, cells)
    return stop - start, total


def increments(table, start, stop, counters):
    rows = 0
    for i in range(start, stop):
        rows += table.counter_inc(key(i % counters), FAMILY_QUALIFIER) > 0
    return rows, 0


def sum_of(row, cells):
    """All that there is of a row."""
    total = 0
    for column, (content, timestamp) in cells.items():
        family, qualifier = column.split(b":", 1)
        total += sum(row) + sum(family) + sum(qualifier) + sum(content) + timestamp
    return total


def key(n):
    """A hexadecimal digit, which is the region's, and a decimal number: 32 bytes."""
    return b"%x%031d" % (n % REGIONS, n)


def bucket(region):
    return b"%x" % region


def value(n):
    """A decimal number: 20 bytes."""
    return b"%020d" % (n * 7919)


def some(i, rows):
    """One of the rows, far from the one before."""
    return i * 7919 % rows


CALLERS = {"load": load, "scan": scan, "scans": scan, "gets": gets, "many": get_many, "increments": increments}

main(int(sys.argv[1]))
