//! The load of a design's writes: how many places of the key space are written at once.

use rowkey::lead::Lead;

use crate::design::{Cluster, Engine, Meaning, Write, WriteOrder};
use crate::facts::{FieldFacts, Growth, KeyFacts, Spread};
use crate::file::Count;
use crate::frequencies::Frequencies;
use crate::problem::Located;
use crate::resolve::TableDesign;
use crate::row_bytes::bytes_per_put;

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

/// The engine of a cluster; HBase where a design has none.
pub(crate) fn engine_of(cluster: Option<&Cluster>) -> Engine {
    cluster.map_or(Engine::HBase, |cluster| cluster.engine)
}

/// Returns whether an engine is one process, which takes all writes wherever they land.
pub fn is_one_process(engine: Engine) -> bool {
    matches!(engine, Engine::Fjall | Engine::RocksDb)
}

/// The servers of a cluster whose file does not say how many it has, unless its writes need more.
pub const ASSUMED_SERVERS: u32 = 8;

/// The writes of a table, and what its servers take of them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Capacity {
    /// The writes a second that one server takes; infinite on an engine of one process, which takes all wherever they
    /// land.
    pub each: f64,
    /// The number of servers: as the file says, else [`ASSUMED_SERVERS`], or as many as the writes need.
    pub servers: f64,
    /// True if the file says none, and it matters.
    pub is_assumed: bool,
    /// The writes a second at the peak, as far as the file says: on DynamoDB in write units.
    pub peak: f64,
}

impl Capacity {
    /// That of the cluster that a table is for.
    pub fn of(table: &TableDesign, cluster: Option<&Cluster>) -> Self {
        let engine = engine_of(cluster);
        let each = if is_one_process(engine) { f64::INFINITY } else { writes_per_server(engine, cluster) };
        // Of other engines the units do not depend on the key.
        let key = (engine == Engine::DynamoDb).then(|| KeyFacts::of(table, None).on(cluster));
        let units = |write| key.as_ref().map_or(1.0, |key| units(write, key));
        let peak: f64 = table.table.write.iter().filter_map(|write| Some(peak(write)? * units(write))).sum();
        let declared = cluster.and_then(|cluster| cluster.servers).map(f64::from);
        let servers = declared.unwrap_or_else(|| (peak / each).ceil().max(ASSUMED_SERVERS.into()));
        let capacity = Self { each, servers, is_assumed: false, peak };
        Self { is_assumed: declared.is_none() && !capacity.takes_all() && !table.table.write.is_empty(), ..capacity }
    }

    /// True if one server takes all writes, whatever their rate.
    pub fn takes_all(&self) -> bool {
        self.each.is_infinite()
    }

    /// The assumption on the servers, in words; none where the file says how many there are.
    pub fn assumed(&self) -> Option<String> {
        let servers = Count(self.servers).of("server");
        self.is_assumed.then(|| format!("the cluster has {servers}: say `servers = …`"))
    }

    /// The number of servers that the writes need, however even they are.
    pub fn needed(&self) -> f64 {
        (self.peak / self.each).ceil()
    }

    /// The writes a second that all servers together take, and the servers that are needed, where each row is written
    /// to so many tables and they are too few.
    pub fn too_small_for(&self, tables: usize) -> Option<(f64, f64)> {
        let (all, written) = (self.servers * self.each, self.peak * tables as f64);
        (all < written).then(|| (all, (written / self.each).ceil()))
    }

    /// The writes a second that no server takes under a key, were there as many servers as are needed. A cluster that
    /// is too small is so under every key.
    pub fn refused(&self, load: &WriteLoad<'_>) -> f64 {
        let (Some(frequencies), Some(peak)) = (&load.frequencies, load.peak) else { return 0.0 };
        // One server may serve many places, and a place has one server.
        if peak > 0.0 { peak * frequencies.above(self.each / peak) } else { 0.0 }
    }
}

/// The highest rate of a write, if the file says one.
pub(crate) fn peak(write: &Write) -> Option<f64> {
    write.peak.as_ref().or(write.rate.as_ref()).map(|rate| rate.0)
}

/// The write units of a write: on DynamoDB one for each kilobyte of an item, elsewhere 1.
fn units(write: &Write, key: &KeyFacts<'_>) -> f64 {
    let units = |unit: f64| (bytes_per_put(key.table, key, write) / unit).ceil().max(1.0);
    key.write_unit.map_or(1.0, units)
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
    /// The field that grows, after whose leading fields writes follow each other; its index in the key.
    pub front: Option<usize>,
    /// The number of salt buckets that are written, as even ones would be.
    pub buckets: Option<f64>,
    /// The highest rate, if the file says one: on DynamoDB in write units.
    pub peak: Option<f64>,
    /// The write units of a write on DynamoDB; elsewhere 1.
    pub units: f64,
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
            front: None,
            buckets: None,
            peak,
            units,
        };
        let order = write.order.as_ref().map(|order| &order.value);
        if matches!(order, Some(WriteOrder::OneRow | WriteOrder::Key)) {
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
        load.fields = before;
        if let Lead::Salt(salt) = key.layout.lead() {
            let buckets = f64::from(salt.buckets);
            load.buckets = Some(1.0 / known_shares(key, &by(key)).hashed(buckets, false).squares);
        }
        load
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
fn frequencies(key: &KeyFacts<'_>, before: &[usize]) -> Option<Frequencies> {
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
fn frequencies_of(key: &KeyFacts<'_>, fields: &[usize]) -> Option<Frequencies> {
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
