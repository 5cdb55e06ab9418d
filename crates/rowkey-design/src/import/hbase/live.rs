//! The description of a table as a client reads it from a cluster: what the shell prints of it, without its lines.

use super::super::draft::{Draft, Family};
use super::super::live::LiveFamily;
use super::attributes as table;
use super::family::{self, Given};

/// The attributes that HBase prints by themselves, and not in the map `METADATA`.
const ALONE: &[&str] = &[
    "DURABILITY",
    "ERASURE_CODING_POLICY",
    "IS_META",
    "MAX_FILESIZE",
    "MEMSTORE_FLUSHSIZE",
    "PRIORITY",
    "READONLY",
    "REGION_REPLICATION",
];

/// Notes a table's attributes.
pub(in super::super) fn attributes<'a>(draft: &mut Draft, attributes: impl IntoIterator<Item = (&'a str, &'a str)>) {
    for (key, value) in attributes {
        match ALONE.contains(&key) || key.starts_with("coprocessor$") {
            true => table::note(draft, key, value),
            false => table::note(draft, &format!("METADATA: {key}"), value),
        }
    }
}

/// The family of these options. A value that a design has no word for is a comment: nobody can change it in a text.
pub(in super::super) fn family(live: &LiveFamily) -> Family {
    let mut family = Family::new(live.name.as_str());
    let mut given = Vec::new();
    for (key, value) in &live.options {
        if family::is_of_words(key) {
            given.push(Given { key: key.clone(), value: value.clone() });
        } else if !family::note_secret(&mut family, key) {
            family::note(&mut family, "METADATA", key, value);
        }
    }
    for refused in family::options(&mut family, &given) {
        let Given { key, value } = &given[refused];
        family.comments.push(format!("A design has no {key} => '{value}'"));
    }
    for (key, value) in &live.settings {
        family::note(&mut family, "CONFIGURATION", key, value);
    }
    family
}
