//! The stages of a merge, from the first read of each source to the end.
//!
//! It reads nothing itself. A source is *hungry* if its next row is needed and not in memory: [`Stages::settle`]
//! reports it, and continues once the caller has [fed](Stages::feed) it.

use super::order::Heads;
use super::tree::{Source, Tree};

/// The settings that all merges have, as methods of a merge whose stages are at `self.$stages`.
macro_rules! settings {
    ($($stages:ident).+) => {
        /// Leaves the first `bytes` bytes of each key, the salt, out of the comparison. A shorter key compares as
        /// empty. Default: 0.
        #[must_use]
        pub fn salt(mut self, bytes: usize) -> Self {
            self.$($stages).+.set_skip(bytes);
            self
        }

        /// Sets the order of the sources: `true` if they are sorted from the last row to the first. Default: `false`.
        #[must_use]
        pub fn reverse(mut self, reverse: bool) -> Self {
            self.$($stages).+.set_reverse(reverse);
            self
        }

        /// Maximum number of rows. Default: no limit. Give the limit to each source too: a source does not know this
        /// one.
        #[must_use]
        pub fn limit(mut self, limit: impl Into<Option<u64>>) -> Self {
            self.$($stages).+.set_limit(limit.into());
            self
        }
    };
}
pub(super) use settings;

/// The result of looking for the next row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// The next row is known.
    Row,
    /// All rows of [`Stages::hungry`] are taken. It has to be fed before the next row is known.
    Hungry,
    /// [`Stages::hungry`] has still not been fed.
    Unfed,
    /// There are no more rows: see [`Stages::outcome`].
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Unopened,
    /// Every source is fed for the first time.
    Opening,
    /// The winner's row is known and not taken yet.
    Standing,
    /// The winner's row is taken. Its source advances only when the next row is asked for.
    Taken,
    /// The winner's row is taken, and its source's next row is not in memory.
    Hungry,
    Ended,
}

/// A merge of sources that fail with `E`.
pub(super) struct Stages<S, E> {
    tree: Tree<S>,
    stage: Stage,
    /// During `Opening`: the first source that was not fed yet, and which of those after it were.
    first_unfed: usize,
    fed_early: Vec<bool>,
    /// The error that ended the merge, until it is returned, and the number of its source.
    failure: Option<E>,
    failed: usize,
    /// Errors that have a place among the rows, and the numbers of their sources. The last row of such a source stands
    /// for the place, and is not returned.
    placed: Vec<(usize, E)>,
}

impl<S: Source, E> Stages<S, E> {
    pub(super) fn new(sources: Vec<S>) -> Self {
        Self {
            tree: Tree::new(sources),
            stage: Stage::Unopened,
            first_unfed: 0,
            fed_early: Vec::new(),
            failure: None,
            failed: usize::MAX,
            placed: Vec::new(),
        }
    }

    pub(super) fn set_skip(&mut self, skip: usize) {
        self.tree.order.skip = skip;
    }

    pub(super) fn set_reverse(&mut self, reverse: bool) {
        self.tree.order.reverse = reverse;
    }

    pub(super) fn set_limit(&mut self, limit: Option<u64>) {
        self.tree.set_left(limit.unwrap_or(u64::MAX));
    }

    /// Number of rows that may still be taken.
    pub(super) fn left(&self) -> u64 {
        self.tree.left()
    }

    /// Returns whether only one source is left.
    pub(super) fn is_only_one_left(&self) -> bool {
        self.tree.live() == 1
    }

    /// The source that has to be fed before the next row is known, after [`Self::settle`] reported one.
    #[inline]
    pub(super) fn hungry(&self) -> usize {
        if self.stage == Stage::Opening { self.first_unfed } else { self.tree.winner() }
    }

    /// Returns whether a source has to be fed before the next row is known.
    pub(super) fn wants(&self, source: usize) -> bool {
        match self.stage {
            // If several fail to open, the error of the first source counts, whichever came first in time.
            Stage::Opening => (self.first_unfed..self.to_open()).contains(&source) && !self.was_fed_early(source),
            Stage::Hungry => source == self.tree.winner(),
            _ => false,
        }
    }

