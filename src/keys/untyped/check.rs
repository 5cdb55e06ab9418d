//! The checks of an owned layout, which may come from anywhere: what can be a key, with the path to what can't.

use std::collections::HashSet;

use super::{FieldBuf, LayoutBuf, LayoutError, TypeBuf, fields_width};
use crate::keys::encode::is_custom_shape;
use crate::keys::foreign::Foreign;
use crate::keys::layout::{MAX_DEPTH, Nulls, Scalar};
use crate::keys::lead::{Lead, Salt, SaltFormat, SaltHash, UNBUILT};

impl LayoutBuf {
    /// Returns the layout of these parts, checked.
    pub(crate) fn checked(
        name: String,
        lead: Lead<String>,
        by: Vec<usize>,
        fields: Vec<FieldBuf>,
    ) -> Result<Self, LayoutError> {
        let layout = Self::new(name, lead, by, fields);
        layout.check()?;
        Ok(layout)
    }

    fn check(&self) -> Result<(), LayoutError> {
        let err = |path: &str, reason: String| Err(LayoutError::new(path, reason));
        check_name(&self.name).or_else(|reason| err("name", reason))?;
        if self.fields.is_empty() {
            return err("fields", "a key has at least one field".into());
        }
        match &self.lead {
            Lead::None if !self.by.is_empty() => return err("by", "the key has no salt and no digest".into()),
            Lead::Salt(salt) if !(1..=65_536).contains(&salt.buckets) => {
                return err("prefix.salt.buckets", format!("{} is not from 1 to 65536", salt.buckets));
            }
            Lead::Salt(salt) if !is_hash(&salt.hash.name) => {
                return err("prefix.salt.hash", format!("{:?} is not a valid name of a hash", salt.hash.name));
            }
            Lead::Salt(Salt { buckets, format: format @ SaltFormat::Foreign(foreign), .. })
                if !format.can_write(*buckets) =>
            {
                return err("prefix.salt.format", format!("{foreign} can't write {buckets} buckets"));
            }
            Lead::Digest(bytes) if !(1..=16).contains(bytes) => {
                return err("prefix.md5.bytes", format!("{bytes} is not from 1 to 16"));
            }
            Lead::Digest(_) if !self.by.iter().copied().eq(0..self.by.len()) => {
                return err("prefix.md5.by", "a digest is taken over the first fields, in order".into());
            }
            _ => {}
        }
        let by = match self.lead {
            Lead::Digest(_) => "prefix.md5.by",
            Lead::Hash(_) => "prefix.hash.by",
            _ => "prefix.salt.by",
        };
        if !self.by.is_sorted_by(|a, b| a < b) {
            return err(by, "the indices are not ascending".into());
        }
        if let Some(index) = self.by.last().filter(|index| **index >= self.fields.len()) {
            return err(by, format!("there is no field {index}"));
        }
        check_names(self.fields.iter().map(|field| &field.name), "fields")?;
        let is_joined = |field: &FieldBuf| matches!(field.foreign(), Some(Foreign::Ordered(_)));
        let are_all = matches!(self.lead, Lead::None) && self.fields.iter().all(is_joined);
        if let Some(i) = self.fields.iter().position(is_joined).filter(|_| !are_all) {
            return err(&format!("fields[{i}].type"), JOINED.into());
        }
        for (i, field) in self.fields.iter().enumerate() {
            field.check(&format!("fields[{i}]"), Some(&self.fields[i + 1..]), 0)?;
        }
        Ok(())
    }
}

/// Returns whether a hash of a salt can have this name: one that is known, or a user's own.
fn is_hash(name: &str) -> bool {
    is_custom_shape(name) || SaltHash::all().any(|known| known.name == name) || UNBUILT.contains(&name)
}

const JOINED: &str =
    "OrderedCode joins all fields of a key: they are ordered[…], ascending, without a salt or a hash before them";

/// The place that an encoding must have if it can't tell its end alone.
fn due_place(foreign: &Foreign) -> Option<String> {
    if let Some(delimiter) = foreign.until() {
        let due = "it is ascending, in the key itself, and nothing is after it but an optional field after";
        return Some(format!("{due} {delimiter}: text[end after {delimiter}]"));
    }
    match foreign.bytes_after() {
        _ if foreign.ends_with_key() => {
            Some("it ends with the key: it is for the last field of a key, if it is ascending".into())
        }
        Some(bytes) => Some(format!("the fields after it have {bytes} bytes together, all of a fixed width")),
        None if matches!(foreign, Foreign::Ordered(_)) => Some(JOINED.into()),
        None if foreign.looks_ahead() => {
            let due = "it is ascending, in the key itself, and after it is another ascending fdb[…], or nothing";
            Some(format!("what is after it says where it ends: {due}"))
        }
        None => None,
    }
}

/// Returns whether a field of a key, before these fields, has the place that its encoding must have.
fn has_due_place(foreign: &Foreign, after: &[FieldBuf]) -> bool {
    match foreign.bytes_after() {
        Some(bytes) => fields_width(after) == Some(bytes),
        None if matches!(foreign, Foreign::Ordered(_)) => true,
        None if foreign.until().is_some() => match after.first() {
            Some(next) => next.foreign().is_some_and(|next| next.is_after(foreign)),
            None => true,
        },
        None if foreign.looks_ahead() => match after.first() {
            Some(next) => !next.desc && matches!(next.foreign(), Some(Foreign::Fdb(_))),
            None => true,
        },
        None => after.is_empty() || !foreign.ends_with_key(),
    }
}

