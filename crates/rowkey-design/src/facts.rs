//! Facts of a key before its table exists: which fields grow, how many values they have, how even they are.

use rowkey::LayoutBuf;
use rowkey::foreign::{Foreign, Form, Order};
use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};

use crate::design::{Cluster, FieldStats, KeyField, Meaning, Query, Size, Skew, Width, Write, WriteOrder};
use crate::file::{Bytes, Named};
use crate::problem::{Located, Span};
use crate::profile::{FieldProfile, Profile};
use crate::resolve::TableDesign;
use crate::write_cost::WriteCost;

/// Why the values of a field grow as rows are written.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Growth {
    /// It is a time; the seconds that one more of its values is, where that is known.
    Time(Option<f64>),
    /// It is a number that grows with each row.
    Sequence,
    /// It is an id that begins with a time: a snowflake, a ULID, a UUID of version 7.
    TimeId,
    /// The file or a sample says that it grows, and not why.
    Unknown,
}

/// The frequencies of a field's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The number of values; for each value of another field where the file says `per`.
    pub distinct: f64,
    /// The number of places that would be as uneven if all were written equally often: `1 / Σ p²`.
    pub n_eff: f64,
    /// The share of the most frequent value.
    pub p_max: f64,
    /// The skew that the file says; none where a sample has counted them.
    pub skew: Option<Skew>,
}

impl Spread {
    /// That of a number of values with a skew.
    pub fn of(distinct: f64, skew: Skew) -> Self {
        let distinct = distinct.max(1.0);
        let (n_eff, p_max) = match skew {
            Skew::Uniform => (distinct, 1.0 / distinct),
            Skew::Zipf(s) => {
                let total = power_sum(distinct, s);
                (total * total / power_sum(distinct, 2.0 * s), 1.0 / total)
            }
            Skew::One(share) => {
                let p_max = share.max(1.0 / distinct);
                let rest = 1.0 - p_max;
                (1.0 / (p_max * p_max + rest * rest / (distinct - 1.0).max(1.0)), p_max)
            }
        };
        Self { distinct, n_eff, p_max, skew: Some(skew) }
    }
}

impl Spread {
    /// These values, as uneven as those of a sample of `keys` keys.
    fn as_uneven_as(self, seen: &FieldProfile, keys: u64) -> Self {
        // Each key is equal to itself: of pairs of two, fewer are equal than Σ p² of the sample, the fewer the smaller
        // it is.
        let keys = keys as f64;
        let equal = (keys / seen.n_eff - 1.0) / (keys - 1.0);
        let n_eff = if equal > 0.0 { 1.0 / equal } else { f64::INFINITY };
        let n_eff = n_eff.min(self.n_eff).max(seen.n_eff.min(self.n_eff)).max(1.0);
        // No value has a greater share than all squares together.
        Self { distinct: self.distinct, n_eff, p_max: seen.p_max.min(1.0 / n_eff.sqrt()).max(self.p_max), skew: None }
    }
}

/// `Σ k^-s` for k from 1 to n: the first terms one by one, the rest by the formula of Euler and Maclaurin.
fn power_sum(n: f64, s: f64) -> f64 {
    const EXACT: f64 = 1000.0;
    let head: f64 = (1..=n.min(EXACT) as u32).map(|k| f64::from(k).powf(-s)).sum();
    if n <= EXACT {
        return head;
    }
    let integral =
        if (s - 1.0).abs() < 1e-9 { (n / EXACT).ln() } else { (n.powf(1.0 - s) - EXACT.powf(1.0 - s)) / (1.0 - s) };
    head + integral + (n.powf(-s) - EXACT.powf(-s)) / 2.0
}

