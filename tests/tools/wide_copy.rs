//! Copies of wide tables under other keys: stopped and resumed, written beside, and compared with the old table.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rowkey::jobs::{Checkpoint, Difference, DifferenceKind, Job};
use rowkey::migrate::{Conversion, WideCopy};
use rowkey::wide::{Cell, CellsDatabase, Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{CursorError, Error, Memory, OwnedKey, RowKey, WideTable};
use rowkey_testkit::Random;

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq)]
#[rowkey(salt(buckets = 20))]
struct Of20 {
    id: u16,
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq)]
#[rowkey(salt(buckets = 7))]
struct Of7 {
    id: u16,
}

type Db = CellsDatabase<Memory>;
/// Family, qualifier and time of a cell, and its value.
type Cells = BTreeMap<(String, Vec<u8>, i64), Vec<u8>>;

/// The rows by their numbers.
fn rows<K: OwnedKey>(table: &WideTable<K, Db>, id: fn(K) -> u16) -> BTreeMap<u16, Cells> {
    let row = |row: Result<(K, Row), Error>| {
        let (key, row) = row.unwrap();
        let cell =
            |cell: Cell<'_>| ((cell.family.to_owned(), cell.qualifier.to_vec(), cell.timestamp), cell.value.to_vec());
        (id(key), row.cells().map(cell).collect())
    };
    table.scan(.., Columns::all().versions(99)).map(row).collect()
}

struct Tables {
    old: WideTable<Of20, Db>,
    new: WideTable<Of7, Db>,
}

impl Tables {
    fn new() -> Self {
        let schema =
            TableSchema::new().family("a", FamilySchema::new().max_versions(3)).family("b", FamilySchema::new());
        let db = CellsDatabase::new(Memory::new());
        let old = WideTable::open(db.clone(), "old", &schema).unwrap();
        Self { old, new: WideTable::open(db, "new", &schema).unwrap() }
    }

    fn copy(&self) -> WideCopy<Of20, Of7> {
        WideCopy::new(&self.old, &self.new, Conversion::keys(|Of20 { id }| Of7 { id }, |Of7 { id }| Of20 { id }))
            .unwrap()
    }

    fn old_rows(&self) -> BTreeMap<u16, Cells> {
        rows(&self.old, |Of20 { id }| id)
    }

    fn new_rows(&self) -> BTreeMap<u16, Cells> {
        rows(&self.new, |Of7 { id }| id)
    }

    fn same(&self) -> bool {
        self.old_rows() == self.new_rows()
    }

    /// Writes `puts` cells of these times to any of 60 rows of the old table.
    fn write(&self, random: &mut Random, puts: u64, times: std::ops::Range<u64>) {
        for _ in 0..puts {
            let column = random.one_of(&["a:", "a:x", "a:y", "b:x"]);
            let at = times.start + random.below(times.end - times.start);
            let mutation = Mutation::new().put_at(column, at as i64, random.below(1000).to_string());
            self.old.mutate(&Of20 { id: random.below(60) as u16 }, &mutation).unwrap();
        }
    }
}

/// The counts and differences of a job.
#[derive(Debug, Default, PartialEq, Eq)]
struct Done {
    rows: u64,
    written: u64,
    found: Vec<(DifferenceKind, u16)>,
}

/// Runs a job in batches of this many rows, is stopped after each, and resumes from the text of the checkpoint.
fn stopped<'j>(rows: usize, job: impl Fn() -> Job<'j, Of20, Of7>) -> Done {
    let (mut done, mut at) = (Done::default(), None::<Checkpoint>);
    loop {
        let report = job().batch_rows(rows).resume(at.take()).run_watched(|progress| {
            for Difference { kind, source, target } in &progress.differences {
                assert_eq!(source.id, target.id);
                done.found.push((*kind, source.id));
            }
            ControlFlow::Break(())
        });
        let report = report.unwrap();
        assert!(report.rows <= rows as u64);
        done.rows += report.rows;
        done.written += report.written;
        let Some(next) = report.next else { return done };
        at = Some(next.to_string().parse().unwrap());
    }
}

