//! A run as a picture: key range × time as a heat map, coloured by what one server takes, as a page of HTML, as SVG,
//! and as blocks in a terminal.
//!
//! A region of a run is as hot as the part of one server's capacity that its writes or reads take: colours are
//! absolute, so that two pictures can be held against each other, and a calm table looks calm. What is too fine to draw
//! is joined: a cell shows the greatest of its regions and intervals, and the page says how many these are.

mod blocks;
mod check;
mod drawing;
mod frame;
mod grid;
mod html;
mod label;
mod legend;
mod map;
mod picture;
mod scale;
mod table;

use rowkey::LayoutBuf;
use rowkey_design::internal::explain::Times;

pub use self::blocks::{Terminal, blocks};
pub use self::check::{checked, sketched};
pub use self::drawing::svg;
pub use self::frame::{FIRST_LINE, STYLE};
pub use self::html::html;
pub use self::label::{label, labels, labels_of_range};
pub use self::scale::elapsed;
use crate::run::{Interval, Merge, Move, Settings, Split};

/// The number that is read off the regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// Writes, in the unit in which the design says what a server takes.
    Writes,
    /// Reads, in the unit in which the design says what a server takes.
    Reads,
}

impl Measure {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Writes, Self::Reads];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::Reads => "reads",
        }
    }
}

/// The measure of which some server is asked for the greatest part of what it takes: it is shown first. If both are as
/// hot, writes, unless there are only reads.
pub fn hotter(runs: &[Drawn<'_>], capacity: Capacity) -> Measure {
    let most = |measure| runs.iter().map(|run| grid::busiest_server(run, measure)).fold(0.0, f64::max);
    let [writes, reads] = Measure::ALL.map(most);
    let [of_writes, of_reads] = [writes / capacity.writes.each, reads / capacity.reads.each];
    let is_read = of_reads > of_writes || (writes == 0.0 && reads > 0.0);
    if is_read { Measure::Reads } else { Measure::Writes }
}

/// The order of the rows of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowOrder {
    /// By key.
    Key,
    /// By the greatest share of a server's capacity, then by the rows in all.
    HotFirst,
}

impl RowOrder {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Key, Self::HotFirst];

    /// The words for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Key => "by key",
            Self::HotFirst => "hot first",
        }
    }
}

/// A number that a server takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Writes, or reads, a second. Infinite, if one process takes all.
    pub each: f64,
    /// True if the design does not say it.
    pub is_assumed: bool,
}

/// The rates that one server takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Writes.
    pub writes: Rate,
    /// Reads.
    pub reads: Rate,
    /// The words for the units in which writes, and reads, are counted.
    pub units: [&'static str; 2],
}

impl Capacity {
    /// The units of an engine that counts rows: the words of the measures.
    pub const ROWS: [&'static str; 2] = [Measure::Writes.word(), Measure::Reads.word()];

    /// The word for the unit in which a measure is counted.
    pub const fn unit(&self, measure: Measure) -> &'static str {
        self.units[measure as usize]
    }

    /// That of writes, or of reads.
    pub const fn of(&self, measure: Measure) -> Rate {
        match measure {
            Measure::Writes => self.writes,
            Measure::Reads => self.reads,
        }
    }
}

/// A run to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'r> {
    /// The name of its design.
    pub name: &'r str,
    /// The cluster.
    pub settings: &'r Settings,
    /// The intervals, in their order.
    pub intervals: &'r [Interval],
    /// The splits.
    pub splits: &'r [Split],
    /// The moves.
    pub moves: &'r [Move],
    /// The merges, which only a watched run has.
    pub merges: &'r [Merge],
    /// The layout of the keys.
    pub layout: &'r LayoutBuf,
    /// Its fields that are times.
    pub times: Times<'r>,
}

/// Something that a check found, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    /// The severity, such as `error`.
    pub severity: String,
    /// The id of its rule.
    pub rule: String,
    /// The finding in a sentence.
    pub message: String,
    /// The evidence, a line each.
    pub witness: Vec<String>,
    /// The cure; may be empty.
    pub remedy: String,
}

/// The text of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageText {
    /// The title.
    pub title: String,
    /// The answer in a sentence, or one for each design.
    pub sentences: Vec<String>,
    /// Facts: a name, and a value for each design.
    pub facts: Vec<(String, Vec<String>)>,
    /// Assumptions, where the design says nothing.
    pub assumed: Vec<String>,
    /// The questions that no rule answers, as the design does not say what it takes.
    pub unjudged: Vec<String>,
    /// The findings.
    pub remarks: Vec<Remark>,
}
