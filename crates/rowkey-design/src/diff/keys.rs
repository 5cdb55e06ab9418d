//! Changes of keys.

use rowkey::LayoutBuf;
use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::{Changes, Impact};
use crate::design::KeyField;
use crate::problem::{Located, Span};
use crate::resolve::TableDesign;
use crate::rule;

pub(super) fn compare(old: &TableDesign, new: &TableDesign, changes: &mut Changes<'_>) {
    let place = new.name.place;
    key(&old.layout, &new.layout, &new.table.key, None, place, changes);
    // The partition key is the first fields, one where the file says none.
    let first = |names: &Option<Vec<Located<String>>>| names.as_ref().map_or(1, Vec::len);
    let fields = (first(&old.table.partition), first(&new.table.partition));
    partition(&old.layout, &new.layout, fields, None, place, changes);
    for (field, meaning) in &new.table.means {
        let before = name_before(old, new, field);
        if let Some(before) = old.table.means.get(before).filter(|before| before.value != meaning.value) {
            let message = format!(
                "{field:?} meant {} and means {}: the bytes are the same, and old rows are read as something else",
                before.value, meaning.value
            );
            changes.push(Impact::SilentCorruption, &rule::D01, Some(field), Some(meaning.place), message);
        }
    }
    let olds = || old.table.secondary.iter().zip(&old.secondary);
    for (secondary, layout) in new.table.secondary.iter().zip(&new.secondary) {
        let name = secondary.name.as_str();
        let place = secondary.name.place;
        match olds().find(|(before, _)| before.name.as_str() == name) {
            Some((was, before)) => {
                key(before, layout, &secondary.key, Some(name), place, changes);
                let fields = (first(&was.partition), first(&secondary.partition));
                partition(before, layout, fields, Some(name), place, changes);
            }
            None => {
                let message = format!("a new secondary table {name:?}: fill it by `rebuild`");
                changes.push(Impact::Safe, &rule::D08, Some(name), Some(place), message);
            }
        }
    }
    let kept = |name: &str| new.table.secondary.iter().any(|secondary| secondary.name.as_str() == name);
    for secondary in old.table.secondary.iter().filter(|secondary| !kept(&secondary.name)) {
        let name = secondary.name.as_str();
        let message = format!("the secondary table {name:?} is gone: its rows are in the table still");
        changes.push(Impact::Safe, &rule::D08, Some(name), None, message);
    }
    if old.table.splits.as_ref().map(|splits| &splits.value) != new.table.splits.as_ref().map(|splits| &splits.value) {
        let place = new.table.splits.as_ref().map_or(new.name.place, |splits| splits.place);
        let message = "split points are for a new table: the engine splits and merges one that is there".to_owned();
        changes.push(Impact::Safe, &rule::D10, None, Some(place), message);
    }
}

/// Another number of fields of the partition key. Of another key it is another anyway.
fn partition(
    old: &LayoutBuf,
    new: &LayoutBuf,
    (before, after): (usize, usize),
    of: Option<&str>,
    place: Span,
    changes: &mut Changes<'_>,
) {
    if before != after && old.shape() == new.shape() {
        let names = |count: usize| {
            let first = new.fields().iter().take(count).map(|field| field.name.as_str());
            first.collect::<Vec<_>>().join(", ")
        };
        let message = format!(
            "the partition key: ({}) was ({}), and engines that hash it place rows by it",
            names(after),
            names(before)
        );
        changes.push(Impact::Rewrite, &rule::D01, of, Some(place), message);
    }
}

/// The name that a field had: its own, or, where the key is the same but for names, that of the field in its place.
fn name_before<'f>(old: &'f TableDesign, new: &TableDesign, field: &'f str) -> &'f str {
    let place_in = |table: &TableDesign| table.layout.fields().iter().position(|other| other.name == field);
    match (place_in(old), place_in(new)) {
        (None, Some(place)) if old.layout.shape() == new.layout.shape() => {
            old.layout.fields().get(place).map_or(field, |before| before.name.as_str())
        }
        _ => field,
    }
}

