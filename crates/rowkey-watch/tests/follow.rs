//! Counts that are followed, against a table whose requests are all known.

use proptest::prelude::*;
use rowkey_simulate::run::Key;
use rowkey_watch::{Counts, Follow, Merge, Reading, RegionReading, ServerRun};

const SERVERS: usize = 3;

/// A step of a table's life. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Step {
    Write {
        region: usize,
        rows: u64,
    },
    Read {
        region: usize,
        rows: u64,
    },
    Move {
        region: usize,
        to: usize,
    },
    Reopen {
        region: usize,
    },
    Split {
        region: usize,
        at: u8,
    },
    Merge {
        region: usize,
    },
    /// A server answers, or does not.
    Answers {
        server: usize,
        answers: bool,
    },
    Restart {
        server: usize,
    },
    Reading,
}

fn step() -> impl Strategy<Value = Step> {
    let (region, server) = (0..64_usize, 0..SERVERS);
    prop_oneof![
        6 => (region.clone(), 1..100_u64).prop_map(|(region, rows)| Step::Write { region, rows }),
        3 => (region.clone(), 1..100_u64).prop_map(|(region, rows)| Step::Read { region, rows }),
        1 => (region.clone(), server.clone()).prop_map(|(region, to)| Step::Move { region, to }),
        1 => region.clone().prop_map(|region| Step::Reopen { region }),
        1 => (region.clone(), 1..=255_u8).prop_map(|(region, at)| Step::Split { region, at }),
        1 => region.prop_map(|region| Step::Merge { region }),
        1 => (server.clone(), any::<bool>()).prop_map(|(server, answers)| Step::Answers { server, answers }),
        1 => server.prop_map(|server| Step::Restart { server }),
        4 => Just(Step::Reading),
    ]
}

#[derive(Clone, Debug)]
struct Open {
    start: Vec<u8>,
    id: u64,
    server: usize,
    counts: Counts,
    /// Those that were read last.
    told: Counts,
}

/// A table of which all is known.
struct Table {
    regions: Vec<Open>,
    start_codes: [u64; SERVERS],
    answers: [bool; SERVERS],
    last_id: u64,
    /// The writes and reads that were made; and at most so many of them can't be told.
    made: (u64, u64),
    lost: (u64, u64),
}

