//! The tournament that both faces of the merge run on.
//!
//! A loser tree over the sources: node `n` keeps the loser of the match between its two subtrees, source `i` is leaf
//! `len + i`, the parent of `n` is `n / 2`. When the winner has been taken, only its own path to the root is played
//! again: log₂ k matches a row.
//!
//! Each entry carries the first eight bytes of its key as an integer, so that a match seldom looks at the keys. The rows
//! of one prefix share their first bytes, so the heads begin behind what the current keys have in common
//! ([`Tree::build`]). The rows of one source often come in runs, so a winner that won again plays the runner-up alone.

use std::cmp::Ordering;
use std::hint::select_unpredictable;

/// So many of the bytes that all current keys share stay in the heads, or a counter that carries would at once leave
/// the shared prefix.
const SHARED_IN_HEAD: usize = 3;

/// The tree is built anew, on a new shared prefix, when so many matches a source were not settled by the heads.
const TIES_PER_SOURCE: usize = 8;

/// So many wins in a row are a run. To know the runner-up costs as much as to know the winner, and by chance alone a
/// winner wins again once in k rows.
const RUN: u32 = 3;

/// A sorted source, standing on one of its rows.
pub(super) trait Source {
    type Error;

    /// Moves to the next row; `false` is the end, and it is not called again after the end or an error. If the row it
    /// stood on leaves the memory, `last` becomes that row's key.
    fn advance(&mut self, last: &mut Vec<u8>) -> Result<bool, Self::Error>;

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
        let mut rest = self.rest(key);
        if !prefix.is_empty() {
            match rest.strip_prefix(prefix) {
                Some(behind) => rest = behind,
                None => return u64::MAX,
            }
        }
        let head = match rest.first_chunk() {
            Some(bytes) => u64::from_be_bytes(*bytes),
            None => rest.iter().fold(0, |head, byte| head << 8 | u64::from(*byte)) << (64 - 8 * rest.len()).min(63),
        };
        if self.reverse { !head } else { head }
    }
}

