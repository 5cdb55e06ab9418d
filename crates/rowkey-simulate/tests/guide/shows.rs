//! What the texts say, in numbers of the runs.

use rowkey_simulate::run::{Answer, Interval, QueryAnswer};

use super::{Told, says, told};

/// The intervals of the second half in which something is written.
fn later(told: &Told) -> impl Iterator<Item = &Interval> {
    let intervals = &told.run.intervals;
    intervals[intervals.len() / 2..].iter().filter(|interval| writes(interval) > 0)
}

fn writes(interval: &Interval) -> u64 {
    interval.servers.iter().map(|server| server.writes).sum()
}

fn servers_at_work(interval: &Interval) -> usize {
    interval.servers.iter().filter(|server| server.writes > 0).count()
}

fn regions_written(interval: &Interval) -> usize {
    interval.regions.iter().filter(|region| region.rows_this_interval > 0).count()
}

/// The parts of an interval's writes that its regions have.
fn shares(interval: &Interval) -> impl Iterator<Item = f64> {
    let all = writes(interval) as f64;
    interval.regions.iter().map(move |region| region.rows_this_interval as f64 / all)
}

fn query<'a>(answer: &'a Answer, name: &str) -> &'a QueryAnswer {
    answer.queries.iter().find(|query| query.query == name).unwrap()
}

fn sustained(told: &Told) -> f64 {
    told.answer.sustained.unwrap().of_run
}

/// The word for a number that is a whole one, within a part of it.
fn word(number: f64, within: f64) -> &'static str {
    const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let word = WORDS.get(number.round() as usize - 1).expect("a number from one to ten");
    assert!((number / number.round() - 1.0).abs() <= within, "{number} is not {word}");
    word
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// Returns whether at least four of five intervals are so: splits and moves fall into the others.
fn mostly<'i>(intervals: impl Iterator<Item = &'i Interval>, is_so: impl Fn(&Interval) -> bool) -> bool {
    let are_so: Vec<bool> = intervals.map(is_so).collect();
    assert!(are_so.len() >= 20, "{}", are_so.len());
    are_so.iter().filter(|is_so| **is_so).count() * 5 >= are_so.len() * 4
}

#[test]
fn four_keys() {
    let tables = told("four_keys");
    let [sequential, salted, promoted, randomised] = &tables[..] else { panic!("four tables") };
    // A night without requests is in the run too.
    assert!(
        tables.iter().all(|told| told.run.intervals.len() == 96 && (told.answer.writes / 1200.0 - 1.0).abs() < 0.02)
    );
    // Monotone keys hit one region, and one server; a split or a move changes which.
    assert!(mostly(later(sequential), |interval| servers_at_work(interval) == 1));
    assert!(later(sequential).all(|interval| servers_at_work(interval) <= 2));
    assert_eq!(sequential.answer.rules.first().map(String::as_str), Some("H01"));
    assert!(sequential.answer.saturates.is_some() && sustained(sequential) < 1.01 * 2000.0);
    for spread in [salted, promoted, randomised] {
        // When it is busy: at night some servers have no sample.
        let busy = later(spread).filter(|interval| writes(interval) > 500_000);
        assert!(busy.count() >= 20 && spread.answer.saturates.is_none());
        let mut busy = later(spread).filter(|interval| writes(interval) > 500_000);
        assert!(busy.all(|interval| servers_at_work(interval) == 8), "{}", spread.table);
        assert!(sustained(spread) > 6.0 * sustained(sequential), "{}", spread.table);
    }
    let times = [salted, promoted, randomised].map(|spread| word(sustained(spread) / sustained(sequential), 0.02));
    assert!(times.iter().all(|word| *word == times[0]), "{times:?}");
    says("four_keys", &format!("takes what one server takes, 2,000 a second; the others {} times as much", times[0]));
    // Where the page does not say what the figure does: these three take the same.
    let of_three = [salted, promoted, randomised].map(sustained);
    assert!(of_three.iter().all(|rate| (rate / of_three[0] - 1.0).abs() < 0.1), "{of_three:?}");
    // An hour of all: one range, sixteen, or the whole table.
    let hour = |told: &Told| {
        let hour = query(&told.answer, "an hour");
        (hour.read_per_returned.unwrap(), hour.seeks)
    };
    assert_eq!([hour(sequential), hour(salted)], [(1.0, 1), (1.0, 16)]);
    let hours = 365.0 * 24.0;
    assert!([promoted, randomised].iter().all(|told| (hour(told).0 / hours - 1.0).abs() < 1e-3));
    says("four_keys", "the whole table: 8,760 rows for each that is returned, as many as a year has hours");
    assert_eq!(query(&promoted.answer, "a visitor's hour").read_per_returned, Some(1.0));
}

#[test]
fn crash_reports() {
    let tables = told("crash_reports");
    let reports = &tables[0];
    // Sixteen prefixes: at least as many regions are written at any time, on all sixteen servers, none much more.
    for interval in later(reports) {
        assert!(servers_at_work(interval) == 16 && regions_written(interval) >= 16);
        assert!(shares(interval).all(|share| share < 1.5 / 16.0));
    }
    // The last hour of each day.
    let evenings = reports.run.intervals.iter().skip(23).step_by(24);
    let most: Vec<&str> = evenings.map(|evening| word(regions_written(evening) as f64 / 16.0, 0.1)).collect();
    assert!(most.iter().all(|word| *word == most[0]), "{most:?}");
    says("crash_reports", &format!("in the evening there are {} times as many", most[0]));
    let day = query(&reports.answer, "a day's reports");
    assert_eq!((day.seeks, day.servers, day.read_per_returned), (16, Some(16.0), Some(1.0)));
    assert!(reports.answer.saturates.is_none());
}

