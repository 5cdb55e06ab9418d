//! The load of a design's writes: how many places of the key space are written at once.

mod capacity;
mod heavy;
mod rates;
mod unsaid;

use rowkey::lead::Lead;

pub(crate) use self::capacity::bytes_per_server;
pub use self::capacity::{
    ASSUMED_SERVERS, Capacity, engine_of, is_one_process, known_writes_per_server, reads_per_server, region_bytes,
    said_in_vain, servers, servers_for_all, writes_per_server,
};
pub(crate) use self::heavy::UNEVEN;
use self::heavy::heavy_hashed;
pub use self::rates::{Piece, Rates, assumed_rates, unshaped_peaks};
pub(crate) use self::rates::{mean, peak};
pub use self::unsaid::{unsaid_query, unsaid_write};
use crate::design::{Meaning, Write, WriteOrder};
use crate::facts::{FieldFacts, Growth, KeyFacts, Spread};
use crate::file::Count;
use crate::frequencies::Frequencies;
use crate::problem::Located;
use crate::row_bytes::bytes_per_put;

/// The write units of a write: on DynamoDB one for each kilobyte of an item, elsewhere 1.
fn units(write: &Write, key: &KeyFacts<'_>) -> f64 {
    key.write_cost.of_row(bytes_per_put(key.table, key, write))
}

/// The places where one of a table's writes lands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteLoad<'d> {
    /// The write.
    pub write: &'d Located<Write>,
    /// The secondary table that the key is of; none for the table itself.
    pub secondary: Option<usize>,
    /// The number of places of the key space that are written at once, as even ones would be; none where a field's
    /// values are not known.
    pub places: Option<f64>,
    /// The share of the busiest place.
    pub busiest: Option<f64>,
    /// The places, and how often each is written.
    pub frequencies: Option<Frequencies>,
    /// The fields whose values tell the places apart: their indices in the key.
    pub fields: Vec<usize>,
    /// Those beside them of which the salt or hash is taken, if their most frequent values make a bucket uneven: what has
    /// one value of them is in one bucket, wherever they are in the key.
    pub(crate) hashed: Vec<usize>,
    /// The field that grows, after whose leading fields writes follow each other; its index in the key.
    pub front: Option<usize>,
    /// The number of salt buckets that are written, as even ones would be.
    pub buckets: Option<f64>,
    /// The highest rate, if the file says one: on DynamoDB in write units.
    pub peak: Option<f64>,
    /// The write units of a write on DynamoDB; elsewhere 1.
    pub units: f64,
    /// The bytes that one put writes.
    pub bytes: f64,
}

impl<'d> WriteLoad<'d> {
    /// The places where a write lands under a key.
    pub fn of(write: &'d Located<Write>, key: &KeyFacts<'_>) -> Self {
        let units = units(write, key);
        let peak = peak(write).map(|peak| peak * key.share * units);
        let mut load = Self {
            write,
            secondary: key.secondary,
            places: None,
            busiest: None,
            frequencies: None,
            fields: Vec::new(),
            hashed: Vec::new(),
            front: None,
            buckets: None,
            peak,
            units,
            bytes: bytes_per_put(key.table, key, write),
        };
        let order = write.order.as_ref().map(|order| &order.value);
        if load.is_in_order() {
            (load.places, load.busiest, load.frequencies) = (Some(1.0), Some(1.0), Some(Frequencies::one()));
            return load;
        }
        // It is said of the table's own key, and a key that begins with what grows has no random order.
        let front = key.growing();
        let is_random = order == Some(&WriteOrder::Random) && key.secondary.is_none() && front != Some(0);
        load.front = front.filter(|_| !is_random);
        // The fields before the front: writes of one moment have any of their values.
        let before: Vec<usize> = match key.partition {
            None => (0..load.front.unwrap_or(key.fields.len())).collect(),
            Some(partition) => {
                let spread = spread_in_partition_key(key, load.front.is_some());
                let front = load.front.filter(|front| *front >= partition || spread.is_empty());
                load.front = front.filter(|front| *front < partition || !grows(key, &spread));
                spread
            }
        };
        (load.places, load.busiest) = places(key, &before);
        load.frequencies = frequencies(key, &before);
        load.hashed = heavy_hashed(key, &before);
        load.fields = before;
        if let Lead::Salt(salt) = key.layout.lead() {
            let buckets = f64::from(salt.buckets);
            load.buckets = Some(1.0 / known_shares(key, &by(key)).hashed(buckets, false).squares);
        }
        load
    }

