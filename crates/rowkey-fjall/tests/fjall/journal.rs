//! A journal that was changed, cut short, cut off or split: an error, or every row; and the way into what is damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rowkey::ErrorKind;
use rowkey::store::{Batch, Database, RowBatch, Scan};
use rowkey_fjall::{Fjall, FjallError, FjallOptions};
use rowkey_testkit::every;

use crate::in_memory;

type Rows = BTreeMap<(String, Vec<u8>), Vec<u8>>;

fn rows(db: &Fjall) -> Rows {
    let mut all = Rows::new();
    for name in db.tables().unwrap() {
        let table = db.table(&name).unwrap();
        let (mut rows, mut batch) = (table.scan(&Scan::all()), RowBatch::new());
        loop {
            rows.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                break;
            }
            all.extend(batch.iter().map(|(key, value)| ((name.clone(), key.to_vec()), value.to_vec())));
        }
    }
    all
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match path.is_dir() {
            true => copy(&path, &to),
            false => _ = fs::copy(path, to).unwrap(),
        }
    }
}

/// The ends of the writes in a journal. No value looks like one.
fn ends(journal: &[u8]) -> Vec<usize> {
    let ends = journal.windows(4).enumerate().filter(|(_, four)| four == b"FJL\x03").map(|(at, _)| at + 4);
    std::iter::once(0).chain(ends).collect()
}

/// A database with rows in files and in a small journal, and what it had after each write of the journal.
struct Made {
    journal: Vec<u8>,
    states: Vec<Rows>,
    /// The number of the writes that are also in files.
    in_files: usize,
}

impl Made {
    fn new(directory: &Path) -> Self {
        let mut states = Vec::new();
        let mut write = |db: &Fjall, batches: &[(&str, &Batch)]| {
            states.push(rows(db));
            db.write(batches).unwrap();
        };
        let db = Fjall::open(directory).unwrap();
        ["a", "b"].iter().for_each(|name| _ = db.table(name).unwrap());
        write(&db, &[("a", Batch::new().put("1", "old").put("2", "old"))]);
        write(&db, &[("b", Batch::new().put("1", "old")), ("a", Batch::new().delete("2"))]);
        write(&db, &[("a", Batch::new().put("3", "old"))]);
        drop(db);
        // As the engine does by itself after more rows.
        let engine = fjall::Database::builder(directory).open().unwrap();
        for name in ["=a", "=b"] {
            let table = engine.keyspace(name, fjall::KeyspaceCreateOptions::default).unwrap();
            table.rotate_memtable_and_wait().unwrap();
        }
        drop(engine);
        let db = Fjall::open(directory).unwrap();
        write(&db, &[("a", Batch::new().delete("1").put("3", "new"))]);
        write(&db, &[("b", Batch::new().put("1", "new"))]);
        write(&db, &[("a", Batch::new().put("1", "new")), ("b", Batch::new().delete("1").put("4", "new"))]);
        states.push(rows(&db));
        drop(db);
        let mut journal = fs::read(directory.join("0.jnl")).unwrap();
        let ends = ends(&journal);
        assert_eq!(ends.len(), states.len(), "{ends:?}");
        journal.truncate(ends[states.len() - 1]);
        Self { journal, states, in_files: 3 }
    }
}

/// Copies of a database whose journal is replaced.
struct Copies<'d> {
    of: &'d Path,
    to: &'d Path,
    is_fresh: bool,
}

impl<'d> Copies<'d> {
    fn new(of: &'d Path, to: &'d Path) -> Self {
        Self { of, to, is_fresh: false }
    }

    fn open(&mut self, journal: &[u8]) -> Result<Rows, FjallError> {
        if !self.is_fresh {
            _ = fs::remove_dir_all(self.to);
            copy(self.of, self.to);
        }
        fs::write(self.to.join("0.jnl"), journal).unwrap();
        let opened = Fjall::open(self.to);
        // A database that is refused before the engine opens it is left as it was.
        self.is_fresh = matches!(&opened, Err(FjallError::Journal { what, .. }) if !what.contains("file"));
        opened.map(|db| rows(&db))
    }
}

