//! A process writes to a database on disk, and is killed. Every write that was acknowledged is there afterwards.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rowkey::store::Database;
use rowkey::{RowKey, Table, WriteBatch};

/// The number of a write, the same in two tables.
#[derive(RowKey, Debug)]
#[rowkey(salt(buckets = 4))]
struct Number {
    #[rowkey(desc)]
    number: u64,
}

struct Tables<'d, D> {
    left: Table<Number, String, &'d D>,
    right: Table<Number, String, &'d D>,
    sum: Table<u8, i64, &'d D>,
}

impl<'d, D: Database> Tables<'d, D> {
    fn open(db: &'d D) -> Self {
        Self {
            left: Table::open(db, "left").unwrap(),
            right: Table::open(db, "right").unwrap(),
            sum: Table::open(db, "sum").unwrap(),
        }
    }
}

/// A value that contains its number, of any length up to some kilobytes.
fn value(number: u64) -> String {
    format!("{number} ").repeat(1 + (number % 97 * 7) as usize)
}

/// Writes without end, and prints each number that was written; goes on after the last that is there.
///
/// # Panics
///
/// If a write fails.
pub fn write_on(db: &impl Database) -> ! {
    let tables = Tables::open(&db);
    let last = tables.left.first(..).unwrap().map_or(0, |(Number { number }, _)| number);
    let mut out = std::io::stdout().lock();
    for number in last + 1.. {
        let mut batch = WriteBatch::new();
        batch.put(&tables.left, &Number { number }, &value(number)).unwrap();
        batch.put(&tables.right, &Number { number }, &value(number)).unwrap();
        batch.write(db).unwrap();
        tables.sum.increment(&0, 1).unwrap();
        writeln!(out, "{number}").unwrap();
        out.flush().unwrap();
    }
    unreachable!("there is always another number")
}

/// Kills `child`, which [writes](write_on), this many times, each at another moment, and reads what is there. Returns
/// how many writes were acknowledged.
///
/// # Panics
///
/// If one of them is not, or half of one is.
pub fn kill<D: Database>(times: u64, open: impl Fn() -> D, child: impl Fn() -> Command) -> u64 {
    // Only a process that hangs takes as long.
    const HANGS: Duration = Duration::from_secs(300);
    let mut answered = 0;
    for time in 0..times {
        let mut process = child().stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        let (answer, answers) = channel();
        let reader = std::thread::spawn(move || {
            // The test harness prints lines of its own. A line that was cut off is ignored.
            let lines = out.split(b'\n').map_while(Result::ok);
            let numbers = lines.filter_map(|line| str::from_utf8(&line).ok()?.parse::<u64>().ok());
            numbers.for_each(|number| _ = answer.send(number));
        });
        if time % 5 == 0 {
            // While the database is created or opened, or during the first writes.
            std::thread::sleep(Duration::from_millis(3 * time));
        } else {
            // After some writes, in the middle of another.
            for _ in 0..1 + time * 7_919 % 150 {
                answered = answers.recv_timeout(HANGS).expect("a process that writes on");
            }
            std::thread::sleep(Duration::from_micros(time * 37 % 500));
        }
        process.kill().unwrap();
        process.wait().unwrap();
        reader.join().unwrap();
        answered = answers.iter().last().unwrap_or(answered).max(answered);

        let db = open();
        let tables = Tables::open(&db);
        let left: Vec<_> = tables.left.scan(..).reverse().map(Result::unwrap).collect();
        let right: Vec<_> = tables.right.scan(..).reverse().map(Result::unwrap).collect();
        assert!(left.len() as u64 >= answered, "{answered} were answered, {} are there", left.len());
        for (n, ((left, one), (right, other))) in (1..).zip(left.iter().zip(&right)) {
            assert_eq!((left.number, right.number), (n, n), "rows are missing");
            assert!(*one == value(n) && *other == value(n), "row {n} has another value");
        }
        assert_eq!(left.len(), right.len(), "half a batch is there");
        let sum = tables.sum.get(&0).unwrap().unwrap_or(0) as u64;
        assert!((answered..=left.len() as u64).contains(&sum), "{answered} counted, {sum} are there");
        // A kill between a batch and its count leaves them different. They are made equal, so that each round begins
        // alike.
        tables.sum.put(&0, &(left.len() as i64)).unwrap();
    }
    assert!(answered > times, "{answered} writes are too few to say anything");
    answered
}