impl FieldBuf {
    /// `after` are the fields after it, if it is a field of the key itself.
    fn check(&self, path: &str, after: Option<&[Self]>, depth: usize) -> Result<(), LayoutError> {
        if let Some(nulls) = self.nulls {
            if !matches!(self.ty, TypeBuf::Option(_)) {
                return Err(LayoutError::new(format!("{path}.nulls"), "the type is not an option"));
            }
            if (nulls == Nulls::First) != self.desc {
                let (default, order) = if self.desc { ("last", "descending") } else { ("first", "ascending") };
                let reason = format!("`nulls_{default}` is already the default of a field that is {order}: remove it");
                return Err(LayoutError::new(format!("{path}.nulls"), reason));
            }
        }
        if self.raw && (after.is_none_or(|after| !after.is_empty()) || self.desc) {
            return Err(LayoutError::new(
                format!("{path}.raw"),
                "raw is for the last field of a key, if it is ascending",
            ));
        }
        if self.raw && !self.ty.can_be_raw() {
            return Err(LayoutError::new(
                format!("{path}.raw"),
                "only text, bytes, host paths, decimals, and lists of items of one width can be raw",
            ));
        }
        if self.desc && !self.ty.is_ascending() {
            return Err(LayoutError::new(format!("{path}.desc"), "its bytes are not in the order of its values"));
        }
        if let Some((foreign, after)) = self.foreign().zip(after)
            && !self.desc
            && has_due_place(foreign, after)
        {
            return Ok(());
        }
        self.ty.check(&format!("{path}.type"), depth)
    }
}

impl TypeBuf {
    fn check(&self, path: &str, depth: usize) -> Result<(), LayoutError> {
        if depth >= MAX_DEPTH {
            return Err(LayoutError::new(path, format!("types are nested more than {MAX_DEPTH} deep")));
        }
        match self {
            Self::Scalar(Scalar::QuadKey(0 | 30..)) => Err(LayoutError::new(path, "a quadkey has from 1 to 29 digits")),
            Self::Scalar(Scalar::Url) if cfg!(not(feature = "url")) => {
                Err(LayoutError::new(path, "build rowkey with its feature `url` to read a `url`"))
            }
            Self::Scalar(Scalar::Foreign(foreign)) => match due_place(foreign) {
                Some(due) => Err(LayoutError::new(path, due)),
                None => Ok(()),
            },
            Self::Scalar(_) => Ok(()),
            Self::Option(inner) => inner.check(&format!("{path}.option"), depth + 1),
            Self::List(item) => item.check(&format!("{path}.list"), depth + 1),
            Self::Enum(variants) => {
                if variants.is_empty() {
                    return Err(LayoutError::new(format!("{path}.enum"), "an enum has at least one variant"));
                }
                if !variants.is_sorted_by(|a, b| a.tag < b.tag) {
                    return Err(LayoutError::new(
                        format!("{path}.enum"),
                        "the tags are not ascending, or one is repeated",
                    ));
                }
                check_names(variants.iter().map(|variant| &variant.name), &format!("{path}.enum"))?;
                variants.iter().enumerate().try_for_each(|(i, variant)| {
                    check_fields(&variant.fields, &format!("{path}.enum[{i}].fields"), depth + 1)
                })
            }
            Self::Tuple(fields) => check_fields(fields, &format!("{path}.tuple"), depth + 1),
            Self::Custom(custom) if !is_custom_shape(&custom.shape) => {
                let reason = format!("{:?} is not a valid shape of an encoding", custom.shape);
                Err(LayoutError::new(format!("{path}.custom.shape"), reason))
            }
            Self::Custom(_) => Ok(()),
        }
    }
}

/// Explanations show names once for each part: so they are short, and have no control characters for a terminal.
fn check_name(name: &str) -> Result<(), String> {
    match name {
        "" => Err("the name is empty".into()),
        name if name.len() > 255 => Err(format!("the name has {} bytes, more than 255", name.len())),
        name if name.contains(char::is_control) => Err(format!("{name:?} has a control character")),
        _ => Ok(()),
    }
}

/// Names must differ, because errors and explanations tell the parts of a key apart by them.
fn check_names<'n>(names: impl Iterator<Item = &'n String>, path: &str) -> Result<(), LayoutError> {
    let mut seen = HashSet::new();
    for (i, name) in names.enumerate() {
        let mut distinct = || if seen.insert(name) { Ok(()) } else { Err(format!("{name:?} is repeated")) };
        check_name(name)
            .and_then(|()| distinct())
            .map_err(|reason| LayoutError::new(format!("{path}[{i}].name"), reason))?;
    }
    Ok(())
}

fn check_fields(fields: &[FieldBuf], path: &str, depth: usize) -> Result<(), LayoutError> {
    check_names(fields.iter().map(|field| &field.name), path)?;
    fields.iter().enumerate().try_for_each(|(i, field)| field.check(&format!("{path}[{i}]"), None, depth))
}