fn key(
    old: &LayoutBuf,
    new: &LayoutBuf,
    texts: &[Located<KeyField>],
    of: Option<&str>,
    place: Span,
    changes: &mut Changes<'_>,
) {
    let names = |layout: &LayoutBuf| layout.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    let (before, after) = (names(old), names(new));
    if old.shape() == new.shape() {
        if before == after {
            return;
        }
        let mut sorted = [before.clone(), after.clone()];
        sorted.iter_mut().for_each(|names| names.sort());
        if sorted[0] == sorted[1] {
            let message = format!(
                "fields of the same types change places ({} to {}): the fingerprint is the same, and old rows are read with the values exchanged",
                before.join(", "),
                after.join(", ")
            );
            return changes.push(Impact::SilentCorruption, &rule::D01, of, Some(place), message);
        }
        let renamed = before.iter().zip(&after).filter(|(before, after)| before != after);
        let renamed: Vec<String> = renamed.map(|(before, after)| format!("{before} is now {after}")).collect();
        let message = format!("{}: the bytes and the fingerprint are the same", renamed.join(", "));
        return changes.push(Impact::Safe, &rule::D04, of, Some(place), message);
    }
    if new.extends(old) {
        let message = "an enum has new variants: old rows are read as before".to_owned();
        return changes.push(Impact::Safe, &rule::D08, of, Some(place), message);
    }
    let start = changes.list.len();
    lead(old, new, of, place, changes);
    if before.iter().all(|name| after.contains(name)) && before.len() == after.len() && before != after {
        let message = format!("the order of the fields: {} was {}", after.join(", "), before.join(", "));
        changes.push(Impact::Rewrite, &rule::D01, of, Some(place), message);
    }
    for (index, field) in new.fields().iter().enumerate() {
        let place = texts.get(index).map_or(place, |text| text.place);
        match old.fields().iter().find(|before| before.name == field.name) {
            Some(before) => fields(before, field, of, place, changes),
            None => {
                let appended = index + 1 == new.fields().len() && before.len() < after.len();
                let rule = if appended { &rule::D03 } else { &rule::D01 };
                let message = format!("the field {:?} is new: old keys do not have it and do not decode", field.name);
                changes.push(Impact::Rewrite, rule, of, Some(place), message);
            }
        }
    }
    for field in old.fields().iter().filter(|field| !after.contains(&field.name)) {
        let message = format!("the field {:?} is gone from the key", field.name);
        changes.push(Impact::Rewrite, &rule::D01, of, Some(place), message);
    }
    if changes.list.len() == start {
        let message = format!("the key was {} and is {}", old.shape(), new.shape());
        changes.push(Impact::Rewrite, &rule::D01, of, Some(place), message);
    }
    if let Some(of) = of {
        for change in changes.list[start..].iter_mut().filter(|change| change.class == Impact::Rewrite) {
            change.message += &format!("; drop {of:?} and fill it again by `rebuild`");
        }
    }
}

fn lead(old: &LayoutBuf, new: &LayoutBuf, of: Option<&str>, place: Span, changes: &mut Changes<'_>) {
    let same_by = old.by() == new.by();
    let (rule, message) = match (old.lead(), new.lead()) {
        (before, after) if before == after && same_by => return,
        (Lead::Salt(before), Lead::Salt(after)) if before.buckets != after.buckets => {
            (&rule::D02, format!("{} salt buckets were {}: rows move to other buckets", after.buckets, before.buckets))
        }
        (Lead::Salt(before), Lead::Salt(after)) if before != after => {
            (&rule::D01, "the hash or the form of the salt: rows are looked for in other buckets".to_owned())
        }
        (before, after) if before == after => {
            (&rule::D01, "the fields that the salt or digest is taken from".to_owned())
        }
        _ => (&rule::D01, "what comes before the fields: the salt or digest".to_owned()),
    };
    changes.push(Impact::Rewrite, rule, of, Some(place), message);
}

fn fields(old: &FieldBuf, new: &FieldBuf, of: Option<&str>, place: Span, changes: &mut Changes<'_>) {
    if old == new {
        return;
    }
    let name = &new.name;
    if let Some(tag) = reused(&old.ty, &new.ty) {
        let message = format!(
            "the tag {tag} of {name:?} stands for other fields than before: where they have as many bytes, old rows are read as other values"
        );
        changes.push(Impact::SilentCorruption, &rule::D05, of, Some(place), message);
    } else if old.ty != new.ty {
        let message = format!("{name:?} was {} and is {}", old.ty, new.ty);
        changes.push(Impact::Rewrite, &rule::D01, of, Some(place), message);
    }
    if old.desc != new.desc {
        let now = if new.desc { "descending" } else { "ascending" };
        changes.push(
            Impact::Rewrite,
            &rule::D01,
            of,
            Some(place),
            format!("{name:?} is now {now}: every byte is inverted"),
        );
    }
    if (old.raw, old.nulls) != (new.raw, new.nulls) {
        let message = format!("{name:?} is written in another way: `raw` or the place of None");
        changes.push(Impact::Rewrite, &rule::D01, of, Some(place), message);
    }
}

/// A tag that both enums have, with other fields.
fn reused(old: &TypeBuf, new: &TypeBuf) -> Option<u8> {
    match (old, new) {
        (TypeBuf::Enum(old), TypeBuf::Enum(new)) => old.iter().find_map(|before| {
            let after = new.iter().find(|after| after.tag == before.tag)?;
            let types = |fields: &[FieldBuf]| fields.iter().map(ToString::to_string).collect::<Vec<_>>();
            (types(&before.fields) != types(&after.fields)).then_some(before.tag)
        }),
        (TypeBuf::Option(old), TypeBuf::Option(new)) | (TypeBuf::List(old), TypeBuf::List(new)) => reused(old, new),
        (TypeBuf::Tuple(old), TypeBuf::Tuple(new)) if old.len() == new.len() => {
            old.iter().zip(new).find_map(|(old, new)| reused(&old.ty, &new.ty))
        }
        _ => None,
    }
}
