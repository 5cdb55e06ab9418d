//! F06: cells or rows larger than the engine takes.

use super::cells;
use crate::cost;
use crate::design::Engine;
use crate::file::Bytes;
use crate::problem::Span;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

/// A limit of sizes: from `advised` on a warning, from `hard` on an error.
struct Limit {
    what: &'static str,
    advised: Option<f64>,
    hard: Option<f64>,
    source: &'static str,
}

impl Limit {
    /// The severity of a size, and the limit that it exceeds.
    fn exceeded(&self, bytes: f64) -> Option<(Severity, f64)> {
        let above = |limit: Option<f64>, severity| limit.filter(|limit| bytes > *limit).map(|limit| (severity, limit));
        above(self.hard, Severity::Error).or(above(self.advised, Severity::Warning))
    }
}

const MB: f64 = 1024.0 * 1024.0;

/// The limits of one value with its key, and of a row.
fn limits(engine: Engine) -> (Option<Limit>, Option<Limit>) {
    let limit = |what, advised, hard, source| Some(Limit { what, advised, hard, source });
    match engine {
        Engine::HBase => (
            limit("a cell", None, Some(10.0 * MB), "`hbase.client.keyvalue.maxsize` at its default"),
            limit("a row", None, Some(1024.0 * MB), "`hbase.table.max.rowsize` at its default"),
        ),
        Engine::Bigtable => (
            limit("a cell", Some(10.0 * MB), Some(100.0 * MB), "Bigtable's limits"),
            limit("a row", Some(100.0 * MB), Some(256.0 * MB), "Bigtable's limits"),
        ),
        Engine::DynamoDb => (None, limit("an item", None, Some(400.0 * 1024.0), "DynamoDB's limits")),
        Engine::Cassandra => (limit("a value", Some(MB), Some(2048.0 * MB), "Cassandra's limits"), None),
        Engine::FoundationDb => (limit("a value", None, Some(100_000.0), "FoundationDB's limits"), None),
        Engine::TiKv => (limit("a value", None, Some(6.0 * MB), "TiDB's `txn-entry-size-limit` at its default"), None),
        Engine::Cockroach => (None, limit("a row", None, Some(64.0 * MB), "`kv.raft.command.max_size` at its default")),
        Engine::Fjall => (limit("a value", None, Some(1024.0 * MB), "`rowkey-fjall`"), None),
        _ => (None, None),
    }
}

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let (cell_limit, row_limit) = limits(context.engine);
    let table = &context.table.table;
    // A sample has the sizes of rows; these are of a value whose size the file does not say.
    let unsaid = |bytes: f64| cost::unsaid(context.table, bytes);
    let sampled =
        context.profile.and_then(|sampled| Some((unsaid(sampled.value_bytes?), unsaid(sampled.largest_value? as f64))));
    let key = context.keys[0].bytes;
    let (mut row, mut cell_too_large) = (key, false);
    let mut of_cell = |found: &mut RuleSink<'_>, family: Option<&str>, place: Span, mut cell: cells::Cell<'_>| {
        if let (None, Some((about, largest))) = (cell.largest, sampled) {
            (cell.value, cell.largest) = (Some(about), Some(largest));
        }
        // HBase measures a row by its cells, each with its key; elsewhere a name that is data is as much as a value.
        let own = match (context.engine, family) {
            (Engine::HBase, Some(family)) => key + family.len() as f64 + cell.name_bytes + cost::CELL,
            _ if cell.names_are_data => cell.name_bytes,
            _ => 0.0,
        };
        row = (row + cell.most * (own + cell.largest.unwrap_or(0.0))).min(f64::MAX);
        let Some(most) = cell.largest else { return };
        let exceeded = cell_limit.as_ref().and_then(|limit| Some((limit, limit.exceeded(most)?)));
        let Some((limit, (severity, above))) = exceeded else {
            if let Some(finding) = family.and_then(|name| medium(context, found, name, &cell, place)) {
                found.push(finding);
            }
            return;
        };
        cell_too_large = true;
        let verb = if severity == Severity::Error { "has" } else { "should have" };
        let what = family.map_or("a row's value".to_owned(), |name| format!("{:?}", column(name, &cell)));
        let (bytes, source) = (Bytes(most), limit.source);
        let message = format!("{what} has up to {bytes}: {} {verb} {} at most by {source}", limit.what, Bytes(above));
        let mut finding = found.finding(place, message);
        if let Some(name) = family {
            finding = finding.of(name);
        }
        finding.severity = severity;
        let finding = finding.number("bytes of the largest value", most, "B").number("limit", above, "B");
        found.push(finding.remedy(
            "store large values in files or an object store, or in parts, and a pointer to them here",
            Vec::new(),
        ));
    };
    for (name, family) in &table.family {
        let cells = cells::of(family);
        if cells.is_empty() {
            of_cell(found, Some(name), family.place, cells::Cell::UNNAMED);
        }
        for cell in cells {
            let place = family.sizes.get(cell.name).map_or(family.place, |size| size.place);
            of_cell(found, Some(name), place, cell);
        }
    }
    if table.family.is_empty() {
        of_cell(found, None, context.table.name.place, cells::Cell::UNNAMED);
    }
    let Some((limit, (severity, above))) = row_limit.as_ref().and_then(|limit| Some((limit, limit.exceeded(row)?)))
    else {
        return;
    };
    if cell_too_large {
        return;
    }
    let message =
        format!("a row has up to {}: {} has {} at most by {}", Bytes(row), limit.what, Bytes(above), limit.source);
    let mut finding = found.finding(context.table.name.place, message);
    finding.severity = severity;
    let finding = finding.number("bytes of the largest row", row, "B").number("limit", above, "B");
    found.push(finding.remedy("write a row for each part, with a field of the part in the key", Vec::new()));
}

/// The column of a cell, with its family.
fn column(family: &str, cell: &cells::Cell<'_>) -> String {
    if cell.name.is_empty() { family.to_owned() } else { format!("{family}:{}", cell.name) }
}

/// Values of 100 kB and more in HBase, where most are as large: what MOB is for.
fn medium(
    context: &Context<'_>,
    found: &RuleSink<'_>,
    name: &str,
    cell: &cells::Cell<'_>,
    place: Span,
) -> Option<crate::finding::Finding> {
    const MEDIUM: f64 = 100.0 * 1024.0;
    let family = context.table.table.family.get(name)?;
    let value = cell.value.filter(|value| *value >= MEDIUM)?;
    if context.engine != Engine::HBase || family.mob.is_some() {
        return None;
    }
    let message =
        format!("values of {:?} have {}: each compaction writes them again", column(name, cell), Bytes(value));
    let mut finding = found.finding(place, message).of(name).number("bytes of a value", value, "B");
    finding.severity = Severity::Note;
    let edit = context.design.files.key_added(family.place, "mob", "\"100 kB\"");
    Some(finding.remedy("store them apart, as HBase's medium-sized objects", edit.into_iter().collect()))
}
