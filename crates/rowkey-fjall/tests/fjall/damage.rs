//! Files that were changed, truncated or removed: either an error, or every row, never fewer rows.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use rowkey::store::{Database, RowBatch, Scan};
use rowkey::{Error, Table, WriteBatch};
use rowkey_fjall::{Fjall, FjallOptions, TableOptions};

use crate::in_memory;

/// The number of times that something is damaged.
const TIMES: usize = 120;

type Tables = BTreeMap<String, Vec<(Vec<u8>, Vec<u8>)>>;

/// Everything in a database.
fn read_all(directory: &Path) -> Result<Tables, Error> {
    let db = Fjall::open(directory)?;
    let mut tables = Tables::new();
    for name in db.tables()? {
        let table = db.table(&name)?;
        let (mut rows, mut batch, mut all) = (table.scan(&Scan::all()), RowBatch::new(), Vec::new());
        loop {
            rows.next_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            all.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        }
        for (key, value) in all.iter().step_by(37) {
            assert_eq!(table.get(key)?.as_ref(), Some(value));
        }
        tables.insert(name, all);
    }
    Ok(tables)
}

/// A database with rows in files, and in the journal.
fn make(directory: &Path) -> Tables {
    let small = TableOptions::new().memtable_bytes(1 << 20);
    let db = FjallOptions::new().new_tables(small).open(directory).unwrap();
    for name in ["one", "two"] {
        let table: Table<u32, String, Fjall> = Table::open(db.clone(), name).unwrap();
        for part in 0..30 {
            let mut batch = WriteBatch::new();
            for n in part * 500..(part + 1) * 500 {
                batch.put(&table, &n, &format!("{name} {:x}", n.wrapping_mul(2_654_435_761)).repeat(6)).unwrap();
            }
            batch.write(&db).unwrap();
        }
        table.delete_rows(100..200).unwrap();
        (0..20).for_each(|n| table.put(&(n * 7), &"again".to_owned()).unwrap());
    }
    drop(db);
    read_all(directory).unwrap()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all.sort();
    all
}

/// Length of a file without the zeros at its end.
fn written(bytes: &[u8]) -> usize {
    let zeros =
        bytes.rchunks(4096).take_while(|chunk| **chunk == [0; 4096][..chunk.len()]).map(<[u8]>::len).sum::<usize>();
    bytes[..bytes.len() - zeros].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)
}

/// A file: its path in the database, its content without the zeros at its end, and its length with them, which the
/// engine has reserved.
struct Stored {
    name: PathBuf,
    bytes: Vec<u8>,
    len: u64,
}

impl Stored {
    fn read(file: &Path, directory: &Path) -> Self {
        let name = file.strip_prefix(directory).unwrap().to_owned();
        let mut bytes = fs::read(file).unwrap();
        let len = bytes.len() as u64;
        bytes.truncate(written(&bytes));
        Self { name, bytes, len }
    }

    fn write(&self, directory: &Path, bytes: &[u8], len: u64) {
        let path = directory.join(&self.name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = fs::File::create(path).unwrap();
        file.write_all(bytes).unwrap();
        file.set_len(len).unwrap();
    }
}

#[test]
fn no_row_is_lost_without_a_word() {
    let directory = in_memory();
    let whole = directory.path().join("whole");
    let rows = make(&whole);
    assert_eq!(rows.len(), 3, "two tables, and the layouts of their keys");
    let mut random = 1_u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % n
    };
    let all: Vec<Stored> = files(&whole).iter().map(|file| Stored::read(file, &whole)).collect();
    let damageable: Vec<&Stored> = all.iter().filter(|file| !file.name.ends_with("lock")).collect();
    let mut told = 0;
    for time in 0..TIMES {
        let damaged = directory.path().join(format!("damaged-{time}"));
        all.iter().for_each(|file| file.write(&damaged, &file.bytes, file.len));
        let file = damageable[time % damageable.len()];
        let Stored { name, bytes, len } = file;
        let place = below(bytes.len().max(1));
        let how = match below(8) {
            0 => {
                fs::remove_file(damaged.join(name)).unwrap();
                "is gone".to_owned()
            }
            1 => {
                file.write(&damaged, &bytes[..place], place as u64);
                format!("is cut off at {place} of {len}")
            }
            _ => {
                let (mut changed, bit) = (bytes.clone(), below(8));
                let changed_byte = changed.get_mut(place);
                changed_byte.into_iter().for_each(|byte| *byte ^= 1 << bit);
                file.write(&damaged, &changed, *len);
                format!("has bit {bit} of byte {place} of {len} changed")
            }
        };
        match read_all(&damaged) {
            Ok(found) => assert!(found == rows, "{} {how}: rows are other ones", name.display()),
            Err(error) => {
                assert!(matches!(error, Error::Engine(_)), "{error}");
                told += 1;
            }
        }
        fs::remove_dir_all(damaged).unwrap();
    }
    assert!(told > TIMES / 3, "{told} of {TIMES} were told");
}
