//! The load of servers in steps that are shorter than intervals, whatever the length of the run.

use crate::cluster::Cluster;
use crate::event::{Event, Op};
use crate::recording::{Busiest, Step};
use crate::run::Server;

/// The steps of a run at most, and at least half as many if it is longer than as many seconds. Many servers have fewer,
/// so that no more than so many counts are kept.
const STEPS: usize = 2048;
const FEWEST: usize = 256;
const COUNTS: usize = 1 << 20;

/// The length of a step at least.
const SHORTEST_MS: u64 = 1000;

/// The events of a step, in the mean of those that have any.
const EVENTS: u64 = 100;

/// The steps of a run, as they end: joined by two when they are too many.
pub(super) struct Steps {
    ended: Vec<Counts>,
    length_ms: u64,
    most: usize,
    /// The totals of the cluster at the end of the last step.
    before: Vec<Server>,
    /// The load of servers until a time, were all regions where they were at the beginning: for each length that
    /// the first step may have.
    at_first: Vec<(u64, Vec<[u64; 2]>)>,
    squares: f64,
    /// The events since.
    events: u64,
    writes: u64,
}

/// The rows of each server in a step, and the numbers of events and of writes.
struct Counts {
    servers: Vec<Server>,
    events: u64,
    writes: u64,
    /// The sum of the squares of what each call reads of each server.
    squares: f64,
}

impl Steps {
    pub(super) fn new(cluster: &Cluster) -> Self {
        let before: Vec<Server> = cluster.totals().collect();
        let most = (COUNTS / before.len().max(1)).clamp(FEWEST, STEPS);
        Self {
            ended: Vec::new(),
            length_ms: SHORTEST_MS,
            most,
            before,
            at_first: Vec::new(),
            squares: 0.0,
            events: 0,
            writes: 0,
        }
    }

    fn end_ms(&self) -> u64 {
        self.length_ms.saturating_mul(self.ended.len() as u64 + 1)
    }

    /// Counts an event that the cluster is about to have.
    pub(super) fn count(&mut self, event: &Event<'_>, cluster: &Cluster) {
        self.until(event.t_ms, cluster);
        self.events += 1;
        self.writes += u64::from(matches!(event.op, Op::Put | Op::Delete));
    }

    fn until(&mut self, t_ms: u64, cluster: &Cluster) {
        while self.end_ms() < t_ms {
            self.take(cluster);
            // Of an odd number the last would stay half as long as the others.
            if self.ended.len() >= self.most && self.ended.len().is_multiple_of(2) {
                self.join();
            }
        }
    }

    fn take(&mut self, cluster: &Cluster) {
        // The length is doubled, so that the first step ends at one of these times.
        let end_ms = self.end_ms();
        if (end_ms / SHORTEST_MS).is_power_of_two() {
            self.at_first.push((end_ms, cluster.totals_at_first().collect()));
        }
        let now: Vec<Server> = cluster.totals().collect();
        let servers = now.iter().zip(&self.before).map(|(now, before)| now.since(before)).collect();
        let squares = cluster.read_squares - self.squares;
        let [events, writes] = [&mut self.events, &mut self.writes].map(std::mem::take);
        self.ended.push(Counts { servers, events, writes, squares });
        (self.before, self.squares) = (now, cluster.read_squares);
    }

    fn join(&mut self) {
        let mut joined: Vec<Counts> = Vec::new();
        for (at, counts) in std::mem::take(&mut self.ended).into_iter().enumerate() {
            match joined.last_mut() {
                Some(last) if at % 2 == 1 => {
                    last.servers.iter_mut().zip(&counts.servers).for_each(|(server, more)| server.add(more));
                    last.events += counts.events;
                    last.writes += counts.writes;
                    last.squares += counts.squares;
                }
                _ => joined.push(counts),
            }
        }
        self.ended = joined;
        self.length_ms = self.length_ms.saturating_mul(2);
    }

