//! H27: a partition larger than the engine is made for.

use crate::cost::{bytes_per_row, rows_of};
use crate::design::Engine;
use crate::facts::KeyFacts;
use crate::file::{Bytes, Count};
use crate::load::busiest;
use crate::rules::context::{Context, RuleSink};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// The bytes and rows that a partition of Cassandra is to have at most
/// (docs.datastax.com/en/cassandra_win/2.2/cassandra/planning/planPlanningPartitionSize.html).
const CASSANDRA: (f64, f64) = (100e6, 100_000.0);

/// The bytes of an item collection of DynamoDB that has local secondary indexes
/// (docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html).
const ITEM_COLLECTION: f64 = 10.0 * GIB;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for key in &context.keys {
        let Some(fields) = key.partition.and_then(|partition| key.fields.get(..partition)) else { continue };
        let Some(rows) = largest(context, key) else { continue };
        let tables = if key.secondary.is_none() { 1.0 + local_indexes(context) } else { 1.0 };
        let bytes = rows * bytes_per_row(context.table, key, &[]) * tables;
        let (limit, advice) = match context.engine {
            Engine::Cassandra if bytes > CASSANDRA.0 => (Bytes(CASSANDRA.0).to_string(), "is to have at most"),
            Engine::Cassandra if rows > CASSANDRA.1 => (format!("{} rows", Count(CASSANDRA.1)), "is to have at most"),
            Engine::DynamoDb if tables > 1.0 && bytes > ITEM_COLLECTION => {
                ("10 GiB".to_owned(), "with local secondary indexes has at most")
            }
            _ => continue,
        };
        let names: Vec<String> = fields.iter().map(|field| format!("{:?}", field.name)).collect();
        let message = format!(
            "the largest partition of {} has {} rows, {}: one of {} {advice} {limit}",
            names.join(", "),
            Count(rows.round()),
            Bytes(bytes.round()),
            context.engine
        );
        let mut finding = found.finding(fields.first().map_or(key.name.place, |field| field.place), message);
        finding = finding.number("rows of the largest partition", rows, "").number("bytes", bytes, "B");
        if let Some(index) = key.secondary {
            finding = finding.of(context.table.table.secondary[index].name.as_str());
        }
        let cure = match context.engine {
            Engine::DynamoDb => {
                "make the local indexes global ones, whose partition key is another; or add a field to both"
            }
            _ => "add a field to the partition key, such as the day or a shard number, and to `partition`",
        };
        found.push(finding.remedy(cure, Vec::new()));
    }
}

/// The rows of the largest partition of a key, in one bucket.
fn largest(context: &Context<'_>, key: &KeyFacts<'_>) -> Option<f64> {
    let partition = key.partition?;
    let counted = key.fields.iter().take(partition).filter_map(|field| {
        let rows = field.stats?.rows_per.as_ref()?;
        Some(rows.max.or(rows.p99).or(rows.p50)?.0)
    });
    let counted = counted.reduce(f64::min);
    let fields: Vec<usize> = (0..partition).collect();
    // Of a time in the partition key nobody says how many rows it has.
    let grows = fields.iter().any(|&field| key.fields[field].growth.is_some());
    let shared = || Some(rows_of(context.table, key.secondary)? * busiest(key, &fields)?);
    let rows = counted.or_else(|| shared().filter(|_| !grows))?;
    let buckets = match key.layout.lead() {
        rowkey::lead::Lead::Salt(salt) => f64::from(salt.buckets),
        _ => 1.0,
    };
    Some(rows / buckets)
}

/// The number of secondary tables that can be local indexes: they have the partition key of the table.
fn local_indexes(context: &Context<'_>) -> f64 {
    let of = |key: &KeyFacts<'_>| -> Vec<String> {
        let first = key.partition.and_then(|partition| key.fields.get(..partition)).unwrap_or_default();
        first.iter().map(|field| field.name.to_owned()).collect()
    };
    let (table, secondaries) = (&context.keys[0], &context.keys[1..]);
    let lead = table.layout.lead();
    secondaries.iter().filter(|key| of(key) == of(table) && key.layout.lead() == lead).count() as f64
}
