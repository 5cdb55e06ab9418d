//! Changes of families and their options.

use indexmap::IndexSet;

use super::{Changes, Impact};
use crate::design::{Columns, Family, Timestamp};
use crate::file::Period;
use crate::problem::Span;
use crate::resolve::TableDesign;
use crate::rule::{self, Rule};

pub(super) fn compare(old: &TableDesign, new: &TableDesign, changes: &mut Changes<'_>) {
    for (name, family) in &new.table.family {
        match old.table.family.get(name) {
            None => {
                changes.push(Impact::Safe, &rule::D08, Some(name), Some(family.place), format!("a new family {name:?}"))
            }
            Some(before) => options(name, before, family, family.place, changes),
        }
    }
    for name in old.table.family.keys().filter(|name| !new.table.family.contains_key(*name)) {
        let message = format!("the family {name:?} is gone, and its cells");
        changes.push(Impact::DataLoss, &rule::D06, Some(name), None, message);
    }
}

fn options(name: &str, old: &Family, new: &Family, place: Span, changes: &mut Changes<'_>) {
    let gone = changes.gone;
    let mut change = |class, rule, message: String| changes.push(class, rule, Some(name), Some(place), message);
    let ttl = |family: &Family| family.ttl.as_ref().map(|ttl| ttl.value);
    let said = |ttl: Option<Period>| ttl.map_or("none".to_owned(), |ttl| ttl.to_string());
    let shorter = match (ttl(old), ttl(new)) {
        (None, Some(_)) => Some(true),
        (Some(_), None) => Some(false),
        (Some(before), Some(after)) if before != after => Some(after < before),
        _ => None,
    };
    if let Some(shorter) = shorter {
        let what = format!("the TTL of {name:?} was {} and is {}", said(ttl(old)), said(ttl(new)));
        match shorter {
            true => change(Impact::DataLoss, &rule::D07, format!("{what}: older cells are gone {gone}")),
            false => change(Impact::Safe, &rule::D08, format!("{what}: what has expired does not come back")),
        }
    }
    let versions = |family: &Family| family.versions.as_ref().map_or(1, |versions| versions.value);
    let fewest = |family: &Family| family.min_versions.as_ref().map_or(0, |fewest| fewest.value);
    for (what, before, after) in [("most", versions(old), versions(new)), ("fewest", fewest(old), fewest(new))] {
        if after < before {
            let message =
                format!("the {what} versions of {name:?} were {before} and are {after}: the others are gone {gone}");
            change(Impact::DataLoss, &rule::D07, message);
        } else if after > before {
            change(Impact::Safe, &rule::D08, format!("the {what} versions of {name:?} were {before} and are {after}"));
        }
    }
    let stamps = |family: &Family| family.timestamp.as_ref().map_or(Timestamp::Server, |stamp| stamp.value);
    if stamps(old) != stamps(new) {
        let message = format!(
            "timestamps of {name:?} were the {}'s and are the {}'s: a new cell with a lower one is hidden by the old",
            stamps(old),
            stamps(new)
        );
        change(Impact::DataLoss, &rule::D07, message);
    }
    let shape = |family: &Family| match family.columns.as_ref().map(|columns| &columns.value) {
        Some(Columns::OfRow(of_row)) => of_row.name.split_once(':').map(|(_, shape)| shape.trim().to_owned()),
        _ => None,
    };
    if let (Some(before), Some(after)) = (shape(old), shape(new))
        && before != after
    {
        let message = format!("names of columns in {name:?} were {before} and are {after}: old cells have other names");
        change(Impact::Rewrite, &rule::D01, message);
    }
    columns(name, old, new, &mut change);
    let files = [
        ("compression", old.compression.as_ref().map(|it| it.value) != new.compression.as_ref().map(|it| it.value)),
        ("encoding", old.encoding.as_ref().map(|it| it.value) != new.encoding.as_ref().map(|it| it.value)),
        ("bloom", old.bloom.as_ref().map(|it| it.value) != new.bloom.as_ref().map(|it| it.value)),
        ("block", old.block.as_ref().map(|it| it.value) != new.block.as_ref().map(|it| it.value)),
        ("mob", old.mob.as_ref().map(|it| it.value) != new.mob.as_ref().map(|it| it.value)),
        ("in_memory", old.in_memory != new.in_memory),
    ];
    for (option, _) in files.into_iter().filter(|(_, changed)| *changed) {
        change(
            Impact::AfterCompaction,
            &rule::D09,
            format!("`{option}` of {name:?}: files have it after a compaction"),
        );
    }
}

/// Columns by name: a name that is gone beside one that is new can be another name of the same cells.
fn columns(family: &str, old: &Family, new: &Family, change: &mut impl FnMut(Impact, &'static Rule, String)) {
    let names = |family: &Family| match family.columns.as_ref().map(|columns| &columns.value) {
        Some(Columns::Names(names)) => Some(names.iter().map(|name| name.value.clone()).collect::<IndexSet<String>>()),
        _ => None,
    };
    let (Some(before), Some(after)) = (names(old), names(new)) else { return };
    let listed =
        |names: &mut dyn Iterator<Item = &String>| names.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let (gone, added) = (listed(&mut before.difference(&after)), listed(&mut after.difference(&before)));
    match (gone.is_empty(), added.is_empty()) {
        (true, true) => {}
        (true, false) => change(Impact::Safe, &rule::D08, format!("new columns of {family:?}: {added}")),
        (false, true) => {
            let message = format!("columns of {family:?} are gone: {gone}; their cells stay until they are deleted");
            change(Impact::Safe, &rule::D04, message);
        }
        (false, false) => {
            let message = format!(
                "columns of {family:?} are gone, {gone}, and others are new, {added}: cells that were written have the old names still, and have to be copied if a column was renamed"
            );
            change(Impact::Rewrite, &rule::D04, message);
        }
    }
}
