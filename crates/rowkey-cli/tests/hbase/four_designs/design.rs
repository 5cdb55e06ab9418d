//! The designs, and keys of them.

use rowkey::{LayoutBuf, Value};
use rowkey_design::{Design, File};

/// The rows that the load writes a second: more than a server takes, and less than three do.
pub(super) const ROWS_PER_SECOND: u64 = 280;

const CLUSTER: &str = "format = 1\n[cluster.main]\nengine = \"hbase\"\nservers = 3\nregion.writes = \"140/s\"\n";

/// A table, its load, and where faults find its hottest region.
pub(super) struct Designed {
    pub(super) table: &'static str,
    key: &'static str,
    order: &'static str,
    /// The values of a row's key, by its number and the seconds since 1970. No two rows of a batch have one key: HBase
    /// would count them once.
    values: fn(u64, u64) -> Vec<u64>,
    /// A key that the hottest region has.
    pub(super) hot: &'static [u8],
    /// The key at which it is split.
    pub(super) split: &'static [u8],
}

pub(super) static DESIGNS: [Designed; 4] = [
    Designed {
        table: "sequential",
        key: "key = [\"at: u32\", \"sensor: u32\"]\nmeans = { at = \"seconds\" }\n\
              splits = { keys = [\"20000000\", \"40000000\"] }\nstats.sensor = { distinct = 1_000 }\n",
        order: "order = \"time\"\n",
        values: |row, seconds| vec![seconds, row * 377 % 1000],
        hot: &[0x40, 0, 0, 0],
        split: &[0x60],
    },
    Designed {
        table: "salted",
        key: "key = [\"at: u32\", \"sensor: u32\"]\nmeans = { at = \"seconds\" }\nsalt = { buckets = 6 }\n\
              splits = \"buckets\"\nstats.sensor = { distinct = 1_000 }\n",
        order: "order = \"time\"\n",
        values: |row, seconds| vec![seconds, row * 377 % 1000],
        hot: &[2],
        split: &[2, 0x60],
    },
    Designed {
        table: "promoted",
        key: "key = [\"metric: u8\", \"at: u32\", \"sensor: u32\"]\nmeans = { at = \"seconds\" }\n\
              splits = { uniform = 8 }\nstats.sensor = { distinct = 1_000 }\n\
              stats.metric = { distinct = 200, skew = \"one value 0.7\" }\n",
        order: "order = \"random in metric\"\n",
        values: |row, seconds| {
            let metric = if mixed(row) % 10 < 7 { 0 } else { 1 + mixed(!row) % 199 };
            vec![metric, seconds, row * 377 % 1000]
        },
        hot: &[],
        split: &[0, 0x60],
    },
    Designed {
        table: "hashed",
        key: "key = [\"user: u64\"]\nhashed = { bytes = 4 }\nsplits = { uniform = 6 }\n\
              stats.user = { distinct = \"1M\" }\n",
        order: "",
        values: |row, _| vec![row * 376_991 % 1_000_000],
        hot: &[0x30],
        split: &[0x40],
    },
];

impl Designed {
    pub(super) fn text(&self) -> String {
        let Self { table, key, order, .. } = self;
        let rate = self.rate();
        let write = format!("[[table.{table}.write]]\nname = \"measured\"\nrate = \"{rate}/s\"\n{order}");
        format!("{CLUSTER}[table.{table}]\n{key}{write}")
    }

    pub(super) const fn rate(&self) -> f64 {
        ROWS_PER_SECOND as f64
    }

    pub(super) fn layout(&self) -> LayoutBuf {
        let design = Design::parse([File { name: self.table.to_owned(), text: self.text() }]).unwrap();
        design.tables[self.table].layout.clone()
    }

    pub(super) fn row(&self, layout: &LayoutBuf, row: u64, seconds: u64) -> Vec<u8> {
        let values: Vec<Value> = (self.values)(row, seconds).into_iter().map(|n| Value::Unsigned(n.into())).collect();
        layout.encode(&values).unwrap()
    }
}

/// The mixer of SplitMix64.
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
