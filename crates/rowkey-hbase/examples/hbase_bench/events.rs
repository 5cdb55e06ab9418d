//! Events, which come in the order of time: of a key that begins with the time, and of a salted one.

use rowkey::RowKey;
use rowkey::splits::Splits;
use rowkey::store::NewTable;

use crate::Failure;

/// All events of now go to the last region.
#[derive(RowKey, Clone, Debug)]
pub(crate) struct Sequential {
    at: i64,
    id: u32,
}

#[derive(RowKey, Clone, Debug)]
#[rowkey(salt(buckets = 8))]
pub(crate) struct Salted {
    at: i64,
    id: u32,
}

const FIRST: i64 = 1_700_000_000_000;
const DAY: i64 = 86_400_000;

/// The time of an event, and its number.
fn events(rows: usize) -> impl Iterator<Item = (i64, u32)> {
    (0..rows).map(|n| (FIRST + n as i64 / 10, n as u32))
}

impl Sequential {
    pub(crate) fn events(rows: usize) -> Vec<Self> {
        events(rows).map(|(at, id)| Self { at, id }).collect()
    }

    /// Eight regions, one for each day.
    pub(crate) fn regions() -> NewTable {
        let days = (0..7).rev().map(|day| Self { at: FIRST - day * DAY, id: 0 });
        NewTable::new().split_at(days.map(|day| day.encode()))
    }
}

impl Salted {
    pub(crate) fn events(rows: usize) -> Vec<Self> {
        events(rows).map(|(at, id)| Self { at, id }).collect()
    }

    /// Eight regions, one for each bucket.
    pub(crate) fn regions() -> Result<NewTable, Failure> {
        Ok(NewTable::new().splits(&Splits::of_buckets::<Self>()?))
    }
}
