//! A run, read whole: of a recording, or of what a simulation wrote.

mod joined;
mod known;
mod lengths;
mod lines;
mod ran;
mod sane;
mod watched;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::HEXLOWER_PERMISSIVE;
use flate2::bufread::MultiGzDecoder;
use xxhash_rust::xxh3::Xxh3Default;

pub use self::joined::joined;
pub(crate) use self::ran::Ran;
use crate::chance::{Chance, Counted};
use crate::event::Written;
use crate::load::Pace;
use crate::run::{
    Batch, Interval, Key, KeyFile, Line, Merge, Move, Recreation, Restart, RunError, Settings, Silence, Split,
    read_numbered,
};

/// The most bytes of a file, uncompressed: a small file can stand for any number.
const MOST_BYTES: u64 = 1 << 28;
/// The bytes of HBase's longest row key.
const LONGEST_KEY: usize = i16::MAX as usize;

/// Windows are at least as long as a minute: what is asked for in a shorter time is judged by [`crate::moments`].
pub(crate) const SHORTEST_MS: u64 = 60_000;

/// A run, its lines by kind.
#[derive(Clone, Debug)]
pub struct Run {
    /// The cluster and the table.
    pub settings: Settings,
    /// The keys that were written, in their order: those of the batches, or of [`Settings::key_file`]. A simulated run
    /// has none.
    pub keys: Arc<[Key]>,
    /// The batches; the keys are in `keys`, and [`Batch::rows`] is always there.
    pub batches: Vec<Batch>,
    /// The splits.
    pub splits: Vec<Split>,
    /// The moves.
    pub moves: Vec<Move>,
    /// The merges of a watched cluster.
    pub merges: Vec<Merge>,
    /// The times at which its table was created anew.
    pub recreations: Vec<Recreation>,
    /// The restarts of its servers.
    pub restarts: Vec<Restart>,
    /// The times in which it did not answer.
    pub silences: Vec<Silence>,
    /// The intervals.
    pub intervals: Vec<Interval>,
    /// The chance that is known in the writes and in the reads of each interval. A recording has none.
    pub(crate) chances: Vec<[Chance; 2]>,
    /// The load of servers in steps that are shorter than intervals, all of one length. A recording, or a run with few
    /// events, has none.
    pub steps: Vec<Step>,
    /// The pace of a load that a design's statistics draw; of another none is known.
    pub(crate) pace: Pace,
    /// The bytes that the puts of a simulated trace or log have; none where they are those of a design.
    pub(crate) written: Option<Written>,
    /// The part of the writes that is on one server at a moment by the design, where it is on another one at others.
    pub(crate) at_once: Option<f64>,
    /// The assumptions of a simulated load, and what is told coarser than it was asked for, in words.
    pub assumed: Vec<String>,
}

/// The load of servers in a step of a simulated run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The end.
    pub t_ms: u64,
    /// The rows that were written.
    pub writes: Busiest,
    /// The reads.
    pub reads: Busiest,
}

/// Rows written, or reads, of a step, and the server that has most of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Busiest {
    /// The number of the server.
    pub server: u32,
    /// Its rows or reads.
    pub rows: u64,
    /// Those of all servers.
    pub all: u64,
    /// The events that they are of: they are as near as a sample of so many.
    pub events: u64,
}

impl Busiest {
    /// The rows of servers, by number: the first of those that have most.
    pub(crate) fn of(servers: impl Iterator<Item = u64>, events: u64) -> Self {
        let mut busiest = Self { events, ..Self::default() };
        for (server, rows) in (0..).zip(servers) {
            busiest.all = busiest.all.saturating_add(rows);
            if rows > busiest.rows {
                (busiest.server, busiest.rows) = (server, rows);
            }
        }
        busiest
    }
}

/// A run that can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// A line is no line of a run, or is not where it belongs.
    #[error(transparent)]
    Line(#[from] RunError),
    /// A file can't be opened.
    #[error("{}: {error}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The fault.
        error: io::Error,
    },
    /// A file of keys has not the keys that the run says.
    #[error("{name}: {reason}")]
    Keys {
        /// The name of the file.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The run has no lines.
    #[error("no lines: a run begins with its settings")]
    Empty,
}

impl Run {
    /// The seconds that the intervals are together: the last one of a watched cluster may be shorter than the others.
    pub(crate) fn seconds(&self) -> f64 {
        self.intervals.last().map_or(0.0, |last| last.t_ms as f64 / 1000.0)
    }

    /// The time at which the interval at this place begins.
    pub(crate) fn begins_ms(&self, at: usize) -> u64 {
        at.checked_sub(1).and_then(|before| self.intervals.get(before)).map_or(0, |before| before.t_ms)
    }

