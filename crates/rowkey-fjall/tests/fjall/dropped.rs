//! Tables that are created and dropped: what a kill leaves of them, and what is in their directories.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rowkey::secondary::Primary;
use rowkey::store::{Batch, Database};
use rowkey::{Error, Table, WriteBatch};
use rowkey_fjall::{Fjall, FjallError, FjallOptions, TableOptions};

use crate::in_memory;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.as_ref().unwrap().file_name()));
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(fs::copy(from, to).unwrap()),
        }
    }
}

/// Writes to table `t`, the first of a database: a file of rows, and some that are only in the journal.
fn make(path: &Path) -> Fjall {
    let small = TableOptions::new().memtable_bytes(1 << 20);
    let db = FjallOptions::new().new_tables(small).open(path).unwrap();
    let table = db.table("t").unwrap();
    for part in 0..3_u32 {
        let mut batch = Batch::new();
        (0..1_000_u32).for_each(|n| _ = batch.put((n + part * 1_000).to_be_bytes(), [part as u8; 700]));
        table.write(&batch).unwrap();
    }
    let files = path.join("keyspaces/1/tables");
    (0..12_000).take_while(|_| fs::read_dir(&files).unwrap().next().is_none()).for_each(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
    });
    db
}

#[test]
fn rows_are_in_their_table_whatever_was_dropped_before() {
    let directory = in_memory();
    let open = || Fjall::open(directory.path()).unwrap();
    let db = open();
    let first = db.table("first").unwrap();
    (0..100_u32).for_each(|n| first.write(Batch::new().put(n.to_be_bytes(), "row")).unwrap());
    db.table("second").unwrap();
    db.drop_table("first").unwrap();
    drop((first, db));
    // All rows that were counted are removed, and the engine counts from the start.
    open().drop_table("second").unwrap();
    open().table("third").unwrap().write(Batch::new().put("a", "third's")).unwrap();
    let db = open();
    assert_eq!(db.tables().unwrap(), ["third"]);
    assert_eq!(db.table("third").unwrap().get(b"a").unwrap().as_deref(), Some(&b"third's"[..]));
}

#[test]
fn a_table_whose_dropping_was_killed_is_dropped() {
    let directory = in_memory();
    let (path, saved) = (directory.path().join("database"), directory.path().join("saved"));
    let db = make(&path);
    copy(&path.join("keyspaces/1"), &saved);
    db.drop_table("t").unwrap();
    drop(db);
    // Its `current` is removed first, then one file after the other.
    copy(&saved, &path.join("keyspaces/1"));
    fs::remove_file(path.join("keyspaces/1/current")).unwrap();
    assert_eq!(Fjall::open(&path).unwrap().tables().unwrap(), [""; 0]);
    assert!(!path.join("keyspaces/1").exists());
}

#[test]
fn a_table_whose_directory_is_gone_is_missed() {
    let directory = in_memory();
    let path = directory.path().join("database");
    drop(make(&path));
    fs::rename(path.join("keyspaces/1"), directory.path().join("elsewhere")).unwrap();
    let error = Fjall::open(&path).unwrap_err();
    assert!(matches!(error, FjallError::Damaged(_)), "{error}");
    fs::rename(directory.path().join("elsewhere"), path.join("keyspaces/1")).unwrap();
    Fjall::open(&path).unwrap();
}

#[test]
fn no_byte_of_a_list_of_files_is_changed_without_a_word() {
    let directory = in_memory();
    drop(make(directory.path()));
    // Opening removes the lists from before, and may write one more, of rows that were in the journal alone.
    let opened = || {
        Fjall::open(directory.path()).unwrap();
        let entries = fs::read_dir(directory.path().join("keyspaces/1")).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_file()).collect::<BTreeSet<_>>()
    };
    let mut lists = opened();
    loop {
        match opened() {
            same if same == lists => break,
            others => lists = others,
        }
    }
    for list in lists {
        let bytes = fs::read(&list).unwrap();
        for place in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            fs::write(&list, changed).unwrap();
            let error = Fjall::open(directory.path()).unwrap_err();
            assert!(matches!(error, FjallError::Damaged(_)), "{} byte {place}: {error}", list.display());
        }
        fs::write(list, bytes).unwrap();
    }
    Fjall::open(directory.path()).unwrap();
}