/// A source in the tournament; an exhausted one has the greatest head.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    head: u64,
    source: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Unopened,
    /// The winner's row has not been taken yet.
    Standing,
    /// The winner's row is out; its source is advanced when the next row is asked for, not before.
    Taken,
    /// As many rows as the limit are out; the last of them may still be lent.
    Full,
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
    /// The second in the tournament, known only while the winner is in a run.
    runner_up: Option<Entry>,
    /// How often the winner won in a row.
    streak: u32,
    /// So many of the winner's rows that are in memory come next, whatever the others hold.
    sure: usize,
    /// The heads of each source's next row, where it is in memory: worked out while the row before it is on its way out,
    /// so that no match waits for a key to arrive from memory.
    next_heads: Vec<Option<u64>>,
    /// Node 0 is not used.
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
            winner: Entry::default(),
            last: Vec::new(),
            runner_up: None,
            streak: 0,
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
        self.sources.get_mut(self.winner.source)
    }

    /// The source of the next row, which is not taken.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<&mut S> {
        if self.settle() { self.sources.get_mut(self.winner.source) } else { None }
    }

    /// Takes all `rows` rows that the winner, which was peeked at, has in memory.
    pub(super) fn take_all(&mut self, rows: u64) -> Option<&mut S> {
        self.sure = 0;
        self.forget_next_head();
        self.took(rows);
        self.sources.get_mut(self.winner.source)
    }

    #[inline]
    fn took(&mut self, rows: u64) {
        self.left = self.left.saturating_sub(rows);
        self.stage = if self.left == 0 { Stage::Full } else { Stage::Taken };
    }

    /// The key of the row that was taken last, if it was taken alone and its source stood on it then.
    pub(super) fn last(&self) -> &[u8] {
        self.sources.get(self.winner.source).and_then(S::key).unwrap_or(&self.last)
    }

    /// The winner moves on by more than one row.
    fn forget_next_head(&mut self) {
        if let Some(next_head) = self.next_heads.get_mut(self.winner.source) {
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
        let Some(winner) = self.sources.get(self.winner.source) else { return 0 };
        let runner_up = self.runner_up.or_else(|| self.find_runner_up());
        let other =
            runner_up.and_then(|runner_up| Some((runner_up.source, self.sources.get(runner_up.source)?.key()?)));
        match other {
            Some((source, other)) => {
                winner.count_ahead(|key| self.order.compare(key, other).then(self.winner.source.cmp(&source)).is_lt())
            }
            None => winner.count_ahead(|_| true),
        }
    }

    /// Finds the next row; `false` if there is none, and [`Self::outcome`] says why.
    #[inline]
    pub(super) fn settle(&mut self) -> bool {
        let found = match self.stage {
            Stage::Taken => self.refill(),
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
        if self.stage == Stage::Full {
            self.last = self.last().to_vec();
        }
        self.stage = Stage::Ended;
        self.sources.clear();
    }

    fn open(&mut self) -> bool {
        for source in &mut self.sources {
            if let Err(error) = source.advance(&mut self.last) {
                self.failure = Some(error);
                return false;
            }
        }
        self.compact();
        self.live > 0
    }

    /// Advances the source whose row was taken, and finds the new winner.
    #[inline]
    fn refill(&mut self) -> bool {
        let index = self.winner.source;
        let Some(source) = self.sources.get_mut(index) else { return false };
        match source.advance(&mut self.last) {
            Ok(true) => {}
            Ok(false) => return self.exhausted(),
            Err(error) => {
                self.failure = Some(error);
                return false;
            }
        }
        if self.sure > 0 {
            self.sure -= 1;
            return true;
        }
        if self.live == 1 {
            self.sure = source.count_ahead(|_| true);
            return true;
        }
        let head = |key: &[u8]| self.order.head(&self.prefix, key);
        let entry = match self.next_heads.get_mut(index) {
            Some(next_head) if S::LOOKS_AHEAD => {
                let known = std::mem::replace(next_head, source.next_key().map(head));
                Entry { head: known.or_else(|| source.key().map(head)).unwrap_or(u64::MAX), source: index }
            }
            _ => Entry { head: source.key().map_or(u64::MAX, head), source: index },
        };
        if let Some(runner_up) = self.runner_up {
            if before(&self.sources, self.order, entry, runner_up) {
                self.winner = entry;
                self.run();
                return true;
            }
            self.runner_up = None;
        }
        self.play(entry);
        self.streak = if self.winner.source == index { self.streak.saturating_add(1) } else { 0 };
        if self.streak >= RUN {
            self.runner_up = self.find_runner_up();
        }
        true
    }

    /// Looks how far the winner's run goes.
    #[inline]
    fn run(&mut self) {
        if S::LOOKS_AHEAD {
            self.sure = self.count_sure();
            if self.sure > 0 {
                self.forget_next_head();
            }
        }
    }

    /// The winner's source has ended; answers whether another has not.
    #[cold]
    fn exhausted(&mut self) -> bool {
        self.live = self.live.saturating_sub(1);
        self.runner_up = None;
        if self.live <= self.sources.len() / 2 {
            self.compact();
        } else {
            self.play(Entry { head: u64::MAX, source: self.winner.source });
        }
        self.live > 0
    }

    /// Drops the exhausted sources, and what they hold.
    fn compact(&mut self) {
        self.sources.retain(|source| source.key().is_some());
        self.live = self.sources.len();
        self.build();
    }

    /// Plays `entry`, whose leaf is the last winner's, up to the root.
    #[inline]
    fn play(&mut self, mut entry: Entry) {
        if self.ties > TIES_PER_SOURCE * self.sources.len() {
            return self.build();
        }
        let losers = self.losers.as_mut_slice();
        let mut node = (losers.len() + entry.source) / 2;
        while let Some(loser) = losers.get_mut(node)
            && node > 0
        {
            let other = *loser;
            let wins = if other.head == entry.head {
                self.ties += 1;
                tie(&self.sources, self.order, other, entry)
            } else {
                other.head < entry.head
            };
            // Whose key is the smaller cannot be predicted, and a wrong guess costs more than the whole path.
            *loser = Entry {
                head: select_unpredictable(wins, entry.head, other.head),
                source: select_unpredictable(wins, entry.source, other.source),
            };
            entry = Entry {
                head: select_unpredictable(wins, other.head, entry.head),
                source: select_unpredictable(wins, other.source, entry.source),
            };
            node /= 2;
        }
        self.winner = entry;
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
        let len = self.sources.len();
        let mut winners = std::mem::take(&mut self.winners);
        winners.clear();
        winners.resize(len, Entry::default());
        winners.extend(self.sources.iter().enumerate().map(|(source, stands)| Entry {
            head: stands.key().map_or(u64::MAX, |key| self.order.head(&self.prefix, key)),
            source,
        }));
        self.losers.clear();
        self.losers.resize(len, Entry::default());
        for node in (1..len).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            let (winner, loser) =
                if before(&self.sources, self.order, left, right) { (left, right) } else { (right, left) };
            winners[node] = winner;
            self.losers[node] = loser;
        }
        self.winner = winners.get(1).copied().unwrap_or_default();
        self.winners = winners;
    }

    /// The best of those that lost to the winner.
    fn find_runner_up(&self) -> Option<Entry> {
        let mut node = (self.sources.len() + self.winner.source) / 2;
        let mut best: Option<Entry> = None;
        while node > 0 {
            let loser = self.losers[node];
            best = match best {
                Some(best) if before(&self.sources, self.order, best, loser) => Some(best),
                _ => Some(loser),
            };
            node /= 2;
        }
        best
    }
}

/// Whether `a` comes before `b`.
#[inline]
fn before<S: Source>(sources: &[S], order: Order, a: Entry, b: Entry) -> bool {
    if a.head == b.head { tie(sources, order, a, b) } else { a.head < b.head }
}

/// The same by the keys themselves, and by the sources' order for equal keys.
#[cold]
fn tie<S: Source>(sources: &[S], order: Order, a: Entry, b: Entry) -> bool {
    let key = |entry: Entry| sources.get(entry.source).and_then(S::key);
    match (key(a), key(b)) {
        (Some(x), Some(y)) => order.compare(x, y).then(a.source.cmp(&b.source)).is_lt(),
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