impl Table {
    fn new() -> Self {
        let (counts, told) = <_>::default();
        let regions = vec![Open { start: vec![], id: 1, server: 0, counts, told }];
        let (made, lost) = <_>::default();
        Self { regions, start_codes: [1; SERVERS], answers: [true; SERVERS], last_id: 1, made, lost }
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Closes a region. What was not read is lost; and if the region may be opened at the same server, as much as was.
    fn close(&mut self, at: usize, may_hide: bool) {
        let region = &mut self.regions[at];
        let hidden = if may_hide { region.told } else { Counts::default() };
        self.lost.0 += region.counts.writes - region.told.writes + hidden.writes;
        self.lost.1 += region.counts.reads - region.told.reads + hidden.reads;
        (region.counts, region.told) = <_>::default();
    }

    fn step(&mut self, step: &Step) {
        let at = |region: usize| region % self.regions.len();
        match *step {
            Step::Write { region, rows } => {
                let at = at(region);
                self.regions[at].counts.writes += rows;
                self.made.0 += rows;
            }
            Step::Read { region, rows } => {
                let at = at(region);
                self.regions[at].counts.reads += rows;
                self.made.1 += rows;
            }
            Step::Move { region, to } => {
                let at = at(region);
                self.close(at, true);
                self.regions[at].server = to;
            }
            Step::Reopen { region } => self.close(at(region), true),
            Step::Split { region, at: byte } => {
                let at = at(region);
                let mut middle = self.regions[at].start.clone();
                middle.push(byte);
                if self.regions.get(at + 1).is_some_and(|next| next.start <= middle) {
                    return;
                }
                self.close(at, false);
                let id = self.next_id();
                let lower = Open { id, ..self.regions[at].clone() };
                self.regions.insert(at + 1, Open { start: middle, ..lower.clone() });
                self.regions[at] = lower;
            }
            Step::Merge { region } => {
                let at = at(region);
                if at + 1 < self.regions.len() {
                    self.close(at, false);
                    self.close(at + 1, false);
                    self.regions.remove(at + 1);
                    self.regions[at].id = self.next_id();
                }
            }
            Step::Answers { server, answers } => self.answers[server] = answers,
            Step::Restart { server } => {
                self.start_codes[server] += 1;
                let own: Vec<usize> = (0..self.regions.len()).filter(|at| self.regions[*at].server == server).collect();
                own.into_iter().for_each(|at| self.close(at, false));
            }
            Step::Reading => {}
        }
    }

    fn reading(&mut self, t_ms: u64) -> Reading {
        let regions = self.regions.iter_mut().map(|region| {
            let at = region.server;
            let counts = self.answers[at].then(|| {
                region.told = region.counts;
                (ServerRun { address: format!("s{at}:1"), start_code: self.start_codes[at] }, region.counts)
            });
            RegionReading { start: Key(region.start.clone()), id: region.id, counts }
        });
        Reading { t_ms, regions: regions.collect() }
    }
}

proptest! {
    #[test]
    fn no_request_is_told_twice_and_none_is_lost_but_at_a_closing(
        before in prop::collection::vec(step(), 0..20),
        steps in prop::collection::vec(step(), 0..120),
    ) {
        let mut table = Table::new();
        before.iter().for_each(|step| table.step(step));
        table.answers = [true; SERVERS];
        let mut follow = Follow::default();
        follow.add(&table.reading(0));
        (table.made, table.lost) = <_>::default();
        let mut readings = 0;
        for step in &steps {
            table.step(step);
            if matches!(step, Step::Reading) {
                readings += 1;
                follow.add(&table.reading(readings));
            }
        }
        table.answers = [true; SERVERS];
        follow.add(&table.reading(readings + 1));

        prop_assert_eq!(follow.intervals.len() as u64, readings + 1);
        let regions = || follow.intervals.iter().flat_map(|interval| &interval.regions);
        let told = (
            regions().map(|region| region.rows_this_interval).sum::<u64>(),
            regions().map(|region| region.reads_this_interval).sum::<u64>(),
        );
        let (made, lost) = (table.made, table.lost);
        prop_assert!(told.0 <= made.0 && told.0 + lost.0 >= made.0, "writes {told:?} of {made:?}, {lost:?} lost");
        prop_assert!(told.1 <= made.1 && told.1 + lost.1 >= made.1, "reads {told:?} of {made:?}, {lost:?} lost");
        for interval in &follow.intervals {
            prop_assert!(interval.regions.is_sorted_by(|a, b| a.start < b.start));
            for (number, server) in (0..).zip(&interval.servers) {
                let own = || interval.regions.iter().filter(|region| region.server == number);
                prop_assert_eq!(server.writes, own().map(|region| region.rows_this_interval).sum::<u64>());
                prop_assert_eq!(server.rows_read, own().map(|region| region.reads_this_interval).sum::<u64>());
            }
        }
    }
}

/// A region's first key, its id, and the number of its server with the writes that it tells.
type Told = (&'static str, u64, Option<(u64, u64)>);

fn reading(t_ms: u64, regions: &[Told]) -> Reading {
    let region = |(start, id, counts): &Told| RegionReading {
        start: Key(start.as_bytes().to_vec()),
        id: *id,
        counts: counts.map(|(server, writes)| {
            let server = ServerRun { address: format!("s{server}:1"), start_code: 7 };
            (server, Counts { writes, ..Counts::default() })
        }),
    };
    Reading { t_ms, regions: regions.iter().map(region).collect() }
}

fn writes(follow: &Follow) -> Vec<Vec<u64>> {
    let of = |interval: &rowkey_simulate::run::Interval| {
        interval.regions.iter().map(|region| region.rows_this_interval).collect()
    };
    follow.intervals.iter().map(of).collect()
}

#[test]
fn splits_merges_and_moves_are_told_and_counts_begin_again() {
    let mut follow = Follow::default();
    follow.add(&reading(0, &[("", 1, Some((0, 100))), ("m", 1, Some((1, 50)))]));
    follow.add(&reading(1, &[("", 1, Some((0, 130))), ("m", 1, Some((0, 4)))]));
    follow.add(&reading(2, &[("", 2, Some((0, 3))), ("f", 2, Some((1, 9))), ("m", 1, Some((0, 5)))]));
    follow.add(&reading(3, &[("", 2, Some((0, 3))), ("f", 3, Some((1, 2)))]));
    assert_eq!(writes(&follow), [vec![30, 4], vec![3, 9, 1], vec![0, 2]]);
    let key = |text: &str| Key(text.as_bytes().to_vec());
    let [moved] = &follow.moves[..] else { panic!("{:?}", follow.moves) };
    assert_eq!((moved.t_ms, &moved.start, moved.from, moved.to), (1, &key("m"), 1, 0));
    let [split] = &follow.splits[..] else { panic!("{:?}", follow.splits) };
    assert_eq!((split.t_ms, &split.start, &split.at), (2, &key(""), &key("f")));
    assert_eq!(follow.merges, [Merge { t_ms: 3, start: key("f"), others: vec![key("m")] }]);
    assert_eq!(follow.servers, ["s0:1", "s1:1"]);
}

#[test]
fn the_counts_of_a_gap_are_divided_among_its_intervals() {
    let mut follow = Follow::default();
    follow.add(&reading(0, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 5)))]));
    follow.add(&reading(1, &[("", 1, Some((0, 20))), ("m", 1, None)]));
    follow.add(&reading(2, &[("", 1, Some((0, 20))), ("m", 1, None)]));
    follow.add(&reading(3, &[("", 1, Some((0, 21))), ("m", 1, Some((1, 25)))]));
    assert_eq!(writes(&follow), [[10, 6], [0, 6], [1, 8]]);
    assert_eq!(follow.gaps.iter().map(|(interval, _)| *interval).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(follow.intervals[1].servers[1].writes, 6);
}

#[test]
fn a_region_that_may_have_been_open_before_begins_with_what_is_told_first() {
    let mut follow = Follow::default();
    follow.add(&reading(0, &[("", 1, Some((0, 10))), ("m", 1, None)]));
    follow.add(&reading(1, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 900)))]));
    follow.add(&reading(2, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 905)))]));
    assert_eq!(writes(&follow), [[0, 0], [0, 5]]);
}