/// A field of a key, and what is known of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FieldFacts<'d> {
    /// Its name.
    pub name: &'d str,
    /// Its place in the file.
    pub place: Span,
    /// Its type and direction.
    pub field: &'d FieldBuf,
    /// Its meaning in the file.
    pub meaning: Option<Meaning>,
    /// Why it grows, if it does.
    pub growth: Option<Growth>,
    /// The frequencies of its values, if they are known.
    pub spread: Option<Spread>,
    /// The field for each of whose values the spread is: its index in the key.
    pub per: Option<usize>,
    /// Its statistics in the file.
    pub stats: Option<&'d FieldStats>,
    /// The bytes that it has in a key, on average.
    pub bytes: f64,
    /// [`FieldProfile::starts`] of a sample.
    pub(crate) starts: Vec<f64>,
}

impl FieldFacts<'_> {
    /// The share of rows that begin with as many characters, bytes or digits as a value does: as a sample has it, or of
    /// values that are anywhere among those of their type. None where neither is known: text has no alphabet.
    pub(crate) fn starting_with(&self, letters: f64) -> Option<f64> {
        if let Some(last) = self.starts.len().checked_sub(1) {
            return self.starts.get(last.min((letters - 1.0).max(0.0) as usize)).copied();
        }
        let is_scattered = matches!(self.meaning, Some(Meaning::Random | Meaning::Uuid4 | Meaning::Digest));
        let of_each = match self.field.ty {
            TypeBuf::Scalar(Scalar::Bytes | Scalar::ByteArray(_)) => 256f64,
            TypeBuf::Scalar(Scalar::Foreign(Foreign::Text(field)))
                if matches!(field.form(), Form::Hex(_) | Form::HexBytes(_) | Form::Uuid) =>
            {
                16.0
            }
            _ => return None,
        };
        is_scattered.then(|| of_each.powf(-letters))
    }

    /// Returns whether it is the same in every key, so that a query need not fix it.
    pub fn is_constant(&self) -> bool {
        self.meaning == Some(Meaning::Constant) || is_constant(&self.field.ty)
    }

    /// Returns whether the greatest value comes first in the key; `None` if the bytes are in no order of the values.
    pub fn is_descending(&self) -> Option<bool> {
        let TypeBuf::Scalar(Scalar::Foreign(foreign)) = self.field.ty else { return Some(self.field.desc) };
        match foreign.order() {
            Order::Ascending => Some(self.field.desc),
            Order::Descending => Some(!self.field.desc),
            Order::None => None,
        }
    }

    /// Returns whether the field can be in the other direction.
    pub(crate) fn can_turn(&self) -> bool {
        let is_ascending = match self.field.ty {
            TypeBuf::Scalar(Scalar::Foreign(foreign)) => {
                foreign.order() == Order::Ascending && !foreign.ends_with_key() && !foreign.looks_ahead()
            }
            _ => true,
        };
        is_ascending && !self.field.raw
    }
}

/// A key of a table or of one of its secondary tables, and what is known of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeyFacts<'d> {
    /// The name of the table or secondary table.
    pub name: &'d Located<String>,
    /// The secondary table that it is of; none for the table itself.
    pub secondary: Option<usize>,
    /// The layout.
    pub layout: &'d LayoutBuf,
    /// The fields, in key order.
    pub fields: Vec<FieldFacts<'d>>,
    /// The bytes of a key, on average.
    pub bytes: f64,
    /// The bytes of a row's values, on average, where a sample says it.
    pub value_bytes: Option<f64>,
    /// The number of first fields that the engine hashes: the partition key, in which all rows of a query have to be.
    /// None on an engine that sorts all keys.
    pub partition: Option<usize>,
    /// The number of first fields that are the partition key on an engine that has one.
    pub(crate) first: usize,
    /// The share of the table's rows that it has.
    pub share: f64,
    /// The table.
    pub table: &'d TableDesign,
    /// The writes that a server counts for a row.
    pub(crate) write_cost: WriteCost,
}

