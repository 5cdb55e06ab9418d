//! A power loss at any moment, simulated: the system calls of a process that writes are recorded, and what may be on
//! the disk is made of them.

mod disk;
mod spoil;
mod trace;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rowkey::Error;
use rowkey::store::{Batch, Database, RowBatch, Scan};
use rowkey_fjall::{Durability, Fjall, FjallError, FjallOptions, TableOptions};
use rowkey_testkit::cases;

use self::disk::{Disk, Order};
use self::spoil::spoil;
use self::trace::Call;
use crate::{WRITES_TO, in_memory, only};

/// The number of writes that a process makes before and after it opens the database again.
const WRITES: u64 = 60;
/// The table `last` has as many rows.
const KEPT: u64 = 10;

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A value of this number: most are short, some have several pages. Many end as a write in the journal does.
fn value(number: u64) -> Vec<u8> {
    let mut random = Random(number);
    let len = if number % 7 == 3 { 5_000 + random.below(60_000) } else { random.below(2_500) };
    let ends: [&[u8]; 4] = [b"", b"FJL\x03", b"\x03checksumFJL\x03", b""];
    let bytes = (0..len).map(|_| b'0' + random.below(64) as u8);
    bytes.chain(ends[number as usize % ends.len()].iter().copied()).collect()
}

fn key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

fn keys(db: &Fjall, table: &str) -> Result<Vec<u64>, Error> {
    let table = db.table(table)?;
    let (mut rows, mut batch, mut all) = (table.scan(&Scan::all()), RowBatch::new(), Vec::new());
    loop {
        rows.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(all);
        }
        for (key, row) in batch.iter() {
            let number = u64::from_be_bytes(key.try_into().unwrap());
            assert!(row == value(number), "row {number} is another one");
            all.push(number);
        }
    }
}

fn try_open(directory: &Path, durability: Durability) -> Result<Fjall, FjallError> {
    let tables = TableOptions::new().memtable_bytes(1 << 20);
    FjallOptions::new().durability(durability).new_tables(tables).open(directory)
}

fn open(directory: &Path, durability: Durability) -> Fjall {
    try_open(directory, durability).unwrap()
}

/// Adds rows: each write is a batch in two tables, and a count.
fn write(db: &Fjall, writes: u64, wrote: impl Fn(u64)) {
    let count = db.table("count").unwrap();
    let next = keys(db, "all").unwrap().len() as u64;
    for number in next..next + writes {
        let (mut all, mut last) = (Batch::new(), Batch::new());
        all.put(key(number), value(number));
        last.put(key(number), value(number));
        if let Some(old) = number.checked_sub(KEPT) {
            last.delete(key(old));
        }
        db.write(&[("all", &all), ("last", &last)]).unwrap();
        count.write(Batch::new().put("n", key(number))).unwrap();
        wrote(number);
    }
}

/// Checks that the writes up to some number are there, and no half of one. Returns how many they are.
fn check(db: &Fjall) -> Result<u64, Error> {
    let all = keys(db, "all")?;
    let len = all.len() as u64;
    assert!(all.into_iter().eq(0..len), "writes are missing among {len}");
    assert!(keys(db, "last")?.into_iter().eq(len.saturating_sub(KEPT)..len), "half of a batch is there of {len}");
    let count = db.table("count")?.get(b"n")?.map_or(0, |n| u64::from_be_bytes(n.try_into().unwrap()) + 1);
    assert!((len.saturating_sub(1)..=len).contains(&count), "{count} of {len} writes were counted");
    Ok(len)
}

/// The calls of two processes one after another. The first one closes the database and opens it again, and is killed.
fn calls(test: &str, durability: Durability, database: &Path) -> Option<Vec<Call>> {
    let traces = Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success());
    if !traces {
        eprintln!("skipped: strace is not installed, or may not trace");
        return None;
    }
    let traces = [0, 1].map(|process| {
        let trace = database.with_extension(format!("trace-{process}"));
        let child = only(test);
        let mut strace = Command::new("strace");
        strace.args(["-f", "-y", "-s", "1000000", "-e", &format!("trace={}", trace::TRACED), "-o"]).arg(&trace);
        strace.arg(child.get_program()).args(child.get_args());
        strace.env(WRITES_TO, database).env("ROWKEY_TEST_DURABILITY", format!("{durability:?}"));
        assert!(strace.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
        fs::read_to_string(trace).unwrap()
    });
    Some(trace::read(&traces, database))
}

