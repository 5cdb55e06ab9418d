//! Databases that can't be opened, and rows that can't be written.

use std::process::Command;

use rowkey::store::{Batch, Database, NewTable, Store};
use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
use rowkey::{Error, ErrorKind, Table};
use rowkey_fjall::{Durability, Fjall, FjallError, FjallOptions, TableOptions};

use crate::{WRITES_TO, database, only};

fn why(error: &Error) -> &FjallError {
    error.engine_error().unwrap_or_else(|| panic!("{error:?}"))
}

#[test]
fn a_database_that_is_open_is_locked() {
    if let Some(directory) = std::env::var_os(WRITES_TO) {
        println!("other process: {}", Fjall::open(directory).unwrap_err());
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let db = Fjall::open(directory.path()).unwrap();
    let error = Fjall::open(directory.path()).unwrap_err();
    assert!(matches!(&error, FjallError::Locked(path) if path == directory.path()), "{error}");
    let other = only("refused::a_database_that_is_open_is_locked").env(WRITES_TO, directory.path()).output().unwrap();
    let said = String::from_utf8(other.stdout).unwrap();
    let due = format!("other process: {} is locked: it is open in another process", directory.path().display());
    assert!(said.contains(&due), "{said}");
    drop(db);
    Fjall::open(directory.path()).unwrap();
}

#[test]
fn a_directory_of_something_else_is_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("letter.txt"), "dear").unwrap();
    let error = Fjall::open(directory.path()).unwrap_err();
    assert!(matches!(&error, FjallError::Foreign { found, .. } if found == "letter.txt"), "{error}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);

    let file = directory.path().join("letter.txt");
    assert!(matches!(Fjall::open(&file).unwrap_err(), FjallError::Disk(_)));
    assert!(matches!(Fjall::open(file.join("below")).unwrap_err(), FjallError::Disk(_)));
    #[cfg(target_os = "linux")]
    assert!(matches!(Fjall::open("/proc/no/such").unwrap_err(), FjallError::Disk(_)));
    assert!(matches!(Fjall::open("").unwrap_err(), FjallError::Disk(_)));

    let theirs = directory.path().join("theirs");
    let other = fjall::Database::builder(&theirs).open().unwrap();
    other.keyspace("users", fjall::KeyspaceCreateOptions::default).unwrap().insert("a", "b").unwrap();
    drop(other);
    let error = Fjall::open(&theirs).unwrap_err();
    assert!(matches!(&error, FjallError::OtherProgram { keyspace, .. } if keyspace == "users"), "{error}");
}

/// Files that desktops and file systems leave anywhere, and an empty file that a copy may lack.
#[test]
fn a_directory_that_was_copied_or_looked_at_is_opened() {
    let directory = crate::in_memory();
    let path = directory.path().join("database");
    std::fs::create_dir(&path).unwrap();
    let strangers = [".DS_Store", "._version", "Thumbs.db", "desktop.ini", ".nfs0001"];
    let mut row = 0;
    let mut open = || {
        let db = Fjall::open(&path).unwrap();
        let table = db.table("t").unwrap();
        table.write(Batch::new().put([row], "row")).unwrap();
        row += 1;
        assert!((0..row).all(|row| table.get(&[row]).unwrap().is_some()));
        drop((table, db));
    };
    // In a new database, and in one that is there.
    std::fs::create_dir(path.join("lost+found")).unwrap();
    strangers.iter().for_each(|name| std::fs::write(path.join(name), "x").unwrap());
    open();
    strangers.iter().for_each(|name| std::fs::write(path.join("keyspaces").join(name), "x").unwrap());
    open();
    for name in ["lock", "synced"] {
        std::fs::remove_file(path.join(name)).unwrap();
        open();
    }
    assert!(strangers.iter().all(|name| path.join(name).exists()));

    // Without the lock it is locked as well, and a directory of something else gets none.
    std::fs::remove_file(path.join("lock")).unwrap();
    let db = Fjall::open(&path).unwrap();
    assert!(matches!(Fjall::open(&path).unwrap_err(), FjallError::Locked(_)));
    drop(db);
    std::fs::write(path.join("._0.jnl"), "x").unwrap();
    let error = Fjall::open(&path).unwrap_err();
    assert!(matches!(&error, FjallError::Foreign { found, .. } if found == "._0.jnl"), "{error}");
    let other = directory.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("letter.txt"), "dear").unwrap();
    assert!(matches!(Fjall::open(&other).unwrap_err(), FjallError::Foreign { .. }));
    assert!(!other.join("lock").exists());
}