fn is_told(error: &FjallError) -> bool {
    matches!(error, FjallError::Journal { .. }) && error.kind() == ErrorKind::Damaged
}

#[test]
fn every_bit_and_every_length_of_a_journal_that_was_synced() {
    let directory = in_memory();
    let (whole, copied) = (directory.path().join("whole"), directory.path().join("copy"));
    let Made { journal, states, .. } = Made::new(&whole);
    let mut copies = Copies::new(&whole, &copied);
    assert_eq!(copies.open(&journal).unwrap(), states[states.len() - 1]);
    for bit in (0..journal.len() * 8).step_by(every(13)) {
        let mut changed = journal.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let error = copies.open(&changed).expect_err("a changed bit");
        assert!(is_told(&error), "bit {bit}: {error}");
    }
    for len in 0..journal.len() {
        let error = copies.open(&journal[..len]).expect_err("a journal that was cut short");
        assert!(is_told(&error) && error.to_string().contains("that were synced"), "{len} bytes: {error}");
    }
    assert_eq!(copies.open(&journal).unwrap(), states[states.len() - 1]);
}

/// As after a crash, or in a directory of an earlier version.
#[test]
fn every_bit_and_every_length_of_a_journal_without_a_record() {
    let directory = in_memory();
    let (whole, copied) = (directory.path().join("whole"), directory.path().join("copy"));
    let Made { journal, states, in_files } = Made::new(&whole);
    fs::remove_file(whole.join("synced")).unwrap();
    let mut copies = Copies::new(&whole, &copied);
    let (all, ends) = (&states[states.len() - 1], ends(&journal));
    assert_eq!(copies.open(&journal).unwrap(), *all);
    let (mut told, mut first) = (0, 0);
    for bit in (0..journal.len() * 8).step_by(every(13)) {
        let mut changed = journal.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        match copies.open(&changed) {
            // The number of the first write has none before it.
            Ok(found) if found != *all => {
                assert!((5..13).contains(&(bit / 8)), "bit {bit}: {found:?}");
                first += 1;
            }
            // A sequence number that is still between its neighbours, or the last one.
            Ok(_) => assert!(ends.iter().any(|end| (end + 5..end + 13).contains(&(bit / 8))), "bit {bit}"),
            Err(error) => {
                assert!(is_told(&error), "bit {bit}: {error}");
                told += 1;
            }
        }
    }
    assert!(told * every(13) > journal.len() * 7 && first <= 2, "{told} changes were told, {first} not");
    for len in 0..journal.len() {
        let writes = ends.partition_point(|&end| end <= len) - 1;
        match copies.open(&journal[..len]) {
            // A kill would have left the same.
            Ok(found) => assert!(writes >= in_files && found == states[writes], "{len} bytes: {found:?}"),
            Err(error) => assert!(writes < in_files && is_told(&error), "{len} bytes: {error}"),
        }
    }
}

