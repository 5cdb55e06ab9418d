//! The conditions of a query on each field, and the ranges of a key that serve it.

use std::borrow::Cow;
use std::ops::Bound;

use rowkey::layout::Scalar;
use rowkey::lead::{Lead, SaltHash};
use rowkey::untyped::{FieldBuf, FieldValues, TypeBuf, ValueError};
use rowkey::{KeyRange, LayoutBuf, Value};

use super::witness::{before, of_field};
use crate::design::{Meaning, Query, Width};
use crate::facts::{FieldFacts, Growth, KeyFacts};

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
    /// Its conditions on the fields after those, but for the last: several values of the first of them, and one or
    /// several of each other. Each combination is the beginning of a range.
    pub(crate) between: Vec<(FieldFacts<'d>, Condition)>,
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
        let asked = |at: usize| {
            let field = key.fields.get(at)?;
            let (asked, made_up) = (in_turn(query, key, at).or(condition(field))?, of_field(field, 1));
            asked.each(field, &[&made_up])?;
            Some((field.clone(), asked))
        };
        let mut between = Vec::new();
        let mut next = asked(known);
        while let Some((_, Condition::Among(_) | Condition::One)) = next
            && let Some(behind) = asked(known + between.len() + 1)
        {
            between.extend(next.replace(behind));
        }
        let mut selection =
            Self { layout: with_known_hash(key.layout), leading: known, between, next, rest: Vec::new() };
        let in_partitions = key.partition.is_none_or(|partition| selection.prefix() >= partition);
        // All keys begin with a constant: alone it selects nothing.
        let selects = in_partitions && (selection.next.is_some() || key.fields.iter().take(known).any(is_fixed));
        if !selects {
            (selection.leading, selection.between, selection.next) = (0, Vec::new(), None);
        }
        let used: Vec<&str> = key.fields.iter().take(selection.used()).map(|field| field.name).collect();
        selection.rest = all_of(query).into_iter().filter(|name| !used.contains(name)).collect();
        selection
    }

    /// Its conditions on the fields after the leading ones.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &(FieldFacts<'d>, Condition)> {
        self.between.iter().chain(&self.next)
    }

    /// The number of first fields that it selects by.
    pub(crate) fn used(&self) -> usize {
        self.leading + self.conditions().count()
    }

    /// The number of first fields of which each of its ranges has one value.
    pub(crate) fn prefix(&self) -> usize {
        let has_one =
            |(_, condition): &&(FieldFacts<'_>, Condition)| matches!(condition, Condition::One | Condition::Among(_));
        self.leading + self.conditions().filter(has_one).count()
    }

    pub(super) fn layout(&self) -> &LayoutBuf {
        &self.layout
    }

    /// The number of keys that its values are taken from: one for each combination of them.
    pub(crate) fn keys(&self) -> f64 {
        self.conditions().map(|(_, condition)| condition.count()).product()
    }

    /// The number of these that are made up, at most.
    pub(crate) fn made(&self) -> usize {
        let lists = match self.layout.lead() {
            Lead::Salt(salt) => salt.buckets as usize,
            _ => 1,
        };
        self.keys().min((MADE / lists.max(1)).max(1) as f64) as usize
    }

    /// Its condition on the field after those of which a range has one value each, with values made up.
    pub(crate) fn made_up(&self) -> Option<Vec<FieldValues>> {
        let (field, condition) = self.next.as_ref()?;
        let made = condition.count().min(self.made() as f64) as u64;
        let values: Vec<Value> = (0..made).map(|k| of_field(field, k)).collect();
        condition.each(field, &values.iter().collect::<Vec<_>>())
    }

    /// The k-th made-up key: with the k-th combination of its values.
    pub(super) fn made_up_key(&self, fields: &[FieldFacts<'_>], k: u64) -> Vec<Value> {
        let mut left = k;
        let mut counts = self.conditions().map(|(_, condition)| condition.count().min(MADE as f64) as u64);
        let value = |(at, field): (usize, &FieldFacts<'_>)| {
            let count = if at < self.leading { 1 } else { counts.next().unwrap_or(u64::MAX) };
            let digit = left % count.max(1);
            if at >= self.leading && at < self.used() {
                left /= count.max(1);
                return of_field(field, digit);
            }
            of_field(field, k)
        };
        fields.iter().enumerate().map(value).collect()
    }

    /// Its ranges by bucket, with the values of these keys: the first key's, and the others' where it asks for several.
    /// None if the key is hashed by fields that it has no value of, or a key is not of this layout.
    pub(crate) fn ranges(&self, keys: &[Vec<Value>]) -> Option<Vec<Vec<KeyRange>>> {
        let leading = keys.first()?.get(..self.leading)?;
        let Some((field, condition)) = &self.next else { return ranges_of(&self.layout, leading, &[]).ok() };
        let last = self.leading + self.between.len();
        if self.between.is_empty() {
            let values: Vec<&Value> = keys.iter().filter_map(|key| key.get(last)).collect();
            return ranges_of(&self.layout, leading, &condition.each(field, &values)?).ok();
        }
        // Each key has a combination of values; of what is asked for once, all have the first key's.
        let of = |key: &[Value], at: usize, condition: &Condition| {
            let key = if condition.count() > 1.0 { key } else { keys.first()?.as_slice() };
            key.get(at).cloned()
        };
        let mut ranges = Vec::new();
        for key in keys {
            let between = self.between.iter().zip(self.leading..);
            let between = between.map(|((_, condition), at)| of(key, at, condition));
            let prefix: Vec<Value> = leading.iter().cloned().map(Some).chain(between).collect::<Option<_>>()?;
            let next = condition.each(field, &[&of(key, last, condition)?])?;
            add(&mut ranges, ranges_of(&self.layout, &prefix, &next).ok()?);
        }
        Some(ranges)
    }
}

/// The number of values of a coarse time in a partition key, in a query that has a range of it, or of a finer time
/// behind it: its partitions are asked in turn.
fn in_turn(query: &Query, key: &KeyFacts<'_>, at: usize) -> Option<Condition> {
    let field = key.fields.get(at).filter(|field| key.partition.is_some_and(|first| at < first) && is_coarse(field))?;
    let range = |field: &FieldFacts<'_>| match Condition::of(query, field.name)? {
        Condition::Range(width, parts) => Some((width, parts)),
        _ => None,
    };
    let finer = || key.fields[at + 1..].iter().find(|field| field.growth.is_some()).and_then(range);
    let (width, parts) = match Condition::of(query, field.name) {
        Some(_) => range(field)?,
        None => finer().filter(|(width, _)| matches!(width, Width::Time(_)))?,
    };
    let values = match (width, field.growth) {
        (Width::Values(count), _) => count.0,
        // A day that begins at noon is of two days.
        (Width::Time(period), Some(Growth::Time(Some(seconds)))) => (period.seconds() / seconds).ceil() + 1.0,
        _ => return None,
    };
    Some(Condition::Among(values * parts))
}

/// True if many rows have one value of it: the field after it orders them.
pub(crate) fn is_coarse(field: &FieldFacts<'_>) -> bool {
    field.meaning == Some(Meaning::TimeBucket) || field.growth == Some(Growth::Time(None))
}

/// Adds ranges to those of each bucket.
pub(crate) fn add(ranges: &mut Vec<Vec<KeyRange>>, more: Vec<Vec<KeyRange>>) {
    ranges.resize_with(ranges.len().max(more.len()), Vec::new);
    ranges.iter_mut().zip(more).for_each(|(bucket, more)| bucket.extend(more));
}

/// The ranges of a key by bucket, with these values of its leading fields, and these of the next: of each by itself.
pub(crate) fn ranges_of(
    layout: &LayoutBuf,
    leading: &[Value],
    next: &[FieldValues],
) -> Result<Vec<Vec<KeyRange>>, ValueError> {
    let mut ranges = layout.ranges_by_bucket(leading, next.first())?;
    for values in next.iter().skip(1) {
        add(&mut ranges, layout.ranges_by_bucket(leading, Some(values))?);
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
pub fn with_known_hash(layout: &LayoutBuf) -> Cow<'_, LayoutBuf> {
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