/// `version` is written last but for the list of tables, and in two pieces.
#[test]
fn a_database_whose_making_was_killed_is_made() {
    // The record of a database that was here before.
    let before = crate::in_memory();
    Fjall::open(before.path()).unwrap().write(&[("t", Batch::new().put("a", "1"))]).unwrap();
    let record = std::fs::read(before.path().join("synced")).unwrap();
    for version in [None, Some(""), Some("FJL"), Some("\0\0\0\0")] {
        let directory = crate::in_memory();
        std::fs::write(directory.path().join("lock"), "").unwrap();
        std::fs::write(directory.path().join("synced"), &record).unwrap();
        std::fs::create_dir(directory.path().join("keyspaces")).unwrap();
        std::fs::File::create(directory.path().join("0.jnl")).unwrap().set_len(64 << 20).unwrap();
        version.inspect(|version| std::fs::write(directory.path().join("version"), version).unwrap());
        let db = Fjall::open(directory.path()).unwrap();
        db.write(&[("t", Batch::new().put("a", "1"))]).unwrap();
        drop(db);
        drop(Fjall::open(directory.path()).unwrap());
        // In a database that was created completely, this is damage.
        std::fs::write(directory.path().join("version"), version.unwrap_or("F")).unwrap();
        assert!(matches!(Fjall::open(directory.path()).unwrap_err(), FjallError::Damaged(_)));
    }
}

#[test]
fn keys_and_names_have_a_longest() {
    let db = database();
    let table = db.table("t").unwrap();
    let (longest, longer) = (vec![7; 65_535], vec![7; 65_536]);
    table.write(Batch::new().put(longest.clone(), "v")).unwrap();
    assert_eq!(table.get(&longest).unwrap().as_deref(), Some(&b"v"[..]));
    assert_eq!(table.get(&longer).unwrap(), None);
    let error = table.write(Batch::new().put("a", "1").put(longer.clone(), "v")).unwrap_err();
    let named = |table: &str| table == "t";
    assert!(
        matches!(&error, Error::TooLarge { what: "a key", table, len: 65_536, max: 65_535, .. } if named(table)),
        "{error}"
    );
    assert_eq!(table.get(b"a").unwrap(), None, "nothing of the batch is there");
    assert!(matches!(table.increment(&longer, 1), Err(Error::TooLarge { .. })));

    db.table(&"n".repeat(254)).unwrap();
    let error = db.table(&"n".repeat(255)).err().unwrap();
    assert!(matches!(error, Error::TooLarge { what: "a table's name", len: 255, max: 254, .. }), "{error}");
    db.drop_table(&"n".repeat(255)).unwrap();
    assert_eq!(db.tables().unwrap().len(), 2);
}

#[test]
fn a_table_that_was_dropped_is_empty_when_it_is_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let db = Fjall::open(directory.path()).unwrap();
    let before = db.table("t").unwrap();
    before.write(Batch::new().put("a", "1")).unwrap();
    db.drop_table("t").unwrap();
    let after = db.table("t").unwrap();
    assert_eq!(before.get(b"a").unwrap().as_deref(), Some(&b"1"[..]), "the table that was");
    assert!(before.write(Batch::new().put("b", "2")).is_err());
    assert_eq!((after.get(b"a").unwrap(), after.get(b"b").unwrap()), (None, None));
    after.write(Batch::new().put("c", "3")).unwrap();
    drop((before, after, db));
    let table = Fjall::open(directory.path()).unwrap().table("t").unwrap();
    assert_eq!([b"a", b"b", b"c"].map(|key| table.get(key).unwrap().is_some()), [false, false, true]);
}

