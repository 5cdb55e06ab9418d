//! The tournament that both faces of the merge run on.
//!
//! A loser tree over all sources but the winner's: node `n` keeps the loser of the match between its two subtrees, its
//! parent is `(n - 1) / 2`, and what wins at the root is the runner-up. When the winner has been taken, its source's next
//! row meets the runner-up. If it loses, it comes in at the leaf that the runner-up leaves and plays up to the root:
//! log₂ k matches a row. If it wins again, as in a run of rows from one source, that one match was all.
//!
//! So who wins next is known, unless a source wins twice, before the last winner's next key has arrived from memory, and
//! a processor that guesses so waits for two keys at once.
//!
//! Each entry carries the first eight bytes of its key as an integer, so that a match seldom looks at the keys. The rows
//! of one prefix share their first bytes, so the heads begin behind what the current keys have in common
//! ([`Tree::build`]).

use std::cmp::Ordering;
use std::hint::select_unpredictable;

/// So many of the bytes that all current keys share stay in the heads, or a counter that carries would at once leave
/// the shared prefix.
const SHARED_IN_HEAD: usize = 3;

/// The tree is built anew, on a new shared prefix, when so many matches a source were not settled by the heads.
const TIES_PER_SOURCE: usize = 8;

/// A sorted source, standing on one of its rows.
pub(super) trait Source {
    type Error;

    /// Moves to the next row and looks at its key; `None` is the end, and it is not called again after the end or an
    /// error. If the row it stood on leaves the memory, `last` becomes that row's key.
    fn advance<T>(&mut self, last: &mut Vec<u8>, look: impl FnOnce(&[u8]) -> T) -> Result<Option<T>, Self::Error>;

    /// Moves to the next row, which is in memory.
    fn step(&mut self) {}

    /// The key of the row; `None` before the first, after the last, and once the row was taken out.
    fn key(&self) -> Option<&[u8]>;

    /// Whether rows after the one it stands on can be in memory.
    const LOOKS_AHEAD: bool;

    /// The key of the row after it, if that is in memory already.
    fn next_key(&self) -> Option<&[u8]> {
        None
    }

    /// How many of the rows in memory after it have keys that `win`; where one does not, none after it does.
    fn count_ahead(&self, _win: impl Fn(&[u8]) -> bool) -> usize {
        0
    }
}

/// How keys compare: without their first `skip` bytes, upwards or downwards.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    skip: usize,
    reverse: bool,
}

impl Order {
    fn rest(self, key: &[u8]) -> &[u8] {
        key.get(self.skip..).unwrap_or_default()
    }

    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        let order = self.rest(a).cmp(self.rest(b));
        if self.reverse { order.reverse() } else { order }
    }

    /// The key behind `prefix` as an integer: of two keys the one with the smaller head comes first; equal heads say
    /// nothing. A key without the prefix comes after all that have it, because sources are sorted and all began there.
    #[inline]
    fn head(self, prefix: &[u8], key: &[u8]) -> u64 {
        let rest = match key.split_at_checked(self.skip + prefix.len()) {
            Some((start, rest)) if prefix.is_empty() || start[self.skip..] == *prefix => rest,
            None if prefix.is_empty() => &[],
            _ => return u64::MAX,
        };
        let head = rest.first_chunk().map_or_else(|| short_head(rest), |bytes| u64::from_be_bytes(*bytes));
        if self.reverse { !head } else { head }
    }
}

#[cold]
fn short_head(rest: &[u8]) -> u64 {
    rest.iter().fold(0, |head, byte| head << 8 | u64::from(*byte)) << (64 - 8 * rest.len()).min(63)
}

/// A source in the tournament: its head (an exhausted one has the greatest), the leaf it came in at, its index.
///
/// One integer, so that it moves in registers: a struct would be written field by field and read whole, and wait.
#[derive(Clone, Copy, Debug)]
struct Entry(u128);

impl Entry {
    const NOBODY: Self = Self::new(u64::MAX, 0, u32::MAX as usize);

    #[inline]
    const fn new(head: u64, leaf: usize, source: usize) -> Self {
        Self((head as u128) << 64 | (leaf as u32 as u128) << 32 | source as u32 as u128)
    }

    #[inline]
    fn head(self) -> u64 {
        (self.0 >> 64) as u64
    }

    #[inline]
    fn leaf(self) -> usize {
        (self.0 >> 32) as u32 as usize
    }

