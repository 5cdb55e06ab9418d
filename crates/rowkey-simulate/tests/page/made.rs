//! Runs that are made up: rows land in regions, which split at their middle and go to other servers.

use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::explain::Times;
use rowkey_design::{Design, File};
use rowkey_simulate::page::{Capacity, Drawn, Rate};
use rowkey_simulate::run::{Interval, Key, Merge, Move, Region, Server, Settings, Split};

/// A run that owns its parts.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) name: String,
    pub(crate) layout: LayoutBuf,
    pub(crate) settings: Settings,
    pub(crate) intervals: Vec<Interval>,
    pub(crate) splits: Vec<Split>,
    pub(crate) moves: Vec<Move>,
    pub(crate) merges: Vec<Merge>,
}

impl Made {
    pub(crate) fn drawn(&self) -> Drawn<'_> {
        Drawn {
            name: &self.name,
            settings: &self.settings,
            intervals: &self.intervals,
            splits: &self.splits,
            moves: &self.moves,
            merges: &self.merges,
            layout: &self.layout,
            times: Times::default(),
        }
    }
}

pub(crate) const CAPACITY: Capacity = Capacity {
    writes: Rate { each: 10_000.0, is_assumed: true },
    reads: Rate { each: 5_000.0, is_assumed: false },
    units: Capacity::ROWS,
};

/// The rows after which a region is split.
const MOST: u64 = 4_000_000;
pub(crate) const SERVERS: u32 = 3;

/// Rows of some metrics, each written in the order of time, to the end of its own keys: at so many rows a second in
/// all, of which the first metric has a half.
pub(crate) fn of_metrics(name: &str, metrics: u64, intervals: u64, rate: u64) -> Made {
    let layout = layout_of("[\"metric: text\", \"at: instant\"]");
    let seconds = 60;
    let key = |metric: u64, at: u64| {
        let values = [Value::Text(format!("{metric:06}")), Value::Instant(1_306_886_400 + 3600 * at as i64, 0)];
        Key(layout.encode(&values).unwrap())
    };
    let mut made = empty(name, layout.clone(), seconds * 1000);
    let mut regions = vec![region(Key(Vec::new()), 0)];
    regions.extend((1..metrics).map(|metric| region(key(metric, 0), (metric % u64::from(SERVERS)) as u32)));
    for interval in 1..=intervals {
        let t_ms = interval * seconds * 1000;
        let mut servers = vec![Server::default(); SERVERS as usize];
        for metric in 0..metrics {
            let rows = rate * seconds / if metric == 0 { 2 } else { 2 * (metrics - 1).max(1) };
            let now = key(metric, interval);
            let at = regions.partition_point(|region| region.start <= now) - 1;
            regions[at].rows += rows;
            regions[at].rows_this_interval += rows;
            servers[regions[at].server as usize].writes += rows;
            // What is old is read now and then.
            let old = (interval * 7 + metric) as usize % regions.len();
            regions[old].reads_this_interval += rows / 3;
            servers[regions[old].server as usize].reads += rows / 3;
        }
        made.intervals.push(Interval { t_ms, regions: regions.clone(), servers });
        for metric in 0..metrics {
            let now = key(metric, interval);
            let at = regions.partition_point(|region| region.start <= now) - 1;
            if regions[at].rows > MOST {
                let (start, server) = (regions[at].start.clone(), regions[at].server);
                regions[at].rows /= 2;
                regions.insert(at + 1, region(now.clone(), server));
                made.splits.push(Split { t_ms, start, at: now.clone(), files: Vec::new() });
                if made.splits.len().is_multiple_of(3) {
                    let to = (server + 1) % SERVERS;
                    regions[at + 1].server = to;
                    made.moves.push(Move { t_ms, start: now, from: server, to });
                }
            }
        }
        regions.iter_mut().for_each(|region| (region.rows_this_interval, region.reads_this_interval) = (0, 0));
    }
    made
}

/// The layout of a key, as design files have it.
pub(crate) fn layout_of(key: &str) -> LayoutBuf {
    let text = format!("format = 1\n[table.t]\nkey = {key}\n");
    let design = Design::parse([File { name: "t.rowkey.toml".into(), text }]).unwrap();
    design.layout_named("t").unwrap().clone()
}

pub(crate) fn empty(name: &str, layout: LayoutBuf, interval_ms: u64) -> Made {
    let settings =
        Settings { load: "sequential, steady".to_owned(), servers: SERVERS, interval_ms, ..Settings::default() };
    let (intervals, splits, moves) = (Vec::new(), Vec::new(), Vec::new());
    Made { name: name.to_owned(), layout, settings, intervals, splits, moves, merges: Vec::new() }
}

pub(crate) fn region(start: Key, server: u32) -> Region {
    Region {
        start,
        server,
        rows: 0,
        rows_this_interval: 0,
        reads_this_interval: 0,
        bytes: 0,
        files: 0,
        known: <_>::default(),
    }
}

/// Text that would be more than text, were it not escaped.
pub(crate) const HOSTILE: [&str; 8] = [
    "</script><b class=made>",
    "</title></style><b class=made>",
    "\"><b class=made>",
    "' onfocus='window.made=1' autofocus x='",
    "<script>window.made=1</script>",
    "<!--<script>",
    "\u{202e}\u{200b}\0\u{1b}[31m\r\n",
    "&lt;b class=made&gt; ]]> ${x} {{x}}",
];

/// Regions that begin at hostile text, and at bytes that are none.
pub(crate) fn of_hostile_keys() -> Made {
    let layout = layout_of("[\"name: text\"]");
    let texts = HOSTILE.iter().map(|text| layout.encode(&[Value::Text((*text).to_owned())]).unwrap());
    let mut starts: Vec<Vec<u8>> = texts.chain([Vec::new(), vec![0xff; 300], vec![b'a'; 5_000]]).collect();
    starts.sort();
    let mut made = empty(HOSTILE[0], layout, 1000);
    made.settings.load = HOSTILE.concat();
    made.settings.engine = HOSTILE.concat();
    for t_ms in [1000, 2000, 3000] {
        let mut regions: Vec<Region> = starts.iter().map(|start| region(Key(start.clone()), 0)).collect();
        regions.iter_mut().zip(0..).for_each(|(region, i)| region.rows_this_interval = i * 1500);
        made.intervals.push(Interval { t_ms, regions, servers: vec![Server { writes: 70_000, ..Server::default() }] });
    }
    made
}
