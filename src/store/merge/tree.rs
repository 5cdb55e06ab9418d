//! The tournament tree that all merges run on.
//!
//! It reads nothing. Its caller reports when the winner's source stands on another row, and when it has none.
//!
//! It is a loser tree over all sources but the winner's. Node `n` keeps the loser of the match between its two
//! subtrees. Its parent is `(n - 1) / 2`. The winner at the root is the runner-up. When the winner's row is taken, its
//! source's next row plays against the runner-up. If it loses, it enters at the leaf that the runner-up leaves and
//! plays up to the root: log₂ k matches per row. If it wins again, as in a run of rows from one source, that one match
//! was all.
//!
//! Unless a source wins twice, the next winner is known before the last winner's next key has arrived from memory, and
//! a processor that speculates waits for two keys at once.
//!
//! Each entry carries the *head* of its key, eight bytes as an integer, so a match seldom reads the keys. Rows under
//! one prefix share their first bytes, so heads begin after the bytes that all current keys share ([`Tree::build`]).

use std::hint::select_unpredictable;

use super::order::{Heads, Hinge, Order};

/// This many of the shared bytes stay in the heads. Otherwise a counter that carries would leave the shared prefix at
/// once.
const SHARED_IN_HEAD: usize = 3;

/// The tree is rebuilt, on a new shared prefix, after this many ties of heads per source.
const TIES_PER_SOURCE: usize = 8;

/// The part of a sorted source that is in memory. It stands on one of its rows.
pub(super) trait Source {
    /// True if rows after the current one can be in memory.
    const LOOKS_AHEAD: bool;

    /// Moves forward by `rows` rows, which are in memory.
    fn skip(&mut self, _rows: usize) {}

    /// Moves to the next row and passes its key to `look`. `None`: the row is not in memory, and the source has not
    /// moved.
    fn advance<T>(&mut self, _look: impl FnOnce(&[u8]) -> T) -> Option<T> {
        None
    }

    /// The key of the current row. `None` before the first row, after the last, and once the row was moved out.
    fn key(&self) -> Option<&[u8]>;

    /// The key of the row after the current one, if it is in memory.
    fn next_key(&self) -> Option<&[u8]> {
        None
    }

    /// Number of rows in memory after the current one whose keys `win`. The first that does not win ends the count.
    fn count_ahead(&self, _win: impl Fn(&[u8]) -> bool) -> usize {
        0
    }
}

/// A source in the tournament: the head of its key (the maximum if it is exhausted), its leaf, its number.
///
/// One integer, so that it moves in registers. A struct would be written field by field, read whole, and stall.
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

/// The sources and their tournament.
pub(super) struct Tree<S> {
    pub(super) sources: Vec<S>,
    pub(super) order: Order,
    /// Number of sources not exhausted.
    live: usize,
    /// The numbers of the sources that were not exhausted when the tree was built.
    entrants: Vec<usize>,
    winner: Entry,
    /// The best of the others.
    runner_up: Entry,
    /// Number of rows that may still be taken, not counting what was taken of the run.
    left: u64,
    /// Number of rows after the current row of the winner's source that are in memory and come next whatever the others
    /// hold.
    run: usize,
    /// Number of rows of the run that were taken. A step within a run writes only this.
    stepped: usize,
    /// The head of each source's next row, if the row is in memory. It is computed while the row before is returned, so
    /// that no match waits for a key to arrive from memory.
    next_heads: Vec<Option<u64>>,
    losers: Vec<Entry>,
    /// The bytes after `skip` that the heads leave out.
    prefix: Vec<u8>,
    /// The bytes in the middle that the heads leave out.
    hinge: Option<Hinge>,
    /// The first source's key at the last build, without `skip`.
    first: Vec<u8>,
    /// The place of the last byte in which the first keys of two builds differed, though it is shared by all keys of
    /// each: it changes now and then.
    slow: Option<usize>,
    /// Number of ties of heads since the last build.
    ties: usize,
    /// The winners of the matches of a build; kept for its memory.
    winners: Vec<Entry>,
}

impl<S: Source> Tree<S> {
    pub(super) fn new(sources: Vec<S>) -> Self {
        Self {
            live: sources.len(),
            entrants: (0..sources.len()).collect(),
            next_heads: vec![None; sources.len()],
            sources,
            order: Order::default(),
            winner: Entry::NOBODY,
            runner_up: Entry::NOBODY,
            left: u64::MAX,
            run: 0,
            stepped: 0,
            losers: Vec::new(),
            prefix: Vec::new(),
            hinge: None,
            first: Vec::new(),
            slow: None,
            ties: 0,
            winners: Vec::new(),
        }
    }

    /// Number of sources not exhausted.
    #[inline]
    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// The number of the source whose row comes first.
    #[inline]
    pub(super) fn winner(&self) -> usize {
        self.winner.source()
    }

