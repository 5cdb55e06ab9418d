//! The load of a design's writes: how many places of the key space are written at once.

use rowkey::lead::Lead;

use crate::design::{Cluster, Engine, Meaning, Write, WriteOrder};
use crate::facts::{FieldFacts, Growth, KeyFacts};
use crate::problem::Located;

/// The writes that the server of one region takes, by engine, where the design does not say: documented numbers alone.
///
/// Bigtable: a node with SSD, 14,000 rows of 1 KB a second (cloud.google.com/bigtable/docs/performance). DynamoDB: a
/// partition, 1,000 write units a second. HBase has no official number; 10,000 increments a second a server is what Big
/// Data for Chimps counts with.
pub fn known_writes_per_server(engine: Engine, cluster: Option<&Cluster>) -> Option<f64> {
    let declared = cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.writes);
    declared.map(|rate| rate.0).or(match engine {
        Engine::HBase => Some(10_000.0),
        Engine::Bigtable => Some(14_000.0),
        Engine::DynamoDb => Some(1_000.0),
        _ => None,
    })
}

/// The reads that the server of one region takes, by engine, where the design does not say: documented numbers alone.
///
/// Bigtable: a node with SSD, 17,000 rows of 1 KB a second (cloud.google.com/bigtable/docs/performance). DynamoDB: a
/// partition, 3,000 read units a second, each a consistent read of up to 4 KB
/// (docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
pub fn reads_per_server(engine: Engine, cluster: Option<&Cluster>) -> Option<f64> {
    let declared = cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.reads);
    declared.map(|rate| rate.0).or(match engine {
        Engine::Bigtable => Some(17_000.0),
        Engine::DynamoDb => Some(3_000.0),
        _ => None,
    })
}

/// The writes that the server of one region takes: where nothing is documented, HBase's.
pub fn writes_per_server(engine: Engine, cluster: Option<&Cluster>) -> f64 {
    known_writes_per_server(engine, cluster).unwrap_or(10_000.0)
}

/// Returns whether an engine is one process, which takes all writes wherever they land.
pub fn is_one_process(engine: Engine) -> bool {
    matches!(engine, Engine::Fjall | Engine::RocksDb)
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
    /// The field that grows, after whose leading fields writes follow each other; its index in the key.
    pub front: Option<usize>,
    /// The number of salt buckets that are written, as even ones would be.
    pub buckets: Option<f64>,
    /// The highest rate, if the file says one.
    pub peak: Option<f64>,
}

impl<'d> WriteLoad<'d> {
    /// The places where a write lands under a key.
    pub fn of(write: &'d Located<Write>, key: &KeyFacts<'_>) -> Self {
        let peak = write.peak.as_ref().or(write.rate.as_ref()).map(|rate| rate.0 * key.share);
        let mut load =
            Self { write, secondary: key.secondary, places: None, busiest: None, front: None, buckets: None, peak };
        let order = write.order.as_ref().map(|order| &order.value);
        if matches!(order, Some(WriteOrder::OneRow | WriteOrder::Key)) {
            (load.places, load.busiest) = (Some(1.0), Some(1.0));
            return load;
        }
        load.front = match order {
            Some(WriteOrder::Random) => None,
            _ => key.growing(),
        };
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
        if let Lead::Salt(salt) = key.layout.lead() {
            let buckets = f64::from(salt.buckets);
            load.buckets = Some(1.0 / known_shares(key, &by(key)).hashed(buckets, false).squares);
        }
        load
    }
}

/// The fields of the partition key that differ between writes, or reads, of one moment: all, but for a day or an hour
/// that they have in common, where they follow the time.
pub(crate) fn spread_in_partition_key(key: &KeyFacts<'_>, follow_time: bool) -> Vec<usize> {
    let is_coarse = |field: &FieldFacts<'_>| {
        field.growth == Some(Growth::Unknown) || matches!(field.meaning, Some(Meaning::TimeBucket | Meaning::Seconds))
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
    let hashes = match key.layout.lead() {
        Lead::None => return (fields.map(|shares| 1.0 / shares.squares), fields.map(|shares| shares.most)),
        Lead::Salt(salt) => f64::from(salt.buckets),
        Lead::Digest(bytes) => 256f64.powi(i32::from(*bytes)),
        Lead::Hash(prefix) => match prefix.taken() {
            (bytes, None) => 256f64.powi(i32::from(bytes)),
            (digits, Some(_)) => 16f64.powi(i32::from(digits)),
        },
    };
    // What is hashed and comes before the front only moves places; the rest divides each of them.
    let rest: Vec<usize> = by(key).into_iter().filter(|field| !before.contains(field)).collect();
    let divided = known_shares(key, &rest).hashed(hashes, rest.is_empty());
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

/// The evenness of the values of these fields together, as if each were independent of the others; none where one is
/// not known.
fn shares(key: &KeyFacts<'_>, fields: &[usize]) -> Option<Shares> {
    /// The values that a field has that grows: as many as there is time.
    const TIME: Shares = Shares { squares: 1.0 / 4_294_967_296.0, most: 1.0 / 4_294_967_296.0 };
    let mut shares = Shares::ONE;
    for &field in fields {
        let field = key.fields.get(field)?;
        let own = match (field.spread, field.growth) {
            (_, Some(_)) => TIME,
            (Some(spread), None) => Shares { squares: 1.0 / spread.n_eff.max(1.0), most: spread.p_max.min(1.0) },
            (None, None) => return None,
        };
        shares = Shares { squares: shares.squares * own.squares, most: shares.most * own.most };
        // Values that are counted for each value of a field that is not among these.
        if let Some(per) = field.per.filter(|per| !fields.contains(per)).and_then(|per| key.fields.get(per))
            && let Some(spread) = per.spread
        {
            shares.squares /= spread.n_eff.max(1.0);
            shares.most *= spread.p_max.min(1.0);
        }
    }
    Some(shares)
}
