//! Loads: row keys in the order in which they are written, the same each time.

use rowkey_simulate::run::Key;

/// The rows of a run.
pub(crate) const ROWS: u64 = 300_000;
/// The buckets of salted keys.
const BUCKETS: u8 = 16;
/// The microseconds between two rows, at 3,000 a second.
const MICROS: u64 = 333;
/// The time of the first row, in microseconds since 1970: 2024-01-01.
const BEGIN: u64 = 1_704_067_200_000_000;

/// The shape of a key. Each is 24 bytes long.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// The time, then the sensor.
    Sequential,
    /// A hash of the user, then the user: each row another one.
    Hashed,
    /// A hash of the user, the user, then the time: users as often as Zipf's law has it.
    HashedZipf,
    /// A bucket, the time, then the sensor.
    Salted,
    /// The metric, the time, then the host: each metric as often.
    Promoted,
    /// The same, metrics as often as Zipf's law has it.
    PromotedZipf,
}

/// A load and a cluster, of which four runs are recorded.
pub(crate) struct Combination {
    pub(crate) name: &'static str,
    pub(crate) load: &'static str,
    pub(crate) shape: Shape,
    /// The name of its keys, which several may share.
    pub(crate) keys: &'static str,
    /// The buckets of salted keys in each region that the table is created with; all in one without pre-splits.
    buckets: u8,
    pub(crate) is_balanced: bool,
}

const fn steady(name: &'static str, load: &'static str, shape: Shape, keys: &'static str) -> Combination {
    Combination { name, load, shape, keys, buckets: BUCKETS, is_balanced: false }
}

/// In the order in which they are recorded.
pub(crate) const COMBINATIONS: [Combination; 9] = [
    steady("sequential", "sequential, steady", Shape::Sequential, "sequential"),
    steady("hashed", "hashed, steady", Shape::Hashed, "hashed"),
    Combination {
        buckets: 1,
        ..steady("salted-split", "salted over 16 with pre-splits, steady", Shape::Salted, "salted")
    },
    steady("promoted", "promoted over 500 metrics, steady", Shape::Promoted, "promoted"),
    steady("salted", "salted over 16 without pre-splits, steady", Shape::Salted, "salted"),
    steady("promoted-zipf", "promoted over 500 metrics, Zipf", Shape::PromotedZipf, "promoted-zipf"),
    steady("hashed-zipf", "hashed over 5,000 users, Zipf", Shape::HashedZipf, "hashed-zipf"),
    // These grow to their limit.
    Combination {
        buckets: 2,
        ..steady("salted-half-split", "salted over 16 with half of the pre-splits, steady", Shape::Salted, "salted")
    },
    Combination {
        is_balanced: true,
        ..steady("sequential-balanced", "sequential, steady, balancer on", Shape::Sequential, "sequential")
    },
];

impl Combination {
    /// The split points with which its table is created.
    pub(crate) fn splits(&self) -> Vec<Key> {
        (self.buckets..BUCKETS).step_by(usize::from(self.buckets)).map(|bucket| Key(vec![bucket])).collect()
    }
}

impl Shape {
    /// All keys, in the order in which they are written.
    pub(crate) fn keys(self) -> Vec<Key> {
        let metrics = Zipf::new(500);
        let users = Zipf::new(5_000);
        (0..ROWS).map(|row| Key(self.key(row, &metrics, &users))).collect()
    }

    fn key(self, row: u64, metrics: &Zipf, users: &Zipf) -> Vec<u8> {
        let time = (BEGIN + row * MICROS).to_be_bytes();
        let by_metric = |metric: u64| {
            let host = u32::try_from(mixed(!row) % 16).unwrap_or_default();
            [format!("metric-{metric:05}").as_bytes(), &time, &host.to_be_bytes()].concat()
        };
        match self {
            Self::Sequential => [&time, format!("sensor-{:09}", mixed(row) % 1_000).as_bytes()].concat(),
            Self::Hashed => [&hash(row)[..], format!("user-{row:015}").as_bytes()].concat(),
            Self::HashedZipf => {
                let user = users.draw(mixed(row));
                [&hash(user)[..], format!("user-{user:07}").as_bytes(), &time].concat()
            }
            Self::Salted => {
                let bucket = hash(row)[0] % BUCKETS;
                [&[bucket][..], &time, format!("sensor-{:08}", mixed(row) % 1_000).as_bytes()].concat()
            }
            Self::Promoted => by_metric(mixed(row) % 500),
            Self::PromotedZipf => by_metric(metrics.draw(mixed(row))),
        }
    }
}

/// The mixer of SplitMix64.
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn hash(number: u64) -> [u8; 4] {
    let [a, b, c, d, ..] = mixed(number ^ 0x5555_5555).to_be_bytes();
    [a, b, c, d]
}

/// Zipf's law with exponent 1: the sums of the shares, in whole numbers.
struct Zipf(Vec<u64>);

impl Zipf {
    fn new(values: u64) -> Self {
        let add = |sum: &mut u64, rank: u64| {
            *sum += (1 << 40) / rank;
            Some(*sum)
        };
        Self((1..=values).scan(0, add).collect())
    }

    /// The value that a random number stands for. Which value is frequent has nothing to do with its order.
    fn draw(&self, random: u64) -> u64 {
        let (Some(&sum), values) = (self.0.last(), self.0.len() as u64) else { return 0 };
        let rank = self.0.partition_point(|&to| to <= random % sum) as u64;
        // A permutation: 2,377 is a prime, and divides neither number of values.
        rank * 2_377 % values
    }
}
