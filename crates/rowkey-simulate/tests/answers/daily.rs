//! A load that goes to a new last region each day: it saturates a server again after each midnight, until HBase has
//! split that day's rows too.

use rowkey_design::{CheckOptions, Date, Design, File};
use rowkey_simulate::answer::answer;
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Answer, Interval};
use rowkey_simulate::simulation::{Declared, Options};

const HOUR: f64 = 3600.0;

/// A log by day, tenant and time, on five servers that take 4000 writes a second.
fn audit(key: &str, rate: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 5\nregion.writes = \"4k/s\"\n[table.t]\n\
         key = [{key}]\nmeans = {{ at = \"milliseconds\", id = \"random\" }}\n\
         stats.tenant = {{ distinct = 300, skew = \"zipf 1.0\" }}\n[table.t.family.a]\n\
         columns = [\"who\", \"what\"]\nsizes = {{ who = \"30 B\", what = \"250 B\" }}\nttl = \"400 days\"\n\
         [[table.t.write]]\nname = \"event\"\nrate = \"{rate}/s\"\norder = \"time\"\n"
    )
}

const BY_DAY: &str = "\"day: date['yyyyMMdd']\", \"tenant: u32\", \"at: i64\", \"id: u64\"";
const BY_TENANT: &str = "\"tenant: u32\", \"at: i64\", \"id: u64\"";

fn of(text: &str, options: &Options) -> (Run, Answer) {
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let declared = Declared::of(&design, "t", None, &check).unwrap();
    let run = declared.simulate(options, |_| {}).unwrap();
    let found = answer(&declared, &run, &[], &design.check(&check), &[], &[]);
    (run, found)
}

/// The median of the second half of the intervals with any writes.
fn median(run: &Run, of: impl Fn(&Interval) -> Option<f64>) -> f64 {
    let all: Vec<f64> = run.intervals.iter().filter_map(of).collect();
    let mut later = all[all.len() / 2..].to_vec();
    later.sort_unstable_by(f64::total_cmp);
    later[later.len() / 2]
}

fn greatest(counts: impl Iterator<Item = u64> + Clone) -> Option<f64> {
    let all: u64 = counts.clone().sum();
    (all > 0).then(|| counts.max().unwrap_or(0) as f64 / all as f64)
}

fn busiest(interval: &Interval) -> Option<f64> {
    greatest(interval.servers.iter().map(|server| server.writes))
}

fn hottest(interval: &Interval) -> Option<f64> {
    greatest(interval.regions.iter().map(|region| region.rows_this_interval))
}

fn gini(interval: &Interval) -> Option<f64> {
    let mut counts: Vec<f64> = interval.regions.iter().map(|region| region.rows_this_interval as f64).collect();
    counts.sort_unstable_by(f64::total_cmp);
    let (sum, n) = (counts.iter().sum::<f64>(), counts.len() as f64);
    let ranked: f64 = (1..).zip(&counts).map(|(rank, count)| f64::from(rank) * count).sum();
    (sum > 0.0).then(|| 2.0 * ranked / (n * sum) - (n + 1.0) / n)
}

/// Keys with a day first, behind a salt if there is one.
fn by_day(salt: &str, hours: f64, most: u64, rate: &str, servers: u32) -> (Run, Answer, String) {
    let text = audit(BY_DAY, rate).replace("means = ", &format!("{salt}means = "));
    let text = text.replace("servers = 5", &format!("servers = {servers}"));
    let (run, found) = of(&text, &Options { seconds: hours * HOUR, most, ..Options::default() });
    let case = format!("{salt} {hours} h, {most} events, {rate}/s: {}", found.sentence);
    (run, found, case)
}

#[test]
fn shares_are_the_medians_of_the_intervals() {
    // Intervals of other days, and of regions that are split and moved.
    for (key, hours, most) in
        [(BY_DAY, 72.0, 300_000), (BY_DAY, 72.0, 1_000_000), (BY_DAY, 240.0, 300_000), (BY_TENANT, 72.0, 300_000)]
    {
        let (run, found) = of(&audit(key, "5k"), &Options { seconds: hours * HOUR, most, ..Options::default() });
        for (what, told, due) in [
            ("busiest server", found.busiest_server.of_run, median(&run, busiest)),
            ("hottest region", found.hottest_region.of_run, median(&run, hottest)),
            ("Gini", found.gini, median(&run, gini)),
        ] {
            assert!((told / due - 1.0).abs() < 0.1, "{key} {hours} h, {most}, {what}: {told}, due {due}");
        }
    }
}