#[test]
fn options_are_those_of_the_table_that_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let plain = TableOptions::new().compression(false).bloom_filter(None).block_bytes(1 << 16).memtable_bytes(0);
    let options = FjallOptions::new().table("plain", plain).cache_bytes(1 << 20).durability(Durability::Synced);
    let db = options.open(directory.path()).unwrap();
    let rows = |name| -> Table<u32, String, Fjall> { Table::open(db.clone(), name).unwrap() };
    for name in ["plain", "packed"] {
        let table = rows(name);
        let mut batch = rowkey::WriteBatch::new();
        (0..30_000).for_each(|n| batch.put(&table, &n, &format!("{n:0100}")).map(drop).unwrap());
        batch.write(&db).unwrap();
        assert_eq!(table.count(..).unwrap(), 30_000);
        assert_eq!(table.get(&29_999).unwrap().unwrap(), format!("{:0100}", 29_999));
    }
    db.sync().unwrap();
    drop(db);

    // After all rows are in the last level: compressed ones are smaller.
    let engine = fjall::Database::builder(directory.path()).open().unwrap();
    let [plain, packed] = ["=plain", "=packed"].map(|name| {
        let keyspace = engine.keyspace(name, fjall::KeyspaceCreateOptions::default).unwrap();
        keyspace.rotate_memtable_and_wait().unwrap();
        keyspace.major_compact().unwrap();
        keyspace.disk_space()
    });
    assert!(plain > 3_000_000 && packed < plain / 3, "{plain} and {packed} bytes");
}

/// A file system of its own that gets full.
#[test]
fn a_full_disk_is_told_and_what_was_answered_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(directory.path()).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: a file system can't be mounted here");
        return;
    }
    struct Mounted<'d>(&'d std::path::Path);
    impl Drop for Mounted<'_> {
        fn drop(&mut self) {
            drop(Command::new("umount").arg("-l").arg(self.0).status());
        }
    }
    let _mounted = Mounted(directory.path());
    let path = directory.path().join("database");
    let db = Fjall::open(&path).unwrap();
    let rows: Table<u32, String, Fjall> = Table::open(db, "rows").unwrap();
    let value = |n: u32| format!("{n:010} ").repeat(500);
    let mut answered = 0;
    let error = loop {
        match rows.put(&answered, &value(answered)) {
            Ok(()) => answered += 1,
            Err(error) => break error,
        }
    };
    // The journal may have the failed write. Before it came to that, nothing was written.
    match (why(&error), error.kind()) {
        (FjallError::Disk(_), ErrorKind::OutcomeUnknown) | (FjallError::Failed, ErrorKind::Other) => {}
        _ => panic!("{error:?}"),
    }
    assert!(answered > 500, "{answered}");
    assert!(matches!(why(&rows.put(&answered, &value(answered)).unwrap_err()), FjallError::Failed));
    let there = |rows: &Table<u32, String, Fjall>| {
        for n in 0..answered {
            assert_eq!(rows.get(&n).unwrap(), Some(value(n)), "row {n} of {answered}");
        }
    };
    there(&rows);
    drop(rows);

    // With space again, it continues.
    let more = Command::new("mount").args(["-o", "remount,size=200m"]).arg(directory.path()).status().unwrap();
    assert!(more.success());
    let rows: Table<u32, String, Fjall> = Table::open(Fjall::open(&path).unwrap(), "rows").unwrap();
    there(&rows);
    rows.put(&answered, &value(answered)).unwrap();

    drop(rows);
    let read_only = Command::new("mount").args(["-o", "remount,ro"]).arg(directory.path()).status().unwrap();
    assert!(read_only.success());
    let error = Fjall::open(&path).unwrap_err();
    assert!(
        matches!(&error, FjallError::Disk(error) if error.kind() == std::io::ErrorKind::ReadOnlyFilesystem),
        "{error}"
    );
}

#[test]
fn a_table_is_made_as_it_is_asked_for_or_not_at_all() {
    let db = database();
    let new = NewTable::new().option("block_bytes", "65536").option("bloom_filter", "none").split_at(["m"]);
    let table = db.create_table("t", &new).unwrap();
    table.write(Batch::new().put("a", "1").put("z", "2")).unwrap();
    assert_eq!(table.split_points().unwrap().len(), 0, "it has no regions");
    assert!(matches!(db.create_table("t", &new), Err(Error::TableExists(name)) if name == "t"));
    assert_eq!(db.open_table("t").unwrap().get(b"z").unwrap().as_deref(), Some(&b"2"[..]));
    let error = db.create_table("u", &NewTable::new().option("compression", "zstd")).err().unwrap();
    let said = r#"table "u" can't have the option "compression": "zstd" is not true or false"#;
    assert_eq!(error.to_string(), said);
    assert!(matches!(db.open_table("u"), Err(Error::NoSuchTable(name)) if name == "u"));
    assert!(matches!(db.open_table(&"n".repeat(255)), Err(Error::NoSuchTable(_))));
    assert!(matches!(db.create_table(&"n".repeat(255), &new), Err(Error::TooLarge { len: 255, .. })));
    assert_eq!(db.tables().unwrap(), ["t"]);
}

