//! The course of a merge: from the first row that each source is asked for to the end.
//!
//! It reads nothing. A source whose next row is needed and not in memory is *hungry*: [`Stages::settle`] says so, and goes
//! on once the caller has [fed](Stages::feed) it.

use super::order::Heads;
use super::tree::{Source, Tree};

/// What came of looking for the next row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// It is known.
    Row,
    /// It is not known before [`Stages::hungry`] was fed.
    Hungry,
    /// There is none; [`Stages::outcome`] says why.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Unopened,
    /// Every source is fed once.
    Opening,
    /// The winner's row has not been taken yet.
    Standing,
    /// The winner's row is out; its source is advanced when the next row is asked for, not before.
    Taken,
    /// The winner's row is out, and its next one is not in memory.
    Hungry,
    Ended,
}

/// A merge of sources that fail with `E`.
pub(super) struct Stages<S, E> {
    tree: Tree<S>,
    stage: Stage,
    /// Rows that may still be taken.
    left: u64,
    /// While the merge opens: which sources were not fed yet, and the first of them.
    unfed: Vec<bool>,
    first_unfed: usize,
    /// What ended the merge, until it was answered, and the number of the source it came from.
    failure: Option<E>,
    failed: usize,
}

impl<S: Source, E> Stages<S, E> {
    pub(super) fn new(sources: Vec<S>) -> Self {
        Self {
            tree: Tree::new(sources),
            stage: Stage::Unopened,
            left: u64::MAX,
            unfed: Vec::new(),
            first_unfed: 0,
            failure: None,
            failed: usize::MAX,
        }
    }

    pub(super) fn set_skip(&mut self, skip: usize) {
        self.tree.order.skip = skip;
    }

    pub(super) fn set_reverse(&mut self, reverse: bool) {
        self.tree.order.reverse = reverse;
    }

    pub(super) fn set_limit(&mut self, limit: Option<u64>) {
        self.left = limit.unwrap_or(u64::MAX);
    }

    /// Rows that may still be taken.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Whether one source alone is not exhausted.
    pub(super) fn is_only_one_left(&self) -> bool {
        self.tree.live() == 1
    }

    /// The source that has to be fed before the next row is known, where [`Self::settle`] found that one has.
    #[inline]
    pub(super) fn hungry(&self) -> usize {
        if self.stage == Stage::Opening { self.first_unfed } else { self.tree.winner() }
    }

    /// Whether a source has to be fed before the next row is known.
    pub(super) fn wants(&self, source: usize) -> bool {
        match self.stage {
            // Of several that fail to open the first counts, whichever answers first.
            Stage::Opening => source < self.failed && self.unfed.get(source).is_some_and(|unfed| *unfed),
            Stage::Hungry => source == self.tree.winner(),
            _ => false,
        }
    }