impl<'d> KeyFacts<'d> {
    /// The facts of a table's key, from its file and, where there is one, a sample.
    pub fn of(table: &'d TableDesign, profile: Option<&Profile>) -> Self {
        let own = &table.table;
        Self::new(&table.name, None, &table.layout, (&own.key, &own.partition), table, profile)
    }

    /// The facts of a table's key and of those of its secondary tables, on a cluster.
    pub fn all(table: &'d TableDesign, profile: Option<&Profile>, cluster: Option<&Cluster>) -> Vec<Self> {
        let keys = std::iter::once(Self::of(table, profile)).chain(Self::of_secondaries(table, profile));
        keys.map(|key| key.on(cluster)).collect()
    }

    /// The facts of the keys of its secondary tables.
    pub fn of_secondaries(table: &'d TableDesign, profile: Option<&Profile>) -> Vec<Self> {
        let secondaries = table.table.secondary.iter().zip(&table.secondary).enumerate();
        secondaries
            .map(|(i, (secondary, layout))| {
                let key = (&secondary.key[..], &secondary.partition);
                Self::new(&secondary.name, Some(i), layout, key, table, profile)
            })
            .collect()
    }

    fn new(
        name: &'d Located<String>,
        secondary: Option<usize>,
        layout: &'d LayoutBuf,
        (texts, partition): (&'d [Located<KeyField>], &Option<Vec<Located<String>>>),
        table: &'d TableDesign,
        profile: Option<&Profile>,
    ) -> Self {
        let fields = layout.fields().iter().zip(texts);
        let mut fields: Vec<_> =
            fields.map(|(field, text)| FieldFacts::new(field, text.place, texts, table, profile)).collect();
        if let Some(time) = only_time(&fields, table) {
            fields[time].growth = Some(Growth::Unknown);
        }
        let lead = layout.lead().width();
        let bytes = lead as f64 + fields.iter().map(|field| field.bytes).sum::<f64>();
        let value_bytes = profile.and_then(|profile| profile.value_bytes);
        let own = secondary.and_then(|index| table.table.secondary.get(index)?.rows.as_ref());
        let share = own.zip(table.table.rows.as_ref()).map_or(1.0, |(own, all)| (own.0 / all.0.max(1.0)).min(1.0));
        let first = partition.as_ref().map_or(1, |names| {
            let named = |field: &&FieldFacts<'_>| names.iter().any(|name| **name == *field.name);
            fields.iter().take_while(named).count().max(names.len().min(1))
        });
        Self {
            name,
            secondary,
            layout,
            fields,
            bytes,
            value_bytes,
            partition: None,
            first,
            share,
            table,
            write_cost: WriteCost::Rows,
        }
    }

    /// The same on the engine of a cluster.
    #[must_use]
    pub fn on(mut self, cluster: Option<&Cluster>) -> Self {
        let hashes = cluster.is_some_and(|cluster| cluster.engine.hashes_partitions());
        self.partition = hashes.then_some(self.first);
        self.write_cost = cluster.map_or(WriteCost::Rows, |cluster| WriteCost::of(cluster.engine));
        self
    }

    /// The index of a field.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The same key, with the values that a query asks for as frequent as it says.
    pub fn asked_by(&self, query: &Query) -> Self {
        let mut key = self.clone();
        for field in &mut key.fields {
            let Some(skew) = named(&query.skew, field.name) else { continue };
            let distinct = field.spread.map(|spread| spread.distinct);
            field.spread = match (distinct, skew) {
                (Some(distinct), skew) => Some(Spread::of(distinct, *skew)),
                (None, Skew::One(_)) => Some(Spread::of(f64::MAX, *skew)),
                (None, _) => None,
            };
        }
        key
    }

    /// The first field that grows.
    pub fn growing(&self) -> Option<usize> {
        self.fields.iter().position(|field| field.growth.is_some())
    }
}

/// The field that is the time where the file writes or asks by time and does not say which field it is: the only number
/// of four or eight bytes without statistics and meaning.
fn only_time(fields: &[FieldFacts<'_>], table: &TableDesign) -> Option<usize> {
    let written =
        |write: &Located<Write>| matches!(write.order.as_deref(), Some(WriteOrder::Time | WriteOrder::RandomIn(_)));
    let asked = |query: &Located<Query>| {
        query.newest_first().is_some() || query.range.values().any(|width| matches!(width.value, Width::Time(_)))
    };
    let by_time = table.table.write.iter().any(written) || table.table.query.iter().any(asked);
    if !by_time || fields.iter().any(|field| field.growth.is_some()) {
        return None;
    }
    let number = |field: &FieldFacts<'_>| match field.field.ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) => present(&foreign).values() == Scalar::U128,
        TypeBuf::Scalar(scalar) => matches!(scalar, Scalar::U32 | Scalar::U64 | Scalar::I32 | Scalar::I64),
        _ => false,
    };
    let unsaid = |field: &FieldFacts<'_>| {
        field.meaning.is_none() && field.stats.is_none_or(|stats| stats.distinct.is_none() && stats.grows.is_none())
    };
    let mut times = (0..fields.len()).filter(|&field| number(&fields[field]) && unsaid(&fields[field]));
    let time = times.next()?;
    times.next().is_none().then_some(time)
}

