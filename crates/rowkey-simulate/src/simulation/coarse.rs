//! The words for what a run shows coarser, or less, than it is.

use rowkey_design::internal::file::{Bytes, Count};

use super::ranges::MOST;
use crate::answer::SPANS;
use crate::page::elapsed;
use crate::recording::Run;

/// Those for rates that go their own way, apart from others, in no more seconds than two steps have.
pub(super) fn of_rates(run: &Run, seconds: f64) -> Option<String> {
    let step_ms = run.steps.first().map_or(run.settings.interval_ms, |step| step.t_ms);
    let [shortest, step] = of_means(seconds, step_ms)?;
    Some(format!(
        "rates that change within {shortest}, not together, are told by their means of {step}: a shorter run, or more \
         events, tell peaks"
    ))
}

/// The same of what all tables ask for together, whose rates are added up in parts of intervals.
pub(super) fn of_all_tables(run: &Run, seconds: f64) -> Option<String> {
    let [shortest, part] = of_means(seconds, run.settings.interval_ms / SPANS)?;
    Some(format!(
        "of all tables together, rates that change within {shortest} are told by their means of {part}: a shorter run \
         tells peaks"
    ))
}

/// A time in seconds and the length of a mean, if the latter is more than half of it.
fn of_means(seconds: f64, length_ms: u64) -> Option<[String; 2]> {
    let shortest_ms = (seconds * 1000.0) as u64;
    (shortest_ms < length_ms.saturating_mul(2)).then(|| [shortest_ms, length_ms].map(elapsed))
}

/// Those for a full grown table that takes more regions of a size than it is begun with.
pub(super) fn of_regions(count: f64, size: u64, region: &str) -> Option<String> {
    (count > MOST).then(|| {
        format!(
            "the table takes {} of {}: they are told as {MOST}, each of which stands for {}",
            Count(count.ceil()).of(region),
            Bytes(size as f64),
            Count((count / MOST).ceil())
        )
    })
}

/// Those for ranges that hold more at the end than those of the full grown table do, which so many bytes in all.
pub(super) fn of_growth(run: &Run, grown: f64, (engine, region): (&str, &str)) -> Option<String> {
    /// A table that has grown no more than by this part is as large as it is said to be.
    const MORE: f64 = 1.5;
    let regions = &run.intervals.last()?.regions;
    let (all, size) = (regions.iter().map(|region| region.bytes as f64).sum::<f64>(), run.settings.max_filesize as f64);
    let most = regions.iter().map(|region| region.bytes as f64).fold(0.0, f64::max);
    (all > MORE * grown && most > MORE * size).then(|| {
        format!(
            "the run outgrows `rows`: {engine} would have {} of {} at its end, told as {} of up to {}",
            Count((all / size).ceil()).of(region),
            Bytes(size),
            Count(regions.len() as f64).of("range"),
            Bytes(most)
        )
    })
}

/// Those for a row of a sample that stands for more rows than are counted where they are stored.
pub(super) fn of_stored(rows: u64) -> Option<String> {
    let most = u64::from(u32::MAX);
    (rows > most).then(|| {
        format!(
            "each row of the sample stands for {}, of which {} are stored: rows and bytes of regions are told as less",
            Count(rows as f64),
            Count(most as f64)
        )
    })
}