    /// Takes the next row, if it is in memory.
    #[inline]
    pub(super) fn take_next(&mut self) -> bool {
        if self.take_of_run() {
            return true;
        }
        let moves = self.stage == Stage::Taken && self.tree.left() > 0 && self.placed.is_empty();
        let takes = moves && self.tree.advance();
        if takes {
            self.tree.take();
        }
        takes
    }

    /// Finds and takes the next row, after [`Self::take_next`] did not.
    #[inline]
    pub(super) fn take_at_an_end(&mut self) -> Settled {
        let settled = match self.stage {
            Stage::Taken if self.tree.left() > 0 => self.starve(),
            Stage::Standing => Settled::Row,
            _ => self.settle_at_an_end(),
        };
        if settled == Settled::Row {
            self.take();
        }
        settled
    }

    /// Finds the next row.
    #[inline]
    pub(super) fn settle(&mut self) -> Settled {
        match self.stage {
            Stage::Taken if self.tree.left() > 0 => {
                if !self.tree.advance() {
                    return self.starve();
                }
                self.stage = Stage::Standing;
                Settled::Row
            }
            Stage::Standing => Settled::Row,
            _ => self.settle_at_an_end(),
        }
    }

    #[inline]
    fn starve(&mut self) -> Settled {
        self.stage = Stage::Hungry;
        Settled::Hungry
    }

    /// There is no row in memory: the merge opens, waits or ends.
    #[cold]
    fn settle_at_an_end(&mut self) -> Settled {
        match self.stage {
            Stage::Hungry => Settled::Unfed,
            Stage::Unopened if self.tree.left() > 0 => {
                self.stage = Stage::Opening;
                self.open()
            }
            Stage::Opening => self.open(),
            _ => {
                self.stage = Stage::Ended;
                Settled::End
            }
        }
    }

    fn open(&mut self) -> Settled {
        if self.first_unfed < self.to_open() {
            return Settled::Unfed;
        }
        self.fed_early = Vec::new();
        if self.failure.is_some() {
            self.stage = Stage::Ended;
            return Settled::End;
        }
        self.tree.build();
        self.stand()
    }

    /// The sources before this one are fed before the merge is open: all, or those before one that failed.
    fn to_open(&self) -> usize {
        self.tree.sources.len().min(self.failed)
    }

    fn was_fed_early(&self, source: usize) -> bool {
        self.fed_early.get(source) == Some(&true)
    }

    fn note_fed(&mut self, source: usize) {
        if source != self.first_unfed {
            self.fed_early.resize(self.tree.sources.len(), false);
            self.fed_early[source] = true;
            return;
        }
        self.first_unfed += 1;
        while self.was_fed_early(self.first_unfed) {
            self.first_unfed += 1;
        }
    }

    /// Moves to the winner's row, if there is one.
    fn stand(&mut self) -> Settled {
        let (stage, settled) = match self.tree.live() {
            0 => (Stage::Ended, Settled::End),
            _ => (Stage::Standing, Settled::Row),
        };
        self.stage = stage;
        settled
    }

