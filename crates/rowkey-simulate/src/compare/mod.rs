//! The distance of two runs of the same load, and whether a simulated run is as near to real ones as these are to each
//! other.
//!
//! Runs of the same load on the same cluster differ, as the moment of a flush is chance. So a simulated run passes a
//! [`Measure`] if it is from the nearest recording at most [`SLACK`] times as far as two recordings are from each
//! other, or the measure's [floor](Kind::floor), if that is more. A measure that a [naive simulator](naive) passes too
//! proves nothing.

pub mod naive;
mod outline;
mod ranks;

use std::fmt;

use self::outline::{Outline, regions_at};
pub use self::ranks::Ranks;
use crate::recording::Run;

/// The part of the greatest distance between two recordings at which a simulated run still passes.
pub const SLACK: f64 = 1.25;

/// A kind of distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The number of regions: the sum of the differences at each tenth of the rows.
    Regions,
    /// The boundaries of regions, by rank among all keys: from each to the nearest of the other run, the median, in
    /// blocks of a store file; of both ways the greater one. At the moment that [`Recordings::rows`] says.
    MedianBlocks,
    /// The same, which nine in ten do not exceed.
    NinetiethBlocks,
    /// The median in parts of a region's mean width.
    MedianWidths,
    /// The same, which nine in ten do not exceed.
    NinetiethWidths,
    /// The share of an interval's writes that its hottest region takes: the median over the intervals.
    HottestShare,
    /// The shares of the servers of all writes, the greatest first: the greatest difference.
    ServerShares,
    /// The balancer's decision: 1 if it moved regions in one run and none in the other, else 0.
    Moved,
}

impl Kind {
    /// Those that are measured with the balancer off. With it on, two real runs differ more than evenly cut regions, so
    /// that only its decision counts: [`Moved`](Self::Moved).
    pub const UNBALANCED: [Self; 7] = [
        Self::Regions,
        Self::MedianBlocks,
        Self::NinetiethBlocks,
        Self::MedianWidths,
        Self::NinetiethWidths,
        Self::HottestShare,
        Self::ServerShares,
    ];

    /// A distance that is none: two real runs are often 0 apart, and 1.25 × 0 would be 0.
    #[must_use]
    pub fn floor(self) -> f64 {
        match self {
            Self::Regions | Self::MedianBlocks | Self::NinetiethBlocks => 1.0,
            Self::MedianWidths | Self::NinetiethWidths => 0.02,
            Self::HottestShare | Self::ServerShares => 0.01,
            Self::Moved => 0.0,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Regions => "regions at each tenth",
            Self::MedianBlocks => "boundaries, median, in blocks",
            Self::NinetiethBlocks => "boundaries, 90 %, in blocks",
            Self::MedianWidths => "boundaries, median, in widths of a region",
            Self::NinetiethWidths => "boundaries, 90 %, in widths of a region",
            Self::HottestShare => "the hottest region's share",
            Self::ServerShares => "writes by server",
            Self::Moved => "moves by the balancer",
        })
    }
}

/// The distance of a simulated run to recordings, of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The kind.
    pub kind: Kind,
    /// The distance of the simulated run to the nearest recording.
    pub simulated: f64,
    /// The greatest distance between two recordings.
    pub recorded: f64,
    /// The distance up to which it passes.
    pub limit: f64,
    /// The distance of the naive simulator to the nearest recording.
    pub naive: f64,
}

impl Measure {
    /// True if the simulated run is as near as recordings are to each other.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.simulated <= self.limit
    }

    /// True if the naive simulator does not pass: otherwise the measure proves nothing, and does not count.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.naive > self.limit
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, simulated, recorded, limit, naive } = self;
        let verdict = match (self.passes(), self.counts()) {
            (true, true) => "passes",
            (false, true) => "fails",
            (true, false) => "passes, as a naive one does: proves nothing",
            (false, false) => "fails where a naive one passes: does not count",
        };
        write!(f, "{kind}: {simulated:.3} of {limit:.3} (recorded {recorded:.3}, naive {naive:.3}): {verdict}")
    }
}