/// The other process.
fn write_if_asked() {
    let Some(directory) = std::env::var_os(WRITES_TO) else { return };
    let synced = std::env::var("ROWKEY_TEST_DURABILITY").unwrap() == format!("{:?}", Durability::Synced);
    let durability = if synced { Durability::Synced } else { Durability::Buffered };
    let say = |number| println!("{number}");
    for _ in 0..2 {
        write(&open(directory.as_ref(), durability), WRITES, say);
    }
    let db = open(directory.as_ref(), durability);
    write(&db, WRITES, say);
    // Not closed.
    std::process::exit(0);
}

fn survives(test: &str, durability: Durability, order: Order) {
    write_if_asked();
    let traced = tempfile::tempdir().unwrap();
    let database = traced.path().join("database");
    let Some(calls) = calls(test, durability, &database) else { return };
    let numbers: Vec<(usize, u64)> = calls
        .iter()
        .enumerate()
        .filter_map(|(at, call)| match call {
            Call::Said(line) => Some((at, line.trim().parse().ok()?)),
            _ => None,
        })
        .collect();
    assert_eq!(numbers.len() as u64, 6 * WRITES);

    let (mut random, directory) = (Random(31), in_memory());
    let (mut refused, losses) = (0, cases(10, 200));
    for loss in 0..losses {
        // At any moment, and as often just after a write of several pages.
        let at = random.below(calls.len() + 1);
        let is_long = |call: &Call| matches!(call, Call::Write { bytes, .. } if bytes.len() > 8_192);
        let next = calls[at..].iter().position(|call| loss % 2 == 0 && is_long(call));
        let at = next.map_or(at, |next| at + next + 1);
        let (disk, mut again) = (Disk::after(&calls[..at]), Random(random.0));
        let [left, spoilt] = ["left", "spoilt"].map(|name| directory.path().join(format!("{loss}-{name}")));
        for (random, to) in [(&mut random, &left), (&mut again, &spoilt)] {
            fs::create_dir(to).unwrap();
            disk.lose_power(order, random, database.parent().unwrap(), to);
        }
        let [left, spoilt] = [left, spoilt].map(|directory| directory.join("database"));
        let answered = numbers.iter().rev().find(|(said, _)| *said < at).map_or(0, |(_, number)| number + 1);
        eprintln!("loss {loss}: after {at} of {} calls, {answered} writes were answered", calls.len());
        let db = match try_open(&left, durability) {
            // The directory of a table that was just created.
            Err(FjallError::Damaged(what)) if order == Order::Posix && what.contains("current") => {
                refused += 1;
                eprintln!("refused: {what}");
                continue;
            }
            db => db.unwrap(),
        };
        let there = check(&db).unwrap();
        assert!(durability == Durability::Buffered || there >= answered, "{answered} were answered, {there} are there");
        write(&db, 2, |_| ());
        drop(db);
        assert_eq!(check(&open(&left, durability)).unwrap(), there + 2);
        fs::remove_dir_all(left).unwrap();
        if spoilt.exists() {
            // Told, or taken for a loss of the last writes where it looks like one.
            let how = spoil(&mut again, &spoilt);
            eprintln!("  {how}");
            let told = try_open(&spoilt, durability).map_err(Error::from).and_then(|db| check(&db));
            assert!(told.as_ref().map_or(true, |&found| found <= there), "{how}: {told:?} of {there}");
            fs::remove_dir_all(spoilt).unwrap();
        }
    }
    assert!(refused * 10 <= losses, "{refused} of {losses} are refused");
}

#[test]
fn synced_writes_survive_a_power_loss() {
    survives("power::synced_writes_survive_a_power_loss", Durability::Synced, Order::Ext4);
}

#[test]
fn a_power_loss_leaves_the_first_of_the_buffered_writes() {
    survives("power::a_power_loss_leaves_the_first_of_the_buffered_writes", Durability::Buffered, Order::Ext4);
}

/// Names that come to the disk in any order, as POSIX allows.
#[test]
fn synced_writes_survive_where_names_have_no_order() {
    survives("power::synced_writes_survive_where_names_have_no_order", Durability::Synced, Order::Posix);
}