    /// Feeds a source that is [wanted](Self::wants), then finds the next row as [`Self::settle`]. `fill` puts rows into
    /// the source and returns the head of the first row, or `None` at the source's end.
    #[inline]
    pub(super) fn feed(
        &mut self,
        index: usize,
        fill: impl FnOnce(&mut S, Heads<'_>) -> Result<Option<u64>, E>,
    ) -> Settled {
        let Some((source, heads)) = self.tree.source_and_heads(index) else { return Settled::End };
        match fill(source, heads) {
            Ok(Some(head)) if self.stage == Stage::Hungry => {
                let next = if S::LOOKS_AHEAD { source.next_key().map(|key| heads.of(key)) } else { None };
                self.tree.enter(head, next);
                self.stage = Stage::Standing;
                Settled::Row
            }
            fed => {
                self.fed_at_an_end(index, fed);
                self.settle()
            }
        }
    }

    /// A source was fed for the first time, or has ended.
    #[cold]
    fn fed_at_an_end(&mut self, index: usize, fed: Result<Option<u64>, E>) {
        match self.stage {
            Stage::Opening => {
                self.note_fed(index);
                if let Err(error) = fed {
                    (self.failed, self.failure) = (index, Some(error));
                }
            }
            _ => match fed {
                Err(error) => (self.failure, self.stage) = (Some(error), Stage::Ended),
                Ok(_) => {
                    self.tree.exhausted();
                    self.stand();
                }
            },
        }
    }

    /// Gives an error a place: the row that the source was fed.
    #[cold]
    pub(super) fn place(&mut self, source: usize, error: E) {
        self.placed.push((source, error));
    }

    /// Returns whether an error has a place. Then rows are found by [`Self::settle`] alone, which stops [at
    /// it](Self::is_at_place).
    #[inline]
    pub(super) fn has_places(&self) -> bool {
        !self.placed.is_empty()
    }

    /// Returns whether the row that [`Self::settle`] found is the place of an error.
    pub(super) fn is_at_place(&self) -> bool {
        let winner = self.tree.winner();
        self.stage == Stage::Standing && self.placed.iter().any(|(source, _)| *source == winner)
    }

    /// Ends the merge with the error whose place it is at.
    #[cold]
    pub(super) fn fail_at_place(&mut self) -> Result<(), E> {
        let winner = self.tree.winner();
        let at = self.placed.iter().position(|(source, _)| *source == winner);
        self.failure = at.map(|at| self.placed.swap_remove(at).1);
        self.outcome()
    }

    /// Takes the row that [`Self::settle`] found. The winner stands on it until the next row is found.
    #[inline]
    pub(super) fn take(&mut self) {
        self.tree.take();
        self.stage = Stage::Taken;
    }

    /// Takes the next row if it is known, as [`Self::settle`] and [`Self::take`] in fewer steps.
    #[inline]
    pub(super) fn take_of_run(&mut self) -> bool {
        let is_in_run = self.is_in_run();
        if is_in_run {
            self.tree.take_of_run();
        }
        is_in_run
    }

    /// Returns whether the next row is known.
    #[inline]
    pub(super) fn is_in_run(&self) -> bool {
        self.stage == Stage::Taken && self.tree.is_in_run()
    }

    /// Takes the next row, which [is known](Self::is_in_run). Returns its source and its distance from the row that the
    /// source stands on.
    #[inline]
    pub(super) fn next_in_run(&mut self) -> Option<(&S, usize)> {
        self.tree.take_of_run();
        self.tree.winner_and_stepped()
    }

    /// Takes all `rows` rows that the winner has in memory.
    pub(super) fn take_all(&mut self, rows: u64) {
        self.tree.take_all(rows);
        self.stage = Stage::Taken;
    }

    /// The source of the row that [`Self::settle`] found.
    #[inline]
    pub(super) fn winner(&mut self) -> Option<&mut S> {
        let winner = self.tree.winner();
        self.tree.sources.get_mut(winner)
    }

    /// The source of the last row, if it still has it, and the row's distance from the one that the source stands on.
    pub(super) fn winner_and_stepped(&self) -> Option<(&S, usize)> {
        self.tree.winner_and_stepped()
    }

    /// The source of the row that [`Self::settle`] found, if the row is not taken yet.
    pub(super) fn standing(&self) -> Option<&S> {
        if self.stage == Stage::Standing { self.tree.sources.get(self.tree.winner()) } else { None }
    }

    /// Returns whether the next `rows` rows after the winner's are in memory and come next too. The winner's row is not
    /// taken yet.
    pub(super) fn come_next(&self, rows: usize) -> bool {
        self.tree.come_next(rows)
    }

    /// As [`Self::winner_and_stepped`], until the source is hungry.
    #[inline]
    pub(super) fn taken(&self) -> Option<(&S, usize)> {
        if self.stage == Stage::Taken { self.tree.winner_and_stepped() } else { None }
    }

    /// The source with this number, until the end.
    pub(super) fn source_mut(&mut self, source: usize) -> Option<&mut S> {
        self.tree.sources.get_mut(source)
    }

    /// The result of the merge: the error once, then `Ok`. The sources are dropped now, as the merge itself may live
    /// on.
    #[cold]
    pub(super) fn outcome(&mut self) -> Result<(), E> {
        self.stage = Stage::Ended;
        self.tree.sources.clear();
        self.placed.clear();
        self.failure.take().map_or(Ok(()), Err)
    }
}