#[test]
fn metrics() {
    let tables = told("metrics");
    let [five, five_thousand] = &tables[..] else { panic!("two tables") };
    assert!(later(five).all(|interval| regions_written(interval) <= 5));
    assert!(mostly(later(five), |interval| servers_at_work(interval) <= 5));
    assert_eq!(five.answer.rules.first().map(String::as_str), Some("H05"));
    // Five servers of sixteen at the most, so not 80,000 a second, but five times 10,000 as far as a sample tells.
    let servers = word(sustained(five) / 10_000.0, 0.02);
    assert!(sustained(five) < 160_000.0 / 3.0);
    says("metrics", &format!("as much as {servers} servers do, less than a third of what all take together"));
    // A fifth of 80,000: none has two ends.
    let asked = five.answer.saturates.as_ref().unwrap().asked;
    assert!((asked / 16_000.0 - 1.0).abs() < 0.02, "{asked}");
    says("metrics", "No server ever has two of the five ends in this run");
    assert!(later(five_thousand).all(|interval| regions_written(interval) >= 16 && servers_at_work(interval) == 16));
    assert!(five_thousand.answer.saturates.is_none() && sustained(five_thousand) > 100_000.0);
}

#[test]
fn queue() {
    let tables = told("queue");
    let jobs = &tables[0];
    let reads = |interval: &Interval| interval.servers.iter().map(|server| server.rows_read).sum::<u64>() as f64;
    // A run a second that wants ten rows reads a hundred times as many, from the beginning on.
    let seconds = jobs.run.settings.interval_ms as f64 / 1000.0;
    assert!(jobs.run.intervals.iter().all(|interval| reads(interval) > 100.0 * 10.0 * seconds));
    assert!(jobs.answer.saturates.as_ref().is_some_and(|saturation| saturation.reads));
    assert!(
        jobs.answer.sentence.contains("with these servers. ") && jobs.answer.sentence.contains("H17: "),
        "{}",
        jobs.answer.sentence
    );
    // Regions stay when their rows are gone.
    assert!(jobs.answer.regions.empty * 2 > jobs.answer.regions.count);
    says("queue", "More than half of the regions have no row at the end");
    let runs: Vec<f64> = jobs.run.intervals.iter().map(|interval| reads(interval) / seconds).collect();
    assert!((runs[0] / 100_000.0 - 1.0).abs() < 0.25 && runs[runs.len() / 2..].iter().all(|rows| *rows > 2e6));
    says("queue", "wants ten rows reads a hundred thousand in the first hours and millions later");
}

#[test]
fn celebrity() {
    let tables = told("celebrity");
    let [pages, followers] = &tables[..] else { panic!("two tables") };
    // One server has the row's part at the end as at the beginning: no split divides it. The reads of a region that is
    // split within an interval are divided as its rows lie, so these are counted by server.
    for interval in &pages.run.intervals {
        let reads = interval.servers.iter().map(|server| server.reads as f64);
        assert!(reads.clone().fold(0.0, f64::max) >= 0.4 * reads.sum::<f64>());
    }
    assert!(followers.run.intervals.iter().all(|interval| shares(interval).fold(0.0, f64::max) > 0.2));
    assert!(pages.run.splits.len() > 10 && followers.run.splits.len() > 10);
    let rules = [pages, followers].map(|told| told.answer.rules.first().map(String::as_str));
    assert_eq!(rules, [Some("H26"), Some("H04")]);
    for (told, reads) in [(pages, true), (followers, false)] {
        let saturation = told.answer.saturates.as_ref().unwrap();
        assert!(saturation.reads == reads && saturation.part > 0.99);
        assert!(told.answer.sentence.contains("however many servers there are"));
    }
}

#[test]
fn benford() {
    let tables = told("benford");
    let [evenly, by_sample] = &tables[..] else { panic!("two tables") };
    // The regions of the digits 1 to 9, before anything is split. The first has what sorts before 10000000.
    let found: Vec<f64> = shares(&evenly.run.intervals[0]).skip(1).collect();
    let due = (1..=9).map(|digit| (1.0 + 1.0 / f64::from(digit)).log10());
    assert!(found.iter().zip(due).all(|(found, due)| (found - due).abs() < 0.025), "{found:?}");
    assert!(found.len() == 9 && evenly.answer.saturates.is_some());
    let (first, last) = (percent(found[0]), percent(found[8]));
    says("benford", &format!("the region of the digit 1 has {first} of the writes and that of 9 has {last}"));
    assert!(evenly.answer.sentence.contains("H09"));
    // Split points from a sample help.
    assert!(shares(&by_sample.run.intervals[0]).all(|share| share < 1.3 / 9.0));
    assert!(by_sample.answer.saturates.is_none());
    // In time HBase evens out sizes by itself.
    let most = |interval: &Interval| interval.servers.iter().map(|server| server.writes).max().unwrap();
    let last = &evenly.run.intervals[evenly.run.intervals.len() - 1];
    assert!(most(last) as f64 / (writes(last) as f64) < 0.2);
}