    pub(super) fn set_left(&mut self, left: u64) {
        self.left = left;
    }

    /// Number of rows that may still be taken.
    #[inline]
    pub(super) fn left(&self) -> u64 {
        self.left.saturating_sub(self.stepped as u64)
    }

    /// Takes the winner's current row.
    #[inline]
    pub(super) fn take(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Returns whether the winner's next row is known to come next.
    #[inline]
    pub(super) fn is_in_run(&self) -> bool {
        S::LOOKS_AHEAD && self.stepped < self.run
    }

    /// Takes the winner's next row, which [is known](Self::is_in_run) to come next.
    #[inline]
    pub(super) fn take_of_run(&mut self) {
        self.stepped += 1;
    }

    /// Moves the winner's source to the last row taken of the run, and ends the run.
    #[inline]
    fn end_run(&mut self) {
        if S::LOOKS_AHEAD && self.run > 0 {
            if let Some(source) = self.sources.get_mut(self.winner.source()) {
                source.skip(self.stepped);
            }
            self.left = self.left.saturating_sub(self.stepped as u64);
            (self.run, self.stepped) = (0, 0);
        }
    }

    /// The winner's source, and the distance of the last row taken from the source's current row.
    #[inline]
    pub(super) fn winner_and_stepped(&self) -> Option<(&S, usize)> {
        Some((self.sources.get(self.winner.source())?, self.stepped))
    }

    /// Advances the winner's source and finds the new winner. Returns `false` if the source's next row is not in
    /// memory.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        S::LOOKS_AHEAD && self.advance_ahead()
    }

    #[inline(never)]
    fn advance_ahead(&mut self) -> bool {
        self.end_run();
        let index = self.winner.source();
        let Some(source) = self.sources.get_mut(index) else { return false };
        let heads = Heads { order: self.order, prefix: &self.prefix, hinge: self.hinge.as_ref() };
        let known = self.next_heads.get(index).copied().flatten();
        let Some(head) = source.advance(|key| known.unwrap_or_else(|| heads.of(key))) else { return false };
        let next = source.next_key().map(|key| heads.of(key));
        self.enter(head, next);
        true
    }

    /// A source, and what computes the heads of its keys.
    #[inline]
    pub(super) fn source_and_heads(&mut self, source: usize) -> Option<(&mut S, Heads<'_>)> {
        let heads = Heads { order: self.order, prefix: &self.prefix, hinge: self.hinge.as_ref() };
        Some((self.sources.get_mut(source)?, heads))
    }

    /// The winner's source stands on a new row with head `head`; `next` is the head of the row after it. Finds the new
    /// winner.
    ///
    /// Always inlined: this is most of the cost of a row.
    #[inline(always)]
    pub(super) fn enter(&mut self, head: u64, next: Option<u64>) {
        let index = self.winner.source();
        let entry = Entry::new(head, 0, index);
        if !S::LOOKS_AHEAD {
            return self.place(entry);
        }
        if let Some(next_head) = self.next_heads.get_mut(index) {
            *next_head = next;
        }
        self.place(entry);
        // Three wins in a row are a run. By chance a winner wins again only once in k rows.
        let is_run = next.is_some_and(|next| next < self.runner_up.head());
        if self.winner.source() == index && (is_run || self.live == 1) {
            self.begin_run();
        }
    }

    /// Counts how many of the winner's rows come next.
    fn begin_run(&mut self) {
        // The first of them is not taken yet.
        let left = usize::try_from(self.left.saturating_sub(1)).unwrap_or(usize::MAX);
        self.run = self.count_sure().min(left);
        if self.run > 0 {
            self.forget_next_head();
        }
    }

    /// Returns whether this many rows after the winner's are in memory and come next too. The winner's row is not taken
    /// yet.
    pub(super) fn come_next(&self, rows: usize) -> bool {
        self.run >= rows || self.count_sure() >= rows
    }

    /// Number of rows after the winner's that are in memory and come next too.
    fn count_sure(&self) -> usize {
        let Some(winner) = self.sources.get(self.winner.source()) else { return 0 };
        match self.sources.get(self.runner_up.source()).and_then(S::key) {
            Some(other) => {
                let by_source = self.winner.source().cmp(&self.runner_up.source());
                winner.count_ahead(|key| self.order.compare(key, other).then(by_source).is_lt())
            }
            None => winner.count_ahead(|_| true),
        }
    }

    /// Takes all `rows` rows that the winner has in memory.
    pub(super) fn take_all(&mut self, rows: u64) {
        (self.run, self.stepped) = (0, 0);
        self.left = self.left.saturating_sub(rows);
        self.forget_next_head();
    }