#[test]
fn what_saturates_after_each_midnight_does_not_pass() {
    for (hours, most) in [(24.0, 100_000), (30.0, 100_000), (72.0, 300_000), (72.0, 1_000_000), (240.0, 300_000)] {
        let (run, found, case) = by_day("", hours, most, "5k", 5);
        let saturation = found.saturates.as_ref().unwrap_or_else(|| panic!("{case}"));
        assert!(!saturation.passes && !found.sentence.contains("until the table is split"), "{case}");
        let is_over = |interval: &&Interval| 5000.0 * busiest(interval).unwrap_or(0.0) > 4000.0;
        let over = run.intervals.iter().filter(is_over).count() as f64 / run.intervals.len() as f64;
        assert!((saturation.part - over).abs() < 0.05, "{}, due {over}: {case}", saturation.part);
        let taken = found.sustained.unwrap().of_run;
        assert!((taken / 4000.0 - 1.0).abs() < 0.05 && found.sustained_at_first.is_none(), "{taken}: {case}");
        let percent = (saturation.part * 100.0).round();
        let told = if percent < 1.0 { "less than 1".to_owned() } else { percent.to_string() };
        assert!(found.sentence.contains(&format!(", in {told} % of the time; the table takes 4")), "{case}");
        assert!(
            found.sentence.contains("however many servers there are") && found.sentence.contains("H01: "),
            "{case}"
        );
    }
    // What one server takes is too much at no time, and is told so.
    for (hours, rate) in [(24.0, "3800"), (72.0, "3800")] {
        let (_, found, case) = by_day("", hours, 100_000, rate, 5);
        assert!(found.saturates.is_none() && found.sustained.unwrap().of_run < 4200.0, "{case}");
        assert!(found.sentence.contains(" at most, when it has 100 % of all"), "{case}");
    }
    // A server that has the same part all the time has no such time.
    let (_, found) = of(&audit(BY_TENANT, "1"), &Options { most: 20_000, ..Options::default() });
    assert!(found.sentence.contains(" at most") && !found.sentence.contains("when it has"), "{}", found.sentence);
}

/// Each salt bucket has a new last region each day, be the run too short to show the second.
#[test]
fn fewer_salt_buckets_than_servers_do_not_help_for_a_while() {
    for hours in [6.0, 24.0, 96.0] {
        let (_, found, case) = by_day("salt = { buckets = 3 }\n", hours, 20_000, "14k", 5);
        let saturation = found.saturates.as_ref().unwrap_or_else(|| panic!("{case}"));
        assert!(!saturation.passes && found.sustained.unwrap().of_run < 12_600.0, "{:?}: {case}", found.sustained);
    }
}

/// What is split after the first day says nothing of the second, be the run more than twice as long.
#[test]
fn what_comes_again_in_the_first_half_of_a_run_does_not_pass() {
    let salt = "salt = { buckets = 4, by = [\"tenant\"] }\nsplits = \"buckets\"\n";
    let (run, found, case) = by_day(salt, 72.0, 50_000, "9k", 8);
    let day = 24 * 3_600_000;
    let over = |interval: &&Interval| interval.t_ms > day && 9000.0 * busiest(interval).unwrap_or(0.0) > 4400.0;
    let again = run.intervals.iter().filter(over).count();
    assert!(again > 3, "{again} intervals: {case}");
    assert!(found.saturates.is_some_and(|found| !found.passes), "{case}");
}

#[test]
fn regions_that_are_moved_by_their_number_are_told_as_such() {
    let salt = "salt = { buckets = 16, by = [\"id\"] }\nsplits = \"buckets\"\n";
    let (_, found, case) = by_day(salt, 72.0, 200_000, "48k", 16);
    let saturation = found.saturates.as_ref().unwrap_or_else(|| panic!("{case}"));
    // One of sixteen is three quarters of what a server takes: two on one server are too much.
    assert!(!saturation.passes && saturation.asked > 4000.0, "{case}");
    let told =
        "No rule of `check` says so: it is how regions are placed on 16 servers, by their number and not by their";
    assert!(found.sentence.contains(told) && !found.sentence.contains("take it"), "{case}");
}

#[test]
fn what_splits_and_moves_do_for_a_while_is_not_what_comes_again() {
    let query = "[[table.t.query]]\nname = \"a day\"\nfix = [\"tenant\"]\nrange = { at = \"1 day\" }\n\
                 recent = \"1 day\"\norder = \"newest\"\nrate = \"100/s\"\n";
    for most in [5000, 20_000] {
        let text = audit(BY_TENANT, "5k")
            .replace("stats.tenant = { distinct = 300, skew = \"zipf 1.0\" }", "stats.tenant.distinct = 300")
            + query;
        let (_, found) = of(&text, &Options { most, ..Options::default() });
        let (taken, part) = (found.sustained.unwrap().of_run, found.busiest_server.of_run);
        assert!((taken * part / 4000.0 - 1.0).abs() < 0.01, "{most} events: {taken} at {part}");
    }
}