#[test]
fn the_way_into_a_damaged_journal_says_what_it_cuts_off() {
    let directory = in_memory();
    let (whole, copied) = (directory.path().join("whole"), directory.path().join("copy"));
    let Made { journal, states, .. } = Made::new(&whole);
    let ends = ends(&journal);
    for writes in 0..states.len() - 1 {
        let mut changed = journal.clone();
        changed[ends[writes] + 20] ^= 4;
        let error = Copies::new(&whole, &copied).open(&changed).unwrap_err();
        let (due, rest) = (ends[writes], journal.len() - ends[writes]);
        match &error {
            FjallError::Journal { path, at, cut, .. } => {
                assert_eq!((path, *at as usize, *cut as usize), (&copied.join("0.jnl"), due, rest));
            }
            other => panic!("{other:?}"),
        }
        let said = format!(
            "the database is damaged: its journal 0.jnl is broken in the write that begins at byte {due}; \
             `FjallOptions::truncate_damaged_journal` opens it and cuts off {rest} bytes of writes, \
             from byte {due} of this journal on"
        );
        assert_eq!(error.to_string(), said);
        let db = FjallOptions::new().truncate_damaged_journal(true).open(&copied).unwrap();
        // Files may have later writes.
        let found = rows(&db);
        assert!(found == states[writes.max(3)], "{writes} writes: {found:?}");
        drop(db);
        let db = Fjall::open(&copied).expect("it is mended");
        assert_eq!(rows(&db), found);
        db.write(&[("a", Batch::new().put("1", "after"))]).unwrap();
        drop(db);
        assert_eq!(rows(&Fjall::open(&copied).unwrap())[&("a".to_owned(), b"1".to_vec())], b"after");
    }
    // Without damage, it changes nothing.
    Copies::new(&whole, &copied).open(&journal).unwrap();
    let db = FjallOptions::new().truncate_damaged_journal(true).open(&copied).unwrap();
    assert_eq!(rows(&db), states[states.len() - 1]);
}

/// The last write has a page of zeros, as after a power loss.
#[test]
fn a_write_that_lacks_a_page_is_lost_alone_unless_it_was_synced() {
    let directory = in_memory();
    let (whole, copied) = (directory.path().join("whole"), directory.path().join("copy"));
    let db = Fjall::open(&whole).unwrap();
    let value = |n: u8| (0..3_000_u32).map(|at| b'a' + (at % 23) as u8 + n % 2).collect::<Vec<u8>>();
    let batch = (0..8).fold(Batch::new(), |mut batch, n| {
        batch.put([n], value(n));
        batch
    });
    db.write(&[("t", Batch::new().put("first", "row"))]).unwrap();
    db.write(&[("t", &batch)]).unwrap();
    drop(db);
    let mut journal = fs::read(whole.join("0.jnl")).unwrap();
    journal[8192..12_288].fill(0);
    let error = Copies::new(&whole, &copied).open(&journal).unwrap_err();
    assert!(is_told(&error), "{error}");
    let db = FjallOptions::new().truncate_damaged_journal(true).open(&copied).unwrap();
    let first = Rows::from([(("t".to_owned(), b"first".to_vec()), b"row".to_vec())]);
    assert_eq!(rows(&db), first);
    drop(db);
    fs::remove_file(whole.join("synced")).unwrap();
    assert_eq!(Copies::new(&whole, &copied).open(&journal).unwrap(), first);
}

/// The engine begins another journal after 64 MB.
#[test]
fn several_journals_are_one() {
    let directory = in_memory();
    let (whole, split) = (directory.path().join("whole"), directory.path().join("split"));
    let Made { journal, states, .. } = Made::new(&whole);
    let ends = ends(&journal);
    let all = &states[states.len() - 1];
    for writes in 1..states.len() - 1 {
        let make = || {
            _ = fs::remove_dir_all(&split);
            copy(&whole, &split);
            fs::remove_file(split.join("synced")).unwrap();
            fs::write(split.join("0.jnl"), &journal[..ends[writes]]).unwrap();
            fs::write(split.join("1.jnl"), [&journal[ends[writes]..], &[0; 5_000]].concat()).unwrap();
        };
        make();
        assert_eq!(rows(&Fjall::open(&split).unwrap()), *all);
        assert_eq!(rows(&Fjall::open(&split).unwrap()), *all);

        // In the wrong order.
        make();
        let swapped = [journal[ends[writes]..].to_vec(), journal[..ends[writes]].to_vec()];
        for (number, journal) in swapped.iter().enumerate() {
            fs::write(split.join(format!("{number}.jnl")), journal).unwrap();
        }
        let error = Fjall::open(&split).unwrap_err();
        assert!(is_told(&error) && error.to_string().contains("out of order"), "{error}");

        make();
        let mut changed = journal[..ends[writes]].to_vec();
        changed[ends[writes - 1] + 20] ^= 1;
        fs::write(split.join("0.jnl"), &changed).unwrap();
        match Fjall::open(&split).unwrap_err() {
            FjallError::Journal { at, cut, .. } => {
                assert_eq!((at as usize, cut as usize), (ends[writes - 1], journal.len() - ends[writes - 1]));
            }
            other => panic!("{other}"),
        }
        let db = FjallOptions::new().truncate_damaged_journal(true).open(&split).unwrap();
        assert_eq!(rows(&db), states[(writes - 1).max(3)]);
        assert!(!split.join("1.jnl").exists());
        drop(db);
        Fjall::open(&split).unwrap();
    }

    // The last one is gone, which was synced.
    fs::remove_dir_all(&split).unwrap();
    copy(&whole, &split);
    fs::write(split.join("1.jnl"), &journal[ends[4]..]).unwrap();
    fs::write(split.join("0.jnl"), &journal[..ends[4]]).unwrap();
    fs::remove_file(split.join("synced")).unwrap();
    drop(Fjall::open(&split).unwrap());
    fs::remove_file(split.join("1.jnl")).unwrap();
    fs::write(split.join("0.jnl"), &journal[..ends[4]]).unwrap();
    let error = Fjall::open(&split).unwrap_err();
    assert!(is_told(&error) && error.to_string().contains("1.jnl is not there"), "{error}");
    let db = FjallOptions::new().truncate_damaged_journal(true).open(&split).unwrap();
    assert_eq!(rows(&db), states[4]);
}