    /// Whether nothing more comes but the error that ended it.
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Ended || self.failure.is_some()
    }

    /// Finds the next row.
    #[inline]
    pub(super) fn settle(&mut self) -> Settled {
        match self.stage {
            Stage::Taken if self.left > 0 => {
                if self.tree.is_sure() {
                    self.tree.step();
                } else if !self.tree.advance() {
                    self.stage = Stage::Hungry;
                    return Settled::Hungry;
                }
                self.stage = Stage::Standing;
                Settled::Row
            }
            Stage::Standing => Settled::Row,
            _ => self.settle_at_an_end(),
        }
    }

    #[cold]
    fn settle_at_an_end(&mut self) -> Settled {
        match self.stage {
            Stage::Unopened if self.left > 0 => {
                self.unfed = vec![true; self.tree.sources.len()];
                self.stage = Stage::Opening;
                self.open()
            }
            Stage::Opening => self.open(),
            Stage::Hungry => Settled::Hungry,
            _ => {
                self.stage = Stage::Ended;
                Settled::End
            }
        }
    }

    fn open(&mut self) -> Settled {
        while self.unfed.get(self.first_unfed) == Some(&false) {
            self.first_unfed += 1;
        }
        if self.first_unfed < self.tree.sources.len().min(self.failed) {
            return Settled::Hungry;
        }
        self.unfed = Vec::new();
        if self.failure.is_some() {
            self.stage = Stage::Ended;
            return Settled::End;
        }
        self.tree.build();
        self.stand()
    }

    /// Stands on the winner's row, if there is one.
    fn stand(&mut self) -> Settled {
        let (stage, settled) = match self.tree.live() {
            0 => (Stage::Ended, Settled::End),
            _ => (Stage::Standing, Settled::Row),
        };
        self.stage = stage;
        settled
    }

    /// Feeds a source that is [wanted](Self::wants): `fill` puts rows into it and answers the head of the first of them, `None`
    /// at the source's end.
    #[inline]
    pub(super) fn feed(&mut self, index: usize, fill: impl FnOnce(&mut S, Heads<'_>) -> Result<Option<u64>, E>) {
        let Some((source, heads)) = self.tree.source_and_heads(index) else { return };
        match fill(source, heads) {
            Ok(Some(head)) if self.stage == Stage::Hungry => {
                let next = if S::LOOKS_AHEAD { source.next_key().map(|key| heads.of(key)) } else { None };
                self.tree.enter(head, next);
                self.stage = Stage::Standing;
            }
            fed => self.fed_at_an_end(index, fed),
        }
    }

    /// A source was fed for the first time, or ends.
    #[cold]
    fn fed_at_an_end(&mut self, index: usize, fed: Result<Option<u64>, E>) {
        // There are none once the merge is open.
        if let Some(unfed) = self.unfed.get_mut(index) {
            *unfed = false;
        }
        match (fed, self.stage) {
            (Err(error), Stage::Opening) => (self.failed, self.failure) = (index, Some(error)),
            (Err(error), _) => self.fail(error),
            (Ok(None), Stage::Hungry) => {
                self.tree.exhausted();
                self.stand();
            }
            (Ok(_), _) => {}
        }
    }

    /// Ends by an error.
    pub(super) fn fail(&mut self, error: E) {
        self.failure = Some(error);
        self.stage = Stage::Ended;
    }

    /// Takes the row that [`Self::settle`] found: the source that is answered stands on it until the next row is found.
    #[inline]
    pub(super) fn take(&mut self) -> Option<&mut S> {
        self.left = self.left.saturating_sub(1);
        self.stage = Stage::Taken;
        self.winner()
    }

    /// Takes the next row if it is known, and stands behind the one that was taken: as [`Self::settle`] and
    /// [`Self::take`], in a few steps.
    #[inline]
    pub(super) fn take_sure(&mut self) -> bool {
        let is_sure = self.tree.is_sure() && self.left > 0 && self.stage == Stage::Taken;
        if is_sure {
            self.left -= 1;
            self.tree.step();
        }
        is_sure
    }

    /// Takes all `rows` rows that the winner has in memory.
    pub(super) fn take_all(&mut self, rows: u64) -> Option<&mut S> {
        self.tree.forget_rows();
        self.left = self.left.saturating_sub(rows);
        self.stage = Stage::Taken;
        self.winner()
    }

    /// The source of the row that [`Self::settle`] found.
    #[inline]
    pub(super) fn winner(&mut self) -> Option<&mut S> {
        let winner = self.tree.winner();
        self.tree.sources.get_mut(winner)
    }

    /// How many rows after the winner's come next too and are in memory.
    pub(super) fn count_sure(&self) -> usize {
        self.tree.count_sure()
    }

    /// The source that stands on the row that was taken last.
    #[inline]
    pub(super) fn taken(&self) -> Option<&S> {
        if self.stage == Stage::Taken { self.tree.sources.get(self.tree.winner()) } else { None }
    }

    /// The key of the row that was taken last, if its source still stands on it.
    pub(super) fn taken_key(&self) -> Option<&[u8]> {
        if self.stage == Stage::Standing { None } else { self.tree.sources.get(self.tree.winner())?.key() }
    }

    /// The source of this number, until the end.
    pub(super) fn source_mut(&mut self, source: usize) -> Option<&mut S> {
        self.tree.sources.get_mut(source)
    }

    /// How the merge ended: the error once, then well for ever. The sources are dropped now and not with the merge, which its
    /// user may keep.
    #[cold]
    pub(super) fn outcome(&mut self) -> Result<(), E> {
        self.stage = Stage::Ended;
        self.tree.sources.clear();
        self.failure.take().map_or(Ok(()), Err)
    }
}
