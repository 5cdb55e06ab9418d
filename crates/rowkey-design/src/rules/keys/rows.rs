//! Single rows: those that take all writes, that grow, that are deleted where they are read.

use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

use super::hot::writes;
use crate::check::Context;
use crate::cost::{OrderFit, bytes_per_row};
use crate::design::{Columns, Engine, Meaning, WriteKind, WriteOrder};
use crate::facts::Growth;
use crate::file::{Bytes, Count};
use crate::load::WriteLoad;
use crate::rules::Found;

/// Whether a write is of one row.
pub(super) fn is_one_row(load: &WriteLoad<'_>) -> bool {
    matches!(load.write.order.as_deref(), Some(WriteOrder::OneRow))
}

/// H12.
pub(super) fn one(context: &Context<'_>, found: &mut Found<'_>) {
    for hot in writes(context, false).iter().filter(|hot| is_one_row(hot.load)) {
        let write = hot.load.write;
        let name = write.name.as_str();
        let message = format!("{name:?} writes one row ({}): no split divides a row", hot.rate());
        let mut finding = found.finding(write.place, message).of(name);
        finding = finding.number("writes that one server takes", hot.capacity, "/s");
        match hot.load.peak {
            Some(peak) => finding = finding.number("writes at the peak", peak, "/s"),
            None => finding.severity = finding.severity.min(crate::Severity::Warning),
        }
        let shards = hot.buckets();
        let cure = format!("divide the row over {shards} rows by a shard number and add them up when they are read");
        found.push(finding.remedy(cure, Vec::new()));
    }
}

/// H13.
pub(super) fn growing(context: &Context<'_>, found: &mut Found<'_>) {
    let key = &context.keys[0];
    for (name, family) in &context.table.table.family {
        let Some(columns) = &family.columns else { continue };
        let Columns::OfRow(of_row) = &columns.value else { continue };
        // A time in the key ends a row; a TTL and a limit bound it.
        if of_row.max.is_some() || family.ttl.is_some() || key.growing().is_some() {
            continue;
        }
        let message = format!(
            "a row has a column in {name:?} for each {:?}, and nothing bounds their number",
            column(&of_row.name)
        );
        let mut finding = found.finding(columns.place, message).of(name.as_str());
        if let Some(count) = of_row.per_row {
            let value = of_row.value.map_or(0.0, |bytes| bytes.0);
            finding = finding.number("columns a row", count.0, "");
            finding = finding.number("bytes a row", bytes_per_row(context.table, key, &[]).max(count.0 * value), "B");
        }
        let limit = match context.engine {
            Engine::Bigtable => "Bigtable refuses rows of more than 256 MB",
            Engine::HBase => "HBase cannot split a row over two regions",
            _ => "a row is read and written as a whole",
        };
        finding = finding.witness(limit);
        found.push(finding.remedy("one row for each, or a time or shard number in the key, or `max`", Vec::new()));
    }
}

fn column(name: &str) -> &str {
    name.split(':').next().unwrap_or(name).trim()
}

/// H15.
pub(super) fn bucket(context: &Context<'_>, found: &mut Found<'_>) {
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
        finding.severity = crate::Severity::Warning;
    }
    found.push(finding.remedy("a time that makes rows of 10 kB to 10 MB", Vec::new()));
}

/// H16.
pub(super) fn text(context: &Context<'_>, found: &mut Found<'_>) {
    for field in &context.keys[0].fields {
        if !matches!(field.field.ty, TypeBuf::Scalar(Scalar::Text)) {
            continue;
        }
        let meant = matches!(field.meaning, Some(Meaning::Uuid4 | Meaning::Uuid7 | Meaning::Ulid | Meaning::Digest));
        let seen = context.profile.and_then(|profile| profile.fields.iter().find(|seen| seen.name == field.name));
        let seen = seen.filter(|seen| seen.distinct > 1.0 && (seen.hex || seen.uuid_version.is_some()));
        let fixed = seen.and_then(|seen| seen.lengths).filter(|(least, most)| least == most && *most >= 8);
        if !meant && fixed.is_none() {
            continue;
        }
        let message = match fixed {
            Some((_, digits)) => format!("all values of {:?} are {digits} digits: as bytes they take half", field.name),
            None => format!("{:?} is text and means a number or an id, which bytes would hold", field.name),
        };
        let finding = found.finding(field.place, message).of(field.name).number("bytes of a value", field.bytes, "B");
        found.push(finding.remedy("a number, or bytes of a fixed length", Vec::new()));
    }
}

/// H17.
pub(super) fn queue(context: &Context<'_>, found: &mut Found<'_>) {
    let deletes = context.table.table.write.iter().find(|write| write.kind == Some(WriteKind::Delete));
    let Some(deletes) = deletes else { return };
    for cost in context.queries.iter().filter(|cost| cost.secondary.is_none()) {
        let key = &context.keys[0];
        // The first rows of a prefix, oldest first, with nothing that says where to start.
        let oldest = key.growing() == Some(cost.leading)
            && match cost.order {
                OrderFit::Free => !key.fields[cost.leading].field.desc,
                _ => cost.query.order.as_deref() == Some(&crate::design::QueryOrder::Oldest),
            };
        let first = cost.query.limit.is_some() && !cost.next && cost.filter.is_empty();
        if !oldest || !first {
            continue;
        }
        let name = cost.query.name.as_str();
        let message = format!(
            "{name:?} reads the oldest rows, which {:?} deletes: each run passes over the markers of deleted rows",
            deletes.name.as_str()
        );
        let mut finding = found.finding(cost.query.place, message).of(name);
        finding.numbers.extend(deletes.rate.as_ref().map(|rate| crate::Number {
            name: "deletes",
            value: rate.0,
            unit: "/s",
        }));
        let cure = "remember where the last run stopped and start there, or let a TTL remove rows of a time";
        found.push(finding.remedy(cure, Vec::new()));
    }
}