#[test]
fn every_version_of_every_cell_is_copied_once_under_its_new_key() {
    for (seed, batch) in [(1, 1), (2, 3), (3, 256)] {
        let (tables, mut random) = (Tables::new(), Random(seed));
        tables.write(&mut random, 400, 0..1000);
        let (copy, there) = (tables.copy(), tables.old_rows());
        assert!(there.values().any(|cells| cells.len() > 4), "no column has versions");
        let all = there.len() as u64;
        assert_eq!(stopped(batch, || copy.backfill()), Done { rows: all, written: all, found: Vec::new() });
        assert_eq!(tables.new_rows(), there);
        assert_eq!(stopped(batch, || copy.verify()), Done { rows: 2 * all, ..Done::default() });
        // Again, in batches of a few bytes: nothing changes.
        assert_eq!(copy.backfill().batch_bytes(100).run().unwrap().written, all);
        assert_eq!(copy.repair().run().unwrap().written, 0);
        assert_eq!(tables.new_rows(), there);
    }
}

#[test]
fn what_is_written_meanwhile_is_carried_over() {
    let (mut missed, mut deleted) = (0, 0);
    for seed in 0..20 {
        let (tables, mut random) = (Tables::new(), Random(seed));
        tables.write(&mut random, 200, 0..1000);
        let copy = tables.copy();
        let report = copy.backfill().batch_rows(7).run_watched(|_| {
            tables.write(&mut random, 5, 1000..2000);
            ControlFlow::Continue(())
        });
        assert!(report.unwrap().is_done());
        missed += copy.verify().run().unwrap().differences();
        let late = tables.old_rows().values().filter(|cells| cells.keys().any(|(_, _, at)| *at >= 1000)).count();
        assert_eq!(copy.backfill_since(1000).run().unwrap().written, late as u64);
        assert!(copy.verify().run().unwrap().is_clean() && tables.same(), "seed {seed}");

        // Deletes are carried over by a repair alone.
        for _ in 0..10 {
            let key = Of20 { id: random.below(60) as u16 };
            let until = random.below(2000) as i64;
            let delete = random.one_of(&["a:x", "a:y", "b:x"]);
            tables.old.mutate(&key, &Mutation::new().delete_column_until(delete, until)).unwrap();
        }
        copy.backfill_since(0).run().unwrap();
        let found = copy.verify().batch_rows(5).run().unwrap();
        deleted += found.differences();
        let repaired = copy.repair().batch_rows(5).run().unwrap();
        assert_eq!((repaired.differences(), repaired.written), (found.differences(), found.differences()));
        assert!(copy.verify().run().unwrap().is_clean() && tables.same(), "seed {seed}");
    }
    assert!(missed > 50 && deleted > 50, "{missed}, {deleted}");
}

#[test]
fn differences_are_named_and_mended() {
    let tables = Tables::new();
    let put = |at, value: &str| Mutation::new().put_at("a:x", at, value);
    for id in 0..40 {
        tables.old.mutate(&Of20 { id }, &put(1, "1")).unwrap();
    }
    let copy = tables.copy();
    copy.backfill().run().unwrap();
    tables.old.mutate(&Of20 { id: 50 }, &put(1, "1")).unwrap();
    tables.new.mutate(&Of7 { id: 51 }, &put(1, "1")).unwrap();
    tables.new.mutate(&Of7 { id: 52 }, &put(1, "1").put_at("b:", 2, "")).unwrap();
    tables.new.mutate(&Of7 { id: 3 }, &put(1, "another")).unwrap();
    tables.new.mutate(&Of7 { id: 4 }, &Mutation::new().put_at("b:", 1, "more")).unwrap();
    tables.old.mutate(&Of20 { id: 5 }, &put(2, "newer")).unwrap();
    use DifferenceKind::{Different, Extra, Missing};
    let due = [(Missing, 50), (Extra, 51), (Extra, 52), (Different, 3), (Different, 4), (Different, 5)];
    for batch in [1, 5, 256] {
        let Done { rows, written, mut found } = stopped(batch, || copy.verify());
        found.sort_by_key(|(kind, id)| due.iter().position(|due| due == &(*kind, *id)));
        assert_eq!((rows, written, found.as_slice()), (41 + 42, 0, due.as_slice()));
    }
    let repaired = stopped(5, || copy.repair());
    assert_eq!((repaired.written, repaired.found.len()), (6, 6));
    assert!(tables.same() && tables.new_rows().len() == 41);
}