    /// Needed if the winner moves by more than one row.
    fn forget_next_head(&mut self) {
        if let Some(next_head) = self.next_heads.get_mut(self.winner.source()) {
            *next_head = None;
        }
    }

    /// The winner's source is exhausted: finds the new winner.
    pub(super) fn exhausted(&mut self) {
        self.live = self.live.saturating_sub(1);
        if self.live <= self.entrants.len() / 2 {
            self.build();
        } else {
            self.play(Entry::new(u64::MAX, 0, self.winner.source()));
        }
    }

    /// Plays the winner's next row against the runner-up.
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

    /// Counts a tie, and returns whether the tree should be rebuilt.
    fn count_tie(&mut self) -> bool {
        self.ties += 1;
        self.ties > TIES_PER_SOURCE * self.entrants.len()
    }

    /// The runner-up wins. `entry`, the last winner, enters at its leaf.
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
            // The smaller key is unpredictable, and a mispredicted branch costs more than the whole path.
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

    /// Plays all matches, on heads without the bytes that all current keys share. Exhausted sources are left out.
    #[cold]
    pub(super) fn build(&mut self) {
        self.ties = 0;
        self.prefix.clear();
        let Self { sources, entrants, order, .. } = self;
        entrants.retain(|source| sources[*source].key().is_some());
        self.live = entrants.len();
        let mut keys = entrants.iter().filter_map(|source| Some(order.rest(sources[*source].key()?)));
        let hinge = self.hinge.take();
        if let Some(first) = keys.next() {
            let shared = keys.fold(first.len(), |shared, key| shared.min(in_common(first, key)));
            let moved = in_common(first, &self.first);
            self.slow = if moved < shared { Some(moved) } else { self.slow.filter(|_| hinge.is_none()) };
            first.clone_into(&mut self.first);
            let (prefix, shared) = (shared.saturating_sub(SHARED_IN_HEAD), &first[..shared]);
            // A byte before that which changes may be carried to; the last of those that are shared may change too.
            let ends = self.slow.map(|slow| (slow.saturating_sub(1), slow + 1, shared.len().saturating_sub(1)));
            let hinged = ends.filter(|(start, end, last)| last.saturating_sub(*end) > 1 && *start < prefix);
            self.hinge = hinged.map(|(start, end, last)| Hinge::new(end - start, &shared[end..last]));
            self.prefix.extend_from_slice(&shared[..hinged.map_or(prefix, |(start, ..)| start)]);
        }

        let heads = Heads { order: self.order, prefix: &self.prefix, hinge: self.hinge.as_ref() };
        // All entrants but one are leaves, after the nodes where they meet.
        let nodes = self.live.saturating_sub(2);
        let mut winners = std::mem::take(&mut self.winners);
        winners.clear();
        winners.resize(nodes, Entry::NOBODY);
        for &source in &self.entrants {
            let stands = &self.sources[source];
            self.next_heads[source] = stands.next_key().map(|key| heads.of(key));
            winners.extend(stands.key().map(|key| Entry::new(heads.of(key), 0, source)));
        }
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

/// The number of bytes that two keys begin with alike.
fn in_common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The root has no parent: the result for it is past all nodes.
#[inline]
fn parent(node: usize) -> usize {
    node.wrapping_sub(1) / 2
}

/// Returns whether `a` comes before `b`, which has the same head: compares the keys, then the numbers of the sources.
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
    use super::*;

    /// Keys in memory, the last one first.
    struct Keys(Vec<Vec<u8>>);

    impl Source for Keys {
        const LOOKS_AHEAD: bool = true;

        fn advance<T>(&mut self, look: impl FnOnce(&[u8]) -> T) -> Option<T> {
            self.0.pop();
            self.key().map(look)
        }

        fn key(&self) -> Option<&[u8]> {
            self.0.last().map(Vec::as_slice)
        }
    }

    #[test]
    fn heads_of_ids_and_times_seldom_tie() {
        // 300 ids, each of 100 times of which the first bytes are alike, over 8 sources.
        let key = |id: u64, time: u64| [id.to_be_bytes(), (0x0180_0000_0000 + time * 997).to_be_bytes()].concat();
        let of_source =
            |source| (0..300).flat_map(move |id| (0..100).map(move |time| (id, time))).skip(source).step_by(8);
        let sources = (0..8).map(|source| {
            let mut keys: Vec<_> = of_source(source).map(|(id, time)| key(id, time)).collect();
            keys.reverse();
            Keys(keys)
        });
        let mut tree = Tree::new(sources.collect());
        tree.build();
        let mut builds = 0;
        for at in 0..29_000 {
            assert_eq!(tree.sources[tree.winner()].key(), Some(&key(at / 100, at % 100)[..]));
            let ties = tree.ties;
            assert!(tree.advance());
            builds += usize::from(tree.ties < ties);
        }
        assert!(builds < 5, "built {builds} times");
    }
}
