//! Differences between a design's statistics and a sample.

use crate::facts::about;
use crate::problem::{Problem, Span};
use crate::profile::Profile;
use crate::resolve::TableDesign;

/// A number that differs from a sample by more than this factor is told.
const FACTOR: f64 = 10.0;

/// A sample in which each value is there so often has almost all values.
const OFTEN: f64 = 10.0;

/// The statistics of the file that a sample contradicts. The file's numbers are used all the same: a sample may be of
/// one day or one customer.
pub(crate) fn differences(table: &TableDesign, profile: &Profile) -> Vec<Problem> {
    let mut notes = Vec::new();
    let mut note = |place: Span, field: &str, what: &str, said: f64, seen: f64| {
        let message = format!(
            "{field:?} has {} {what} here and about {} in the sample",
            crate::file::Count(said),
            crate::file::Count(seen.round())
        );
        let help = "the number here is used; mend it if the sample is of the whole table".to_owned();
        notes.push(Problem { place, message, help: Some(help) });
    };
    let decoded = profile.keys.saturating_sub(profile.undecoded) as f64;
    for (name, stats) in &table.table.stats {
        let Some(seen) = profile.fields.iter().find(|seen| seen.name == *name).filter(|_| decoded > 0.0) else {
            continue;
        };
        if let Some(distinct) = stats.distinct.as_ref().filter(|_| stats.per.is_none()) {
            let complete = seen.distinct * OFTEN < decoded;
            let (said, found) = (distinct.0.max(1.0), seen.distinct.max(1.0));
            if found > said * FACTOR || (complete && said > found * FACTOR) {
                note(distinct.place, name, "values", said, found);
            }
        }
        if let Some(said) = stats.size.as_ref().map(about) {
            let found = seen.bytes.max(1.0);
            if said > found * FACTOR || found > said.max(1.0) * FACTOR {
                note(stats.place, name, "bytes a value", said, found);
            }
        }
    }
    notes
}
