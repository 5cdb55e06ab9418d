//! Counts that are followed, against a table whose requests are all known.

use proptest::prelude::*;
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{self, Interval, Key, Known, Merge, Region, Restart, Settings, Silence};
use rowkey_watch::{Counts, Follow, Options, Reading, RegionReading, ServerReading, ServerRun};

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
        Reading { t_ms, regions: regions.collect(), ..Reading::default() }
    }
}

proptest! {
    #[test]
    fn no_request_is_told_twice_and_none_is_lost_but_at_a_closing(
        before in prop::collection::vec(step(), 0..20),
        steps in prop::collection::vec(step(), 0..120),
        most in 2..9_usize,
    ) {
        let mut table = Table::new();
        before.iter().for_each(|step| table.step(step));
        table.answers = [true; SERVERS];
        let first = table.reading(0);
        // Of one reading each; joined when they are many, or have many regions; and of readings that come at any time.
        let one = Options::default().interval_ms(1);
        let joined = one.most_intervals(most);
        let follows = [one, joined, one.most_regions(2 * most), joined.interval_ms(7)];
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

/// The writes and the reads of all regions and intervals.
fn sums(run: &Run) -> (u64, u64) {
    let regions = || run.intervals.iter().flat_map(|interval| &interval.regions);
    (regions().map(|region| region.rows_this_interval).sum(), regions().map(|region| region.reads_this_interval).sum())
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
    prop_assert_eq!((&again.restarts, &again.silences), (&run.restarts, &run.silences));
    Ok(())
}

/// A region's first key, its id, and the number of its server with the writes that it tells.
type Told<'k> = (&'k str, u64, Option<(u64, u64)>);

fn reading(t_ms: u64, regions: &[Told<'_>]) -> Reading {
    let region = |(start, id, counts): &Told<'_>| RegionReading {
        start: Key(start.as_bytes().to_vec()),
        id: *id,
        counts: counts.map(|(server, writes)| {
            let server = ServerRun { address: format!("s{server}:1"), start_code: 7 };
            (server, Counts { writes, ..Counts::default() })
        }),
    };
    Reading { t_ms, regions: regions.iter().map(region).collect(), ..Reading::default() }
}

/// The run of readings, in intervals of a millisecond.
fn followed(readings: &[Reading]) -> Run {
    let mut follow = Follow::new(Options::default().interval_ms(1));
    readings.iter().for_each(|reading| follow.add(reading));
    follow.into_run(Settings::default())
}

fn writes(run: &Run) -> Vec<Vec<u64>> {
    let of = |interval: &Interval| interval.regions.iter().map(|region| region.rows_this_interval).collect();
    run.intervals.iter().map(of).collect()
}

fn known(run: &Run) -> Vec<Vec<Known>> {
    let of = |interval: &Interval| interval.regions.iter().map(|region| region.known).collect();
    run.intervals.iter().map(of).collect()
}

#[test]
fn splits_merges_and_moves_are_told_and_counts_begin_again() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 100))), ("m", 1, Some((1, 50)))]),
        reading(1, &[("", 1, Some((0, 130))), ("m", 1, Some((0, 4)))]),
        reading(2, &[("", 2, Some((0, 3))), ("f", 2, Some((1, 9))), ("m", 1, Some((0, 5)))]),
        reading(3, &[("", 2, Some((0, 3))), ("f", 3, Some((1, 2)))]),
    ]);
    assert_eq!(writes(&run), [vec![30, 4], vec![3, 9, 1], vec![0, 2]]);
    use Known::{All, Part};
    assert_eq!(known(&run), [vec![All, Part], vec![Part, Part, All], vec![All, Part]]);
    let key = |text: &str| Key(text.as_bytes().to_vec());
    let [moved] = &run.moves[..] else { panic!("{:?}", run.moves) };
    assert_eq!((moved.t_ms, &moved.start, moved.from, moved.to), (1, &key("m"), 1, 0));
    let [split] = &run.splits[..] else { panic!("{:?}", run.splits) };
    assert_eq!((split.t_ms, &split.start, &split.at), (2, &key(""), &key("f")));
    assert_eq!(run.merges, [Merge { t_ms: 3, start: key("f"), others: vec![key("m")] }]);
    assert_eq!(
        (&run.settings.server_names[..], &run.settings.splits[..]),
        (&["s0:1", "s1:1"].map(String::from)[..], &[key("m")][..])
    );
}

#[test]
fn the_counts_of_a_gap_are_divided_among_its_intervals() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 5)))]),
        reading(1, &[("", 1, Some((0, 20))), ("m", 1, None)]),
        reading(2, &[("", 1, Some((0, 20))), ("m", 1, None)]),
        reading(3, &[("", 1, Some((0, 21))), ("m", 1, Some((1, 25)))]),
    ]);
    assert_eq!(writes(&run), [[10, 6], [0, 7], [1, 7]]);
    assert_eq!(known(&run), [[Known::All, Known::Part]; 3]);
    assert_eq!(run.intervals[1].servers[1].writes, 7);
}

#[test]
fn the_latest_requests_say_how_many_are_of_a_longer_time() {
    let mut follow = Follow::new(Options::default().interval_ms(1));
    let mut of_longer = Vec::new();
    for (t_ms, told) in [(0, Some((1, 5))), (1, None), (2, Some((1, 25))), (3, Some((1, 26)))] {
        follow.add(&reading(t_ms, &[("", 1, Some((0, 10 * t_ms))), ("m", 1, told)]));
        of_longer.push(follow.latest().of_longer);
    }
    assert_eq!(of_longer, [0, 0, 1, 0]);
}

