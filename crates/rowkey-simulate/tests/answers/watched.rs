//! A watched run has the verdict of a simulated one: by the same rules, at the rates that were counted.

use rowkey_simulate::answer::{text, watched, watched_text};
use rowkey_simulate::run::{Known, Recreation, Regions, Restart, Silence};

use super::*;

/// The run as a cluster would tell of it: its lines alone, of servers with names.
fn told(run: &Run) -> Run {
    let mut text = Vec::new();
    run.lines(None).for_each(|line| rowkey_simulate::run::write(&mut text, &line).unwrap());
    let mut told = Run::read(&text[..]).unwrap();
    told.settings.server_names = (0..told.settings.servers).map(|server| format!("rs{server}:16020")).collect();
    told
}

/// The answer of a simulation, and that of the same run as if it were watched.
fn both(text: &str, change: impl FnOnce(&mut Run)) -> (Answer, Answer) {
    let file = File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() };
    let design = Design::parse([file]).unwrap();
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let costs = design.query_costs(&check).next().unwrap().1;
    let mut declared = Declared::of(&design, "t", None, &check).unwrap();
    let run = declared.simulate(&Options { most: 200_000, ..options() }, |_| {}).unwrap();
    let simulated = answer(&declared, &run, &[], &design.check(&check), &costs, &[]);
    let mut run = told(&run);
    change(&mut run);
    (simulated, watched(&mut declared, &mut run, &design, Some(&check), &costs))
}

#[test]
fn the_rules_and_the_verdict_are_those_of_the_simulation() {
    let time = "\"at: instant\"";
    let host = "\"host: text\"";
    let stats = "stats.host = { distinct = 1000 }";
    for (key, more, rate, is_hot) in [
        (format!("{time}, {host}"), stats.to_owned(), "20k/s", true),
        (format!("{time}, {host}"), format!("{stats}\nsalt = {{ buckets = 16, hash = \"xxh3\" }}"), "5k/s", false),
        (format!("{host}, {time}"), stats.to_owned(), "5k/s", false),
        ("\"id: bytes[16]\"".to_owned(), String::new(), "5k/s", false),
    ] {
        let (simulated, watched) = both(&design(&key, &more, 8, rate), |_| {});
        // A watched table has the regions that it has.
        let rules = simulated.rules.iter().filter(|rule| *rule != "H10");
        assert!(watched.regions.count > 1 && watched.rules.iter().eq(rules), "{key} {:?}", watched.rules);
        let is_fine = |answer: &Answer| answer.sentence.starts_with(NOTHING);
        assert_eq!(
            [is_fine(&simulated), is_fine(&watched)],
            [!is_hot; 2],
            "{}\n{}",
            simulated.sentence,
            watched.sentence
        );
        if is_hot {
            let hot = "% of the writes to `t` go to the region that begins with ";
            assert!(watched.sentence.contains(hot) && watched.sentence.contains(", on rs"), "{}", watched.sentence);
            let cause = simulated.sentence.split_once("H01: ").unwrap().1.split_once(" (").unwrap().0;
            assert!(watched.sentence.contains(cause) && watched.sentence.contains("To do: "), "{}", watched.sentence);
        }
        assert!(watched.assumed.iter().all(|assumed| !assumed.contains("balancer")), "{:?}", watched.assumed);
    }
}

#[test]
fn rows_of_scans_are_as_many_reads_as_the_designs_queries_make_of_them() {
    let text = design("\"host: text\", \"at: instant\"", "stats.host = { distinct = 1000 }\nrows = \"10M\"", 8, "1k/s")
        + "[[table.t.query]]\nname = \"newest\"\nfix = [\"host\"]\norder = \"newest\"\nlimit = 101\nrate = \"100/s\"\n";
    let mut rows = 0;
    let (simulated, watched) = both(&text, |run| {
        for interval in &mut run.intervals {
            // HBase tells of rows alone.
            interval.servers.iter_mut().for_each(|server| server.reads = server.rows_read);
            interval.regions.iter_mut().for_each(|region| region.reads_this_interval *= 50);
        }
        rows = run.intervals.iter().flat_map(|interval| &interval.servers).map(|server| server.rows_read).sum();
    });
    assert!(rows > 0 && (watched.reads / simulated.reads - 1.0).abs() < 0.05, "{} {}", watched.reads, simulated.reads);
    assert!(watched.assumed.iter().any(|assumed| assumed.contains("rows that a server reads are a read")));
}

