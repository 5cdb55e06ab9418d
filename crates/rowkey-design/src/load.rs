//! Where the writes of a design land: how many places of the key space are written at once.

use rowkey::lead::Lead;

use crate::design::{Cluster, Engine, Write, WriteOrder};
use crate::facts::KeyFacts;
use crate::problem::Located;

/// How many writes the server of one region takes, by engine, where the design does not say: documented numbers alone.
///
/// Bigtable: a node with SSD, 14,000 rows of 1 KB a second (cloud.google.com/bigtable/docs/performance). DynamoDB: a
/// partition, 1,000 write units a second. HBase has no official number; 10,000 increments a second a server is what Big
/// Data for Chimps counts with.
pub fn writes_per_server(engine: Engine, cluster: Option<&Cluster>) -> Option<f64> {
    let declared = cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.writes);
    declared.map(|rate| rate.0).or(match engine {
        Engine::HBase => Some(10_000.0),
        Engine::Bigtable => Some(14_000.0),
        Engine::DynamoDb => Some(1_000.0),
        _ => None,
    })
}

/// Where one of a table's writes lands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteLoad<'d> {
    /// The write.
    pub write: &'d Located<Write>,
    /// Which secondary table the key is of; none for the table itself.
    pub secondary: Option<usize>,
    /// How many places of the key space are written at once, as even ones would be; none where a field's values are not
    /// known.
    pub places: Option<f64>,
    /// The share of the busiest place.
    pub busiest: Option<f64>,
    /// The field that grows, after whose leading fields writes follow each other; its index in the key.
    pub front: Option<usize>,
    /// How many salt buckets are written, as even ones would be.
    pub buckets: Option<f64>,
    /// The highest rate, if the file says one.
    pub peak: Option<f64>,
}

impl<'d> WriteLoad<'d> {
    /// Where a write lands under a key.
    pub fn of(write: &'d Located<Write>, key: &KeyFacts<'_>) -> Self {
        let peak = write.peak.as_ref().or(write.rate.as_ref()).map(|rate| rate.0);
        let mut load =
            Self { write, secondary: key.secondary, places: None, busiest: None, front: None, buckets: None, peak };
        let order = write.order.as_ref().map(|order| &order.value);
        if matches!(order, Some(WriteOrder::OneRow | WriteOrder::Key)) {
            (load.places, load.busiest) = (Some(1.0), Some(1.0));
            return load;
        }
        if let Lead::Digest(_) = key.layout.lead() {
            // As many places as there are values of what is hashed.
            (load.places, load.busiest) = product(key, &by(key));
            return load;
        }
        load.buckets = buckets(key);
        load.front = match order {
            Some(WriteOrder::Random) => None,
            _ => key.growing(),
        };
        let before: Vec<usize> = (0..load.front.unwrap_or(key.fields.len())).collect();
        let (fields, busiest) = product(key, &before);
        match load.buckets {
            None => (load.places, load.busiest) = (fields, busiest),
            Some(buckets) => {
                // The salt divides only what the fields before the front leave together.
                let by = by(key);
                let by_known = by.iter().all(|field| before.contains(field));
                load.places = match fields {
                    Some(fields) if by_known => Some(fields.max(buckets)),
                    Some(fields) => Some(fields * buckets),
                    None => None,
                }
                .or(Some(buckets));
                load.busiest = load.places.map(|places| 1.0 / places.max(1.0));
            }
        }
        load
    }
}

/// The fields that a salt or digest is taken from: all where the layout names none.
pub(crate) fn by(key: &KeyFacts<'_>) -> Vec<usize> {
    match key.layout.by() {
        [] => (0..key.fields.len()).collect(),
        by => by.to_vec(),
    }
}

/// How many combinations of values of these fields there are, as even ones would be, and the share of the most frequent.
fn product(key: &KeyFacts<'_>, fields: &[usize]) -> (Option<f64>, Option<f64>) {
    let mut product = (Some(1.0), Some(1.0));
    for &field in fields {
        // A field that grows has as many values as there is time.
        let spread = key.fields.get(field).and_then(|field| field.spread);
        let spread = spread.map(|spread| (spread.n_eff, spread.p_max));
        let grows = key.fields.get(field).is_some_and(|field| field.growth.is_some());
        let (n_eff, p_max) = match spread.or(grows.then_some((2f64.powi(32), 2f64.powi(-32)))) {
            Some((n_eff, p_max)) => (Some(n_eff), Some(p_max)),
            None => (None, None),
        };
        product = (product.0.zip(n_eff).map(|(a, b)| a * b), product.1.zip(p_max).map(|(a, b)| a * b));
    }
    product
}

/// How many salt buckets are written, as even ones would be.
///
/// Of values with the shares p, hashed to b buckets, `Σ p² + (1 − Σ p²) / b` is the expected sum of the squares of the
/// buckets' shares.
fn buckets(key: &KeyFacts<'_>) -> Option<f64> {
    let Lead::Salt(salt) = key.layout.lead() else {
        return None;
    };
    let buckets = f64::from(salt.buckets);
    let together = product(key, &by(key)).0.map_or(0.0, |values| 1.0 / values.max(1.0));
    Some(1.0 / (together + (1.0 - together) / buckets))
}