/// No marker of a repair hides the version that a newer one has replaced.
#[test]
fn a_version_that_is_due_again_is_repaired() {
    let tables = Tables::new();
    let (row, copy) = (Of20 { id: 1 }, tables.copy());
    for column in ["a:x", "b:x"] {
        tables.old.mutate(&row, &Mutation::new().put_at(column, 5, "5")).unwrap();
        copy.backfill().run().unwrap();
        let newer = (6..9).fold(Mutation::new(), |newer, at| newer.put_at(column, at, "newer"));
        tables.old.mutate(&row, &newer).unwrap();
        assert_eq!(copy.repair().run().unwrap().written, 1);
        assert!(tables.same());
        let deleted = (6..9).fold(Mutation::new(), |deleted, at| deleted.delete_version(column, at));
        tables.old.mutate(&row, &deleted).unwrap();
        assert_eq!(tables.old.get(&row, &Columns::all()).unwrap().value(column), Some(&b"5"[..]));
        assert_eq!(copy.repair().run().unwrap().written, 1);
        assert!(tables.same() && copy.verify().run().unwrap().is_clean(), "{column}");
    }
}

/// Programs may write the new table before the last backfill.
#[test]
fn a_backfill_leaves_what_is_newer_and_what_is_new() {
    let tables = Tables::new();
    let put = |at, value: &str| Mutation::new().put_at("b:x", at, value);
    tables.old.mutate(&Of20 { id: 1 }, &put(5, "old")).unwrap();
    tables.new.mutate(&Of7 { id: 1 }, &put(6, "new")).unwrap();
    tables.new.mutate(&Of7 { id: 2 }, &put(4, "new")).unwrap();
    tables.copy().backfill().run().unwrap();
    for id in [1, 2] {
        assert_eq!(tables.new.get(&Of7 { id }, &Columns::all()).unwrap().value("b:x"), Some(&b"new"[..]));
    }
}

#[test]
fn what_is_no_copy_is_refused() {
    let tables = Tables::new();
    for id in 0..20 {
        tables.old.mutate(&Of20 { id }, &Mutation::new().put_at("a:", 1, "")).unwrap();
    }
    let same = WideCopy::new(&tables.old, &tables.old, Conversion::keys(|key| key, |key| key)).unwrap_err();
    assert_eq!(same.to_string(), "migration \"old to old\": its two tables are the same");
    let halved = Conversion::keys(|Of20 { id }| Of7 { id: id / 2 }, |Of7 { id }| Of20 { id: id * 2 });
    let halved = WideCopy::new(&tables.old, &tables.new, halved).unwrap();
    let refused = halved.backfill().run().unwrap_err();
    assert!(
        matches!(&refused, Error::Migration { name, what } if name == "old to new" && what.contains("not the same"))
    );
    assert!(tables.new_rows().is_empty());

    let copy = tables.copy();
    let at = copy.backfill().batch_rows(1).run_watched(|_| ControlFlow::Break(())).unwrap().next;
    for other in [copy.backfill_since(1), copy.verify(), copy.repair()] {
        assert!(matches!(other.resume(at.clone()).run(), Err(Error::Cursor(CursorError::OtherJob))));
    }
    let second: Checkpoint = "2".parse().unwrap();
    let refused = copy.backfill().resume(second).run();
    assert!(matches!(refused, Err(Error::Cursor(CursorError::Malformed(_)))));
    let of_cells = Checkpoint::after_row(b"row");
    assert!(matches!(copy.verify().resume(of_cells).run(), Err(Error::Cursor(CursorError::OtherLayout { .. }))));
}
