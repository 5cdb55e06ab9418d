//! The rows of a design: each row by its number, so that what is read and deleted later is what was written.

use std::borrow::Cow;

use crate::cost::with_known_hash;
use crate::design::{Meaning, Skew};
use crate::facts::{FieldFacts, Growth, KeyFacts, Spread};
use crate::profile::Profile;
use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;
use rowkey::{LayoutBuf, Value, ValueError};

use super::numbers::Numbers;
use super::ranks::Ranks;
use super::value::{Values, of_time, of_time_id};

/// A row: what is needed to make its key.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its write.
    pub write: u64,
    /// Its number among those of the write.
    pub number: u64,
    /// The time of what it tells, in microseconds since 1970.
    pub micros: u64,
    /// Its number in the table.
    pub sequence: u64,
}

/// The time at which a drawn load begins: 2026-01-01, in microseconds since 1970.
pub const BEGIN: u64 = 1_767_225_600_000_000;

/// The values of a field that nothing is said of.
const ASSUMED_VALUES: f64 = 10_000.0;

/// The rows of a key.
#[derive(Debug)]
pub struct Rows<'d> {
    layout: Cow<'d, LayoutBuf>,
    fields: Vec<Field<'d>>,
    /// The values of a sample's keys, by field of this key; none for fields that are drawn.
    sample: Vec<Vec<Option<Value>>>,
    /// The rows that the key has, of all: below this number; none of a key that has all.
    share: Option<u64>,
    numbers: Numbers,
}

/// A field, and how its values come.
#[derive(Debug)]
struct Field<'d> {
    values: Values<'d>,
    comes: Comes,
    numbers: Numbers,
}

#[derive(Debug)]
enum Comes {
    /// As the time goes on: the seconds that one more is.
    Time(f64),
    TimeId,
    Sequence,
    Drawn(Draw),
    /// With those of a key of the sample.
    Sampled,
}

/// The draw of a value.
#[derive(Debug)]
struct Draw {
    ranks: Ranks,
    /// The field for each of whose values these are.
    per: Option<usize>,
    /// The step from the number of a rank to that of the next, and the number of the first: no two ranks have the same.
    step: u64,
    first: u64,
}

impl Draw {
    fn new(spread: &Spread, per: Option<usize>, numbers: Numbers) -> Self {
        let ranks = Ranks::of(spread);
        let count = ranks.count;
        // The golden section of them, or the next number that has no divisor in common with theirs.
        let golden = ((u128::from(count) * 0x9e37_79b9_7f4a_7c15) >> 64) as u64;
        let step = (golden.max(1)..).find(|step| divisor(*step, count) == 1).unwrap_or(1);
        Self { ranks, per, step, first: numbers.below(count, u64::MAX) }
    }