    /// True if the rows of two writes of a key land in the same places: the most frequent values of one are those of the
    /// other. Rows that are one, or in the order of the key, are where they are.
    pub fn coincides(&self, other: &Self) -> bool {
        let is_of_places = |load: &Self| !load.is_in_order() && load.peak.is_some();
        let is_same = self.secondary == other.secondary && self.fields == other.fields && self.front == other.front;
        is_same && is_of_places(self) && is_of_places(other)
    }

    /// True if a write says itself that all its rows of a moment are in one place.
    pub(crate) fn is_in_order(&self) -> bool {
        matches!(self.write.order.as_deref(), Some(WriteOrder::OneRow | WriteOrder::Key))
    }

    /// True if rows of one moment have a part of the partition key in common, a day or an hour, and those of another
    /// have another: the busiest place is another one from time to time.
    pub fn moves(&self, key: &KeyFacts<'_>) -> bool {
        !self.is_in_order() && key.partition.is_some_and(|partition| self.fields.len() < partition)
    }
}

/// The number of places of writes, for people: however many more there are, they keep no more servers busy.
///
/// ```
/// use rowkey_design::internal::load::places_as_text;
///
/// assert_eq!(places_as_text(1.04), "1 place");
/// assert_eq!(places_as_text(2f64.powi(64)), "over 100k places");
/// ```
pub fn places_as_text(places: f64) -> String {
    const MANY: f64 = 100e3;
    if places > MANY { format!("over {}", Count(MANY).of("place")) } else { Count(places.round()).of("place") }
}

/// The fields of the partition key that differ between writes, or reads, of one moment: all, but for a day or an hour
/// that they have in common, where they follow the time. What is shorter than a second is none of these.
pub(crate) fn spread_in_partition_key(key: &KeyFacts<'_>, follow_time: bool) -> Vec<usize> {
    let is_coarse = |field: &FieldFacts<'_>| match (field.growth, field.meaning) {
        (Some(Growth::Unknown), _) => true,
        (growth, Some(Meaning::TimeBucket | Meaning::Seconds)) => {
            !matches!(growth, Some(Growth::Time(Some(seconds))) if seconds < 1.0)
        }
        _ => false,
    };
    let partition = 0..key.partition.unwrap_or(0).min(key.fields.len());
    partition.filter(|&field| !follow_time || !is_coarse(&key.fields[field])).collect()
}

fn grows(key: &KeyFacts<'_>, fields: &[usize]) -> bool {
    fields.iter().any(|&field| key.fields[field].growth.is_some())
}

/// The number of places that keys have which differ in these fields and in what is hashed, and the share of the
/// busiest.
pub(crate) fn places(key: &KeyFacts<'_>, before: &[usize]) -> (Option<f64>, Option<f64>) {
    let fields = shares(key, before);
    let Some(hashes) = hashes(key) else {
        return (fields.map(|shares| 1.0 / shares.squares), fields.map(|shares| shares.most));
    };
    let divided = divided(key, before, hashes);
    // Without statistics the fields before the front are taken for one place, or for as many as their hashes: there
    // are at least as many.
    let known = fields.unwrap_or(Shares::ONE);
    let (mut places, mut busiest) = (1.0 / (known.squares * divided.squares), known.most * divided.most);
    if fields.is_none() {
        let hashed = known_shares(key, &by(key)).hashed(hashes, false);
        places = places.max(1.0 / hashed.squares);
        busiest = busiest.min(hashed.most);
    }
    (Some(places), Some(busiest))
}

/// The places that keys have which differ in these fields and in what is hashed, and how often each is written.
pub(crate) fn frequencies(key: &KeyFacts<'_>, before: &[usize]) -> Option<Frequencies> {
    let fields = frequencies_of(key, before);
    let Some(hashes) = hashes(key) else { return fields };
    match fields {
        Some(fields) => {
            let Shares { squares, most } = divided(key, before, hashes);
            Some(fields.times(&Frequencies::as_uneven_as(hashes, squares, most)))
        }
        None => {
            let (places, most) = places(key, before);
            Some(Frequencies::as_uneven_as(places?, 1.0 / places?, most?))
        }
    }
}

