//! Q01: a query fixes no leading field of the key.

use super::mend;
use super::shown::{of_query, rows};
use crate::cost::{Condition, OrderFit, QueryCost, is_coarse};
use crate::facts::FieldFacts;
use crate::file::Count;
use crate::finding::Finding;
use crate::rule::Severity::{Note, Warning};
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in context.interactive().filter(|cost| cost.full_scan && !cost.is_scattered()) {
        if let Some(finding) = asked_in_turn(context, cost, found) {
            found.push(finding);
            continue;
        }
        let name = cost.query.name.as_str();
        let table = cost.rows_selected.map_or(String::new(), |count| format!(" of {}", rows(Some(count))));
        let first_rows = cost.query.limit.is_some() && cost.filter.is_empty();
        let hashed = hashed_fields(context, cost);
        if first_rows && hashed.is_none() && cost.order != OrderFit::Free {
            // The key is made for it; if not, its order is the finding.
            continue;
        }
        let until = cost.query.limit.as_ref().zip(cost.rows_read).zip(cost.rows_selected);
        let what = match until {
            _ if first_rows => "it reads from the table's first row on".to_owned(),
            // In an order that is not the key's all rows are read, whatever the limit.
            Some(((limit, read), all)) if read < all => format!(
                "it reads from the table's first row on until {} match, {}{table}",
                Count(limit.0),
                rows(Some(read))
            ),
            _ => format!("each run is a full scan{table}"),
        };
        let why = hashed.unwrap_or_else(|| "fixes no leading field of the key".to_owned());
        let message = format!("{name:?} {why}: {what}");
        let mut finding = of_query(found, context, cost, message);
        if first_rows {
            finding.severity = Note;
        }
        let finding = mend::with_remedy(context, cost, finding);
        found.push(finding);
    }
}

/// The reason where a query would find its rows if keys were sorted, and the engine hashes their partition key.
fn hashed_fields(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<String> {
    let key = context.key_of(cost);
    let partition = key.fields.get(..key.partition?)?;
    let asks = partition.iter().any(|field| Condition::of(cost.query, field.name).is_some() || field.growth.is_some());
    let (fixed, others) = fixed_of(partition, cost);
    let which = match &fixed[..] {
        [] => format!("fixes no value of the partition key ({})", mend::quoted(&others)),
        fixed => format!("fixes {} of the partition key, and not {}", mend::quoted(fixed), mend::quoted(&others)),
    };
    let engine = context.engine;
    asks.then(|| format!("{which}, which {engine} hashes: rows are sorted inside a partition alone"))
}

/// The names of the fields that a query has one value of, and of the others.
fn fixed_of<'k>(fields: &[FieldFacts<'k>], cost: &QueryCost<'_>) -> (Vec<&'k str>, Vec<&'k str>) {
    let is_fixed =
        |field: &&FieldFacts<'_>| field.is_constant() || Condition::of(cost.query, field.name) == Some(Condition::One);
    let (fixed, others): (Vec<_>, Vec<_>) = fields.iter().partition(is_fixed);
    let names = |fields: Vec<&FieldFacts<'k>>| fields.into_iter().map(|field| field.name).collect();
    (names(fixed), names(others))
}

/// A query for the first rows by time, of which only a coarse time is missing in the partition key: its partitions are
/// asked in turn, and nobody knows how many of them.
fn asked_in_turn(context: &Context<'_>, cost: &QueryCost<'_>, found: &RuleSink<'_>) -> Option<Finding> {
    let key = context.key_of(cost);
    let (first, order) = (cost.query.newest_first()?, cost.query.order.as_ref()?.word());
    let limit = cost.query.limit.as_ref()?;
    let partition = key.fields.get(..key.partition?)?;
    let (fixed, others) = fixed_of(partition, cost);
    let [time] = others[..] else { return None };
    let field = key.fields.get(key.index(time)?).filter(|field| is_coarse(field))?;
    if fixed.is_empty() || Condition::of(cost.query, field.name).is_some() {
        return None;
    }
    let name = cost.query.name.as_str();
    let message = format!(
        "{name:?} has no value of {time:?}, which is in the partition key: it asks one partition after another, the \
         {order} first, until {} are found, and nothing says how many it asks",
        rows(Some(limit.0))
    );
    let from = if first { "last" } else { "first" };
    let text = format!(
        "ask the values of {time:?} in turn, from the {from} one on, until the limit is reached, and say how many that are \
         (`among.{time} = 7`); keep the first and the last one of each value of {} where many are empty",
        mend::quoted(&fixed)
    );
    let mut finding = found.finding(cost.query.place, message).of(name);
    finding.severity = Warning;
    Some(finding.remedy(text, Vec::new()))
}