/// Of a handle to a dropped table the engine takes writes, and so did this crate. They are not there at the next
/// opening, and their sequence numbers come again.
#[test]
fn numbers_of_a_dropped_table_come_again() {
    let directory = in_memory();
    let journal = || fs::read(directory.path().join("0.jnl")).unwrap();
    let numbers = || {
        let (bytes, mut numbers) = (journal(), Vec::new());
        for end in ends(&bytes) {
            if let Some([1, start @ ..]) = bytes.get(end..end + 13) {
                numbers.push(u64::from_le_bytes(start[4..].try_into().unwrap()));
            }
        }
        numbers
    };
    for round in 0..3 {
        drop(Fjall::open(directory.path()).unwrap());
        let db = fjall::Database::builder(directory.path()).open().unwrap();
        let dropped = db.keyspace("=dropped", fjall::KeyspaceCreateOptions::default).unwrap();
        db.delete_keyspace(dropped.clone()).unwrap();
        for n in 0..20_u8 {
            let mut batch = db.batch();
            batch.insert(&dropped, [n], "row");
            batch.commit().unwrap();
        }
        drop((dropped, db));
        let db = Fjall::open(directory.path()).unwrap();
        db.write(&[("kept", Batch::new().put([round], "row"))]).unwrap();
    }
    assert_eq!(rows(&Fjall::open(directory.path()).unwrap()).len(), 3);
    let numbers = numbers();
    assert!(numbers.iter().collect::<BTreeSet<_>>().len() < numbers.len(), "{numbers:?}");
}

/// Backups have the record of another time, or none.
#[test]
fn an_older_record_is_right_and_none_is_too() {
    let directory = in_memory();
    let (path, record) = (directory.path().join("database"), directory.path().join("database/synced"));
    let mut records = Vec::new();
    for round in 0..6_u8 {
        let db = Fjall::open(&path).unwrap();
        assert_eq!(rows(&db).len(), usize::from(round));
        db.write(&[("t", Batch::new().put([round], "row"))]).unwrap();
        drop(db);
        records.push(fs::read(&record).unwrap());
        match round {
            1 => fs::remove_file(&record).unwrap(),
            2 => fs::write(&record, &records[0]).unwrap(),
            3 => fs::write(&record, &records[3][..records[3].len() / 2]).unwrap(),
            4 => fs::write(path.join("synced.new"), "cut o").unwrap(),
            _ => {}
        }
    }
    let db = Fjall::open(&path).unwrap();
    assert_eq!(rows(&db).len(), 6);
}