    #[inline]
    fn source(self) -> usize {
        self.0 as u32 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Unopened,
    /// The winner's row has not been taken yet.
    Standing,
    /// The winner's row is out; its source is advanced when the next row is asked for, not before.
    Taken,
    Ended,
}

/// The merging core.
pub(super) struct Tree<S, E> {
    sources: Vec<S>,
    order: Order,
    stage: Stage,
    /// What ended the merge, until it was answered.
    failure: Option<E>,
    /// Rows that may still be taken.
    left: u64,
    /// Sources not exhausted.
    live: usize,
    winner: Entry,
    /// The key of the row that was taken last, once its source no longer stands on it.
    last: Vec<u8>,
    /// The best of the others.
    runner_up: Entry,
    /// So many of the winner's rows that are in memory come next, whatever the others hold.
    sure: usize,
    /// The heads of each source's next row, where it is in memory: worked out while the row before it is on its way out,
    /// so that no match waits for a key to arrive from memory.
    next_heads: Vec<Option<u64>>,
    losers: Vec<Entry>,
    /// The bytes behind `skip` that the heads leave out.
    prefix: Vec<u8>,
    /// Matches since the last build that the heads did not settle.
    ties: usize,
    /// The winners of the matches while the tree is built; kept for its memory.
    winners: Vec<Entry>,
}

impl<S: Source> Tree<S, S::Error> {
    pub(super) fn new(sources: Vec<S>) -> Self {
        Self {
            live: sources.len(),
            sources,
            order: Order::default(),
            stage: Stage::Unopened,
            failure: None,
            left: u64::MAX,
            winner: Entry::NOBODY,
            last: Vec::new(),
            runner_up: Entry::NOBODY,
            sure: 0,
            next_heads: Vec::new(),
            losers: Vec::new(),
            prefix: Vec::new(),
            ties: 0,
            winners: Vec::new(),
        }
    }

    pub(super) fn set_skip(&mut self, skip: usize) {
        self.order.skip = skip;
    }

    pub(super) fn set_reverse(&mut self, reverse: bool) {
        self.order.reverse = reverse;
    }

    pub(super) fn set_limit(&mut self, limit: Option<u64>) {
        self.left = limit.unwrap_or(u64::MAX);
    }

    /// Rows that may still be taken.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Sources not exhausted, as far as is known.
    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// The sources, while none of them has been read and one will be.
    pub(super) fn unopened(&mut self) -> &mut [S] {
        if self.stage == Stage::Unopened && self.left > 0 { &mut self.sources } else { &mut [] }
    }

    /// Takes the row that [`Self::settle`] found: the source that is answered stands on it until the next row is found.
    #[inline]
    pub(super) fn take(&mut self) -> Option<&mut S> {
        self.took(1);
        self.sources.get_mut(self.winner.source())
    }

    /// Whether the next row is known, and stands behind the one that was taken.
    #[inline]
    pub(super) fn is_sure(&self) -> bool {
        S::LOOKS_AHEAD && self.sure > 0 && self.left > 0 && self.stage == Stage::Taken
    }

    /// Takes the next row, which [is sure](Self::is_sure): as [`Self::settle`] and [`Self::take`], in a few steps.
    #[inline]
    pub(super) fn take_sure(&mut self) -> Option<&mut S> {
        let source = self.sources.get_mut(self.winner.source())?;
        self.sure -= 1;
        self.left -= 1;
        source.step();
        Some(source)
    }

    /// The source of the next row, which is not taken.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<&mut S> {
        if self.settle() { self.sources.get_mut(self.winner.source()) } else { None }
    }

    /// Takes all `rows` rows that the winner, which was peeked at, has in memory.
    pub(super) fn take_all(&mut self, rows: u64) -> Option<&mut S> {
        self.sure = 0;
        self.forget_next_head();
        self.took(rows);
        self.sources.get_mut(self.winner.source())
    }

    #[inline]
    fn took(&mut self, rows: u64) {
        self.left = self.left.saturating_sub(rows);
        self.stage = Stage::Taken;
    }

    /// The key of the row that was taken last, if it was taken alone and its source stood on it then.
    pub(super) fn last(&self) -> &[u8] {
        self.sources.get(self.winner.source()).and_then(S::key).unwrap_or(&self.last)
    }

    /// The winner moves on by more than one row.
    fn forget_next_head(&mut self) {
        if let Some(next_head) = self.next_heads.get_mut(self.winner.source()) {
            *next_head = None;
        }
    }

    /// How the merge ended: the error once, then well for ever.
    #[cold]
    pub(super) fn outcome(&mut self) -> Result<(), S::Error> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// How many rows after the winner's come next too and are in memory.
    pub(super) fn count_sure(&self) -> usize {
        let Some(winner) = self.sources.get(self.winner.source()) else { return 0 };
        match self.sources.get(self.runner_up.source()).and_then(S::key) {
            Some(other) => {
                let by_source = self.winner.source().cmp(&self.runner_up.source());
                winner.count_ahead(|key| self.order.compare(key, other).then(by_source).is_lt())
            }
            None => winner.count_ahead(|_| true),
        }
    }

