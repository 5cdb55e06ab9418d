//! Queries against the key.

mod costs;
mod rows;
mod tables;
mod values;

use super::rules;
use crate::design::Engine::{Bigtable, DynamoDb};
use crate::finding::Severity::{Error, Note, Warning};

rules! {
    "Q01" "a query fixes no leading field of the key" |_| Error, Some(costs::full_scan);
    "Q02" "a query wants another order than the key has" |_| Warning, Some(costs::order);
    "Q03" "a query asks very many salt buckets" |_| Warning, Some(costs::buckets);
    "Q04" "a query reads many rows for each that it returns" |_| Warning, Some(costs::filter);
    "Q05" "pages by offset" |_| Warning, Some(costs::offset);
    "Q06" "a key is the beginning of another" |_| Note, Some(values::beginnings);
    "Q07" "numbers as text" |_| Error, Some(values::decimal);
    "Q08" "numbers as bytes" |_| Warning, Some(values::native);
    "Q09" "times without a time zone" |_| Warning, Some(values::local);
    "Q10" "keys of another layout in the table" |_| Error, Some(values::undecoded);
    "Q11" "keys that are not unique" |_| Error, Some(values::colliding);
    "Q12" "keys that differ in letter case alone" |_| Warning, Some(values::case);
    "Q13" "the whole key is hashed, and a query wants more than one row" |_| Error, Some(costs::hashed);
    "Q15" "a secondary table on a field of few values that change" |_| Warning, Some(tables::status);
    "Q16" "several rows are to change as one" |_| Error, Some(rows::atomic);
    "Q17" "two tables of the same rows, written apart" |_| Note, Some(tables::apart);
    "Q18" "a counter that can count twice" |engine| if matches!(engine, Bigtable | DynamoDb) { Warning } else { Note }, Some(rows::counters);
    "Q19" "a field before those that queries use, which none uses" |_| Note, Some(tables::unused);
    "Q20" "a field of the key changes" |_| Warning, Some(rows::updated);
    "Q21" "a query without a bound" |_| Warning, Some(costs::unbounded);
}
