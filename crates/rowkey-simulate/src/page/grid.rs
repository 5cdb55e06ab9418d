//! Runs as grids of cells: rows of keys or of servers, columns of time.

use std::collections::BTreeSet;

use super::scale::class;
use super::{Capacity, Drawn, Measure, RowOrder};
use crate::run::{Interval, Known, timed};

/// A cell: its rates are those of the hottest region of its row and interval of its column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// Rows written a second, and reads, each with the server that takes them.
    pub(super) writes: (f64, u32),
    pub(super) reads: (f64, u32),
    /// The regions that begin or end in it, or reach over it, at most at once, of which the run says something.
    pub(super) regions: u32,
    /// True if of one of them a part is known.
    pub(super) is_part: bool,
}

impl Cell {
    pub(super) const fn of(&self, measure: Measure) -> (f64, u32) {
        match measure {
            Measure::Writes => self.writes,
            Measure::Reads => self.reads,
        }
    }
}

/// The columns of all grids of a page: as many milliseconds each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) step_ms: u64,
    pub(super) count: usize,
}

impl Columns {
    /// As many as there are intervals, or fewer. What follows the last whole one, if it is less than half of it, is a part
    /// of it.
    pub(super) fn of<'r>(runs: impl Iterator<Item = &'r Drawn<'r>> + Clone, most: usize) -> Self {
        let end = runs.clone().filter_map(|run| run.intervals.iter().map(|interval| interval.t_ms).max()).max();
        let finest = runs.map(|run| run.settings.interval_ms).min().unwrap_or(1).max(1);
        let end = end.unwrap_or(0).max(1);
        let most = most.max(1) as u64;
        let rest = end % finest;
        let intervals = (end / finest + u64::from(rest >= finest.div_ceil(2))).max(1);
        let each = intervals.div_ceil(most);
        Self { step_ms: finest.saturating_mul(each), count: intervals.div_ceil(each) as usize }
    }

    pub(super) const fn end_ms(self) -> u64 {
        self.step_ms.saturating_mul(self.count as u64)
    }

    /// The column of a time.
    pub(super) fn at(self, t_ms: u64) -> usize {
        ((t_ms / self.step_ms) as usize).min(self.count - 1)
    }

    /// The columns of the time from one to before another, one at least.
    fn between(self, from: u64, to: u64) -> std::ops::Range<usize> {
        let first = self.at(from);
        first..self.at(to.saturating_sub(1)).max(first) + 1
    }
}

/// A grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    /// The first key of each row, or none if the rows are servers.
    pub(super) starts: Vec<Vec<u8>>,
    /// The number of rows.
    pub(super) rows: usize,
    /// The number of ranges, or of servers, that a row stands for at most.
    pub(super) joined: usize,
    pub(super) columns: Columns,
    /// Row by row.
    cells: Vec<Cell>,
}

impl Grid {
    /// Rows of the ranges between all keys at which a region ever began.
    pub(super) fn of_keys(run: &Drawn<'_>, columns: Columns, most: usize) -> Self {
        let regions = run.intervals.iter().flat_map(|interval| &interval.regions);
        let mut starts: BTreeSet<&[u8]> = regions.map(|region| region.start.0.as_slice()).collect();
        starts.insert(&[]);
        let joined = starts.len().div_ceil(most.max(1));
        let starts: Vec<Vec<u8>> = starts.into_iter().step_by(joined).map(<[u8]>::to_vec).collect();
        let mut grid = Self::empty(starts.len(), joined, columns);
        // The last of the rows that begin at or before a key.
        let row = |key: &[u8]| starts.partition_point(|start| start.as_slice() <= key).saturating_sub(1);
        for (interval, from, seconds) in timed(run.intervals) {
            let columns = columns.between(from, interval.t_ms);
            let mut counts = vec![0u32; starts.len()];
            let mut greatest = vec![Cell::default(); starts.len()];
            for (i, region) in interval.regions.iter().enumerate() {
                let first = row(&region.start.0);
                let end = interval.regions.get(i + 1).map_or(starts.len(), |next| {
                    let at = row(&next.start.0);
                    at + usize::from(starts.get(at).is_some_and(|start| *start != next.start.0))
                });
                let cell = Cell {
                    writes: (region.rows_this_interval as f64 / seconds, region.server),
                    reads: (region.reads_this_interval as f64 / seconds, region.server),
                    regions: 1,
                    is_part: region.known == Known::Part,
                };
                for at in first..end.max(first + 1) {
                    counts[at] += u32::from(region.known != Known::None);
                    greatest[at] = greater(greatest[at], cell);
                }
            }
            for (row, (cell, regions)) in greatest.into_iter().zip(counts).enumerate() {
                grid.raise(row, columns.clone(), Cell { regions, ..cell });
            }
        }
        grid.starts = starts;
        grid
    }