/// The number of hashes that keys begin with; none where they begin with a field.
fn hashes(key: &KeyFacts<'_>) -> Option<f64> {
    Some(match key.layout.lead() {
        Lead::None => return None,
        Lead::Salt(salt) => f64::from(salt.buckets),
        Lead::Digest(bytes) => 256f64.powi(i32::from(*bytes)),
        Lead::Hash(prefix) => match prefix.taken() {
            (bytes, None) => 256f64.powi(i32::from(bytes)),
            (digits, Some(_)) => 16f64.powi(i32::from(digits)),
        },
    })
}

/// The parts of each value of these fields: what is hashed and among them only moves places, the rest divides each.
fn divided(key: &KeyFacts<'_>, before: &[usize], hashes: f64) -> Shares {
    let rest: Vec<usize> = by(key).into_iter().filter(|field| !before.contains(field)).collect();
    known_shares(key, &rest).hashed(hashes, rest.is_empty())
}

/// The share of the most frequent values of these fields together, however they are hashed.
pub(crate) fn busiest(key: &KeyFacts<'_>, fields: &[usize]) -> Option<f64> {
    shares(key, fields).map(|shares| shares.most)
}

/// The evenness of the values of some fields together: `Σ p²`, and the greatest p.
#[derive(Clone, Copy)]
struct Shares {
    squares: f64,
    most: f64,
}

impl Shares {
    const ONE: Self = Self { squares: 1.0, most: 1.0 };

    /// Those of the hashes of the values: `Σ p² + (1 − Σ p²) / n` is the expected sum of the squares of the shares of n
    /// hashes. Nothing hashed is one hash.
    fn hashed(self, hashes: f64, nothing: bool) -> Self {
        if nothing {
            return Self::ONE;
        }
        let mixed = |share: f64| share + (1.0 - share) / hashes;
        Self { squares: mixed(self.squares), most: mixed(self.most) }
    }
}

/// The fields that a salt or digest is taken from: all where the layout names none.
pub(crate) fn by(key: &KeyFacts<'_>) -> Vec<usize> {
    match key.layout.by() {
        [] => (0..key.fields.len()).collect(),
        by => by.to_vec(),
    }
}

/// The evenness of the values of those of these fields whose values are known: all together are at least as even. Where
/// none is known, as even as can be.
fn known_shares(key: &KeyFacts<'_>, fields: &[usize]) -> Shares {
    let known: Vec<usize> = fields.iter().copied().filter(|&field| shares(key, &[field]).is_some()).collect();
    let none = Shares { squares: 0.0, most: 0.0 };
    if known.is_empty() { none } else { shares(key, &known).unwrap_or(none) }
}

/// The values of time: as many as there is.
const MOMENTS: f64 = 4_294_967_296.0;

/// The frequencies of the values of these fields together, as if each were independent of the others; none where one is
/// not known.
pub(crate) fn frequencies_of(key: &KeyFacts<'_>, fields: &[usize]) -> Option<Frequencies> {
    let mut all = Frequencies::one();
    for &field in fields {
        let field = key.fields.get(field)?;
        all = all.times(&match field.growth {
            Some(_) => Frequencies::even(MOMENTS),
            None => Frequencies::of(&field.spread?),
        });
        if let Some(spread) = counted_for(key, field, fields) {
            all = all.times(&Frequencies::of(spread));
        }
    }
    Some(all)
}

/// The values of the field for each of whose values this one's are counted, if that is not among these fields.
fn counted_for<'k>(key: &'k KeyFacts<'_>, field: &FieldFacts<'_>, fields: &[usize]) -> Option<&'k Spread> {
    let per = field.per.filter(|per| !fields.contains(per))?;
    key.fields.get(per)?.spread.as_ref()
}

/// The evenness of the values of these fields together, as if each were independent of the others; none where one is
/// not known.
fn shares(key: &KeyFacts<'_>, fields: &[usize]) -> Option<Shares> {
    const TIME: Shares = Shares { squares: 1.0 / MOMENTS, most: 1.0 / MOMENTS };
    let mut shares = Shares::ONE;
    for &field in fields {
        let field = key.fields.get(field)?;
        let own = match (field.spread, field.growth) {
            (_, Some(_)) => TIME,
            (Some(spread), None) => Shares { squares: 1.0 / spread.n_eff.max(1.0), most: spread.p_max.min(1.0) },
            (None, None) => return None,
        };
        shares = Shares { squares: shares.squares * own.squares, most: shares.most * own.most };
        if let Some(spread) = counted_for(key, field, fields) {
            shares.squares /= spread.n_eff.max(1.0);
            shares.most *= spread.p_max.min(1.0);
        }
    }
    Some(shares)
}
