//! Laws of rows: order, ranges, limits, batches, snapshots, the first row at a key.

use super::laws::{RowText, done, equal, holds, keys, mutate, rows, rows_on, text};
use crate::conformance::store::laws::{broken, read_batch};
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{RowBatch, Rows, Scan};
use crate::wide::{Columns, Mutation, WideStore};

const ROWS: [&[u8]; 12] =
    [b"\0", b"\0\0", b"\x01", b"\x01\x01", b"\x01\x02", b"a", b"a\0", b"a\0\0", b"a\x01", b"aa", b"\xff", b"\xff\xff"];

fn fill(store: &dyn WideStore) -> Vec<RowText> {
    let mut filled = Vec::new();
    for (index, row) in ROWS.iter().enumerate().rev() {
        let mutation = Mutation::new().put_at("a:q", 2, "new").put_at("a:q", 1, "old").put_at("a:r", 1, "r");
        mutate("rows-sorted", store, row, mutation.put_at("b:", 1, index.to_string()));
        let cells = ["a:q@2=new".to_owned(), "a:q@1=old".to_owned(), "a:r@1=r".to_owned(), format!("b:@1={index}")];
        filled.push((row.to_vec(), cells.into()));
    }
    filled.reverse();
    filled
}

fn expected(filled: &[RowText], scan: &Scan) -> Vec<RowText> {
    let within = |row: &&RowText| scan.ranges.iter().any(|range| range.contains(&row.0));
    let mut rows: Vec<RowText> = filled.iter().filter(within).cloned().collect();
    if scan.reverse {
        rows.reverse();
    }
    rows.truncate(scan.limit.map_or(usize::MAX, |limit| limit as usize));
    rows
}

pub(super) fn order(store: &dyn WideStore) {
    let nothing = rows("rows-sorted", store, &Scan::all(), &Columns::all());
    equal("rows-sorted", "the rows of an empty table", nothing, Vec::new());
    let filled = fill(store);
    let all = Columns::all().versions(9);
    let range = |start: &[u8], end: Option<&[u8]>| KeyRange::new(start, end).into_iter().collect::<Vec<_>>();
    let lists = [
        ("rows-sorted", vec![KeyRange::all()]),
        ("row-range", range(b"\0\0", Some(b"a\0"))),
        ("row-range", range(b"a", Some(b"aa"))),
        ("row-range", range(b"a\0", None)),
        ("row-range", range(b"\x01\x01", Some(b"\x01\x02"))),
        ("row-range", vec![KeyRange::prefix("a")]),
        ("row-range", vec![KeyRange::point("a\0"), KeyRange::point(b"\xff")]),
        ("row-range", vec![KeyRange::prefix(b"\x01"), KeyRange::point("a"), KeyRange::prefix("a\0\0")]),
        ("row-range", vec![KeyRange::point("absent")]),
        ("row-range", vec![]),
    ];
    for (law, ranges) in lists {
        for reverse in [false, true] {
            for batch_rows in [1, 5] {
                for limit in [None, Some(0), Some(3)] {
                    let law = if limit.is_some() { "row-limit" } else { law };
                    let scan = Scan::new(ranges.clone()).reverse(reverse).batch_rows(batch_rows).limit(limit);
                    equal(law, format_args!("{scan:?}"), rows(law, store, &scan, &all), expected(&filled, &scan));
                    let pieces = rows("piece", store, &scan, &all.clone().piece(2));
                    equal("piece", format_args!("{scan:?} in pieces"), pieces, expected(&filled, &scan));
                }
            }
        }
    }
    // Selections of cells apply to each row separately.
    let first =
        |cells: &str| -> Vec<RowText> { filled.iter().map(|row| (row.0.clone(), vec![cells.into()])).collect() };
    let firsts = rows("first-only", store, &Scan::all(), &Columns::all().first_only());
    equal("first-only", "the first cells", firsts, first("a:q@2=new"));
    let seconds = rows("column-offset", store, &Scan::all(), &Columns::all().offset(1).limit(1));
    equal("column-offset", "the second columns", seconds, first("a:r@1=r"));

    // Rows without a cell to return are left out and do not count.
    let law = "row-limit";
    mutate(law, store, b"a", Mutation::new().put_at("ab:only", 1, "v"));
    mutate(law, store, b"\xff", Mutation::new().put_at("ab:only", 1, "v"));
    for (reverse, found) in [(false, [&b"a"[..], b"\xff"]), (true, [b"\xff", b"a"])] {
        let scan = Scan::all().reverse(reverse).limit(2);
        equal(
            law,
            "rows that have a column",
            keys(law, store, &scan, &Columns::of("ab:only")),
            found.map(Vec::from).into(),
        );
    }

    let law = "first-at-or-after";
    for key in ROWS.iter().copied().chain([&b"\0\x01"[..], b"a\0\0\0", b"ab", b"\xff\xff\xff"]) {
        let found = done(law, store.first_at_or_after(key, &all));
        let found = found.map(|(row, cells)| (row, text(cells.as_bytes())));
        let mut should_be = filled.iter().find(|(row, _)| row.as_slice() >= key).cloned();
        if let Some((row, cells)) = &mut should_be
            && [&b"a"[..], b"\xff"].contains(&row.as_slice())
        {
            cells.insert(3, "ab:only@1=v".to_owned());
        }
        equal(law, format_args!("at {}", key.escape_ascii()), found, should_be);
    }
    let found = done(law, store.first_at_or_after(b"aa", &Columns::of("ab:only"))).map(|(row, _)| row);
    equal(law, "the first that has a column", found, Some(b"\xff".to_vec()));

    let law = "exists";
    mutate(law, store, b"a", Mutation::new().delete_row());
    for (row, is) in [(&b"a"[..], false), (b"a\0", true), (b"\x01", true), (b"ab", false), (b"\xff\xff\xff", false)] {
        equal(law, row.escape_ascii(), done(law, store.exists(row)), is);
    }

    let law = "get-many";
    let several: [&[u8]; 5] = [b"\xff", b"absent", b"\0", b"\xff", b"a"];
    let got = done(law, store.get_many(&several, &Columns::of("b:")));
    let got: Vec<_> = got.iter().map(|row| text(row.as_bytes())).collect();
    let of = |index: usize| vec![format!("b:@1={index}")];
    equal(law, "rows in their order", got, vec![of(10), vec![], of(0), of(10), vec![]]);
}