#[test]
fn what_a_cluster_did_not_tell_is_said() {
    let (_, watched) = both(&design("\"id: bytes[16]\"", "", 8, "1k/s"), |run| {
        run.recreations.push(Recreation { t_ms: 9000 });
        run.restarts.push(Restart { t_ms: 5000, server: 1 });
        run.silences.push(Silence { t_ms: 1000, until_ms: 61_000, server: None });
        run.intervals[0].regions.iter_mut().for_each(|region| region.known = Known::None);
    });
    let recreated = "the table was dropped and created again, or truncated, by 9 s: all its regions are new";
    for said in [recreated, "rs1:16020 began again by 5 s", "the master told nothing from 1 s to 1 min 1 s"] {
        assert!(watched.seen.iter().any(|seen| seen == said), "{:?}", watched.seen);
        assert!(text(&watched).contains(&format!("seen: {said}\n")) && !watched.assumed.iter().any(|of| of == said));
        let page = watched_text(&[&watched]);
        assert!(page.facts.iter().any(|(name, values)| name == "seen" && values[0].contains(said)), "{:?}", page.facts);
    }
}

/// The answer of a run in which no server told of the regions with these numbers.
fn without(rate: &str, unknown: impl Fn(usize) -> bool) -> Answer {
    let key = design("\"id: bytes[16]\"", "", 8, rate);
    let (_, watched) = both(&key, |run| {
        let last = run.intervals.last().unwrap().regions.clone();
        for interval in &mut run.intervals {
            interval.regions = last.clone();
            for (_, region) in interval.regions.iter_mut().enumerate().filter(|(at, _)| unknown(*at)) {
                (region.known, region.rows, region.bytes) = (Known::None, 0, 0);
                (region.rows_this_interval, region.reads_this_interval) = (0, 0);
            }
        }
    });
    watched
}

#[test]
fn regions_of_which_nothing_is_known_are_not_judged_fine() {
    let all = without("1k/s", |_| false);
    let count = all.regions.count;
    assert!(count > 1 && all.sentence.starts_with("Nothing to say: "), "{count} {}", all.sentence);
    assert!(!all.sentence.contains("known") && !text(&all).contains("unknown"), "{}", text(&all));
    for (unknown, rate) in [(1, "1k/s"), (count, "1k/s"), (1, "900k/s")] {
        let some = without(rate, |at| (at as u64) < unknown);
        let Regions { count, unknown: told, empty, .. } = some.regions;
        assert_eq!((told, empty), (unknown, 0), "{}", some.sentence);
        let due = format!("Nothing is known of {unknown} of {count} regions, of which no server told");
        assert!(some.sentence.contains(&due), "{}", some.sentence);
        assert_eq!(
            some.sentence.starts_with("Nothing to say of what is judged: "),
            rate == "1k/s",
            "{}",
            some.sentence
        );
        assert!(text(&some).contains(&format!(", {unknown} unknown: ")), "{}", text(&some));
    }
    // A region that was told of once is known, for that time.
    let mut told = false;
    let (_, watched) = both(&design("\"id: bytes[16]\"", "", 8, "1k/s"), |run| {
        for interval in run.intervals.iter_mut().skip(1) {
            interval.servers.iter_mut().for_each(|server| *server = <_>::default());
            for region in &mut interval.regions {
                (region.rows_this_interval, region.reads_this_interval, region.known) = (0, 0, Known::None);
            }
        }
        told = run.intervals.len() > 1;
    });
    assert!(told && watched.regions.unknown == 0, "{}", watched.sentence);
    assert!(watched.sentence.starts_with("Nothing to say of what is judged: "), "{}", watched.sentence);
}