    /// Finds the next row; `false` if there is none, and [`Self::outcome`] says why.
    #[inline]
    pub(super) fn settle(&mut self) -> bool {
        let found = match self.stage {
            Stage::Taken => self.left > 0 && (self.step() || self.refill()),
            _ => self.begin(),
        };
        if found {
            self.stage = Stage::Standing;
        } else {
            self.end();
        }
        found
    }

    #[cold]
    fn begin(&mut self) -> bool {
        match self.stage {
            Stage::Unopened if self.left > 0 => self.open(),
            stage => stage == Stage::Standing,
        }
    }

    /// Ends for good; the sources are dropped now and not with the merge, which its user may keep.
    #[cold]
    fn end(&mut self) {
        self.last = self.last().to_vec();
        self.stage = Stage::Ended;
        self.sources.clear();
    }

    fn open(&mut self) -> bool {
        for source in &mut self.sources {
            if let Err(error) = source.advance(&mut self.last, |_| ()) {
                self.failure = Some(error);
                return false;
            }
        }
        self.compact();
        self.live > 0
    }

    /// Goes to the winner's next row, if that is known to come next.
    #[inline]
    fn step(&mut self) -> bool {
        let is_sure = S::LOOKS_AHEAD && self.sure > 0;
        if is_sure && let Some(source) = self.sources.get_mut(self.winner.source()) {
            self.sure -= 1;
            source.step();
        }
        is_sure
    }

    /// Advances the source whose row was taken, and finds the new winner.
    #[inline(never)]
    fn refill(&mut self) -> bool {
        let index = self.winner.source();
        let Some(source) = self.sources.get_mut(index) else { return false };
        let head = |key: &[u8]| self.order.head(&self.prefix, key);
        let known = if S::LOOKS_AHEAD { self.next_heads.get(index).copied().flatten() } else { None };
        let look = |key: &[u8]| known.unwrap_or_else(|| head(key));
        let entry = match source.advance(&mut self.last, look) {
            Ok(Some(head)) => Entry::new(head, 0, index),
            Ok(None) => return self.exhausted(),
            Err(error) => {
                self.failure = Some(error);
                return false;
            }
        };
        if !S::LOOKS_AHEAD {
            self.place(entry);
            return true;
        }
        let next = source.next_key().map(head);
        if let Some(next_head) = self.next_heads.get_mut(index) {
            *next_head = next;
        }
        self.place(entry);
        // Three wins are a run; by chance alone a winner wins again once in k rows.
        let is_run = next.is_some_and(|next| next < self.runner_up.head());
        if self.winner.source() == index && (is_run || self.live == 1) {
            self.sure = self.count_sure();
            if self.sure > 0 {
                self.forget_next_head();
            }
        }
        true
    }

    /// The match between the row behind the one that was taken and the runner-up.
    #[inline]
    fn place(&mut self, entry: Entry) {
        if entry.head() == self.runner_up.head() {
            self.place_tied(entry);
        } else if entry.head() < self.runner_up.head() {
            self.winner = entry;
        } else {
            self.play(entry);
        }
    }

    #[cold]
    fn place_tied(&mut self, entry: Entry) {
        if self.count_tie() {
            self.build();
        } else if tie(&self.sources, self.order, entry, self.runner_up) {
            self.winner = entry;
        } else {
            self.play(entry);
        }
    }

    /// Whether there were so many that the tree is to be built anew.
    fn count_tie(&mut self) -> bool {
        self.ties += 1;
        self.ties > TIES_PER_SOURCE * self.sources.len()
    }

    /// The winner's source has ended; answers whether another has not.
    #[cold]
    fn exhausted(&mut self) -> bool {
        self.live = self.live.saturating_sub(1);
        if self.live <= self.sources.len() / 2 {
            self.compact();
        } else {
            self.play(Entry::new(u64::MAX, 0, self.winner.source()));
        }
        self.live > 0
    }

    /// Drops the exhausted sources, and what they hold.
    fn compact(&mut self) {
        self.sources.retain(|source| source.key().is_some());
        self.live = self.sources.len();
        self.build();
    }

    /// The runner-up has won; `entry`, which won before, comes in at its leaf.
    #[inline]
    fn play(&mut self, entry: Entry) {
        self.winner = self.runner_up;
        let leaf = self.winner.leaf();
        self.play_up(Entry::new(entry.head(), leaf, entry.source()), parent(self.losers.len() + leaf));
    }

    #[inline]
    fn play_up(&mut self, mut entry: Entry, mut node: usize) {
        while let Some(loser) = self.losers.get_mut(node) {
            let other = *loser;
            if other.head() == entry.head() {
                return self.play_tied(entry, node);
            }
            // Whose key is the smaller cannot be predicted, and a wrong guess costs more than the whole path.
            let wins = other.head() < entry.head();
            *loser = Entry(select_unpredictable(wins, entry.0, other.0));
            entry = Entry(select_unpredictable(wins, other.0, entry.0));
            node = parent(node);
        }
        self.runner_up = entry;
    }