/// More rows, and wider ones, than fit into a batch.
pub(super) fn many(store: &dyn WideStore) {
    let wide = |row: u16| {
        (0..6_u8).fold(Mutation::new(), |mutation, column| {
            mutation.put_at(("b", [column]), 1, row.to_string()).put_at(("b", [column]), 2, row.to_string())
        })
    };
    let filled: Vec<_> = (0..300_u16).map(|row| (row.to_be_bytes().to_vec(), wide(row))).collect();
    done("mutate-many", store.mutate_many(&filled));
    let all = Columns::all().versions(2);
    for (batch_rows, reverse) in [(7, false), (256, true), (usize::MAX, false)] {
        let scan = Scan::all().batch_rows(batch_rows).reverse(reverse);
        let found = rows("batch-rows", store, &scan, &all);
        equal("batch-rows", "how many rows come", found.len(), 300);
        holds("batch-rows", found.iter().all(|(_, cells)| cells.len() == 12), "a row of 12 cells has fewer, or more");
    }
    let law = "batch-bytes";
    for (batch_bytes, reverse, piece) in [(1, false, false), (1, true, true), (3000, false, true), (3000, true, false)]
    {
        let scan = Scan::all().batch_bytes(batch_bytes).reverse(reverse);
        let columns = if piece { all.clone().piece(5) } else { all.clone() };
        let found = rows(law, store, &scan, &columns);
        equal(law, "how many rows come", found.len(), 300);
        holds(law, found.iter().all(|(_, cells)| cells.len() == 12), "a row of 12 cells has fewer, or more");
    }
    let first = Columns::all().first_only();
    equal("first-only", "how many rows come", keys("first-only", store, &Scan::all(), &first).len(), 300);

    let law = "skip-to";
    for (reverse, hint) in [(false, 250_u16), (true, 50)] {
        let hint = hint.to_be_bytes();
        let scan = Scan::all().batch_rows(10).reverse(reverse);
        let mut open = store.scan(&scan, &first);
        let read = read_batch(&mut *open, &scan).len();
        open.skip_to(&hint);
        let rest = rows_on(law, &mut *open, &scan, &first);
        let beyond = rest
            .iter()
            .filter(|(key, _)| if reverse { key.as_slice() <= &hint[..] } else { key.as_slice() >= &hint[..] });
        equal(law, format_args!("rows beyond a hint, after {read}"), beyond.count(), if reverse { 51 } else { 50 });
    }

    let law = "ended";
    let mut open = store.scan(&Scan::all(), &Columns::of("absent:q"));
    let mut batch = RowBatch::new();
    match open.next_batch(&mut batch) {
        Err(Error::NoSuchFamily { .. }) => {}
        other => broken("no-such-family", format_args!("a scan of an unknown family returns {other:?}")),
    }
    batch.push(b"left", b"over");
    done(law, open.next_batch(&mut batch));
    holds(law, batch.is_empty(), "a scan goes on after its error");
}

pub(super) fn snapshots(store: &dyn WideStore) {
    if !store.guarantees().snapshot_scans || store.guarantees().timestamps.is_none() {
        return;
    }
    let law = "snapshot";
    let filled = fill(store);
    let all = Columns::all().versions(9);
    for reverse in [false, true] {
        for batches in [0, 1, 4] {
            let scan = Scan::all().reverse(reverse).batch_rows(1);
            let mut open = store.scan(&scan, &all);
            let read: Vec<_> = (0..batches).flat_map(|_| read_batch(&mut *open, &scan)).collect();
            for row in ROWS {
                mutate(law, store, row, Mutation::new().put_at("a:new", 5, "v").put_at("b:", 1, "changed"));
            }
            mutate(law, store, b"a\0new", Mutation::new().put_at("a:new", 5, "v"));
            let mut seen: Vec<RowText> = read.into_iter().map(|(key, cells)| (key, text(&cells))).collect();
            seen.extend(rows_on(law, &mut *open, &scan, &all));
            equal(law, "a scan that was open while rows were written", seen, expected(&filled, &scan));
            for (row, cells) in &filled {
                let number = cells[3].trim_start_matches("b:@1=");
                mutate(law, store, row, Mutation::new().delete_column("a:new").put_at("b:", 1, number));
            }
            mutate(law, store, b"a\0new", Mutation::new().delete_row());
        }
    }
}
