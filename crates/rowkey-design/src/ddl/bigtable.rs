//! Bigtable's names and garbage collection, whoever creates the table there.

use super::{NewTable, Said, shown, versions};
use crate::design::Family;
use crate::problem::{Located, Span};

/// As a number of versions, all: HBase's `Integer.MAX_VALUE`.
pub(crate) const ALL_VERSIONS: u32 = i32::MAX as u32;

/// A rule of garbage collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Garbage {
    /// Cells older than this many milliseconds.
    Age(u64),
    /// Cells with this many newer versions.
    Versions(u32),
    /// Cells that one of these collects.
    Any(Vec<Garbage>),
    /// Cells that all of these collect.
    All(Vec<Garbage>),
}

impl Garbage {
    /// The rule of HBase's TTL, VERSIONS and MIN_VERSIONS; none if they collect nothing.
    pub(super) fn of(family: &Family, max_versions: u32, said: &mut Said) -> Option<Self> {
        let (most, fewest) = versions(family, ALL_VERSIONS, said);
        if let Some(place) = family.versions.as_ref().filter(|_| most > max_versions && most != ALL_VERSIONS) {
            let help = format!("write 1 to {max_versions}, or {ALL_VERSIONS} for all");
            said.problem(place.place, format!("{most} versions are too many"), help);
        }
        let age = family.ttl.as_ref().and_then(|ttl| milliseconds(ttl.0, ttl.place, said));
        let age = age.map(Self::Age).map(|age| match fewest {
            0 => age,
            _ => Self::All(vec![age, Self::Versions(fewest)]),
        });
        let most = Some(Self::Versions(most)).filter(|_| most != ALL_VERSIONS);
        match (age, most) {
            (Some(age), Some(most)) => Some(Self::Any(vec![age, most])),
            (age, most) => age.or(most),
        }
    }
}

fn milliseconds(age: std::time::Duration, place: Span, said: &mut Said) -> Option<u64> {
    // `cbt` counts a time in 64 bits of nanoseconds.
    let max = i64::MAX as u128 / 1_000_000;
    let millis = age.as_millis();
    if millis >= 1 && millis <= max && age.subsec_nanos().is_multiple_of(1_000_000) {
        return u64::try_from(millis).ok();
    }
    said.problem(place, "a TTL is a whole number of milliseconds, up to 292 years", "write for example \"30 days\"");
    None
}

/// Notes what Bigtable refuses in tables, and what of their options it has no word for.
pub(super) fn check(tables: &[NewTable<'_>], said: &mut Said) {
    let mut collected = false;
    for table in tables {
        name(table.name, table.name.place, "table", 50, said);
        for (family_name, family) in table.families {
            name(family_name, family.place, "family", 64, said);
            ignored(family_name, family, said);
            collected |= family.ttl.is_some();
        }
    }
    if let Some(first) = tables.first().filter(|_| collected) {
        said.note(
            first.name.place,
            "Bigtable collects garbage in its own time, up to a week later: until then reads return cells past their \
             TTL or beyond `versions`, unless a filter leaves them out",
        );
    }
    said.notes.dedup();
}

fn name(name: &str, place: Span, what: &str, max: usize, said: &mut Said) {
    let first = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let legal = name.len() <= max && name.starts_with(first) && name.chars().all(|c| first(c) || c == '-' || c == '.');
    if !legal {
        let help =
            format!("write 1 to {max} ASCII letters, digits, `_`, `-` and `.`, of which the last two do not begin it");
        said.problem(place, format!("Bigtable takes no {what} named {}", shown(name)), help);
    }
}

fn ignored(name: &str, family: &Located<Family>, said: &mut Said) {
    let options = [
        ("compression", family.compression.is_some()),
        ("encoding", family.encoding.is_some()),
        ("bloom", family.bloom.is_some()),
        ("block", family.block.is_some()),
        ("in_memory", family.in_memory.is_some()),
        ("mob", family.mob.is_some()),
    ];
    let there: Vec<_> = options.into_iter().filter(|(_, there)| *there).map(|(option, _)| option).collect();
    if !there.is_empty() {
        let message = format!("family {}: Bigtable has no option for {}", shown(name), there.join(", "));
        if !said.notes.iter().any(|note| note.message == message && note.place == family.place) {
            said.note(family.place, message);
        }
    }
}