    /// Reads a run from its file, compressed by gzip if the name ends in `.gz`, and its keys from the file beside it.
    ///
    /// # Errors
    ///
    /// [`RecordingError`]: which line or file, and why.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let mut run = Self::read(open(path)?)?;
        if let Some(file) = &run.settings.key_file {
            run.keys = keys(path, file)?.into();
            let rows = run.batches.iter().filter_map(|batch| batch.rows).fold(0, u64::saturating_add);
            if rows > file.rows {
                let reason = format!("{} keys, and the batches have {rows} rows", file.rows);
                return Err(RecordingError::Keys { name: file.name.clone(), reason });
            }
        }
        Ok(run)
    }

    /// Reads a run without the file of its keys, which may be elsewhere.
    ///
    /// # Errors
    ///
    /// [`RecordingError`]: which line, and why.
    pub fn read(reader: impl BufRead) -> Result<Self, RecordingError> {
        let mut run: Option<Self> = None;
        let (mut keys, mut last) = (Vec::new(), 0);
        for read in read_numbered(reader) {
            let (line, read) = read?;
            let wrong = |reason: &str| RunError::Line { line, reason: reason.to_owned() };
            let Some(run) = &mut run else {
                let Line::Settings(settings) = read else { return Err(wrong("a run begins with its settings").into()) };
                if settings.format != 1 {
                    return Err(wrong("a format that this version does not know: it knows 1").into());
                }
                if let Some(reason) = sane::fault(&settings) {
                    return Err(wrong(reason).into());
                }
                run = Some(Self::new(*settings));
                continue;
            };
            let t_ms = run.add(read, &mut keys).map_err(wrong)?;
            if t_ms < last {
                return Err(wrong("a time before that of the line before").into());
            }
            last = t_ms;
        }
        let run = run.ok_or(RecordingError::Empty)?;
        Ok(Self { keys: keys.into(), ..run })
    }

    /// A run of which nothing is known but its settings.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let (batches, splits, moves, intervals, chances, steps, pace, assumed) = <_>::default();
        let (keys, merges, recreations, restarts, silences, written, at_once) = <_>::default();
        Self {
            settings,
            keys,
            batches,
            splits,
            moves,
            merges,
            recreations,
            restarts,
            silences,
            intervals,
            chances,
            steps,
            pace,
            written,
            at_once,
            assumed,
        }
    }

    /// The chance that is known in the writes or the reads of an interval.
    pub(crate) fn chance(&self, interval: &Interval, reads: bool) -> Chance {
        let at = self.intervals.partition_point(|other| other.t_ms < interval.t_ms);
        self.chances.get(at).map_or_else(Chance::default, |chances| chances[usize::from(reads)])
    }

    /// The part of the load that one server has at a moment, where it is another one within an interval.
    pub(crate) fn moving_server(&self, intervals: &[&Interval], reads: bool) -> Option<f64> {
        self.moving(intervals, reads, self.settings.servers.max(1) as usize, false)
    }

    /// The part of the load that one region has at a moment, where it is another one within an interval.
    pub(crate) fn moving_region(&self, intervals: &[&Interval], reads: bool) -> Option<f64> {
        self.moving(intervals, reads, intervals.last()?.regions.len(), true)
    }

    fn moving(&self, intervals: &[&Interval], reads: bool, places: usize, of_regions: bool) -> Option<f64> {
        let all = intervals.iter().fold(Chance::default(), |all, interval| all.plus(&self.chance(interval, reads)));
        let mut windows: Vec<(u64, Counted)> = Vec::new();
        for interval in intervals {
            let chance = self.chance(interval, reads);
            let counted = if of_regions { chance.regions(interval, reads) } else { chance.servers(interval, reads) };
            match windows.last_mut() {
                Some((first_ms, window))
                    if interval.t_ms - *first_ms < SHORTEST_MS && window.counts.len() == counted.counts.len() =>
                {
                    window.add(&counted);
                }
                _ => windows.push((interval.t_ms, counted)),
            }
        }
        all.moving(windows.iter().map(|(_, window)| window.pairs()), places, of_regions)
    }

    /// Adds a line, its keys to others, and says its time.
    fn add(&mut self, line: Line, keys: &mut Vec<Key>) -> Result<u64, &'static str> {
        let server = |number: u32| number < self.settings.servers;
        match line {
            Line::Settings(_) => Err("settings for a second time"),
            // They are the last lines.
            Line::Answer(_) | Line::AllTables(_) => Ok(u64::MAX),
            Line::Batch(mut batch) => {
                let (made, own) = (batch.rows.take(), std::mem::take(&mut batch.keys));
                let rows = match (made, own.len() as u64) {
                    (Some(_), 1..) => return Err("a batch has keys or a number of rows, not both"),
                    (Some(rows), 0) => rows,
                    (None, rows) => rows,
                };
                keys.extend(own);
                let t_ms = batch.t_ms;
                self.batches.push(Batch { rows: Some(rows), ..batch });
                Ok(t_ms)
            }
            Line::Split(split) if split.at <= split.start => {
                Err("a split point that is not above the region's first key")
            }
            Line::Split(split) => {
                let t_ms = split.t_ms;
                self.splits.push(split);
                Ok(t_ms)
            }
            Line::Move(moved) if !(server(moved.from) && server(moved.to)) => Err("a server that is not there"),
            Line::Move(moved) => {
                let t_ms = moved.t_ms;
                self.moves.push(moved);
                Ok(t_ms)
            }
            Line::Merge(merge) => {
                let t_ms = merge.t_ms;
                self.merges.push(merge);
                Ok(t_ms)
            }
            Line::Recreation(recreation) => {
                self.recreations.push(recreation);
                Ok(recreation.t_ms)
            }
            Line::Restart(Restart { server: number, .. }) | Line::Silence(Silence { server: Some(number), .. })
                if !server(number) =>
            {
                Err("a server that is not there")
            }
            Line::Restart(restart) => {
                self.restarts.push(restart);
                Ok(restart.t_ms)
            }
            Line::Silence(silence) => {
                self.silences.push(silence);
                Ok(silence.t_ms)
            }
            Line::Interval(interval) => {
                if !interval.regions.iter().all(|region| server(region.server)) {
                    return Err("a server that is not there");
                }
                if interval.regions.first().is_none_or(|region| !region.start.0.is_empty()) {
                    return Err("no region begins where the table does");
                }
                if !interval.regions.is_sorted_by(|a, b| a.start < b.start) {
                    return Err("regions that are not in the order of their keys");
                }
                let t_ms = interval.t_ms;
                self.intervals.push(interval);
                Ok(t_ms)
            }
        }
    }
}

