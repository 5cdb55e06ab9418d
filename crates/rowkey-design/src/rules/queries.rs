//! Queries against the key.

mod bytes;
mod fan_out;
mod identity;
mod mend;
mod pages;
mod scans;
mod shown;
mod tables;
mod writes;

use super::{Found, rules};
use crate::check::Context;
use crate::cost::QueryCost;
use crate::design::Engine;
use crate::finding::Severity::{self, Error, Note, Warning};

rules! {
    "Q01" "a query fixes no leading field of the key" |_| Error, Some(scans::full_scan);
    "Q02" "a query's order is not that of the key" |_| Warning, Some(pages::order);
    "Q03" "a query asks many salt buckets or ranges" |_| Warning, Some(fan_out::fan_out);
    "Q04" "a query reads many rows for each that it returns" |_| Warning, Some(scans::filter);
    "Q05" "pages by offset" |_| Warning, Some(pages::offset);
    "Q06" "one key is the beginning of another" |_| Note, Some(bytes::prefixes);
    "Q07" "numbers as text" |_| Warning, Some(bytes::numbers);
    "Q08" "numbers in the bytes of a processor" |_| Warning, Some(bytes::native);
    "Q09" "times without a zone, or in several formats" |_| Warning, Some(bytes::local_time);
    "Q10" "keys of several layouts in one table" |_| Warning, Some(bytes::mixed);
    "Q11" "two rows can have one key" |_| Warning, Some(identity::not_unique);
    "Q12" "one thing under several spellings" |_| Note, Some(bytes::spellings);
    "Q13" "a query needs an order that a digest destroys" |_| Error, Some(scans::hashed);
    "Q15" "an index by a field of few values that change" |_| Warning, Some(tables::few_values);
    "Q16" "rows that have to change together" without_transactions, Some(writes::atomic);
    "Q17" "two tables of the same rows that nothing keeps together" |_| Note, Some(tables::apart);
    "Q18" "counts that can be lost or doubled" |_| Note, Some(writes::counters);
    "Q19" "a field of the key that nothing uses" |_| Note, Some(identity::unused);
    "Q20" "a field of the key changes" when_rows_change_together, Some(writes::moves);
    "Q21" "an answer without an end" |_| Warning, Some(pages::unbounded);
}

/// Whether a transaction can change several rows.
fn has_transactions(engine: Engine) -> bool {
    !matches!(engine, Engine::HBase | Engine::Bigtable)
}

fn without_transactions(engine: Engine) -> Severity {
    if has_transactions(engine) { Note } else { Error }
}

fn when_rows_change_together(engine: Engine) -> Severity {
    if has_transactions(engine) { Note } else { Warning }
}

/// The queries that somebody waits for, or that did not say that nobody does.
fn interactive<'c, 'd>(context: &'c Context<'d>) -> impl Iterator<Item = &'c QueryCost<'d>> {
    context.queries.iter().filter(|cost| cost.query.batch != Some(true))
}