    /// Rows of servers.
    pub(super) fn of_servers(run: &Drawn<'_>, columns: Columns, most: usize) -> Self {
        let servers = run.intervals.iter().map(|interval| interval.servers.len()).max().unwrap_or(0).max(1);
        let joined = servers.div_ceil(most.max(1));
        let mut grid = Self::empty(servers.div_ceil(joined), joined, columns);
        for (interval, from, seconds) in timed(run.intervals) {
            let silent = silent(interval);
            let told = (0u32..).zip(&interval.servers).filter(|(number, _)| !silent.contains(number));
            for (number, server) in told {
                let of = |rows: u64| (rows as f64 / seconds, number);
                let cell = Cell { writes: of(server.writes), reads: of(server.reads), regions: 1, is_part: false };
                grid.raise(number as usize / joined, columns.between(from, interval.t_ms), cell);
            }
        }
        grid
    }

    fn empty(rows: usize, joined: usize, columns: Columns) -> Self {
        Self { starts: Vec::new(), rows, joined, columns, cells: vec![Cell::default(); rows * columns.count] }
    }

    fn raise(&mut self, row: usize, columns: std::ops::Range<usize>, cell: Cell) {
        for column in columns {
            let own = &mut self.cells[row * self.columns.count + column];
            *own = greater(*own, cell);
        }
    }

    pub(super) fn row(&self, row: usize) -> &[Cell] {
        &self.cells[row * self.columns.count..][..self.columns.count]
    }

    /// The row that a key is in.
    pub(super) fn row_of(&self, key: &[u8]) -> usize {
        self.starts.partition_point(|start| start.as_slice() <= key).saturating_sub(1)
    }

    /// True if there is a cell of which nothing is known.
    pub(super) fn has_unknown(&self) -> bool {
        self.cells.iter().any(|cell| cell.regions == 0)
    }

    /// The greatest rate.
    pub(super) fn greatest(&self, measure: Measure) -> f64 {
        self.cells.iter().map(|cell| cell.of(measure).0).fold(0.0, f64::max)
    }

    /// The rows in an order.
    pub(super) fn order(&self, order: RowOrder, measure: Measure, capacity: Capacity) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.rows).collect();
        if order == RowOrder::HotFirst {
            let rank = |row: &usize| {
                let rates = || self.row(*row).iter().map(|cell| cell.of(measure).0);
                (rates().map(|rate| class(rate, capacity.of(measure))).max(), rates().sum::<f64>())
            };
            let ranks: Vec<_> = rows.iter().map(rank).collect();
            rows.sort_by(|a, b| ranks[*b].0.cmp(&ranks[*a].0).then(ranks[*b].1.total_cmp(&ranks[*a].1)));
        }
        rows
    }
}

/// The servers none of whose regions anything is known of.
fn silent(interval: &Interval) -> BTreeSet<u32> {
    let of = |is_silent: bool| {
        let regions = interval.regions.iter().filter(move |region| (region.known == Known::None) == is_silent);
        regions.map(|region| region.server)
    };
    let mut silent: BTreeSet<u32> = of(true).collect();
    if !silent.is_empty() {
        of(false).for_each(|server| _ = silent.remove(&server));
    }
    silent
}

