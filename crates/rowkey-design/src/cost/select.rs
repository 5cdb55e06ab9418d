//! The conditions of a query on each field, and the ranges of a key that serve it.

use std::borrow::Cow;
use std::ops::Bound;

use rowkey::layout::Scalar;
use rowkey::lead::{Lead, SaltHash};
use rowkey::untyped::{FieldBuf, FieldValues, TypeBuf, ValueError};
use rowkey::{KeyRange, LayoutBuf, Value};

use super::witness::{before, of_field};
use crate::design::{Query, Width};
use crate::facts::{FieldFacts, KeyFacts};

/// The number of ranges that are made, about, where a query has many values: the rest are as many as these for each
/// value.
const MADE: usize = 4096;

/// The ranges that are made of a query at most, whatever the key.
pub(crate) fn most_made(query: &Query) -> usize {
    let counts = query.among.values().chain(query.parts.values()).map(|count| count.0);
    counts.fold(1.0, f64::max).min(MADE as f64) as usize
}

/// The condition of a query on one field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    /// One value.
    One,
    /// Ranges of a width: how many.
    Range(Width, f64),
    /// Several values: how many.
    Among(f64),
    /// Beginnings of a value: how many characters, bytes or digits one has, and how many they are.
    StartsWith(f64, f64),
}

impl Condition {
    /// That of a query; none if it does not ask for the field.
    pub(crate) fn of(query: &Query, name: &str) -> Option<Self> {
        if query.fix.iter().chain(&query.filter).any(|fixed| fixed.as_str() == name) {
            return Some(Self::One);
        }
        let parts = query.parts.get(name).map_or(1.0, |parts| parts.value.0);
        let range = query.range.get(name).map(|width| Self::Range(width.value, parts));
        let among = query.among.get(name).map(|count| Self::Among(count.value.0));
        range.or(among).or(query.starts_with.get(name).map(|letters| Self::StartsWith(letters.value.0, parts)))
    }

    /// The number of its values, ranges or beginnings.
    pub(crate) fn count(self) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Among(count) | Self::Range(_, count) | Self::StartsWith(_, count) => count.max(1.0).floor(),
        }
    }

    /// The values that it asks for, of which these are some: each range or beginning by itself.
    pub(crate) fn each(self, field: &FieldFacts<'_>, values: &[&Value]) -> Option<Vec<FieldValues>> {
        let parts = (self.count() as usize).min(values.len());
        match self {
            Self::Range(..) | Self::StartsWith(..) => {
                values[..parts].chunks(1).map(|one| self.values(field, one)).collect()
            }
            Self::One | Self::Among(_) => Some(vec![self.values(field, values)?]),
        }
    }

    /// The values of one range or beginning, or several values; none if no range of keys has them.
    fn values(self, field: &FieldFacts<'_>, values: &[&Value]) -> Option<FieldValues> {
        let first = *values.first()?;
        Some(match self {
            Self::One => FieldValues::In(vec![first.clone()]),
            Self::Range(..) if field.is_descending().is_none() => return None,
            Self::Range(width, _) => {
                let low = before(first, field, width).unwrap_or_else(|| Bound::Included(first.clone()));
                FieldValues::Between(low, Bound::Included(first.clone()))
            }
            Self::Among(_) => FieldValues::In(values.iter().map(|value| (*value).clone()).collect()),
            Self::StartsWith(letters, _) => starting(&field.field.ty, first, letters.clamp(0.0, 1e6) as usize)?,
        })
    }
}