    #[cold]
    fn play_tied(&mut self, mut entry: Entry, node: usize) {
        if self.count_tie() {
            return self.build();
        }
        if tie(&self.sources, self.order, self.losers[node], entry) {
            std::mem::swap(&mut entry, &mut self.losers[node]);
        }
        self.play_up(entry, parent(node));
    }

    /// Plays every match, on heads that leave out what all current keys have in common.
    #[cold]
    fn build(&mut self) {
        self.ties = 0;
        self.prefix.clear();
        let mut keys = self.sources.iter().filter_map(S::key).map(|key| self.order.rest(key));
        if let Some(first) = keys.next() {
            let shared = keys.fold(first.len(), |shared, key| {
                first.iter().zip(key).take(shared).take_while(|(a, b)| a == b).count()
            });
            self.prefix.extend_from_slice(&first[..shared.saturating_sub(SHARED_IN_HEAD)]);
        }

        self.next_heads.clear();
        self.next_heads
            .extend(self.sources.iter().map(|source| Some(self.order.head(&self.prefix, source.next_key()?))));
        // All sources but one are leaves, behind the nodes at which they meet.
        let nodes = self.sources.len().saturating_sub(2);
        let mut winners = std::mem::take(&mut self.winners);
        winners.clear();
        winners.resize(nodes, Entry::NOBODY);
        winners.extend(self.sources.iter().enumerate().map(|(source, stands)| {
            Entry::new(stands.key().map_or(u64::MAX, |key| self.order.head(&self.prefix, key)), 0, source)
        }));
        let before = |a: Entry, b: Entry| {
            if a.head() == b.head() { tie(&self.sources, self.order, a, b) } else { a.head() < b.head() }
        };
        let best = (nodes..winners.len()).reduce(|a, b| if before(winners[a], winners[b]) { a } else { b });
        self.winner = best.map_or(Entry::NOBODY, |best| winners.swap_remove(best));
        for (leaf, entry) in winners[nodes..].iter_mut().enumerate() {
            *entry = Entry::new(entry.head(), leaf, entry.source());
        }
        self.losers.clear();
        self.losers.resize(nodes, Entry::NOBODY);
        for node in (0..nodes).rev() {
            let (left, right) = (winners[2 * node + 1], winners[2 * node + 2]);
            let (winner, loser) = if before(left, right) { (left, right) } else { (right, left) };
            winners[node] = winner;
            self.losers[node] = loser;
        }
        self.runner_up = winners.first().copied().unwrap_or(Entry::NOBODY);
        self.winners = winners;
    }
}

/// The root has none: what is answered is beyond all nodes.
#[inline]
fn parent(node: usize) -> usize {
    node.wrapping_sub(1) / 2
}

/// Whether `a` comes before `b`, whose head is the same: by the keys themselves, and by the sources' order for equal keys.
#[cold]
fn tie<S: Source>(sources: &[S], order: Order, a: Entry, b: Entry) -> bool {
    let key = |entry: Entry| sources.get(entry.source()).and_then(S::key);
    match (key(a), key(b)) {
        (Some(x), Some(y)) => order.compare(x, y).then(a.source().cmp(&b.source())).is_lt(),
        (x, y) => x.is_some() && y.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn heads_never_contradict_the_keys(
            prefix in vec(any::<u8>(), 0..4),
            keys in vec(vec(prop_oneof![Just(0), Just(0xff), any::<u8>()], 0..12), 2..6),
            skip in 0..3_usize,
            reverse: bool,
        ) {
            let order = Order { skip, reverse };
            let mut keys: Vec<_> = keys.iter().map(|key| [&[9, 9][..skip], &prefix, key].concat()).collect();
            keys.sort_by(|a, b| order.compare(a, b));
            // The last of a source can be beyond the prefix that all began with.
            keys.push(if reverse { vec![] } else { vec![0xff; 20] });
            let heads: Vec<_> = keys.iter().map(|key| order.head(&prefix, key)).collect();
            prop_assert!(heads.is_sorted(), "{:?}", heads);
        }
    }

    #[test]
    fn a_head_is_padded() {
        let order = Order { skip: 1, reverse: false };
        assert_eq!(order.head(&[], b"sab"), u64::from_be_bytes(*b"ab\0\0\0\0\0\0"));
        assert_eq!(order.head(b"a", b"sab"), u64::from_be_bytes(*b"b\0\0\0\0\0\0\0"));
        assert_eq!(order.head(&[], b""), 0);
        assert_eq!(order.head(b"b", b"sab"), u64::MAX);
    }
}
