//! Sentences on the encodings of other programs: the bytes that tell them, and what looks the same.

use std::collections::BTreeSet;

use memchr::memmem;
use rowkey::foreign::{Delimiter, End, Foreign};
use rowkey::layout::Scalar;
use rowkey::untyped::FieldBuf;
use rowkey::{LayoutBuf, Value};

use super::search::Path;
use crate::quote::hbase_binary;

/// The encoding of another program that a shape names.
fn foreign(shape: &str) -> Option<Foreign> {
    match Scalar::from_shape(shape)? {
        Scalar::Foreign(foreign) => Some(foreign),
        _ => None,
    }
}

fn delimiter(shape: &str) -> Option<Delimiter> {
    match foreign(shape)? {
        Foreign::Text(field) => match field.end() {
            End::Before(delimiter) => Some(delimiter),
            _ => None,
        },
        _ => None,
    }
}

/// The sentence on a field's values, if they are those of such an encoding and no sentence on values tells them.
pub(super) fn constant(shape: &str, keys: usize) -> Option<String> {
    match foreign(shape)? {
        Foreign::Constant(bytes) => Some(format!("`{}`: {keys} keys have it", hbase_binary(bytes.as_bytes()))),
        _ => None,
    }
}

/// The sentence on the type codes of an element of tuples. `place` is that of the field's first byte.
pub(super) fn type_codes(field: &FieldBuf, values: &[&Value], place: &str) -> Option<String> {
    let shape = field.ty.to_string();
    let what = match shape.strip_prefix("fdb[")?.strip_suffix(']')? {
        "int" => None,
        "text" => Some("a tuple's text"),
        "bytes" => Some("a tuple's bytes"),
        "null" => Some("a tuple's null"),
        "bool" => Some("a tuple's false or true"),
        "f32" | "f64" => Some("a tuple's float"),
        "uuid" => Some("a tuple's UUID"),
        "versionstamp" | "versionstamp80" => Some("a tuple's versionstamp"),
        _ => Some("a tuple's element"),
    };
    let one: LayoutBuf = shape.parse().ok()?;
    let code = |value: &&Value| one.encode(std::slice::from_ref(*value)).ok()?.first().copied();
    let codes: BTreeSet<u8> = values.iter().map(code).collect::<Option<_>>()?;
    let (least, most) = (*codes.first()?, *codes.last()?);
    let range = if least == most { format!("{least:#04x}") } else { format!("{least:#04x} to {most:#04x}") };
    let what = what.map_or_else(|| integers(&codes), str::to_owned);
    Some(format!("{place} is {range} in each key: {what}"))
}

/// The sizes of integers with these type codes.
fn integers(codes: &BTreeSet<u8>) -> String {
    const ZERO: u8 = 0x14;
    let sizes: BTreeSet<u8> = codes.iter().map(|code| code.abs_diff(ZERO)).collect();
    let sizes = sizes.first().zip(sizes.last());
    match sizes {
        Some((0, 0)) => "a tuple's integer 0".to_owned(),
        Some((1, 1)) => "a tuple's integer of 1 byte".to_owned(),
        Some((least, most)) if least == most => format!("a tuple's integer of {least} bytes"),
        Some((least, most)) => format!("a tuple's integer of {least} to {most} bytes"),
        None => "a tuple's integer".to_owned(),
    }
}

/// The number of each delimiter in a key, and of OrderedCode's separator, where that is the same in all.
pub(super) fn delimiters(kept: &[Vec<u8>], path: &Path) -> Vec<String> {
    let mut delimiters: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut told = Vec::new();
    for model in &path.models {
        delimiters.extend(delimiter(&model.shape).map(|delimiter| delimiter.as_bytes().to_vec()));
    }
    let count = |key: &[u8], of: &[u8]| memmem::find_iter(key, of).count();
    for of in delimiters {
        let first = kept.first().map_or(0, |key| count(key, &of));
        if kept.iter().all(|key| count(key, &of) == first) {
            told.push(format!("`{}` is {} in each key", hbase_binary(&of), times(first)));
        }
    }
    if path.models.first().is_some_and(|model| model.shape.starts_with("ordered[")) {
        let separators = path.models.len() - 1;
        told.push(format!(
            "`\\x00\\x01` is at most {} in each key, between fields, as OrderedCode has it",
            times(separators)
        ));
    }
    told
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// Sentences on keys of other kinds that look the same.
pub(super) fn against(layout: &LayoutBuf, path: &Path) -> Vec<String> {
    let mut told = Vec::new();
    let is = |prefix: &str| path.models.iter().any(|model| model.shape.starts_with(prefix));
    for (field, model) in layout.fields().iter().zip(&path.models) {
        if constant(&model.shape, 0).is_some() {
            told.push(format!("{}: a sample of one tenant, or of one kind of rows, looks the same", field.name));
        }
    }
    if is("fdb[") {
        told.push("fields of one byte that always have such values look as a tuple's type codes do".to_owned());
    }
    if is("ordered[") {
        told.push("fields that another program ends with `\\x00\\x01` look the same".to_owned());
    }
    let long: BTreeSet<Delimiter> = path.models.iter().filter_map(|model| delimiter(&model.shape)).collect();
    for delimiter in long.into_iter().filter(|delimiter| delimiter.len() > 1) {
        let (first, rest) = delimiter.as_bytes().split_at(1);
        let (first, rest) = (hbase_binary(first), hbase_binary(rest));
        told.push(format!("`{first}` alone may be the delimiter, if each value after it begins with `{rest}`"));
    }
    told
}
