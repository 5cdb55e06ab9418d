//! A struct becomes a key, rows are stored under it, and a scan reads the rows that it returns.
//!
//!     cargo run --example quickstart            rows are kept in memory
//!     cargo run --example quickstart -- DIR     rows are kept in DIR; the next run finds them
//!
//! The rows are real: hourly temperatures of two cities, early in 2010 (source: `studies/data/README.md`).

use std::error::Error;

use rowkey::store::Database;
use rowkey::{Memory, RowKey, Table};
use rowkey_fjall::Fjall;

/// The key. Fields sort in this order, the most significant first; `desc` sorts the latest first.
#[derive(RowKey, Debug)]
struct Reading {
    city: String,
    #[rowkey(desc)]
    day: u32,
    #[rowkey(desc)]
    hour: u8,
}

const SAMPLE: &str = include_str!("../studies/data/temperatures.tsv");

fn main() -> Result<(), Box<dyn Error>> {
    // Any engine is a `Database`; the rest of the program is the same for each.
    let db: Box<dyn Database> = match std::env::args().nth(1) {
        Some(directory) => Box::new(Fjall::open(directory)?),
        None => Box::new(Memory::new()),
    };
    let readings: Table<Reading, f64, _> = Table::open(&db, "readings")?;

    let found = readings.count(..)?;
    if found == 0 {
        let rows = SAMPLE.lines().skip(1).map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let (day, hour) = (columns[1][..10].replace('-', ""), &columns[1][11..13]);
            let key = Reading { city: columns[0].into(), day: day.parse()?, hour: hour.parse()? };
            Ok((key, columns[2].parse()?))
        });
        let rows = rows.collect::<Result<Vec<(Reading, f64)>, Box<dyn Error>>>()?;
        let loaded = readings.bulk_load().run(rows.into_iter().map(Ok))?;
        println!("Stored {} readings.\n", loaded.writes);
    } else {
        println!("Found {found} readings.\n");
    }
    let key = Reading { city: "seattle".into(), day: 20100214, hour: 6 }.encode();
    println!("A key and its bytes:\n{}", Reading::explain(&key).picture());

    // A prefix takes the leading fields by name, in their order. The last may be a range.
    let morning = Reading::prefix().city("seattle").day(20100214).hour_range(6..9);
    let mut scan = readings.scan(morning);
    for row in &mut scan {
        let (Reading { city, day, hour }, fahrenheit) = row?;
        println!("{city}  {day} {hour:02}:00  {fahrenheit:.1} °F");
    }
    println!("{} rows returned, {} rows read", scan.rows_returned(), scan.rows_read());
    Ok(())
}