/// A file that may be compressed.
fn open(path: &Path) -> Result<Box<dyn BufRead>, RecordingError> {
    let file = File::open(path).map_err(|error| RecordingError::Open { path: path.to_owned(), error })?;
    let file = BufReader::new(file);
    match path.extension() {
        Some(gz) if gz == "gz" => Ok(Box::new(BufReader::new(MultiGzDecoder::new(file).take(MOST_BYTES)))),
        _ => Ok(Box::new(file.take(MOST_BYTES))),
    }
}

/// The keys in the file beside a run.
fn keys(run: &Path, file: &KeyFile) -> Result<Vec<Key>, RecordingError> {
    let wrong = |reason: String| RecordingError::Keys { name: file.name.clone(), reason };
    // A name alone: a run from elsewhere reads no file but its own.
    if Path::new(&file.name).file_name().is_none_or(|name| name != &*file.name) {
        return Err(wrong("not the name of a file in the run's folder".to_owned()));
    }
    let mut columns = Vec::new();
    for (line, text) in (1_u64..).zip(open(&run.with_file_name(&file.name))?.lines()) {
        let text = text.map_err(|error| wrong(format!("line {line}: {error}")))?;
        if columns.len() == LONGEST_KEY || file.rows == 0 {
            return Err(wrong(format!("line {line}: more bytes than {} keys have", file.rows)));
        }
        let column = HEXLOWER_PERMISSIVE.decode(text.as_bytes());
        let column = column.map_err(|error| wrong(format!("line {line}: {error}")))?;
        if column.len() as u64 != file.rows {
            return Err(wrong(format!("line {line}: {} bytes for {} keys", column.len(), file.rows)));
        }
        columns.push(column);
    }
    let rows = columns.first().map_or(0, Vec::len);
    let keys: Vec<Key> = (0..rows).map(|row| Key(columns.iter().map(|column| column[row]).collect())).collect();
    let mut digest = KeyDigest::default();
    keys.iter().for_each(|key| digest.add(key));
    if keys.len() as u64 != file.rows || digest.text() != file.digest {
        return Err(wrong("other keys than the run was recorded with".to_owned()));
    }
    Ok(keys)
}

/// The digest of keys: XXH3 of each after its length in four bytes, big-endian.
#[derive(Clone, Default)]
pub struct KeyDigest(Xxh3Default);

impl KeyDigest {
    /// Adds the next key.
    pub fn add(&mut self, key: &Key) {
        let length = u32::try_from(key.0.len()).unwrap_or(u32::MAX);
        self.0.update(&length.to_be_bytes());
        self.0.update(&key.0);
    }

    /// The digest of all keys so far, in hex.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:016x}", self.0.digest())
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text())
    }
}