/// The values of a type that begin as this one does.
fn starting(ty: &TypeBuf, value: &Value, letters: usize) -> Option<FieldValues> {
    let between = |low, high| FieldValues::Between(Bound::Included(low), Bound::Included(high));
    Some(match (ty, value) {
        (TypeBuf::Scalar(Scalar::Text), Value::Text(text)) => {
            FieldValues::StartsWith(Value::Text(text.chars().take(letters).collect()))
        }
        (TypeBuf::Scalar(Scalar::Foreign(foreign)), Value::Text(text)) if foreign.values() == Scalar::Text => {
            FieldValues::StartsWith(Value::Text(text.chars().take(letters).collect()))
        }
        (TypeBuf::Scalar(Scalar::Bytes), Value::Bytes(bytes)) => {
            FieldValues::StartsWith(Value::Bytes(bytes.iter().copied().take(letters).collect()))
        }
        (TypeBuf::Scalar(Scalar::ByteArray(len)), Value::Bytes(bytes)) => {
            let fill = |byte| {
                let start = bytes.iter().copied().take(letters);
                Value::Bytes(start.chain(std::iter::repeat(byte)).take(*len).collect())
            };
            between(fill(0), fill(0xff))
        }
        (TypeBuf::Scalar(Scalar::QuadKey(zoom)), Value::Text(digits)) => {
            let fill = |digit| {
                let start = digits.chars().take(letters);
                Value::Text(start.chain(std::iter::repeat(digit)).take(usize::from(*zoom)).collect())
            };
            between(fill('0'), fill('3'))
        }
        (TypeBuf::Scalar(Scalar::Tile), Value::Text(digits)) => {
            // A tile sorts right after all the tiles that lie in it.
            let tile: String = digits.chars().take(letters).collect();
            let first = tile.chars().chain(std::iter::repeat('0')).take(29).collect();
            between(Value::Text(first), Value::Text(tile))
        }
        // However few letters: what is made up is one domain.
        (TypeBuf::Scalar(Scalar::HostPath), Value::Text(page)) => {
            FieldValues::Under(page.split('/').next()?.to_owned())
        }
        (TypeBuf::Scalar(Scalar::Url), Value::Tuple(parts)) => {
            return starting(&TypeBuf::Scalar(Scalar::HostPath), parts.first()?, letters);
        }
        (TypeBuf::Option(inner), Value::Option(Some(value))) => {
            let some = |value| Value::Option(Some(Box::new(value)));
            match starting(inner, value, letters)? {
                FieldValues::StartsWith(Value::Text(text)) => {
                    let last = format!("{text}{}", char::MAX);
                    between(some(Value::Text(text)), some(Value::Text(last)))
                }
                FieldValues::StartsWith(Value::Bytes(bytes)) => {
                    let last = bytes.iter().copied().chain([0xff; 8]).collect();
                    between(some(Value::Bytes(bytes)), some(Value::Bytes(last)))
                }
                FieldValues::Between(Bound::Included(low), Bound::Included(high)) => between(some(low), some(high)),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// The part of a query that a key can select by.
#[derive(Clone, Debug)]
pub(crate) struct Selection<'d> {
    /// The layout, with a hash that is known.
    layout: Cow<'d, LayoutBuf>,
    /// The number of leading fields with one value.
    pub(crate) leading: usize,
    /// Its condition on the field after those.
    pub(crate) next: Option<(FieldFacts<'d>, Condition)>,
    /// The fields and columns that are left.
    pub(crate) rest: Vec<&'d str>,
}

impl<'d> Selection<'d> {
    pub(crate) fn of(query: &'d Query, key: &KeyFacts<'d>) -> Self {
        let condition = |field: &FieldFacts<'_>| Condition::of(query, field.name);
        let is_fixed = |field: &FieldFacts<'_>| condition(field) == Some(Condition::One);
        let known = key.fields.iter().take_while(|field| field.is_constant() || is_fixed(field)).count();
        let next = key.fields.get(known).and_then(|field| {
            let (asked, made_up) = (condition(field)?, of_field(field, 1));
            asked.each(field, &[&made_up])?;
            Some((field.clone(), asked))
        });
        // Of several values of its last field, each is a partition.
        let several = matches!(next, Some((_, Condition::Among(_))));
        let in_partitions = key.partition.is_none_or(|partition| known + usize::from(several) >= partition);
        let next = next.filter(|_| in_partitions);
        // All keys begin with a constant: alone it selects nothing.
        let selects = in_partitions && (next.is_some() || key.fields.iter().take(known).any(is_fixed));
        let leading = if selects { known } else { 0 };
        let used = leading + usize::from(next.is_some());
        let used: Vec<&str> = key.fields.iter().take(used).map(|field| field.name).collect();
        let rest = all_of(query).into_iter().filter(|name| !used.contains(name)).collect();
        Self { layout: with_known_hash(key.layout), leading, next, rest }
    }

    pub(super) fn layout(&self) -> &LayoutBuf {
        &self.layout
    }

    /// The number of keys that its values are taken from.
    pub(crate) fn keys(&self) -> f64 {
        self.next.as_ref().map_or(1.0, |(_, condition)| condition.count())
    }

    /// The number of these that are made up, at most.
    pub(crate) fn made(&self) -> usize {
        let lists = match self.layout.lead() {
            Lead::Salt(salt) => salt.buckets as usize,
            _ => 1,
        };
        self.keys().min((MADE / lists.max(1)).max(1) as f64) as usize
    }

    /// Its condition on the field after the leading ones, with values made up.
    pub(crate) fn made_up(&self) -> Option<Vec<FieldValues>> {
        let (field, condition) = self.next.as_ref()?;
        let values: Vec<Value> = (0..self.made() as u64).map(|k| of_field(field, k)).collect();
        condition.each(field, &values.iter().collect::<Vec<_>>())
    }

    /// Its ranges by bucket, with the values of these keys: the first key's, and the others' where it asks for several.
    /// None if the key is hashed by fields that it has no value of, or a key is not of this layout.
    pub(crate) fn ranges(&self, keys: &[Vec<Value>]) -> Option<Vec<Vec<KeyRange>>> {
        let leading = keys.first()?.get(..self.leading)?;
        let next = match &self.next {
            None => Vec::new(),
            Some((field, condition)) => {
                let values: Vec<&Value> = keys.iter().filter_map(|key| key.get(self.leading)).collect();
                condition.each(field, &values)?
            }
        };
        ranges_of(&self.layout, leading, &next).ok()
    }
}

/// The ranges of a key by bucket, with these values of its leading fields, and these of the next: of each by itself.
pub(crate) fn ranges_of(
    layout: &LayoutBuf,
    leading: &[Value],
    next: &[FieldValues],
) -> Result<Vec<Vec<KeyRange>>, ValueError> {
    let mut ranges = layout.ranges_by_bucket(leading, next.first())?;
    for values in next.iter().skip(1) {
        let more = layout.ranges_by_bucket(leading, Some(values))?;
        ranges.resize_with(ranges.len().max(more.len()), Vec::new);
        ranges.iter_mut().zip(more).for_each(|(bucket, more)| bucket.extend(more));
    }
    Ok(ranges)
}

/// The fields and columns that a query selects by, in its order.
pub(crate) fn all_of(query: &Query) -> Vec<&str> {
    let fixed = query.fix.iter().map(|name| name.as_str());
    let keys = query.range.keys().chain(query.among.keys()).chain(query.starts_with.keys()).map(String::as_str);
    let mut all: Vec<&str> = Vec::new();
    for name in fixed.chain(keys).chain(query.filter.iter().map(|name| name.as_str())) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The layout; a hash of the user's own gives way to one that is known. The bucket is another then, and as many ranges.
fn with_known_hash(layout: &LayoutBuf) -> Cow<'_, LayoutBuf> {
    if let Lead::Salt(salt) = layout.lead()
        && salt.hash.hash.is_none()
    {
        let mut salt = salt.clone();
        salt.hash = SaltHash::named("xxh3");
        let (by, fields) = (layout.by().to_vec(), layout.fields().to_vec());
        let known = LayoutBuf::of_fields(layout.name(), Lead::Salt(salt), by, fields);
        return known.map_or(Cow::Borrowed(layout), Cow::Owned);
    }
    Cow::Borrowed(layout)
}

/// A key of this field alone, ascending.
fn alone(field: &FieldFacts<'_>) -> Option<LayoutBuf> {
    let ascending = FieldBuf { desc: false, ..field.field.clone() };
    LayoutBuf::of_fields("field", Lead::None, Vec::new(), vec![ascending]).ok()
}

/// The bytes of a value, which sort as values do.
pub(crate) fn ascending(field: &FieldFacts<'_>, value: &Value) -> Option<Vec<u8>> {
    alone(field)?.encode(std::slice::from_ref(value)).ok()
}

/// A condition on one field, apart from its key: what a filter keeps.
pub(crate) struct Filter {
    field: usize,
    alone: LayoutBuf,
    ranges: Vec<KeyRange>,
}

impl Filter {
    /// That of the field with this index, with the values of these keys.
    pub(crate) fn new(field: usize, facts: &FieldFacts<'_>, condition: Condition, keys: &[Vec<Value>]) -> Option<Self> {
        let alone = alone(facts)?;
        let values: Vec<&Value> = keys.iter().filter_map(|key| key.get(field)).collect();
        let values = condition.each(facts, &values)?;
        let ranges = ranges_of(&alone, &[], &values).ok()?.into_iter().flatten().collect();
        Some(Self { field, alone, ranges })
    }

    /// True if it keeps a key.
    pub(crate) fn keeps(&self, key: &[Value]) -> bool {
        let Some(value) = key.get(self.field) else { return false };
        let bytes = self.alone.encode(std::slice::from_ref(value)).unwrap_or_default();
        self.ranges.iter().any(|range| range.contains(&bytes))
    }
}