    /// The number of the value of a rank.
    #[inline]
    fn number(&self, rank: u64) -> u64 {
        let count = self.ranks.count;
        if count < 1 << 32 {
            // All are below 2^32: the product is below 2^64.
            return (rank * self.step + self.first) % count;
        }
        ((u128::from(rank) * u128::from(self.step) + u128::from(self.first)) % u128::from(count)) as u64
    }
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl<'d> Rows<'d> {
    /// Those of a key. `skew`: the part by which values are more uneven than the design says; below 0, less.
    pub fn of(key: &KeyFacts<'d>, profile: Option<&Profile>, seed: u64, skew: f64, assumed: &mut Vec<String>) -> Self {
        let numbers = Numbers::new(seed);
        let profile = profile.filter(|profile| !profile.sample.is_empty());
        // A field is known by its place among those that are drawn, or that grow: a name draws nothing, and a key with
        // the time elsewhere has the same rows.
        let (mut drawn, mut growing) = (0, 1 << 32);
        let fields: Vec<_> = key
            .fields
            .iter()
            .map(|facts| {
                let place = if facts.growth.is_some() { &mut growing } else { &mut drawn };
                let numbers = numbers.of(*place);
                *place += 1;
                let comes = match facts.growth {
                    Some(Growth::TimeId) => Comes::TimeId,
                    Some(Growth::Sequence) => Comes::Sequence,
                    Some(growth) => Comes::Time(seconds(facts, growth)),
                    None if is_sampled(facts, profile) => Comes::Sampled,
                    None => {
                        let spread = spread(facts);
                        if facts.spread.is_none() {
                            assume(facts, &spread, assumed);
                        }
                        let per = facts.per.filter(|per| key.fields[*per].growth.is_none());
                        Comes::Drawn(Draw::new(&skewed(&spread, skew), per, numbers))
                    }
                };
                let count = if let Comes::Drawn(draw) = &comes { draw.ranks.count } else { u64::MAX };
                let bytes = facts.bytes.clamp(1.0, 1024.0) as usize;
                let values =
                    Values { ty: &facts.field.ty, meaning: facts.meaning, bytes, count, is_unsaid: is_unsaid(facts) };
                Field { values, comes, numbers }
            })
            .collect();
        let layout = with_known_hash(key.layout);
        if matches!(layout, Cow::Owned(_)) {
            assumed.push(format!("the salt of {:?} is taken by xxh3: its own hash is not known", key.name.as_str()));
        }
        let sample = profile.map_or(Vec::new(), |profile| sampled(key, &fields, profile));
        let share = (key.share < 1.0).then(|| (key.share * 2f64.powi(63)) as u64 * 2);
        Self { layout, fields, sample, share, numbers: numbers.named("share") }
    }

    /// True if the key has the row: a secondary table may have some alone.
    pub fn has(&self, row: Row) -> bool {
        self.share.is_none_or(|share| self.numbers.of(row.write).at(row.number) < share)
    }

    /// The values of a row's key.
    pub fn values(&self, row: Row, values: &mut Vec<Value>) {
        values.clear();
        values.extend((0..self.fields.len()).map(|at| self.value(at, row, None)));
    }

    /// The value of a field, with the rank that a query asks for in place of the row's.
    pub fn value(&self, at: usize, row: Row, rank: Option<u64>) -> Value {
        let Field { values, comes, numbers } = &self.fields[at];
        let random = || numbers.of(row.write).at(row.number);
        match comes {
            Comes::Time(each) => of_time(values.ty, *each, row.micros),
            Comes::TimeId => of_time_id(values.ty, values.meaning, row.micros, random()),
            Comes::Sequence => values.numbered(row.sequence),
            Comes::Drawn(_) => values.numbered(self.number(at, row, rank, self.fields.len())),
            Comes::Sampled => {
                let key = self.numbers.of(row.write).below(self.sample.len() as u64, row.number);
                let value = self.sample.get(key as usize).and_then(|key| key.get(at).cloned().flatten());
                value.unwrap_or_else(|| values.numbered(random()))
            }
        }
    }

    /// The number of the value of a drawn field. `depth` ends a chain of fields that lead back.
    fn number(&self, at: usize, row: Row, rank: Option<u64>, depth: usize) -> u64 {
        let Field { comes: Comes::Drawn(draw), numbers, .. } = &self.fields[at] else { return 0 };
        let rank = rank.unwrap_or_else(|| draw.ranks.draw(numbers.of(row.write).at(row.number)));
        let own = draw.number(rank);
        match draw.per.filter(|_| depth > 0) {
            Some(per) => {
                let of = self.number(per, row, None, depth - 1);
                of.wrapping_mul(draw.ranks.count).wrapping_add(own)
            }
            None => own,
        }
    }

    /// Appends the key of these values.
    ///
    /// # Errors
    ///
    /// If they are no key of the layout.
    pub fn encode(&self, values: &[Value], key: &mut Vec<u8>) -> Result<(), ValueError> {
        key.clear();
        self.layout.encode_to(values, key)
    }
}

/// The seconds that one more of the values of a field is that grows with time.
fn seconds(facts: &FieldFacts<'_>, growth: Growth) -> f64 {
    use rowkey::layout::Scalar::{I16, I32, U16, U32};
    use rowkey::untyped::TypeBuf::Scalar;
    match (growth, &facts.field.ty) {
        (Growth::Time(Some(seconds)), _) => seconds,
        (_, Scalar(U32 | I32)) => 1.0,
        (_, Scalar(U16 | I16)) => 86_400.0,
        _ => 1e-3,
    }
}

/// The frequencies of a field's values; where nothing is said of them, as many as are assumed.
pub fn spread(facts: &FieldFacts<'_>) -> Spread {
    let assumed = if facts.meaning == Some(Meaning::TieBreaker) { 1000.0 } else { ASSUMED_VALUES };
    facts.spread.unwrap_or_else(|| Spread::of(assumed, Skew::Uniform))
}

/// Says how many values of a field are assumed.
fn assume(facts: &FieldFacts<'_>, spread: &Spread, assumed: &mut Vec<String>) {
    let said = format!("{0:?} has {1} values: say `stats.{0} = {{ distinct = … }}`", facts.name, spread.distinct);
    if !assumed.contains(&said) {
        assumed.push(said);
    }
}

/// True if nothing says how many values a field has, nor what they are.
fn is_unsaid(facts: &FieldFacts<'_>) -> bool {
    facts.spread.is_none() && facts.meaning.is_none() && facts.growth.is_none()
}

/// Values that are more uneven, by this part.
pub fn skewed(spread: &Spread, more: f64) -> Spread {
    match spread.skew {
        Some(Skew::Zipf(exponent)) if more != 0.0 => {
            Spread::of(spread.distinct, Skew::Zipf((exponent * (1.0 + more)).clamp(0.0, 10.0)))
        }
        Some(Skew::One(share)) if more != 0.0 => {
            Spread::of(spread.distinct, Skew::One((share * (1.0 + more)).clamp(0.0, 1.0)))
        }
        _ => *spread,
    }
}

/// True if the values of a field are those of the sample's keys: it has the frequent ones, and the texts as they begin.
fn is_sampled(facts: &FieldFacts<'_>, profile: Option<&Profile>) -> bool {
    let said = facts.stats.is_some_and(|stats| stats.distinct.is_some());
    let seen = profile.and_then(|profile| {
        let seen = profile.fields.iter().find(|seen| seen.name == facts.name)?;
        let is_text = matches!(facts.field.ty, TypeBuf::Scalar(Scalar::Text | Scalar::HostPath | Scalar::Url));
        Some(is_text || 2.0 * seen.distinct < profile.sample.len() as f64)
    });
    !said && seen == Some(true)
}

/// The values of the sample's keys for the fields of a key that are taken from there.
fn sampled(key: &KeyFacts<'_>, fields: &[Field<'_>], profile: &Profile) -> Vec<Vec<Option<Value>>> {
    let own = &key.table.layout;
    let place = |facts: &FieldFacts<'_>| own.fields().iter().position(|field| field.name == facts.name);
    let places: Vec<Option<usize>> = key
        .fields
        .iter()
        .zip(fields)
        .map(|(facts, field)| place(facts).filter(|_| matches!(field.comes, Comes::Sampled)))
        .collect();
    if places.iter().all(Option::is_none) {
        return Vec::new();
    }
    let decoded = profile.sample.iter().filter_map(|key| own.decode(key).ok());
    decoded.map(|values| places.iter().map(|place| values.get((*place)?).cloned()).collect()).collect()
}
