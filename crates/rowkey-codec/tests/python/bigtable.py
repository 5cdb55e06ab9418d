"""Writes and reads rows by generated keys and Google's own client of Bigtable, for tests/bigtable.

bigtable.py write|read PROJECT INSTANCE TABLE ROWS
"""

import sys
from collections.abc import Iterable, Iterator

from google.cloud.bigtable import Client
from google.cloud.bigtable.row_data import PartialRowData
from google.cloud.bigtable.row_set import RowSet
from google.cloud.bigtable.table import Table

import rowkeys.runtime as rt
from rowkeys import Other, Visit

FAMILY, COLUMN, BATCH, USERS = "f", b"v", 1000, 1000


def visit(i: int) -> Visit:
    """The row with a number: the same in Rust's part of the test."""
    return Visit(f"user{i % USERS}", i * 7919 - 300_000_000, i)


def check(kept: bytes) -> None:
    """Refuses a table whose keys have another layout than the generated ones."""
    Visit.check_layout(kept)
    try:
        Other.check_layout(kept)
    except rt.LayoutMismatch:
        return
    sys.exit("the table is taken for one of other keys")


def write(table: Table, rows: int) -> None:
    for start in range(0, rows, BATCH):
        batch = []
        for i in range(start, min(start + BATCH, rows)):
            row = table.direct_row(visit(i).encode())
            row.set_cell(FAMILY, COLUMN, f"python{i}".encode())
            batch.append(row)
        for status in table.mutate_rows(batch):
            assert status.code == 0, status


def scan(table: Table, ranges: Iterable[rt.KeyRange]) -> Iterator[tuple[bytes, PartialRowData]]:
    """The rows of some ranges, in the order of their keys."""
    asked = RowSet()
    for part in ranges:
        asked.add_row_range_from_keys(start_key=part.start, end_key=part.end)
    for row in table.read_rows(row_set=asked):
        yield row.row_key, row


def read(table: Table, rows: int) -> None:
    last, seen = b"", set()
    for key, row in Visit.merge(scan(table, ranges) for ranges in Visit.prefix().ranges_by_bucket()):
        found = Visit.decode(key)
        assert found == visit(found.page) and found.page not in seen, found
        assert row.cells[FAMILY][COLUMN][0].value == f"rust{found.page}".encode(), row.cells
        assert last < key[1:], (last, key)
        seen.add(found.page)
        last = key[1:]
    assert len(seen) == rows, len(seen)
    # The latest visits of one user: one bucket, from the newest on.
    latest = Visit.prefix().user("user7").at_range(rt.Included(visit(rows // 2).at))
    buckets = list(latest.ranges_by_bucket())
    assert len(buckets) == 1, buckets
    pages = [Visit.decode(key).page for key, _ in Visit.merge(scan(table, ranges) for ranges in buckets)]
    assert pages == [i for i in reversed(range(rows // 2, rows)) if i % USERS == 7], pages
    print(f"{len(seen)} rows in one order, {len(pages)} of one user")


def main() -> None:
    what, project, instance, name, rows = sys.argv[1:]
    of = Client(project=project).instance(instance)
    [kept] = [cell.value for cell in of.table("rowkey.schemas").read_row(name).cells["s"][b"schema"][:1]]
    check(kept)
    {"write": write, "read": read}[what](of.table(name), int(rows))


if __name__ == "__main__":
    main()