    /// All steps, with the one that the last event is in; none if they are no more than so many intervals.
    pub(super) fn end(mut self, last_ms: u64, cluster: &Cluster, intervals: usize) -> Vec<Step> {
        self.until(last_ms, cluster);
        self.take(cluster);
        while self.ended.len() > intervals && !self.has_enough() {
            self.join();
        }
        if self.ended.len() <= intervals {
            return Vec::new();
        }
        let step = |(number, counts): (u64, &Counts)| Step {
            t_ms: self.length_ms.saturating_mul(number),
            writes: Busiest::of(counts.servers.iter().map(|server| server.writes), counts.writes),
            reads: reads(counts),
        };
        let mut steps: Vec<Step> = (1..).zip(&self.ended).map(step).collect();
        if let Some(first) = steps.first_mut() {
            self.begin(first);
        }
        steps
    }

    /// Counts in the first step what servers are asked for before regions are split and moved, however soon that is:
    /// a server with more of it is the busiest.
    fn begin(&self, first: &mut Step) {
        let Some((_, at_first)) = self.at_first.iter().find(|(end_ms, _)| *end_ms == first.t_ms) else { return };
        for (reads, busiest) in [&mut first.writes, &mut first.reads].into_iter().enumerate() {
            let begun = Busiest::of(at_first.iter().map(|server| server[reads]), busiest.events);
            if begun.rows > busiest.rows {
                *busiest = Busiest { all: busiest.all, ..begun };
            }
        }
    }

    fn has_enough(&self) -> bool {
        let events = self.ended.iter().map(|counts| counts.events);
        let (sum, count) = events.filter(|events| *events > 0).fold((0, 0), |(sum, count), n| (sum + n, count + 1));
        sum >= EVENTS * count
    }
}

/// The reads. Where one of many reads has most of them, they are as near as a sample of one: Kish's
/// effective size of a sample.
fn reads(counts: &Counts) -> Busiest {
    let found = Busiest::of(counts.servers.iter().map(|server| server.reads), 0);
    let all = found.all as f64;
    let events = if counts.squares > 0.0 { (all * all / counts.squares).round() as u64 } else { 0 };
    Busiest { events, ..found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterOptions;
    use crate::run::{Settings, SplitPolicy};

    #[test]
    fn steps_are_as_long_as_each_other_whatever_the_number_of_servers() {
        for servers in [1, 7, 599, 600, 3000] {
            let settings = Settings { servers, split_policy: SplitPolicy::Disabled, ..Settings::default() };
            let mut cluster = Cluster::new(&settings, ClusterOptions::default());
            let mut steps = Steps::new(&cluster);
            for at in 0..60_000 {
                let event = Event { t_ms: at * 100, batch: at, op: Op::Put, key: b"k", bytes: 1, weight: 1 };
                steps.count(&event, &cluster);
                cluster.apply(&event);
            }
            let steps = steps.end(5_999_900, &cluster, 100);
            let length_ms = steps[0].t_ms;
            let (last, whole) = steps.split_last().unwrap();
            // The first has the event at its beginning too.
            let is_whole = |step: &Step| (step.writes.rows * 100).abs_diff(length_ms) <= 100;
            assert!(whole.len() > 100 && whole.iter().all(is_whole), "{servers}: {length_ms}");
            assert!(last.writes.rows * 100 <= length_ms + 100);
        }
    }

    #[test]
    fn rows_of_one_great_read_are_as_near_as_one_event() {
        let counts = |reads: u64, squares: f64| Counts {
            servers: vec![
                Server { writes: 0, reads, ..Server::default() },
                Server { writes: 0, reads, ..Server::default() },
            ],
            events: 0,
            writes: 0,
            squares,
        };
        // A hundred reads of ten rows; and one of a million beside them.
        assert_eq!(reads(&counts(500, 100.0 * 100.0)).events, 100);
        assert_eq!(reads(&counts(500_500, 1e12 + 100.0 * 100.0)).events, 1);
        assert_eq!(reads(&counts(0, 0.0)).events, 0);
    }
}