/// Naive runs, made from the first of the recordings.
#[derive(Debug)]
struct Naive {
    evenly_cut: Outline,
    by_size: Outline,
}

/// Recordings of one load, to hold other runs against.
#[derive(Debug)]
pub struct Recordings<'r> {
    recordings: &'r [Run],
    ranks: Ranks,
    rows: u64,
    outlines: Vec<Outline>,
    naive: Option<Naive>,
}

impl<'r> Recordings<'r> {
    /// Those of one load: the keys are those of the first.
    #[must_use]
    pub fn new(recordings: &'r [Run]) -> Self {
        Self::by(recordings, recordings.first().map(Ranks::of).unwrap_or_default())
    }

    /// Those of one load, by the ranks of its keys.
    #[must_use]
    pub fn by(recordings: &'r [Run], ranks: Ranks) -> Self {
        let agree = |rows: &u64| {
            let mut numbers = recordings.iter().map(|run| regions_at(run, *rows).len());
            numbers.next().is_some_and(|first| numbers.all(|number| number == first))
        };
        let rows = ranks.tenths().rfind(agree).unwrap_or(ranks.rows());
        let outlines = recordings.iter().map(|run| Outline::new(run, &ranks, rows)).collect();
        let naive = recordings.first().map(|run| Naive {
            evenly_cut: Outline::new(&naive::evenly_cut(run, &ranks), &ranks, rows),
            by_size: Outline::new(&naive::by_size(run, &ranks), &ranks, rows),
        });
        Self { recordings, ranks, rows, outlines, naive }
    }

    /// The rows after which boundaries are compared: the last tenth of the load at which all recordings have as many
    /// regions, or all of it. A region near its limit splits in one run and not in the other; then a boundary is half a
    /// region from the nearest, and two real runs are as far apart as any.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn outline(&self, run: &Run) -> Outline {
        Outline::new(run, &self.ranks, self.rows)
    }

    /// The kinds of distance that these recordings allow.
    #[must_use]
    pub fn kinds(&self) -> &'static [Kind] {
        match self.recordings.first() {
            None => &[],
            Some(run) if run.settings.balancer_ms.is_some() => &[Kind::Moved],
            Some(_) => &Kind::UNBALANCED,
        }
    }

    /// The distance between two runs of the load.
    #[must_use]
    pub fn distance(&self, kind: Kind, a: &Run, b: &Run) -> f64 {
        self.outline(a).distance(kind, &self.outline(b), &self.ranks)
    }

    /// The distances between each two of the recordings.
    #[must_use]
    pub fn between(&self, kind: Kind) -> Vec<f64> {
        let pairs =
            self.outlines.iter().enumerate().flat_map(|(at, a)| self.outlines[at + 1..].iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| a.distance(kind, b, &self.ranks)).collect()
    }

    fn nearest(&self, kind: Kind, run: &Outline) -> f64 {
        let distances = self.outlines.iter().map(|recorded| recorded.distance(kind, run, &self.ranks));
        distances.fold(f64::INFINITY, f64::min)
    }

    /// Holds a simulated run of the load against the recordings.
    #[must_use]
    pub fn measure(&self, simulated: &Run) -> Vec<Measure> {
        let simulated = self.outline(simulated);
        let measure = |&kind: &Kind| {
            let naive = self.naive.as_ref().map_or(f64::INFINITY, |naive| {
                self.nearest(kind, if kind == Kind::Regions { &naive.by_size } else { &naive.evenly_cut })
            });
            let recorded = self.between(kind).into_iter().fold(0.0, f64::max);
            Measure {
                kind,
                simulated: self.nearest(kind, &simulated),
                recorded,
                limit: f64::max(SLACK * recorded, kind.floor()),
                naive,
            }
        };
        self.kinds().iter().map(measure).collect()
    }
}

/// Holds a simulated run against recordings of the same load.
#[must_use]
pub fn passes(recordings: &[Run], simulated: &Run) -> Vec<Measure> {
    Recordings::new(recordings).measure(simulated)
}
