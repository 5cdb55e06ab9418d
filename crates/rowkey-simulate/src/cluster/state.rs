//! The state of the simulated cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::all::All;
use super::call::Call;
use super::constants::{BLOCK_SIZE, FLUSH_SIZE, MAX_FILESIZE};
use super::draw::Draws;
use super::due::Queue;
use super::hfile::Format;
use super::options::ClusterOptions;
use super::policy::Jitter;
use super::region::Region;
use super::share::{Share, Whole};
use super::starts::Starts;
use super::versions::Keep;
use crate::chance::Chance;
use crate::event::Written;
use crate::run::{self, Line, Settings, SplitPolicy};

/// The most servers; with more in the settings there are so many.
const MAX_SERVERS: u32 = 10_000;

/// The last time there is, so that what follows on it has a time too.
pub(crate) const LAST_MS: u64 = 1 << 62;

/// A simulated HBase with one table.
///
/// [`Cluster::apply`] gives it what is written and read, in the order of time; [`Cluster::interval`] and
/// [`Cluster::take_lines`] say what became of it.
#[derive(Debug)]
pub struct Cluster {
    pub(crate) options: ClusterOptions,
    pub(crate) policy: SplitPolicy,
    pub(crate) max_filesize: u64,
    pub(crate) flush_size: u64,
    pub(crate) jitter: Jitter,
    pub(crate) balancer_ms: Option<u64>,
    pub(crate) balancer_phase_ms: u64,
    pub(crate) balance_is_due: bool,
    pub(crate) discharger_ms: u64,
    pub(crate) compaction_min_size: u64,
    pub(crate) format: Format,
    pub(crate) now_ms: u64,
    pub(crate) interval_start_ms: u64,
    /// The number and the time of the batch that is written.
    pub(crate) batch: Option<(u64, u64)>,
    pub(crate) batches: u64,
    /// The regions that the batch wrote to.
    pub(crate) touched: Vec<usize>,
    pub(crate) regions: Vec<Region>,
    pub(crate) by_start: Starts,
    /// The place of the region of the last event.
    pub(crate) last: usize,
    pub(crate) servers: Vec<ServerState>,
    /// The number of regions that are closed, or are to close.
    pub(crate) unsettled: usize,
    /// The scans of the whole table.
    pub(crate) whole: Whole,
    /// The reads of each server, and of each region, by the call that is served.
    pub(crate) call: [Call; 2],
    /// The chance that is known in the writes and in the reads of this interval.
    pub(crate) chances: [Chance; 2],
    /// The sum of the squares of what each call reads of each server.
    pub(crate) read_squares: f64,
    /// The writes of the last event that wrote; and the reads of the last one that read, in hundredths.
    pub(crate) last_writes: u64,
    pub(crate) last_reads: u64,
    /// The bytes of all that was put.
    pub(crate) written: Written,
    pub(crate) jobs: BTreeMap<u64, Job>,
    pub(crate) last_job: u64,
    pub(crate) queue: Queue,
    pub(crate) draws: Draws,
    /// All rows that there are, where what is written are versions of these.
    pub(crate) all: Option<All>,
    pub(crate) lines: Vec<Line>,
}

/// A region server.
#[derive(Debug, Default)]
pub(crate) struct ServerState {
    /// The regions that it has.
    pub(crate) regions: u64,
    /// Those of them that are open.
    pub(crate) online: u64,
    /// True of the threads of small and of large compactions while one runs.
    pub(crate) compacts: [bool; 2],
    /// The regions that are to be compacted: by priority, then in turn.
    pub(crate) to_compact: BTreeSet<(usize, u64, usize)>,
    pub(crate) discharger_phase_ms: u64,
    pub(crate) checker_phase_ms: u64,
    /// The time at which it is told what waits for it, or was told last.
    pub(crate) told_ms: u64,
    /// All writes, as `write_cost` counts them, the rows read, and the reads in hundredths.
    pub(crate) writes: u64,
    pub(crate) rows_read: u64,
    pub(crate) reads: u64,
    /// Those that it would have, were all regions where they were at the beginning: writes, and reads in hundredths but
    /// for scans of the whole table.
    pub(crate) at_first: [u64; 2],
    /// The reads of a scan of the whole table here.
    pub(crate) whole: Share,
    /// Those of them that an interval has told.
    pub(crate) told: run::Server,
}

/// A compaction that runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) region: usize,
    /// The server's thread that runs it.
    pub(crate) thread: usize,
    /// True if all files of the region are in it.
    pub(crate) is_of_all: bool,
}

