//! A table of any life: no request is told twice, and none is lost but at a closing.

use proptest::prelude::*;
use rowkey_simulate::run::{self, Region};

use super::*;

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
    opening: i64,
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
    /// Openings are told by their numbers.
    tells_openings: bool,
    /// The writes and reads that were made; and at most so many of them can't be told.
    made: (u64, u64),
    lost: (u64, u64),
}

impl Table {
    fn new(tells_openings: bool) -> Self {
        let (counts, told) = <_>::default();
        let regions = vec![Open { start: vec![], id: 1, server: 0, opening: 1, counts, told }];
        let (made, lost) = <_>::default();
        Self { regions, start_codes: [1; SERVERS], answers: [true; SERVERS], last_id: 1, tells_openings, made, lost }
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Closes a region. What was not read is lost; and if the region may be opened at the same server, as much as was,
    /// unless its opening is told.
    fn close(&mut self, at: usize, may_hide: bool) {
        let may_hide = may_hide && !self.tells_openings;
        let region = &mut self.regions[at];
        region.opening += 1;
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
            let opening = self.tells_openings.then_some(region.opening);
            RegionReading { start: Key(region.start.clone()), id: region.id, opening, late_ms: 0, counts }
        });
        Reading { t_ms, regions: regions.collect(), ..Reading::default() }
    }
}

proptest! {
    #[test]
    fn no_request_is_told_twice_and_none_is_lost_but_at_a_closing(
        before in prop::collection::vec(step(), 0..20),
        steps in prop::collection::vec(step(), 0..120),
        most in 2..9_usize,
        tells_openings in any::<bool>(),
    ) {
        let mut table = Table::new(tells_openings);
        before.iter().for_each(|step| table.step(step));
        table.answers = [true; SERVERS];
        let first = table.reading(0);
        // Of one reading each; joined when they are many, or have many regions; and of readings that come at any time.
        let one = Options::default().interval_ms(1);
        let joined = one.most_intervals(most);
        let follows = [one, joined, one.most_regions(2 * most), joined.interval_ms(7), one.interval_ms(40)];
        let mut follows = follows.map(Follow::new);
        follows.iter_mut().for_each(|follow| follow.add(&first));
        (table.made, table.lost) = <_>::default();
        let mut readings = 0;
        for step in &steps {
            table.step(step);
            if matches!(step, Step::Reading) {
                readings += 1;
                let reading = table.reading(readings);
                follows.iter_mut().for_each(|follow| follow.add(&reading));
            }
        }
        table.answers = [true; SERVERS];
        let reading = table.reading(readings + 1);
        follows.iter_mut().for_each(|follow| follow.add(&reading));
        let runs = follows.map(|follow| follow.into_run(Settings::default()));

        prop_assert_eq!(runs[0].intervals.len() as u64, readings + 1);
        prop_assert!(runs[1].intervals.len() <= most + 1);
        let regions: usize = runs[2].intervals.iter().map(|interval| interval.regions.len()).sum();
        prop_assert!(regions <= 2 * most + 2 * reading.regions.len() || runs[2].intervals.len() == 1);
        let told = sums(&runs[0]);
        let (made, lost) = (table.made, table.lost);
        prop_assert!(told.0 <= made.0 && told.0 + lost.0 >= made.0, "writes {told:?} of {made:?}, {lost:?} lost");
        prop_assert!(told.1 <= made.1 && told.1 + lost.1 >= made.1, "reads {told:?} of {made:?}, {lost:?} lost");
        for run in &runs {
            prop_assert_eq!(sums(run), told);
            is_sound(run)?;
        }
    }
}

/// Servers have what their regions have; of what is not known nothing is counted; and the lines of the run are read
/// again as they were written.
fn is_sound(run: &Run) -> Result<(), TestCaseError> {
    for interval in &run.intervals {
        prop_assert!(interval.regions.is_sorted_by(|a, b| a.start < b.start));
        let count = |of: fn(&Region) -> u64| interval.regions.iter().map(of).sum::<u64>();
        let writes = interval.servers.iter().map(|server| server.writes).sum::<u64>();
        prop_assert_eq!(writes, count(|region| region.rows_this_interval));
        let reads = interval.servers.iter().map(|server| server.rows_read).sum::<u64>();
        prop_assert_eq!(reads, count(|region| region.reads_this_interval));
        for region in interval.regions.iter().filter(|region| region.known == Known::None) {
            prop_assert_eq!((region.rows_this_interval, region.reads_this_interval), (0, 0));
        }
    }
    let mut text = Vec::new();
    run.lines(None).for_each(|line| run::write(&mut text, &line).unwrap());
    let again = Run::read(&text[..]).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!((&again.settings, &again.intervals), (&run.settings, &run.intervals));
    prop_assert_eq!((&again.splits, &again.merges, &again.moves), (&run.splits, &run.merges, &run.moves));
    prop_assert_eq!(&again.recreations, &run.recreations);
    prop_assert_eq!((&again.restarts, &again.silences), (&run.restarts, &run.silences));
    Ok(())
}
