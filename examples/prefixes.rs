//! A prefix selects rows by the leading fields of their key, and is plain ranges of bytes for any store.
//!
//!     cargo run --example prefixes

use rowkey::{Memory, RowKey, Select, Table};

/// Who visited a page, the latest day first.
#[derive(RowKey, Debug)]
struct Visit {
    host: String,
    #[rowkey(desc)]
    day: u16,
    visitor: u32,
}

fn main() -> Result<(), rowkey::Error> {
    let visits: Table<Visit, (), _> = Table::open(Memory::new(), "visits")?;
    for host in ["apache.org", "apache.org.uk", "example.org"] {
        for day in 10..13 {
            for visitor in [1, 2] {
                visits.put(&Visit { host: host.into(), day, visitor }, &())?;
            }
        }
    }

    // All rows of one value of the first field. "apache.org.uk" begins alike, and is another value.
    show(&visits, "one host", Visit::prefix().host("apache.org"))?;
    // Field after field; to take `day` before `host` does not compile.
    show(&visits, "one host, one day", Visit::prefix().host("apache.org").day(12))?;
    // A range is written as the field counts, from 11 to 12, though its bytes descend.
    show(&visits, "one host, two days", Visit::prefix().host("apache.org").day_range(11..=12))?;
    // Several values are several ranges, read in one scan.
    show(&visits, "two hosts", Visit::prefix().host_in(["apache.org", "example.org"]))?;
    show(&visits, "hosts that begin with \"apache\"", Visit::prefix().host_starts_with("apache"))?;

    // A store of your own needs no table: it is asked for these bytes.
    for range in Visit::prefix().host("apache.org").day_range(11..=12).ranges() {
        println!("from {} up to {}", range.start().escape_ascii(), range.end().unwrap_or_default().escape_ascii());
    }
    Ok(())
}

fn show(visits: &Table<Visit, (), Memory>, what: &str, select: impl Select<Visit>) -> Result<(), rowkey::Error> {
    let mut scan = visits.scan(select);
    let days = scan.by_ref().map(|row| row.map(|(visit, ())| visit.day)).collect::<Result<Vec<_>, _>>()?;
    println!("{what}: days {days:?}, {} rows read", scan.rows_read());
    Ok(())
}
