//! From one key to another while the program runs: a new key is a new table, and every row moves.
//!
//!     cargo run --example migration

use rowkey::migrate::{Conversion, Migration};
use rowkey::{Error, Memory, RowKey, Table};

/// The key until now: the earliest day first.
#[derive(RowKey)]
struct OldVisit {
    host: String,
    day: u16,
}

/// The key from now on: the latest day first.
#[derive(RowKey, Debug)]
struct Visit {
    host: String,
    #[rowkey(desc)]
    day: u16,
}

fn main() -> Result<(), Error> {
    let db = Memory::new();
    let old: Table<OldVisit, String, _> = Table::open(&db, "visits")?;
    for day in 0..2000 {
        old.put(&OldVisit { host: "apache.org".into(), day }, &"ada".into())?;
    }

    // Each process opens the migration by its name, and reads and writes through it: by the new key, to both tables.
    let keys =
        Conversion::keys(|OldVisit { host, day }| Visit { host, day }, |Visit { host, day }| OldVisit { host, day });
    let visits = Migration::<_, String, _, _, _>::open(&db, "latest first", "visits", "visits.2", keys)?;
    visits.put(&Visit { host: "apache.org".into(), day: 2000 }, &"bob".into())?;
    println!("begun: {}", visits.phase()?);

    // One of them copies the old rows, and compares. A job that was stopped or killed resumes where it was.
    visits.backfill().run()?;
    println!("copied: {}", visits.phase()?);
    let report = visits.verify().run()?;
    println!("verified: {}, {} differences", visits.phase()?, report.differences());

    // From here on the new table is read. Both are written until the end, so `roll_back` is still possible.
    visits.cut_over()?;
    println!("cut over: {}", visits.phase()?);
    visits.finish()?;

    let visits: Table<Visit, String, _> = Table::open(&db, "visits.2")?;
    println!("{} rows, the first of day {:?}", visits.count(..)?, visits.first(..)?.map(|(visit, _)| visit.day));
    // A program that was forgotten does not make the old table anew.
    if let Err(refused) = Table::<OldVisit, String, _>::open(&db, "visits") {
        println!("the old name: {refused}");
    }
    Ok(())
}