#[test]
fn a_time_without_counts_is_no_time_without_load() {
    let key = design("\"user: u64\"", "means = { user = \"random\" }\nsplits = { uniform = 8 }", 8, "1k/s");
    let key = key.replace("region.writes", "region.split = \"disabled\"\nregion.writes");
    let rates = |answer: &Answer| [answer.writes, answer.used.unwrap_or(0.0)];
    let near = |of: &Answer, due: [f64; 2]| rates(of).iter().zip(due).all(|(rate, due)| (rate / due - 1.0).abs() < 0.1);
    let (_, whole) = both(&key, |_| {});
    assert!(whole.known.is_none() && !text(&whole).contains("of the time"), "{}", text(&whole));
    // No server tells of anything, or of half of the regions, in all but the first intervals.
    for (every, known) in [(1, 0.25), (2, 0.625)] {
        let (_, part) = both(&key, |run| {
            let first = run.intervals.len() / 4;
            assert!(first > 1 && run.intervals.iter().all(|interval| interval.regions.len() == 8));
            for interval in run.intervals.iter_mut().skip(first) {
                for region in interval.regions.iter_mut().step_by(every) {
                    interval.servers[region.server as usize].writes -= region.rows_this_interval;
                    (region.rows_this_interval, region.reads_this_interval, region.known) = (0, 0, Known::None);
                }
            }
        });
        assert!(near(&part, rates(&whole)), "{every}: {:?} {:?}", rates(&part), rates(&whole));
        assert!(part.known.is_some_and(|part| (part - known).abs() < 0.15), "{every}: {:?}", part.known);
        assert!(part.sentence.contains(" of the time: the rates are those of the rest."), "{}", part.sentence);
        assert!(text(&part).contains("/s, by ") && is_valid(&Line::Answer(Box::new(part))));
    }
}

/// The answer of a design's load that was watched for a part of an interval.
fn short(rate: &str, part: f64) -> Answer {
    let (_, watched) = both(&design("\"id: bytes[16]\"", "", 1, rate), |run| {
        let first = run.intervals.swap_remove(0);
        let length_ms = (first.t_ms as f64 * part) as u64;
        let cut = |count: &mut u64| *count = (*count as f64 * part) as u64;
        let mut first = Interval { t_ms: length_ms, ..first };
        first.regions.iter_mut().for_each(|region| cut(&mut region.rows_this_interval));
        first.servers.iter_mut().for_each(|server| cut(&mut server.writes));
        run.intervals = vec![first];
    });
    watched
}

#[test]
fn a_run_that_is_shorter_than_an_interval_has_the_rate_and_the_verdict_of_its_time() {
    for (rate, is_over) in [("6k/s", false), ("30k/s", true)] {
        let [whole, part] = [1.0, 0.1].map(|part| short(rate, part));
        assert!((part.writes / whole.writes - 1.0).abs() < 0.01, "{} of {}", part.writes, whole.writes);
        for answer in [&whole, &part] {
            assert_eq!(answer.saturates.is_some(), is_over, "{}", answer.sentence);
        }
        let asked = |answer: &Answer| answer.saturates.as_ref().map_or(1.0, |saturation| saturation.asked);
        assert!((asked(&part) / asked(&whole) - 1.0).abs() < 0.05, "{} {}", part.sentence, whole.sentence);
    }
}

#[test]
fn a_server_is_told_with_its_name() {
    let told = short("30k/s", 1.0);
    let (saturates, hottest) = (told.saturates.clone().unwrap(), told.hottest_written.clone().unwrap());
    let of = |server: u32| format!("erver {server} (rs{server}:16020)");
    assert!(told.sentence.contains(&format!("S{} saturates", of(saturates.server))), "{}", told.sentence);
    assert!(text(&told).contains(&format!("on s{}, from", of(hottest.server))), "{}", text(&told));
}

#[test]
fn an_idle_table_is_asked_for_nothing_and_sizes_are_as_they_are_told() {
    let (_, idle) = both(&design("\"id: bytes[16]\"", "", 1, "1k/s"), |run| {
        for interval in &mut run.intervals {
            interval.servers.iter_mut().for_each(|server| *server = <_>::default());
            for region in &mut interval.regions {
                (region.rows_this_interval, region.reads_this_interval, region.bytes) = (0, 0, 7 << 20);
            }
        }
    });
    assert!(idle.sentence.starts_with("Nothing to say: no server is asked for anything."), "{}", idle.sentence);
    assert!(text(&idle).contains(": 7 MiB in the middle, 7 MiB at most"), "{}", text(&idle));
}
