//! A wide row, as HBase and Bigtable have them: families of columns, versions, counters, time to live, over any store.
//!
//!     cargo run --example wide_row

use std::time::Duration;

use rowkey::wide::{CellsDatabase, Columns, Condition, FamilySchema, Mutation, TableSchema};
use rowkey::{Memory, RowKey, WideTable};

/// What a visitor did on a day, the latest day first.
#[derive(RowKey)]
struct Day {
    visitor: u64,
    #[rowkey(desc)]
    day: u16,
}

fn main() -> Result<(), rowkey::Error> {
    // Families are fixed with the table, columns are not: any row may have any.
    let schema = TableSchema::new()
        .family("page", FamilySchema::new().max_versions(3))
        .family("hour", FamilySchema::new().ttl(Duration::from_secs(48 * 3600)));
    let days: WideTable<Day, _> = WideTable::open(CellsDatabase::new(Memory::new()), "days", &schema)?;
    let today = Day { visitor: 7, day: 15_000 };

    for (at, page, hour) in [(1, "/", "09"), (2, "/search", "09"), (3, "/cart", "14"), (4, "/paid", "14")] {
        // A put makes a new version of the column; the time is given here, and is the clock's with `put`.
        days.mutate(&today, &Mutation::new().put_at("page:last", at, page))?;
        // A counter is a column whose value is added to. The column's name is data.
        days.increment(&today, ("hour", hour), 1)?;
    }

    let row = days.get(&today, &Columns::all())?;
    println!("last page: {:?}", row.read::<String>("page:last")?);
    for cell in row.family("hour") {
        println!("views at {} o'clock: {}", cell.qualifier.escape_ascii(), cell.read::<i64>()?);
    }

    // Of one column its versions, the newest first: three are kept.
    let versions = days.get(&today, &Columns::of("page:last").versions(9))?;
    for cell in versions.cells() {
        println!("version {}: {}", cell.timestamp, cell.read::<String>()?);
    }

    // All edits of one mutation are applied atomically, and only if the row is as it is expected to be.
    let pay = Mutation::new().put_at("page:last", 5, "/receipt").delete_family("hour");
    let (paid, unpaid) = (Condition::equal("page:last", "/paid"), Condition::equal("page:last", "/cart"));
    println!("if it is /cart: {}", days.check_and_mutate(&today, &unpaid, &pay)?);
    println!("if it is /paid: {}", days.check_and_mutate(&today, &paid, &pay)?);
    println!("columns left: {}", days.get(&today, &Columns::all())?.cells().count());
    Ok(())
}
