//! Changes: [`diff`](crate::diff) finds them. Their classes are [`Class`](crate::Class); severities are those of a check.

use super::rules;
use crate::finding::Severity::{Error, Note, Warning};

rules! {
    "D01" "the type, order or direction of fields, or the hash of a salt" |_| Error, None;
    "D02" "the number of salt buckets" |_| Error, None;
    "D03" "a field at the end of the key" |_| Error, None;
    "D04" "the name of a field or column" |_| Note, None;
    "D05" "a tag of an enum that stands for something else" |_| Error, None;
    "D06" "a table or family that is gone" |_| Error, None;
    "D07" "a shorter TTL, or fewer versions" |_| Error, None;
    "D08" "a longer TTL, more versions, a new table or family" |_| Note, None;
    "D09" "how files are written" |_| Note, None;
    "D10" "split points" |_| Note, None;
    "D11" "what a check finds now" |_| Warning, None;
    "D12" "what a check finds on another engine" |_| Warning, None;
}
