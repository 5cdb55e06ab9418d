//! Keys that begin with the time all go to the end of the table: to one server. A salt spreads them over buckets, and a
//! scan merges the buckets back into one order.
//!
//!     cargo run --example salt

use rowkey::splits::Splits;
use rowkey::{Memory, RowKey, Table};

/// A crash report, the latest first. One byte in front of it, made from its fields, says which of 8 buckets it is in.
#[derive(RowKey, Debug)]
#[rowkey(salt(buckets = 8))]
struct Crash {
    #[rowkey(desc)]
    at: u64,
    id: u32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let crashes: Table<Crash, String, _> = Table::open(Memory::new(), "crashes")?;
    // A store with regions makes one for each bucket.
    let regions = Splits::of_buckets::<Crash>()?;
    let mut writes = vec![0; regions.regions()];
    for id in 0..1000 {
        let crash = Crash { at: 1_700_000_000 + u64::from(id), id };
        writes[regions.region_of(&crash.encode())] += 1;
        crashes.put(&crash, &format!("report {id}"))?;
    }
    println!("writes by region: {writes:?}");

    // Eight scans, one for each bucket, merged: one order, as without a salt.
    let mut scan = crashes.scan(..).limit(5).batch_rows(2);
    for row in &mut scan {
        let (crash, report) = row?;
        println!("{}  {report}", crash.at);
    }
    // What it costs: each bucket is read, as each may have the next row.
    println!("{} rows returned, {} rows read", scan.rows_returned(), scan.rows_read());

    // A whole key names its bucket: one read.
    println!("{:?}", crashes.get(&Crash { at: 1_700_000_007, id: 7 })?);
    Ok(())
}
