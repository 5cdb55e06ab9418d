use chrono::{DateTime, Utc};
use rowkey::RowKey;

#[derive(RowKey)]
struct Visit {
    at: DateTime<Utc>,
}

#[derive(RowKey)]
struct WithOffset {
    at: Option<time::OffsetDateTime>,
}

#[derive(RowKey)]
struct WithZone {
    at: jiff::Zoned,
}

fn main() {}