impl<'d> FieldFacts<'d> {
    fn new(
        field: &'d FieldBuf,
        place: Span,
        key: &[Located<KeyField>],
        table: &'d TableDesign,
        profile: Option<&Profile>,
    ) -> Self {
        let name = field.name.as_str();
        let stats = named(&table.table.stats, name);
        let meaning = named(&table.table.means, name).copied();
        let seen = profile.filter(|profile| profile.keys > profile.undecoded);
        let seen = seen.and_then(|profile| profile.fields.iter().find(|seen| seen.name == name));
        // As CockroachDB's load splitter has it: more than four fifths of later values on one side.
        let moves = profile.filter(|profile| !profile.in_key_order && profile.keys >= 1000).and(seen);
        let moves = moves.is_some_and(|seen| seen.distinct > 100.0 && seen.direction.right > 0.8);
        let growth = match stats.and_then(|stats| stats.grows) {
            Some(false) => None,
            grows => growth(&field.ty, meaning).or((grows == Some(true) || moves).then_some(Growth::Unknown)),
        };
        let bucket = stats.and_then(|stats| stats.bucket.as_ref()).map(|bucket| bucket.seconds());
        let growth = match growth {
            Some(Growth::Time(None)) => Some(Growth::Time(bucket)),
            growth => growth,
        };
        let declared = stats.and_then(|stats| {
            let distinct = stats.distinct.as_ref()?.0;
            Some(match (&stats.skew, seen.zip(profile)) {
                (Some(skew), _) => Spread::of(distinct, **skew),
                // A number of values says nothing of how even they are; a sample does, of the values of the whole
                // table.
                (None, Some((seen, profile))) if stats.per.is_none() => {
                    Spread::of(distinct, Skew::Uniform).as_uneven_as(seen, profile.keys - profile.undecoded)
                }
                (None, _) => Spread::of(distinct, Skew::Uniform),
            })
        });
        let per = stats.and_then(|stats| stats.per.as_ref()).filter(|_| declared.is_some());
        let per = per.and_then(|per| key.iter().position(|field| field.name == **per));
        let spread = declared
            .or_else(|| {
                seen.map(|seen| Spread { distinct: seen.distinct, n_eff: seen.n_eff, p_max: seen.p_max, skew: None })
            })
            .or_else(|| of_type(&field.ty, meaning));
        let said = stats.and_then(|stats| stats.size.as_ref()).map(about);
        let bytes = said.or(seen.map(|seen| seen.bytes)).unwrap_or_else(|| bytes_of(field));
        let starts = seen.map_or(Vec::new(), |seen| seen.starts.clone());
        Self { name, place, field, meaning, growth, spread, per, stats, bytes, starts }
    }
}

