//! H15: time-bucket rows are too large or too small.

use crate::cost::bytes_per_row;
use crate::facts::Growth;
use crate::file::{Bytes, Count};
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    const LEAST: f64 = 10e3;
    const MOST: f64 = 10e6;
    let key = &context.keys[0];
    let Some(time) = key.fields.iter().find(|field| matches!(field.growth, Some(Growth::Time(_) | Growth::Unknown)))
    else {
        return;
    };
    let counted = context.table.table.family.values().filter_map(|family| crate::cost::per_row(&family.value));
    let Some(columns) = counted.reduce(f64::max).filter(|columns| *columns > 1.0) else { return };
    let bytes = bytes_per_row(context.table, key, &[]);
    let message = if bytes > MOST {
        format!("a row holds {} in {} columns: the time of a row is too long", Bytes(bytes), Count(columns))
    } else if bytes < LEAST {
        format!("a row holds {} in {} columns: the time of a row could be longer", Bytes(bytes), Count(columns))
    } else {
        return;
    };
    let mut finding =
        found.finding(time.place, message).number("bytes a row", bytes, "B").number("columns a row", columns, "");
    if bytes > MOST {
        finding.severity = crate::rule::Severity::Warning;
    }
    found.push(finding.remedy("a time that makes rows of 10 kB to 10 MB", Vec::new()));
}
