//! The load of a watched table, in readings that are made up: what saturates, since when, where, and by which reads.

use rowkey_simulate::answer::{Together, watched};
use rowkey_simulate::run::{Key, Settings};

use super::*;

const EVERY_MS: u64 = 5000;

/// An interval's regions: the first byte of each, its server, its writes and the rows that were read of it.
type Counted = &'static [(u8, u32, u64, u64)];

fn design_of(writes: &str, load: &str) -> Design {
    let text = format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 3\nregion = {{ writes = \"{writes}\", reads = \"200/s\" }}\n\
         [table.t]\nkey = [\"id: u64\"]\nrows = 5000\n{load}"
    );
    Design::parse([File { name: "t.rowkey.toml".to_owned(), text }]).unwrap()
}

fn run_of(intervals: &[Counted]) -> Run {
    let names = (0..3).map(|server| format!("rs{server}:16020")).collect();
    let settings = Settings { servers: 3, server_names: names, interval_ms: EVERY_MS, ..Settings::default() };
    let interval = |(end, counted): (u64, &Counted)| {
        let mut servers = vec![Server::default(); 3];
        let region = |(start, server, writes, reads): &(u8, u32, u64, u64)| {
            let of = &mut servers[*server as usize];
            *of = Server { writes: of.writes + writes, reads: of.reads + reads, rows_read: of.rows_read + reads };
            let start = Key(if *start == 0 { Vec::new() } else { vec![*start] });
            let (rows_this_interval, reads_this_interval) = (*writes, *reads);
            Region { start, server: *server, rows_this_interval, reads_this_interval, ..Region::default() }
        };
        let regions = counted.iter().map(region).collect();
        Interval { t_ms: end * EVERY_MS, regions, servers }
    };
    let mut run = Run::new(settings);
    run.intervals = (1..).zip(intervals).map(interval).collect();
    run
}

/// The answer of a design about readings, and the run as it is told.
fn told(design: &Design, intervals: &[Counted]) -> (Answer, Run) {
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let costs = design.query_costs(&check).next().map(|(_, costs)| costs).unwrap_or_default();
    let mut declared = Declared::of(design, "t", None, &check).unwrap();
    let mut run = run_of(intervals);
    (watched(&mut declared, &mut run, design, Some(&check), &costs), run)
}

const WRITE: &str = "[[table.t.write]]\nname = \"w\"\nrate = \"300/s\"\n";
const FIRST: Counted = &[(0, 2, 1500, 0), (64, 2, 0, 0), (128, 0, 0, 0)];
const SECOND: Counted = &[(0, 2, 0, 0), (64, 2, 1500, 0), (128, 0, 0, 0)];

#[test]
fn what_saturates_late_does_not_do_so_from_the_start() {
    const CALM: Counted = &[(0, 2, 10, 0), (64, 2, 0, 0), (128, 0, 0, 0)];
    let design = design_of("200/s", WRITE);
    for (calm, due) in [(8, "within 45 s, in steps of 5 s"), (1, "within 10 s, in steps of 5 s"), (0, "from the start")]
    {
        let intervals: Vec<Counted> = (0..15).map(|at| if at < calm { CALM } else { FIRST }).collect();
        let (found, _) = told(&design, &intervals);
        assert!(found.sentence.contains(&format!(" saturates {due}: ")), "{}", found.sentence);
    }
}

#[test]
fn nobody_waits_for_splits_that_there_are_none_of() {
    const COOL: Counted = &[(0, 2, 500, 0), (64, 2, 0, 0), (128, 0, 0, 0)];
    let design = design_of("200/s", WRITE);
    let of = |intervals: &[Counted]| told(&design, intervals).0;
    let one = of(&[FIRST]);
    assert!(!one.saturates.as_ref().unwrap().passes && !one.sentence.contains("until the table is split"), "{one:?}");
    let passes = of(&[FIRST, COOL, COOL, COOL]);
    assert!(passes.saturates.as_ref().unwrap().passes, "{}", passes.sentence);
    assert!(passes.sentence.contains(", at the beginning alone"), "{}", passes.sentence);
    assert!(!passes.sentence.contains("until the table is split"), "{}", passes.sentence);
}

#[test]
fn a_load_that_moved_is_told_where_it_is_and_was() {
    let mut intervals = vec![FIRST; 7];
    intervals.extend([SECOND; 7]);
    let (found, _) = told(&design_of("200/s", WRITE), &intervals);
    assert!(found.sentence.starts_with("100 % of the writes to `t` go to the region that begins with "), "{found:?}");
    assert!(found.sentence.contains(" They moved: in the first half of the time, 100 % went to"), "{}", found.sentence);
    let hottest = found.hottest_written.unwrap();
    assert_eq!((hottest.start, hottest.share), (Key(vec![64]), 1.0));
    let (still, _) = told(&design_of("200/s", WRITE), &[FIRST; 14]);
    assert!(still.sentence.starts_with("100 % ") && !still.sentence.contains("They moved"), "{}", still.sentence);
}

#[test]
fn the_share_is_the_median_of_the_second_half_however_short_the_run() {
    const MOST: Counted = &[(0, 2, 150, 0), (64, 2, 1100, 0), (128, 0, 250, 0)];
    const SOME: Counted = &[(0, 2, 1150, 0), (64, 2, 1250, 0), (128, 0, 2100, 0)];
    let mut intervals = vec![MOST; 6];
    intervals.extend([SOME; 6]);
    let (found, _) = told(&design_of("200/s", WRITE), &intervals);
    assert!((found.hottest_region.of_run - 2100.0 / 4500.0).abs() < 1e-3, "{:?}", found.hottest_region);
}

#[test]
fn a_few_writes_make_no_region_hot() {
    // Of six alike, by chance one has more at each reading.
    const EVEN: [Counted; 3] = [
        &[(0, 0, 5, 0), (32, 1, 1, 0), (64, 2, 3, 0), (96, 0, 3, 0), (128, 1, 4, 0), (160, 2, 2, 0)],
        &[(0, 0, 2, 0), (32, 1, 5, 0), (64, 2, 3, 0), (96, 0, 1, 0), (128, 1, 3, 0), (160, 2, 4, 0)],
        &[(0, 0, 2, 0), (32, 1, 3, 0), (64, 2, 3, 0), (96, 0, 5, 0), (128, 1, 2, 0), (160, 2, 3, 0)],
    ];
    let intervals: Vec<Counted> = EVEN.iter().cycle().take(30).copied().collect();
    let (found, _) = told(&design_of("1/s", WRITE), &intervals);
    assert!(found.hottest_region.of_run < 0.2, "{:?}", found.hottest_region);
}

#[test]
fn the_hottest_region_is_where_it_is_at_the_end() {
    const MOVED: Counted = &[(0, 1, 1500, 0), (64, 2, 0, 0), (128, 0, 0, 0)];
    const MERGED: Counted = &[(0, 1, 1500, 0), (128, 0, 0, 0)];
    let design = design_of("200/s", WRITE);
    // Of the median, the last interval is one before the move.
    const HALF: Counted = &[(0, 1, 1480, 0), (64, 2, 20, 0), (128, 0, 0, 0)];
    let mut intervals = vec![FIRST; 10];
    intervals.extend([HALF; 2]);
    for last in [MOVED, MERGED] {
        let all = [&intervals[..], &[last; 2]].concat();
        let (found, run) = told(&design, &all);
        let hottest = found.hottest_written.unwrap();
        let regions = &run.intervals.last().unwrap().regions;
        assert!(regions.iter().any(|region| region.start == hottest.start && region.server == hottest.server));
        assert!(found.sentence.contains(", on rs1:16020. "), "{}", found.sentence);
        assert!(hottest.end.is_none_or(|end| regions.iter().any(|region| region.start == end)));
    }
}

const COUNTERS: Counted = &[(0, 2, 1500, 1500), (64, 1, 75, 75), (128, 0, 100, 100)];
const QUERY: &str = "[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"10/s\"\n";

#[test]
fn rows_that_increments_read_are_no_reads() {
    let increments = WRITE.replace("rate", "kind = \"increment\"\napproximate = true\nrate");
    let (found, run) = told(&design_of("2k/s", &increments), &[COUNTERS; 6]);
    assert!(found.sentence.starts_with("Nothing to say"), "{}", found.sentence);
    assert_eq!((found.reads, found.rows_read), (0.0, 0.0));
    assert!(run.intervals.iter().flat_map(|interval| &interval.regions).all(|region| region.reads_this_interval == 0));
    let said = |answer: &Answer| answer.assumed.iter().any(|assumed| assumed.contains("reads its row"));
    assert!(said(&found), "{:?}", found.assumed);
    // What is read beside is of the query.
    const READ: Counted = &[(0, 2, 1500, 1550), (64, 1, 75, 75), (128, 0, 100, 100)];
    let (found, _) = told(&design_of("2k/s", &(increments.clone() + QUERY)), &[READ; 6]);
    assert!((found.reads - 10.0).abs() < 0.1, "{}", found.reads);
    // A half of the writes are puts, by their rates.
    let both = increments + &WRITE.replace("\"w\"", "\"put\"");
    let (found, _) = told(&design_of("2k/s", &(both + QUERY)), &[COUNTERS; 6]);
    assert!((found.reads - 1675.0 / 2.0 / 5.0).abs() < 1.0, "{}", found.reads);
    // Puts read nothing.
    let (found, _) = told(&design_of("2k/s", &(WRITE.to_owned() + QUERY)), &[COUNTERS; 6]);
    assert!((found.reads - 1675.0 / 5.0).abs() < 0.1 && !said(&found), "{}", found.reads);
}

#[test]
fn servers_for_all_tables_take_the_most_that_they_are_asked_for() {
    // `check` finds that all reads are too many, and of the writes of one table that they are.
    let table = |name: &str, writes: u64, reads: u64| {
        format!(
            "[table.{name}]\nkey = [\"id: u64\"]\nrows = 5000\n[[table.{name}.write]]\nname = \"w\"\nrate = \"{writes}/s\"\n\
             [[table.{name}.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"{reads}/s\"\n"
        )
    };
    let text = format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 3\nregion = {{ writes = \"200/s\", reads = \"400/s\" }}\n{}{}",
        table("a", 603, 800),
        table("b", 550, 747)
    );
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text }]).unwrap();
    let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    let of = |writes, reads| Together { writes, reads, servers: 3.0, chance: 0.01 }.answer(&report).sentence;
    assert!(of(3.837, 1.2895).contains("H24: 12 servers take them"), "{}", of(3.837, 1.2895));
    assert!(of(1.92, 1.2895).contains("H24: 6 servers take them"), "{}", of(1.92, 1.2895));
}