/// The greater of each number.
fn greater(a: Cell, b: Cell) -> Cell {
    let of = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 || a.0 == 0.0 { b } else { a };
    let (writes, reads) = (of(a.writes, b.writes), of(a.reads, b.reads));
    Cell { writes, reads, regions: a.regions.max(b.regions), is_part: a.is_part || b.is_part }
}

/// The greatest rate of a server in an interval.
pub(super) fn busiest_server(run: &Drawn<'_>, measure: Measure) -> f64 {
    let rates = timed(run.intervals).flat_map(|(interval, _, seconds)| {
        let rows = interval.servers.iter().map(move |server| match measure {
            Measure::Writes => server.writes,
            Measure::Reads => server.reads,
        });
        rows.map(move |rows| rows as f64 / seconds)
    });
    rates.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Key, Known, Region, Server, Settings};
    use proptest::prelude::*;
    use rowkey::LayoutBuf;
    use rowkey_design::internal::explain::Times;

    fn settings(interval_ms: u64) -> Settings {
        Settings { interval_ms, ..Settings::default() }
    }

    prop_compose! {
        fn interval()(
            length in 1u64..30,
            starts in prop::collection::btree_map(1u8..40, (0u64..5000, 0u64..5000), 0..10),
            first in 0u64..5000,
        ) -> (u64, Vec<Region>) {
            let region = |start: Vec<u8>, rows, reads| Region {
                start: Key(start), server: 0, rows, rows_this_interval: rows, reads_this_interval: reads, bytes: 0, files: 0,
                known: Known::All,
            };
            let others = starts.into_iter().map(|(start, (rows, reads))| region(vec![start], rows, reads));
            (length, std::iter::once(region(Vec::new(), first, 0)).chain(others).collect())
        }
    }

    proptest! {
        /// Each cell has the greatest rate of all regions and intervals that have a part of its keys and time.
        #[test]
        fn cells_are_the_greatest_of_what_they_join(
            parts in prop::collection::vec(interval(), 1..12), rows in 1usize..12, columns in 1usize..12,
        ) {
            let mut intervals = Vec::new();
            for (length, regions) in parts {
                let t_ms = length + intervals.last().map_or(0, |last: &Interval| last.t_ms);
                intervals.push(Interval { t_ms, regions, servers: vec![Server::default()] });
            }
            let (settings, layout) = (settings(10), "bytes".parse::<LayoutBuf>().unwrap());
            let run = Drawn {
                name: "", settings: &settings, intervals: &intervals, splits: &[], moves: &[], merges: &[], layout: &layout,
                times: Times::default(),
            };
            let columns = Columns::of([&run].into_iter(), columns);
            let grid = Grid::of_keys(&run, columns, rows);
            prop_assert!(grid.rows <= rows && grid.starts.len() == grid.rows);
            for row in 0..grid.rows {
                let (first, end) = (&grid.starts[row], grid.starts.get(row + 1));
                for (column, cell) in grid.row(row).iter().enumerate() {
                    let from = column as u64 * columns.step_ms;
                    let to = if column + 1 == columns.count { u64::MAX } else { from + columns.step_ms };
                    let (mut writes, mut reads) = (0f64, 0f64);
                    let mut begin = 0;
                    for interval in &intervals {
                        let seconds = (interval.t_ms - begin) as f64 / 1000.0;
                        let ends = interval.regions.iter().skip(1).map(|next| Some(&next.start.0)).chain([None]);
                        for (region, region_end) in interval.regions.iter().zip(ends) {
                            let shares_keys = end.is_none_or(|end| region.start.0 < *end)
                                && region_end.is_none_or(|region_end| region_end > first);
                            if begin < to && interval.t_ms > from && shares_keys {
                                writes = writes.max(region.rows_this_interval as f64 / seconds);
                                reads = reads.max(region.reads_this_interval as f64 / seconds);
                            }
                        }
                        begin = interval.t_ms;
                    }
                    prop_assert_eq!((cell.writes.0, cell.reads.0), (writes, reads), "{} {}", row, column);
                }
            }
        }
    }
}
