//! A sample of the keys of a table of HBase.

use hbase_client::{Error, Filter, Region, Result, Scan, Table};

use super::Keys;
use super::places;
use super::range::{Order, Range, Rows};

/// Reads at most `most` keys, without their values.
pub(super) async fn keys(table: &Table, regions: &[Region], most: u64) -> Result<Keys> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let range = |region: &Region| Range { start: region.start().to_vec(), is_after: false, end: region.end().to_vec() };
    places::sample(table, regions.iter().map(range).collect(), most).await
}

impl Rows for Table {
    type Error = Error;

    async fn read(&self, range: &Range, order: Order, most: usize) -> Result<Keys> {
        let filter = Filter::all([Filter::first_cell(), Filter::no_values()]);
        let mut scanner = self.scan(scan(range, order).filter(&filter).limit(most as u64));
        let mut keys = Keys::new();
        while let Some(row) = scanner.next().await? {
            keys.push(row.key().to_vec());
        }
        Ok(keys)
    }
}

fn scan(Range { start, is_after, end }: &Range, order: Order) -> Scan {
    match order {
        Order::Forwards if *is_after => Scan::new().start_after(start).stop_before(end),
        Order::Forwards => Scan::new().start(start).stop_before(end),
        Order::Backwards => {
            let scan = Scan::new().reverse();
            let scan = if end.is_empty() { scan } else { scan.start_after(end) };
            match (start.is_empty(), is_after) {
                (true, _) => scan,
                (false, true) => scan.stop_before(start),
                (false, false) => scan.stop_with(start),
            }
        }
    }
}