fn named<'t, T>(all: &'t Named<T>, name: &str) -> Option<&'t T> {
    all.get(name).map(|at| &at.value)
}

/// A size as one number.
pub(crate) fn about(size: &Size) -> f64 {
    match size {
        Size::About(Bytes(bytes)) => *bytes,
        Size::Spread(spread) => spread.p50.or(spread.p99).or(spread.max).map_or(0.0, |bytes| bytes.0),
    }
}

fn growth(ty: &TypeBuf, meaning: Option<Meaning>) -> Option<Growth> {
    match meaning {
        Some(Meaning::Seconds) => Some(Growth::Time(Some(1.0))),
        Some(Meaning::Millis) => Some(Growth::Time(Some(1e-3))),
        Some(Meaning::Micros) => Some(Growth::Time(Some(1e-6))),
        Some(Meaning::Nanos) => Some(Growth::Time(Some(1e-9))),
        Some(Meaning::TimeBucket | Meaning::LocalTime) => Some(Growth::Time(None)),
        Some(Meaning::Sequence) => Some(Growth::Sequence),
        Some(Meaning::Snowflake | Meaning::Uuid7 | Meaning::Ulid) => Some(Growth::TimeId),
        Some(_) => None,
        None => match ty {
            TypeBuf::Scalar(Scalar::Instant) => Some(Growth::Time(Some(1.0))),
            TypeBuf::Scalar(Scalar::Foreign(foreign)) if present(foreign).values() == Scalar::Instant => {
                Some(Growth::Time(None))
            }
            TypeBuf::Option(inner) => growth(inner, None),
            TypeBuf::Tuple(fields) => fields.first().and_then(|first| growth(&first.ty, None)),
            _ => None,
        },
    }
}

/// Returns whether all values of the type are one.
pub fn is_constant(ty: &TypeBuf) -> bool {
    matches!(ty, TypeBuf::Scalar(Scalar::Foreign(Foreign::Constant(_))))
}

/// The number of values by the type or the meaning alone.
fn of_type(ty: &TypeBuf, meaning: Option<Meaning>) -> Option<Spread> {
    let many = || Some(Spread::of(2f64.powi(64), Skew::Uniform));
    match (meaning, ty) {
        (Some(Meaning::Uuid4 | Meaning::Digest | Meaning::Random), _) => many(),
        (Some(Meaning::Constant), _) => Some(Spread::of(1.0, Skew::Uniform)),
        (_, ty) if is_constant(ty) => Some(Spread::of(1.0, Skew::Uniform)),
        (_, TypeBuf::Scalar(Scalar::Bool)) => Some(Spread::of(2.0, Skew::Uniform)),
        _ => None,
    }
}

/// The bytes of a field whose values are not known: its width, or 16 for text and bytes.
fn bytes_of(field: &FieldBuf) -> f64 {
    fn of(ty: &TypeBuf) -> f64 {
        match ty {
            TypeBuf::Scalar(scalar) => scalar.width().map_or(16.0, |width| width as f64),
            TypeBuf::Option(inner) => 1.0 + of(inner),
            TypeBuf::List(inner) => 3.0 * (1.0 + of(inner)),
            TypeBuf::Enum(variants) => {
                let widths = variants.iter().map(|variant| fields(&variant.fields));
                1.0 + widths.fold(0.0, f64::max)
            }
            TypeBuf::Tuple(inner) => fields(inner),
            _ => 16.0,
        }
    }
    fn fields(list: &[FieldBuf]) -> f64 {
        list.iter().map(|field| of(&field.ty)).sum()
    }
    of(&field.ty)
}

/// The encoding of the values that are there, of a field that may be missing.
fn present(foreign: &Foreign) -> Foreign {
    foreign.present().unwrap_or(*foreign)
}