#[test]
fn what_no_server_told_is_unknown_and_not_nothing() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 5)))]),
        reading(1, &[("", 1, Some((0, 10))), ("m", 1, None)]),
        // Opened elsewhere: what was counted before is lost.
        reading(2, &[("", 1, Some((0, 10))), ("m", 1, Some((0, 3)))]),
        reading(3, &[("", 1, Some((0, 10))), ("m", 1, Some((0, 3)))]),
    ]);
    assert_eq!(writes(&run), [[0, 0], [0, 3], [0, 0]]);
    assert_eq!(known(&run), [[Known::All, Known::None], [Known::All, Known::Part], [Known::All, Known::All]]);
}

#[test]
fn a_region_that_may_have_been_open_before_begins_with_what_is_told_first() {
    let run = followed(&[
        reading(0, &[("", 1, Some((0, 10))), ("m", 1, None)]),
        reading(1, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 900)))]),
        reading(2, &[("", 1, Some((0, 10))), ("m", 1, Some((1, 905)))]),
    ]);
    assert_eq!(writes(&run), [[0, 0], [0, 5]]);
    assert_eq!(known(&run), [[Known::All, Known::None], [Known::All, Known::All]]);
}

#[test]
fn a_reading_that_comes_late_makes_no_interval_hotter() {
    let mut follow = Follow::new(Options::default().interval_ms(1000));
    for (t_ms, writes) in [(0, 0), (1003, 1003), (2600, 2600), (3001, 3001), (4004, 4004)] {
        follow.add(&reading(t_ms, &[("", 1, Some((0, writes)))]));
    }
    let run = follow.into_run(Settings::default());
    assert_eq!(writes(&run), [[1000], [1000], [1000], [1004]]);
    assert_eq!(run.intervals.iter().map(|interval| interval.t_ms).collect::<Vec<_>>(), [1000, 2000, 3000, 4000]);
}

#[test]
fn servers_that_begin_again_and_that_are_silent_are_told() {
    let server = |start_code, is_silent| {
        let run = ServerRun { address: "s0:1".to_owned(), start_code };
        vec![ServerReading { run, is_silent }]
    };
    let told =
        |t_ms, servers, is_master_silent| Reading { servers, is_master_silent, ..reading(t_ms, &[("", 1, None)]) };
    let run = followed(&[
        told(0, server(7, false), false),
        told(1, server(7, true), false),
        told(2, server(7, true), true),
        told(3, server(9, false), false),
        told(4, server(9, true), false),
    ]);
    assert_eq!(run.restarts, [Restart { t_ms: 3, server: 0 }]);
    let silence = |t_ms, until_ms, server| Silence { t_ms, until_ms, server };
    assert_eq!(run.silences, [silence(0, 2, Some(0)), silence(1, 2, None), silence(3, 4, Some(0))]);
}

#[test]
fn a_silence_lasts_until_it_is_broken_or_the_run_ends() {
    let told = |t_ms, servers: &[(usize, bool)]| {
        let server = |(server, is_silent): &(usize, bool)| {
            let run = ServerRun { address: format!("s{server}:1"), start_code: 7 };
            ServerReading { run, is_silent: *is_silent }
        };
        Reading { servers: servers.iter().map(server).collect(), ..reading(t_ms, &[("", 1, None)]) }
    };
    let silences = |readings: &[Reading]| {
        let of = |silence: &Silence| (silence.server, silence.t_ms, silence.until_ms);
        followed(readings).silences.iter().map(of).collect::<Vec<_>>()
    };
    // At the first reading alone: counts begin at the second one, and what comes then is another silence.
    let late = [told(0, &[(0, true)]), told(6, &[(0, false)]), told(9, &[(0, true)])];
    assert_eq!(silences(&late[..2]), [(Some(0), 0, 6)]);
    assert_eq!(silences(&late), [(Some(0), 0, 6), (Some(0), 6, 9)]);
    assert_eq!(silences(&[told(0, &[(0, true)]), told(3, &[(0, true)]), told(6, &[(0, true)])]), [(Some(0), 0, 6)]);
    // A server that the master tells of no more.
    let gone = [told(0, &[(0, true), (1, false)]), told(3, &[(1, false)]), told(6, &[(1, false)])];
    assert_eq!(silences(&gone), [(Some(0), 0, 6)]);
    let again = [told(8, &[(0, false), (1, false)]), told(9, &[(0, false), (1, false)])];
    assert_eq!(silences(&[&gone[..], &again].concat()), [(Some(0), 0, 6)]);
    // One that ended while it told all has no silence.
    assert_eq!(silences(&[told(0, &[(0, false), (1, false)]), told(3, &[(1, false)])]), []);
}

#[test]
fn memory_is_bounded_for_many_regions_and_days() {
    let mut follow = Follow::new(Options::default().most_regions(10_000));
    let starts: Vec<String> = (0..2_000).map(|at| if at == 0 { String::new() } else { format!("{at:05}") }).collect();
    for minute in 0..(7 * 24 * 60_u64).div_ceil(97) {
        let regions: Vec<Told<'_>> = starts.iter().map(|start| (&**start, 1, Some((0, minute)))).collect();
        follow.add(&reading(minute * 97 * 60_000, &regions));
    }
    let run = follow.into_run(Settings::default());
    assert!((3..=6).contains(&run.intervals.len()), "{}", run.intervals.len());
    assert!(run.assumed[0].starts_with("its regions are told each "), "{:?}", run.assumed);
    assert_eq!(sums(&run).0, 2_000 * 103);
}