/// Rows and columns whose entries fit into the engine's keys are accepted, whatever their bytes. Others change nothing.
#[test]
fn wide_rows_have_the_room_that_the_engines_keys_leave() {
    let table =
        Cells::over(database().table("t").unwrap(), TableSchema::new().family("f", FamilySchema::new())).unwrap();
    let limits = table.guarantees().limits;
    let (row, qualifier) = (limits.row.unwrap(), limits.qualifier.unwrap());
    assert!(row >= 16_000 && qualifier >= 16_000 && limits.value == Some(1 << 30), "{limits:?}");
    let longest = "f".repeat(255);
    let whole = Cells::over(database().table("t").unwrap(), TableSchema::new().family(&longest, FamilySchema::new()));
    let whole = whole.unwrap();
    for byte in [0, 1, b'k', 0xff] {
        let mutation = Mutation::new().put((longest.as_str(), vec![byte; qualifier]), "v");
        whole.mutate(&vec![byte; row], &mutation).unwrap();
        assert_eq!(whole.get(&vec![byte; row], &Columns::all()).unwrap().cells().count(), 1);
    }
    // 65,535 bytes with the family's name, its end, the ends of row and qualifier, kind, timestamp and kind.
    let (fits, around) = (65_535 - 2 - 1 - 1 - 1 - 9, Mutation::new().put("f:q", "v"));
    table.mutate(&vec![b'r'; fits - 1], &around).unwrap();
    let too_large = |answer: Result<(), Error>| match answer {
        Err(Error::TooLarge { len, max, key, .. }) => assert_eq!((len, max, key.len()), (65_536, 65_535, 256)),
        other => panic!("{other:?}"),
    };
    too_large(table.mutate(&vec![b'r'; fits], &around));
    let escaped = [vec![0; 2], vec![b'r'; fits - 4]].concat();
    too_large(table.mutate(&escaped, &around));
    table.mutate(&escaped, &Mutation::new().put("f:", "v")).unwrap();
    too_large(table.mutate_many(&[(b"fine".to_vec(), around.clone()), (vec![b'r'; fits], around)]));
    too_large(table.increment(&vec![b'r'; fits], &[("f:q".into(), 1)]).map(drop));
    assert!(!table.exists(b"fine").unwrap());
    assert_eq!(table.get(&vec![b'r'; fits - 1], &Columns::all()).unwrap().cells().count(), 1);
}

#[test]
fn what_goes_wrong_has_its_kind() {
    use std::io::{Error as Io, ErrorKind as Of};
    let disk = |kind: Of| FjallError::Disk(Io::from(kind));
    for (error, kind) in [
        (FjallError::Locked("d".into()), ErrorKind::Busy),
        (FjallError::Foreign { path: "d".into(), found: "f".into() }, ErrorKind::Mismatch),
        (FjallError::OtherProgram { path: "d".into(), keyspace: "k".into() }, ErrorKind::Mismatch),
        (FjallError::Version("d".into()), ErrorKind::Mismatch),
        (FjallError::Damaged("f".into()), ErrorKind::Damaged),
        (FjallError::Journal { path: "j".into(), what: "w".into(), at: 1, cut: 2 }, ErrorKind::Damaged),
        (disk(Of::PermissionDenied), ErrorKind::PermissionDenied),
        (disk(Of::ReadOnlyFilesystem), ErrorKind::PermissionDenied),
        (disk(Of::NotFound), ErrorKind::NotFound),
        (disk(Of::UnexpectedEof), ErrorKind::Damaged),
        (disk(Of::ResourceBusy), ErrorKind::Busy),
        (disk(Of::StorageFull), ErrorKind::Other),
        (FjallError::Failed, ErrorKind::Other),
        (FjallError::Engine("e".into()), ErrorKind::Other),
    ] {
        let said = error.to_string();
        let error = Error::from(error);
        assert_eq!((error.kind(), error.to_string()), (kind, said));
        assert!(error.engine_error::<FjallError>().is_some());
    }
}
