//! The findings of a query: its numbers and its ranges.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;

use crate::cost::QueryCost;
use crate::file::{Bytes, Count};
use crate::finding::Finding;
use crate::rules::context::{Context, RuleSink};

/// The most bytes of a key that are shown.
const BYTES: usize = 48;

/// The most ranges that are shown.
const RANGES: usize = 3;

/// A finding of a query, with what the query costs, and its ranges where they are of a sample's values.
pub(super) fn of_query(found: &RuleSink<'_>, context: &Context<'_>, cost: &QueryCost<'_>, message: String) -> Finding {
    let mut finding = found.finding(cost.query.place, message).of(cost.query.name.as_str());
    finding = finding.number("ranges", cost.range_count() as f64, "");
    let numbers = [
        ("rows read", cost.rows_read, ""),
        ("rows returned", cost.rows_returned, ""),
        ("bytes read", cost.bytes_read, "B"),
        ("regions", cost.regions.map(|regions| regions as f64), ""),
        ("servers", cost.servers, ""),
        ("runs", cost.query.rate.as_ref().map(|rate| rate.0), "/s"),
    ];
    for (name, value, unit) in numbers {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            finding = finding.number(name, value, unit);
        }
    }
    let key = context.key_of(cost);
    let fields: Vec<&str> = key.fields.iter().map(|field| field.name).collect();
    let mut line = format!("key: {}", fields.join(", "));
    if !cost.filter.is_empty() {
        let _ = write!(line, "; rows are filtered by: {}", cost.filter.join(", "));
    }
    finding = finding.witness(line);
    let of_sample = cost.ranges.iter().flatten().filter(|_| !cost.are_made_up);
    for range in of_sample.take(RANGES) {
        let stop = range.end().map_or("the end".to_owned(), hex);
        let start = if range.start().is_empty() { "the beginning".to_owned() } else { hex(range.start()) };
        finding = finding.witness(format!("range: {start} to {stop}"));
    }
    finding
}

/// Bytes as hex digits; what is too long ends with `…`.
pub(super) fn hex(bytes: &[u8]) -> String {
    let text = HEXLOWER.encode(&bytes[..bytes.len().min(BYTES)]);
    if bytes.len() > BYTES { text + "…" } else { text }
}

/// `900 rows`, or `rows` where their number is not known.
pub(super) fn rows(count: Option<f64>) -> String {
    match count {
        Some(count) => Count(if count < 10.0 { count } else { count.round() }).of("row"),
        None => "rows".to_owned(),
    }
}

pub(super) fn size(bytes: f64) -> Bytes {
    Bytes(bytes.round())
}