#[test]
fn what_is_no_table_among_the_tables_is_told() {
    let directory = in_memory();
    drop(make(directory.path()));
    let strangers = ["keyspaces/lost+found/", "keyspaces/1/tables/lost+found/", "keyspaces/1/tables/.nfs0001"];
    for stranger in strangers.into_iter().chain(["keyspaces/1/tables/desktop.ini"]) {
        let place = directory.path().join(stranger);
        match stranger.ends_with('/') {
            true => fs::create_dir(&place).unwrap(),
            false => fs::write(&place, "").unwrap(),
        }
        let error = Fjall::open(directory.path()).unwrap_err();
        let FjallError::Foreign { found, path } = &error else { panic!("{stranger}: {error}") };
        assert_eq!(path.join(found), place, "{error}");
        let _ = fs::remove_file(&place).or_else(|_| fs::remove_dir(&place));
    }
    for passed_over in [".DS_Store", "._0"] {
        fs::write(directory.path().join("keyspaces/1/tables").join(passed_over), "").unwrap();
    }
    Fjall::open(directory.path()).unwrap();
    fs::remove_dir_all(directory.path().join("keyspaces")).unwrap();
    let error = Fjall::open(directory.path()).unwrap_err();
    assert!(matches!(&error, FjallError::Damaged(what) if what.contains("keyspaces")), "{error}");
}

/// Each write through a handle to a dropped table is refused, and none makes the table again or goes to another one.
#[test]
fn handles_of_a_dropped_table_do_not_write() {
    let directory = in_memory();
    let db = Fjall::open(directory.path()).unwrap();
    let (old, other): (Table<u64, i64, _>, Table<u64, i64, _>) =
        (Table::open(db.clone(), "t").unwrap(), Table::open(db.clone(), "other").unwrap());
    let store = db.table("t").unwrap();
    let mut primary: Primary<u64, i64, _> = Primary::open(db.clone(), "t").unwrap();
    primary.secondary("t.by_value", |key: &u64, value: &i64| [((*value, *key), ())]).unwrap();
    old.put(&1, &1).unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&other, &2, &2).unwrap().put(&old, &2, &2).unwrap();
    Table::<u64, i64, _>::open(db.clone(), "t").unwrap().drop_table().unwrap();
    for is_made_anew in [false, true] {
        if is_made_anew {
            Table::<String, i64, _>::open(db.clone(), "t").unwrap().put(&"a".to_owned(), &7).unwrap();
        }
        let written = [
            old.put(&3, &3),
            old.delete(&1),
            old.increment(&1, 1).map(drop),
            store.compare_and_write(b"a", None, Some(b"b")).map(drop),
            old.delete_rows(..),
            old.update(&1, |_| Some(5)).map(drop),
            batch.write(&db),
            primary.put(&5, &5),
            store.write(Batch::new().put("a", "b")),
            store.increment(b"a", 1).map(drop),
            store.transact(&mut |_| Ok(Batch::new())),
        ];
        for (at, written) in written.into_iter().enumerate() {
            assert!(matches!(&written, Err(Error::NoSuchTable(name)) if name == "t"), "write {at}: {written:?}");
        }
        assert_eq!(db.tables().unwrap().contains(&"t".to_owned()), is_made_anew);
        assert_eq!(other.get(&2).unwrap(), None);
    }
    let anew = Table::<String, i64, _>::open_existing(db, "t").unwrap();
    assert_eq!(anew.scan(..).collect::<Result<Vec<_>, _>>().unwrap(), [("a".to_owned(), 7)]);
}
