//! The values that a row of one writer may have.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use super::load::Outcome;

/// The value that was acknowledged last, and those of writes of unknown outcome since. `None` is no row.
#[derive(Debug)]
pub(super) struct Held<V> {
    last: Option<V>,
    unknown: Vec<(Instant, Option<V>)>,
    /// Of writes of unknown outcome before the last acknowledged one, where they may still hide that, with when their
    /// calls ended.
    overtaken: Vec<(Instant, Option<V>)>,
    late: Late,
    /// The last writes, for the message of a failure.
    history: VecDeque<(Option<V>, Outcome)>,
}

/// A write is applied no later than this after its call ended: servers do not execute a request whose client has
/// stopped waiting, and no fault keeps one for longer than a few seconds.
const LATEST: Duration = Duration::from_secs(40);

/// The effect of a write of unknown outcome that is applied after a later, acknowledged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Late {
    /// It hides the later one, as `rowkey-hbase` says of the servers' clocks.
    Hides,
    /// Nothing.
    IsNothing,
}

/// The write whose value a row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Last,
    Unknown,
    Overtaken,
}

impl<V: Clone + Debug + PartialEq> Held<V> {
    pub(super) fn new(late: Late) -> Self {
        Self { last: None, unknown: Vec::new(), overtaken: Vec::new(), late, history: VecDeque::new() }
    }

    /// Notes a write.
    pub(super) fn wrote(&mut self, value: Option<V>, outcome: Outcome) {
        self.history.push_back((value.clone(), outcome));
        if self.history.len() > 12 {
            self.history.pop_front();
        }
        match outcome {
            Outcome::Refused => {}
            Outcome::Unknown => self.unknown.push((Instant::now(), value)),
            Outcome::Written => {
                self.last = value;
                self.overtaken.append(&mut self.unknown);
                self.overtaken.retain(|(ended, _)| self.late == Late::Hides && ended.elapsed() < LATEST);
            }
        }
    }

    /// Returns whether all is known.
    pub(super) fn is_sure(&self) -> bool {
        self.unknown.is_empty() && self.overtaken.is_empty()
    }

    /// Checks what was read.
    pub(super) fn check(&self, row: &dyn Debug, found: &Option<V>) -> Which {
        let is_of = |writes: &[(Instant, Option<V>)]| writes.iter().any(|(_, value)| value == found);
        if *found == self.last {
            Which::Last
        } else if is_of(&self.unknown) {
            Which::Unknown
        } else {
            assert!(is_of(&self.overtaken), "{row:?} has {found:?}: {self:?}");
            Which::Overtaken
        }
    }
}

#[test]
fn only_what_was_acknowledged_or_is_unknown_is_allowed() {
    let allows = |held: &Held<u8>, value| std::panic::catch_unwind(|| held.check(&"row", &value)).ok();
    let mut held = Held::new(Late::IsNothing);
    held.wrote(Some(1), Outcome::Written);
    held.wrote(Some(2), Outcome::Refused);
    held.wrote(Some(3), Outcome::Unknown);
    assert_eq!(
        [Some(1), Some(3), Some(2), None].map(|value| allows(&held, value)),
        [Some(Which::Last), Some(Which::Unknown), None, None]
    );
    let mut hidden = Held { late: Late::Hides, ..held };
    hidden.wrote(None, Outcome::Written);
    assert_eq!(
        [Some(1), Some(3), None].map(|value| allows(&hidden, value)),
        [None, Some(Which::Overtaken), Some(Which::Last)]
    );
}
