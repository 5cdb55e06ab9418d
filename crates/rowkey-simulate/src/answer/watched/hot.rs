//! The hottest region of a watched table in a sentence, and where the load was before.

use crate::answer::hottest::Hottest;
use crate::answer::shares::Shares;
use crate::answer::text::percent;
use crate::answer::{cause, named};
use crate::recording::Run;
use crate::run::{Answer, HotRegion, Interval};
use crate::simulation::Declared;

/// The hottest region, by what saturates, or by writes if there are any; and the one before, if the load moved. None
/// where all are about alike.
pub(super) fn sentence(told: &Answer, declared: &Declared<'_>, run: &Run) -> Option<String> {
    let is_read = told.saturates.as_ref().map_or(told.hottest_written.is_none(), |saturation| saturation.reads);
    let (hottest, what, of) = match is_read {
        true => (told.hottest_read.as_ref()?, "reads", "of"),
        false => (told.hottest_written.as_ref()?, "writes", "to"),
    };
    let regions = run.intervals.last().map_or(0, |interval| interval.regions.len());
    if cause::are_alike(hottest.share, regions) {
        return None;
    }
    let HotRegion { share, label, server_name, .. } = hottest;
    let server = server_name.as_ref().map_or(String::new(), |name| format!(", on {name}"));
    let before = before(run, is_read, hottest).map(|hottest| named(declared, run, &hottest));
    let moved = before.map_or(String::new(), |HotRegion { share, label, .. }| {
        let part = percent(share);
        format!(" They moved: in the first half of the time, {part} went to the one that begins with {label}.")
    });
    let part = percent(*share);
    Some(format!(
        "{part} of the {what} {of} `{}` go to the region that begins with {label}{server}.{moved}",
        told.table
    ))
}

/// The hottest region in the first half of the intervals with a load, if it has other keys than the one of the later
/// half, and more than others.
fn before(run: &Run, reads: bool, now: &HotRegion) -> Option<Hottest> {
    let shares = Shares::of(run, reads);
    let first = shares.of.len() - shares.later().len();
    let before = Hottest::of_all(run, shares.of.get(..first)?, reads, None)?;
    let is_of = |interval: &&Interval| interval.t_ms == before.t_ms;
    let regions = run.intervals.iter().find(is_of).map_or(0, |interval| interval.regions.len());
    let is_other = !before.has_keys_of(&now.start, now.end.as_ref());
    (is_other && !cause::are_alike(before.share, regions)).then_some(before)
}
