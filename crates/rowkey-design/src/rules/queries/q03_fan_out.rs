//! Q03: a query scans many salt buckets or ranges.

use super::mend;
use super::shown::{of_query, rows};
use crate::cost::QueryCost;
use crate::finding::Edit;
use crate::quote;
use crate::rule::Severity::Error;
use crate::rules::context::{Context, RuleSink};
use crate::rules::salt::better_fields;

/// The most buckets that are silent: of a query that somebody waits for, and of others.
const ONLINE: usize = 10;

const OTHERS: usize = 99;

/// The number of values a bucket from which a salt fills buckets about evenly.
const VALUES_FOR_EACH: f64 = 20.0;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in context.queries.iter().filter(|cost| !cost.hashed) {
        let (query, ranges, buckets) = (cost.query, cost.range_count(), cost.buckets);
        let name = query.name.as_str();
        let budget = query.budget.as_ref();
        let most = budget.and_then(|budget| budget.ranges).map(|count| count.0);
        let online = query.online.is_some();
        // All of a table's rows are in all of its buckets; the newest of all are a finding of where reads land.
        // A salt of fields that queries do not fix is a finding of the salt.
        let is_told_elsewhere = (cost.secondary.is_none() && better_fields(context).is_some())
            || cost.full_scan
            || query.batch == Some(true)
            || newest_of_all(cost);
        let message = match most {
            Some(most) if ranges as f64 <= most => None,
            Some(most) => Some(format!("{name:?} has {ranges} ranges; its budget is {most}")),
            None if is_told_elsewhere || buckets < 2 => None,
            None if buckets > if online { ONLINE } else { OTHERS } => {
                Some(format!("{name:?} asks {buckets} salt buckets at each run"))
            }
            // With a filter, its rows are a finding of what is read.
            None if cost.filter.is_empty()
                && cost.rows_returned.is_some_and(|returned| (buckets as f64) > returned.max(1.0)) =>
            {
                Some(format!("{name:?} asks {buckets} salt buckets for {}", rows(cost.rows_returned)))
            }
            None => None,
        };
        let per_row = budget.and_then(|budget| budget.read_per_returned).filter(|_| cost.filter.is_empty());
        let over = per_row.zip(cost.amplification()).filter(|(most, each)| buckets > 1 && each > most);
        let over = over.map(|(most, each)| {
            format!(
                "{name:?} reads {} for each that it returns, from {buckets} salt buckets; its budget is {most}",
                rows(Some(each))
            )
        });
        let Some(message) = message.or(over) else { continue };
        let mut finding = of_query(found, context, cost, message).number("salt buckets", buckets as f64, "");
        if online && (most.is_some() || per_row.is_some()) {
            finding.severity = Error;
        }
        let text = if buckets < 2 {
            "ask for fewer values at once, or declare the ranges that it may have"
        } else {
            "take the salt of leading fields that the query fixes; or have fewer buckets"
        };
        let edits = if buckets > 1 { by_leading(context, cost) } else { Vec::new() };
        found.push(finding.remedy(text, edits));
    }
}

fn newest_of_all(cost: &QueryCost<'_>) -> bool {
    cost.leading == 0 && cost.query.newest_first().is_some() && cost.query.limit.is_some()
}

/// A salt of the leading fields that the query fixes, where they have values enough and no other query asks more
/// buckets.
fn by_leading(context: &Context<'_>, cost: &QueryCost<'_>) -> Vec<Edit> {
    let salt = context.table.table.salt.as_ref().filter(|_| cost.secondary.is_none() && cost.leading > 0);
    let Some(salt) = salt else { return Vec::new() };
    let key = &context.keys[0];
    let fixed = &key.fields[..cost.leading];
    let values: Option<f64> = fixed.iter().map(|field| field.spread.map(|spread| spread.n_eff)).product();
    if values.is_some_and(|values| values < VALUES_FOR_EACH * f64::from(*salt.buckets)) {
        return Vec::new();
    }
    let others = context.queries.iter().filter(|other| other.secondary.is_none());
    if others.into_iter().any(|other| other.buckets == 1 && other.selection.leading < cost.leading && !other.hashed) {
        return Vec::new();
    }
    let names: Vec<String> = fixed.iter().map(|field| quote::toml(field.name)).collect();
    let names = names.join(", ");
    mend::by(context, salt.place, &salt.by, &names)
}
