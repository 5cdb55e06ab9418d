//! The tournament that every face of the merge runs on.
//!
//! It reads nothing: it is told when the winner's source stands on another row, and when it has none.
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

use std::hint::select_unpredictable;

use super::order::{Heads, Order};

/// So many of the bytes that all current keys share stay in the heads, or a counter that carries would at once leave
/// the shared prefix.
const SHARED_IN_HEAD: usize = 3;

/// The tree is built anew, on a new shared prefix, when so many matches a source were not settled by the heads.
const TIES_PER_SOURCE: usize = 8;

/// What is in memory of a sorted source; it stands on one of the rows.
pub(super) trait Source {
    /// Whether rows after the one it stands on can be in memory.
    const LOOKS_AHEAD: bool;

    /// Moves on by so many rows, which are in memory.
    fn skip(&mut self, _rows: usize) {}

    /// Moves to the next row and looks at its key. `None`: that row is not in memory, and the source stands where it stood.
    fn advance<T>(&mut self, _look: impl FnOnce(&[u8]) -> T) -> Option<T> {
        None
    }

    /// The key of the row; `None` before the first, after the last, and once the row was taken out.
    fn key(&self) -> Option<&[u8]>;

    /// The key of the row after it, if that is in memory already.
    fn next_key(&self) -> Option<&[u8]> {
        None
    }

    /// How many of the rows in memory after it have keys that `win`; where one does not, none after it does.
    fn count_ahead(&self, _win: impl Fn(&[u8]) -> bool) -> usize {
        0
    }
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

/// The sources and their tournament.
pub(super) struct Tree<S> {
    pub(super) sources: Vec<S>,
    pub(super) order: Order,
    /// Sources not exhausted.
    live: usize,
    /// The numbers of the sources that were not exhausted when the tree was built.
    entrants: Vec<usize>,
    winner: Entry,
    /// The best of the others.
    runner_up: Entry,
    /// Rows that may still be taken, but for those of the run that have been.
    left: u64,
    /// So many rows after the one that the winner's source stands on come next, whatever the others hold, and are in memory.
    run: usize,
    /// So many of them have been taken. A step within a run writes nothing but this.
    stepped: usize,
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
            ties: 0,
            winners: Vec::new(),
        }
    }

    /// Sources not exhausted.
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

    /// Rows that may still be taken.
    #[inline]
    pub(super) fn left(&self) -> u64 {
        self.left.saturating_sub(self.stepped as u64)
    }

    /// The row that the winner stands on is taken.
    #[inline]
    pub(super) fn take(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Whether the winner's next row is known to come next.
    #[inline]
    pub(super) fn is_in_run(&self) -> bool {
        S::LOOKS_AHEAD && self.stepped < self.run
    }

    /// Takes the winner's next row, which [is known](Self::is_in_run) to come next.
    #[inline]
    pub(super) fn take_of_run(&mut self) {
        self.stepped += 1;
    }

    /// Moves the winner's source to the row of the run that was taken last, and forgets the run.
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

    /// The winner's source, and how many rows after the one that it stands on the row is that was taken last.
    #[inline]
    pub(super) fn winner_and_stepped(&self) -> Option<(&S, usize)> {
        Some((self.sources.get(self.winner.source())?, self.stepped))
    }

    /// Advances the winner's source and finds the new winner; `false` if the source's next row is not in memory.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        S::LOOKS_AHEAD && self.advance_ahead()
    }

    #[inline(never)]
    fn advance_ahead(&mut self) -> bool {
        self.end_run();
        let index = self.winner.source();
        let Some(source) = self.sources.get_mut(index) else { return false };
        let heads = Heads { order: self.order, prefix: &self.prefix };
        let known = self.next_heads.get(index).copied().flatten();
        let Some(head) = source.advance(|key| known.unwrap_or_else(|| heads.of(key))) else { return false };
        let next = source.next_key().map(|key| heads.of(key));
        self.enter(head, next);
        true
    }

    /// A source, and what makes the heads of its keys.
    #[inline]
    pub(super) fn source_and_heads(&mut self, source: usize) -> Option<(&mut S, Heads<'_>)> {
        let heads = Heads { order: self.order, prefix: &self.prefix };
        Some((self.sources.get_mut(source)?, heads))
    }

    /// The winner's source stands on a new row with this head, and `next` is that of the row after it: finds the new winner.
    ///
    /// Inlined everywhere, as it is most of what a row costs.
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
        // Three wins are a run; by chance alone a winner wins again once in k rows.
        let is_run = next.is_some_and(|next| next < self.runner_up.head());
        if self.winner.source() == index && (is_run || self.live == 1) {
            self.begin_run();
        }
    }

    /// Finds out how many of the winner's rows come next.
    fn begin_run(&mut self) {
        // Its first row is not taken yet.
        let left = usize::try_from(self.left.saturating_sub(1)).unwrap_or(usize::MAX);
        self.run = self.count_sure().min(left);
        if self.run > 0 {
            self.forget_next_head();
        }
    }

    /// Whether this many rows after the winner's, which is not taken yet, come next too and are in memory.
    pub(super) fn come_next(&self, rows: usize) -> bool {
        self.run >= rows || self.count_sure() >= rows
    }

    /// How many rows after the winner's come next too and are in memory.
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

    /// The winner moves on by more than one row.
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
        self.ties > TIES_PER_SOURCE * self.entrants.len()
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

    /// Plays every match, on heads that leave out what all current keys have in common. Exhausted sources are left out.
    #[cold]
    pub(super) fn build(&mut self) {
        self.ties = 0;
        self.prefix.clear();
        let Self { sources, entrants, order, .. } = self;
        entrants.retain(|source| sources[*source].key().is_some());
        self.live = entrants.len();
        let mut keys = entrants.iter().filter_map(|source| Some(order.rest(sources[*source].key()?)));
        if let Some(first) = keys.next() {
            let shared = keys.fold(first.len(), |shared, key| {
                first.iter().zip(key).take(shared).take_while(|(a, b)| a == b).count()
            });
            self.prefix.extend_from_slice(&first[..shared.saturating_sub(SHARED_IN_HEAD)]);
        }

        let heads = Heads { order: self.order, prefix: &self.prefix };
        // All entrants but one are leaves, behind the nodes at which they meet.
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