impl Cluster {
    /// A cluster with an empty table, its regions spread over the servers in turn.
    ///
    /// A size of 0 is HBase's default, as it is in HBase; no servers are one.
    pub fn new(settings: &Settings, options: ClusterOptions) -> Self {
        let or_default = |size: u64, default: u64| if size == 0 { default } else { size };
        let mut draws = Draws::new(options.seed);
        let servers = (0..settings.servers.clamp(1, MAX_SERVERS))
            .map(|_| ServerState {
                discharger_phase_ms: draws.draw(),
                checker_phase_ms: draws.draw(),
                ..ServerState::default()
            })
            .collect();
        let balancer_phase_ms = draws.draw();
        let format = Format {
            block_size: or_default(settings.block_size, BLOCK_SIZE),
            on_disk_ppm: (options.on_disk.clamp(0.0, 1000.0) * 1e6).round() as u64,
        };
        let mut cluster = Self {
            options,
            policy: settings.split_policy,
            max_filesize: or_default(settings.max_filesize, MAX_FILESIZE),
            flush_size: or_default(settings.flush_size, FLUSH_SIZE),
            jitter: Jitter::new(settings.jitter),
            balancer_ms: settings.balancer_ms.map(|period| period.max(1)),
            balancer_phase_ms,
            balance_is_due: false,
            discharger_ms: settings.discharger_ms.max(1),
            compaction_min_size: settings.compaction_min_size,
            format,
            now_ms: 0,
            interval_start_ms: 0,
            batch: None,
            batches: 0,
            touched: Vec::new(),
            regions: Vec::new(),
            by_start: Starts::default(),
            last: 0,
            servers,
            unsettled: 0,
            whole: Whole::default(),
            call: <_>::default(),
            chances: <_>::default(),
            read_squares: 0.0,
            last_writes: 0,
            last_reads: 0,
            written: Written::default(),
            jobs: BTreeMap::new(),
            last_job: 0,
            queue: Queue::default(),
            draws,
            all: None,
            lines: Vec::new(),
        };
        cluster.create_regions(settings);
        cluster
    }

    fn create_regions(&mut self, settings: &Settings) {
        let cuts: BTreeSet<&[u8]> = settings.splits.iter().map(|key| &*key.0).filter(|key| !key.is_empty()).collect();
        let starts = std::iter::once(&[][..]).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().map(Some).chain([None]);
        for (number, (start, end)) in starts.zip(ends).enumerate() {
            let server = number % self.servers.len();
            self.add_region(Region::new(start.to_vec(), end.map(<[u8]>::to_vec), server));
        }
        (0..self.regions.len()).for_each(|region| self.open(region));
    }

    pub(crate) fn add_region(&mut self, region: Region) -> usize {
        let number = self.regions.len();
        self.unsettled += 1;
        self.servers[region.server].regions += 1;
        self.by_start.insert(&region.start, number);
        self.regions.push(region);
        self.has_changed(number);
        number
    }

    /// Says that all that will be written are versions of the rows with these keys, each of which stands for `count`.
    /// They come in their order.
    pub fn overwrite(&mut self, keys: &[Vec<u8>], count: u64) {
        self.all = Some(All::new(keys, count));
    }

    /// The place of the region that has a key.
    pub(crate) fn place(&mut self, key: &[u8]) -> usize {
        self.last = self.by_start.place(key, self.last);
        self.last
    }

    /// The number of the region that has a key.
    pub(crate) fn locate(&mut self, key: &[u8]) -> usize {
        let place = self.place(key);
        self.by_start.at(place).unwrap_or(0)
    }

    /// A region and its epoch, of which something is due.
    pub(crate) fn epoch(&self, region: usize) -> (usize, u64) {
        (region, self.regions[region].epoch)
    }

    /// The rows that a compaction of a region keeps now, or a flush of its memstore.
    pub(crate) fn keep(&self, number: usize, is_flush: bool, drops_tombstones: bool) -> Keep {
        let Region { start, end, .. } = &self.regions[number];
        let among = self.all.as_ref().map(|all| all.among(start, end.as_deref(), is_flush));
        Keep { since_s: self.since_s(), drops_tombstones, versions: self.options.versions, among }
    }

    /// The second before which rows have expired.
    pub(crate) fn since_s(&self) -> u32 {
        seconds(self.options.ttl_ms.map_or(0, |ttl| self.now_ms.saturating_sub(ttl)))
    }
}

/// Whole seconds.
pub(crate) fn seconds(ms: u64) -> u32 {
    u32::try_from(ms / super::constants::SECOND_MS).unwrap_or(u32::MAX)
}
