//! The answers of simulations: against what can be computed, against `check`, and on designs that are good.

mod advice;
mod counted;
mod daily;
mod declared_rates;
mod even;
mod events;
mod from_start;
mod full;
mod hashed;
mod hottest;
mod laws;
mod lengths;
mod moving;
mod queries;
mod sampled;
mod shares;
mod tables;
mod watched;
mod watched_load;
mod wording;
mod worst;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::{CheckOptions, Date, Design, File, Rule, Severity};
use rowkey_simulate::answer::{NOTHING, Other, answer, facts};
use rowkey_simulate::load::{self, Drawn, Load as _, LoadError};
use rowkey_simulate::page::label;
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Answer, Interval, Line, Region, Server};
use rowkey_simulate::simulation::{Declared, Options};

fn options() -> Options {
    Options { most: 10_000, ..Options::default() }
}

/// The answers of a design's tables and secondary tables; none of those that nothing writes.
fn answers(text: &str, options: &Options) -> Vec<Answer> {
    answers_with(text, options, &[Options { seed: 2, ..options.clone() }, Options { skew: 0.1, ..options.clone() }])
}

/// The answers without other seeds and skews.
fn answers_once(text: &str, options: &Options) -> Vec<Answer> {
    answers_with(text, options, &[])
}

fn answers_with(text: &str, options: &Options, more: &[Options]) -> Vec<Answer> {
    let file = File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() };
    let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let report = design.check(&check);
    let mut answers = Vec::new();
    for (table, costs) in design.query_costs(&check) {
        for secondary in std::iter::once(None).chain((0..table.secondary.len()).map(Some)) {
            let declared = Declared::of(&design, &table.name, secondary, &check).unwrap();
            let run = |options: &Options| declared.simulate(options, |_| {});
            match run(options) {
                Ok(first) => {
                    let others: Vec<_> =
                        more.iter().map(|options| Other::of(&declared, &run(options).unwrap())).collect();
                    answers.push(answer(&declared, &first, &others, &report, &costs, &[]));
                }
                Err(LoadError::NoEvents(_)) => {}
                Err(error) => panic!("{error}\n{text}"),
            }
        }
    }
    answers
}

/// True if the schema has such a line.
fn is_valid(line: &Line) -> bool {
    let schema = serde_json::from_str(include_str!("../../run.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap().is_valid(&serde_json::to_value(line).unwrap())
}

/// A table of this key on a cluster of so many servers, each of which takes 10,000 writes a second.
fn design(key: &str, more: &str, servers: u32, rate: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = {servers}\nregion.writes = \"10k/s\"\n\
         [table.t]\nkey = [{key}]\n{more}\n[[table.t.write]]\nname = \"a write\"\nrate = \"{rate}\"\n"
    )
}

#[test]
fn a_key_that_begins_with_a_time_takes_what_one_server_takes() {
    let key = "\"at: instant\", \"host: text\"";
    // Of few events in an interval, a tenth more than a server takes could be chance.
    let options = Options { most: 200_000, ..options() };
    let of = |rate| answers(&design(key, "stats.host = { distinct = 1000 }", 8, rate), &options).remove(0);
    let (calm, hot) = (of("9k/s"), of("11k/s"));
    assert_eq!(calm.saturates, None);
    let saturates = hot.saturates.unwrap();
    assert!(saturates.part > 0.9 && !saturates.reads && (saturates.asked / 11_000.0 - 1.0).abs() < 0.05);
    for answer in [&calm.sustained, &hot.sustained] {
        let bars = answer.unwrap();
        assert!((bars.of_run / 10_000.0 - 1.0).abs() < 0.01 && bars.least > 9_900.0 && bars.greatest < 10_100.0);
    }
    assert!(hot.rules.contains(&"H01".to_owned()) && hot.sentence.contains("H01: "), "{}", hot.sentence);
    assert!(hot.sentence.contains(" saturates ") && hot.sentence.contains("the table takes 10k a second"));
}

#[test]
fn what_one_server_is_asked_for_is_known_without_chance() {
    let key = "\"at: instant\", \"host: text\"";
    // A server takes 10k. In intervals of a hundred events 10.5k are within chance, but all writes are on one server.
    let text = design(key, "stats.host = { distinct = 1000 }", 8, "10500/s");
    let found = answers(&text, &options()).remove(0);
    assert!(
        found.sentence.contains(" saturates from the start: a server is asked for up to 10.5k"),
        "{}",
        found.sentence
    );
    let calm = answers(&text.replace("10500/s", "9500/s"), &options()).remove(0);
    assert_eq!(calm.saturates, None);
    let told = "asked for 9.5k writes a second of the 10k that it takes at most";
    assert!(calm.sentence.contains(told), "{}", calm.sentence);
}

#[test]
fn a_table_that_is_written_in_bursts_is_told_by_its_bursts() {
    let rates = "1k/s\"\npeak = \"24k/s\"\nshape = \"bursts of 1 h every 24 h";
    let text = design("\"at: instant\", \"host: text\"", "stats.host = { distinct = 1000 }", 8, rates);
    for days in [1.0, 2.0] {
        let found = answers(&text, &Options { seconds: days * 86_400.0, ..options() }).remove(0);
        assert!(found.busiest_server.of_run > 0.99 && found.hottest_region.of_run > 0.99, "{days}: {found:?}");
        assert!((found.sustained.unwrap().of_run / 10_000.0 - 1.0).abs() < 0.01, "{days}");
        // Each burst saturates a server from its beginning to its end.
        assert!((found.saturates.unwrap().part * 24.0 - 1.0).abs() < 0.3, "{days}");
        assert!(found.sentence.contains("% of the time; the table takes 10k a second"), "{}", found.sentence);
    }
}

#[test]
fn the_peak_is_that_of_bursts_however_long_the_run() {
    let rates = "1k/s\"\npeak = \"36k/s\"\nshape = \"bursts of 10 min every 6 h";
    let text = design("\"at: instant\", \"host: text\"", "stats.host = { distinct = 1000 }", 8, rates);
    for days in [0.5, 1.0, 3.0] {
        let options = Options { seconds: days * 86_400.0, most: 100_000, ..options() };
        let saturates = answers(&text, &options).remove(0).saturates.unwrap();
        assert!((saturates.asked / 36_000.0 - 1.0).abs() < 0.05 && saturates.t_ms <= 600_000, "{days}: {saturates:?}");
    }
}

#[test]
fn what_a_table_takes_at_first_is_what_its_first_region_takes() {
    let text = design("\"user: u64\"", "means = { user = \"random\" }", 8, "12k/s");
    let options = Options { most: 200_000, ..options() };
    let found = answers(&text, &options).remove(0);
    let first = found.sustained_at_first.unwrap();
    assert!((first / 10_000.0 - 1.0).abs() < 0.01 && found.sustained.unwrap().of_run > 30_000.0, "{found:?}");
    let told = "until the table is split and its regions are moved: it takes 10k a second at first, and ";
    assert!(found.sentence.contains(told), "{}", found.sentence);
    let told = facts(&found);
    assert!(
        told.iter().any(|(_, value)| value.starts_with("10k/s at first, ") && value.ends_with(" later")),
        "{told:?}"
    );
    assert!(is_valid(&Line::Answer(Box::new(found))));
    // Less than it takes at first is told of both too.
    let less = answers(&text.replace("12k/s", "9k/s"), &options).remove(0);
    assert!(less.saturates.is_none() && less.sustained_at_first.is_some());
    // Cut before it is written, and left so, it takes as much from the beginning on.
    let cut = design("\"user: u64\"", "means = { user = \"random\" }\nsplits = { uniform = 8 }", 8, "12k/s");
    let cut = cut.replace("region.writes", "region.split = \"disabled\"\nregion.writes");
    assert_eq!(answers(&cut, &options).remove(0).sustained_at_first, None);
}

#[test]
fn reads_are_counted_as_check_counts_them() {
    // Each run reads fifty rows: it costs one and a half reads, not fifty.
    let query =
        "[[table.t.query]]\nname = \"a page\"\nfix = [\"host\"]\norder = \"newest\"\nlimit = 50\nrate = \"1k/s\"\n";
    let key = "\"host: text\", \"at: instant desc\"";
    for (reads, saturates) in [("4k/s", false), ("1k/s", true)] {
        let text = design(key, "stats.host = { distinct = 100 }", 2, "1k/s") + query;
        let text = text.replace("region.writes", &format!("region.reads = \"{reads}\"\nregion.writes"));
        let found = answers(&text, &Options { most: 100_000, ..options() }).remove(0);
        let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text }]).unwrap();
        let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let (table, costs) = design.query_costs(&check).next().unwrap();
        let load = costs[0].read_load(table, &KeyFacts::of(table, None), design.cluster(&check)).unwrap();
        assert!((found.reads / load.reads - 1.0).abs() < 0.02 && load.reads == 1490.0, "{} {load:?}", found.reads);
        assert!((found.rows_read / 50_000.0 - 1.0).abs() < 0.02, "{}", found.rows_read);
        assert_eq!(found.saturates.is_some(), saturates, "{}", found.sentence);
        let told = "reads a second (100 rows of a scan are one), and takes 1k";
        assert_eq!(found.sentence.contains(told), saturates, "{}", found.sentence);
    }
}

#[test]
fn pre_split_buckets_take_what_all_servers_take() {
    // Of few events in an interval the busiest server has more by chance.
    let options = Options { most: 100_000, seconds: 20_000.0, ..options() };
    for (servers, buckets) in [(4, 16), (8, 16), (8, 64)] {
        let salt =
            format!("salt = {{ buckets = {buckets} }}\nsplits = \"buckets\"\nstats.host = {{ distinct = 100000 }}");
        let text = design("\"host: text\", \"at: instant\"", &salt, servers, "30k/s");
        let found = answers(&text, &options).remove(0);
        let all = f64::from(servers) * 10_000.0;
        let sustained = found.sustained.unwrap();
        assert!((0.75 * all..=all).contains(&sustained.of_run), "{servers}, {buckets}: {sustained:?}");
        assert!(found.sentence.starts_with(NOTHING), "{}", found.sentence);
    }
}

#[test]
fn a_frequent_value_is_on_one_server() {
    let of = |share| {
        let more = format!(
            "stats.user = {{ distinct = 10000, skew = \"one value {share}\", size = \"8 B\" }}\n\
             splits = {{ keys = [\"63\", \"66\", \"69\", \"6c\", \"6f\", \"72\", \"75\"] }}"
        );
        answers(&design("\"user: text\", \"at: instant\"", &more, 8, "40k/s"), &options()).remove(0)
    };
    for share in [0.3, 0.6] {
        let found = of(share);
        let (busiest, hottest) = (found.busiest_server.of_run, found.hottest_region.of_run);
        assert!(hottest > share - 0.05 && busiest >= hottest - 1e-9 && hottest < share + 0.2, "{share}: {hottest}");
        assert!(found.rules.contains(&"H04".to_owned()), "{share}: {:?}, {}", found.rules, found.sentence);
        assert_eq!(found.saturates.is_some(), 40_000.0 * busiest > 10_000.0);
    }
}

#[test]
fn more_servers_are_no_remedy_where_one_region_is_hot() {
    let of = |key: &str, more: &str| answers(&design(key, more, 2, "50k/s"), &options()).remove(0);
    let hot = of("\"at: instant\", \"host: text\"", "stats.host = { distinct = 1000 }");
    assert_eq!(hot.rules, ["H01"], "{}", hot.sentence);
    assert!(hot.sentence.contains("however many servers there are. ") && hot.sentence.contains("H01: "));
    assert!(!hot.sentence.contains("servers take them"), "{}", hot.sentence);
    // Of an even load the remedy is more of them.
    let salt = "salt = { buckets = 64 }\nsplits = \"buckets\"\nstats.host = { distinct = 100000 }";
    let even = of("\"host: text\", \"at: instant\"", salt);
    assert!(even.sentence.contains("with these servers. ") && !even.sentence.contains("however many"));
    assert!(even.sentence.contains("5 servers take them, if the key spreads them evenly"), "{}", even.sentence);
}

#[test]
fn what_a_server_takes_is_said_to_be_assumed() {
    let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"host\", \"at\"]\nrate = \"1/s\"\n";
    let text = design("\"host: text\", \"at: instant\"", "stats.host = { distinct = 1000 }", 2, "1k/s") + query;
    let declared = text.replace("region.writes", "region.reads = \"1k/s\"\nregion.writes");
    let unsaid = text.replace("region.writes = \"10k/s\"\n", "");
    let of = |text: &str, engine: &str| {
        answers(&text.replace("engine = \"hbase\"", &format!("engine = \"{engine}\"")), &options()).remove(0)
    };
    let takes = |found: &Answer| -> Vec<String> {
        found.assumed.iter().filter(|assumed| assumed.starts_with("a server takes")).cloned().collect()
    };
    assert!(takes(&of(&declared, "hbase")).is_empty());
    let said = |writes: &str, reads: &str| {
        let of = |many: &str, what: &str| format!("a server takes {many} {what}s a second: say `region.{what}s = …`");
        [of(writes, "write"), of(reads, "read")]
    };
    assert_eq!(takes(&of(&unsaid, "hbase")), said("10k", "any number of"));
    let bigtable = of(&unsaid, "bigtable");
    assert_eq!(takes(&bigtable), said("14k", "17k"));
    // What is drawn of it are no tablets.
    assert!(bigtable.regions.are_ranges && bigtable.assumed.iter().any(|told| told.contains("tablets of bigtable")));
    let names: Vec<String> = facts(&bigtable).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"ranges at the end".to_owned()) && !names.iter().any(|name| name.contains("region")));
}

/// Of an overwritten table the rows that are written are known by the order alone; HBase splits none of 1000 regions.
#[test]
fn what_a_run_takes_for_new_rows_and_what_is_split_no_more_is_said() {
    let more = "means.id = \"random\"\nrows = 100_000\nunique = \"upsert\"";
    let text = design("\"id: u64\"", more, 2, "1k/s");
    let is_said = |text: &str, words: &str| {
        answers_once(text, &options()).remove(0).assumed.iter().any(|assumed| assumed.contains(words))
    };
    let new = "\"a write\" writes a new row each time, though the table is overwritten";
    assert!(is_said(&text, new) && !is_said(&(text.clone() + "order = \"random\"\n"), new));
    assert!(!is_said(&text.replace("rows = 100_000", ""), new));
    let small = "region = { max = \"1 MB\", flush = \"100 kB\", writes = \"10k/s\" }";
    let of = |servers| {
        design("\"id: u64\"", "means.id = \"random\"", servers, "1k/s").replace("region.writes = \"10k/s\"", small)
    };
    let full = "a server with 1000 regions splits none";
    assert!(is_said(&of(1), full) && !is_said(&of(20), full));
}

#[test]
fn names_draw_nothing() {
    let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"host\"]\nrate = \"100/s\"\nskew.host = \"zipf 1\"\n";
    let text = design("\"host: text\", \"at: instant\"", "stats.host = { distinct = 1000 }", 4, "1k/s") + query;
    let run = |text: &str, table: &str| {
        let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
        let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        Declared::of(&design, table, None, &check).unwrap().simulate(&options(), |_| {}).unwrap()
    };
    let named = text.replace("host", "machine").replace("table.t", "table.visits").replace("\"q\"", "\"page\"");
    let (one, other) = (run(&text, "t"), run(&named, "visits"));
    assert_eq!((one.intervals, one.splits, one.steps), (other.intervals, other.splits, other.steps));
    // A key with the same fields in another order has the same rows.
    let rows = |text: &str| {
        let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
        let mut drawn = Drawn::new(&design, "t", None, None, None, &load::Options::default()).unwrap();
        let (layout, mut rows) = (&design.tables["t"].layout, Vec::new());
        drawn
            .events(&mut |event| {
                let mut values: Vec<String> =
                    layout.decode(event.key).unwrap().iter().map(|value| format!("{value:?}")).collect();
                values.sort();
                rows.push(values);
                if rows.len() == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        rows
    };
    let text = design("\"host: text\", \"at: instant\"", "stats.host = { distinct = 1000 }", 4, "1k/s");
    assert_eq!(rows(&text), rows(&text.replace("\"host: text\", \"at: instant\"", "\"at: instant\", \"host: text\"")));
}

/// The busiest of `servers` even servers has more by chance: of a hundred intervals with so many events in all, this
/// part of its share more, in the median.
fn tolerance(servers: f64, events: f64) -> f64 {
    // Of eight normal deviates the greatest is 1.42 on average.
    1.42 * ((servers - 1.0) / (events / 96.0)).sqrt()
}

#[test]
fn reads_take_no_events_from_writes() {
    let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"host\", \"at\"]\nrate = \"200k/s\"\n";
    let more = "salt = { buckets = 64 }\nsplits = \"buckets\"\nstats.host = { distinct = \"1M\" }";
    let text = design("\"host: u64\", \"at: instant\"", more, 8, "200/s");
    // A million events keep it below 6 %; these are fewer, so that the test is short.
    const EVENTS: f64 = 50_000.0;
    assert!(tolerance(8.0, 1e6) < 0.06);
    let most = 1.3 * tolerance(8.0, EVENTS);
    for seed in 1..=3 {
        let options = Options { most: EVENTS as u64, seed, ..options() };
        let run = |text: &str| {
            let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
            let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
            Declared::of(&design, "t", None, &check).unwrap().simulate(&options, |_| {}).unwrap()
        };
        let (alone, both) = (run(&text), run(&format!("{text}{query}")));
        let writes = |run: &Run| -> Vec<Vec<u64>> {
            run.intervals.iter().map(|interval| interval.servers.iter().map(|server| server.writes).collect()).collect()
        };
        // A thousand reads a write change no write.
        assert_eq!(writes(&alone), writes(&both), "{seed}");
        let counts: [fn(&Server) -> u64; 2] = [|server| server.writes, |server| server.reads];
        for of in counts {
            let share = |interval: &Interval| {
                let counts = interval.servers.iter().map(of);
                counts.clone().max().unwrap() as f64 / counts.sum::<u64>() as f64
            };
            let mut shares: Vec<f64> = both.intervals[48..].iter().map(share).collect();
            shares.sort_by(f64::total_cmp);
            let part = 8.0 * shares[shares.len() / 2] - 1.0;
            assert!(part < most, "{seed}: {part} of {most}");
        }
    }
}

#[test]
fn the_hottest_region_is_named() {
    let more = "stats.user = { distinct = 10000, skew = \"one value 0.6\", size = \"8 B\" }";
    let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"user\", \"at\"]\nrate = \"1k/s\"\n";
    let text = design("\"user: text\", \"at: instant\"", more, 8, "40k/s") + query;
    let found = answers(&text, &options()).remove(0);
    let parsed = Design::parse([File { name: "t.rowkey.toml".to_owned(), text }]).unwrap();
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let declared = Declared::of(&parsed, "t", None, &check).unwrap();
    let run = declared.simulate(&options(), |_| {}).unwrap();
    let counts: [fn(&Region) -> u64; 2] = [|region| region.rows_this_interval, |region| region.reads_this_interval];
    let named = [&found.hottest_written, &found.hottest_read].map(|hot| hot.as_ref().unwrap());
    let shares = [found.hottest_region, found.hottest_reader.unwrap()];
    for ((hot, of), share) in named.into_iter().zip(counts).zip(shares) {
        let interval = run.intervals.iter().find(|interval| interval.t_ms == hot.t_ms).unwrap();
        let most = interval.regions.iter().max_by_key(|region| of(region)).unwrap();
        let named = interval.regions.iter().find(|region| region.start == hot.start).unwrap();
        // Of a hundred events another one may have some more by chance.
        assert!(
            of(named) as f64 > 0.8 * of(most) as f64 && named.server == hot.server,
            "{} of {}",
            of(named),
            of(most)
        );
        let all: u64 = interval.regions.iter().map(of).sum();
        // It is of more events than those of one interval.
        assert!((of(most) as f64 / all as f64 - hot.share).abs() < 0.2, "{all}: {}", hot.share);
        assert_eq!(hot.share.to_bits(), share.of_run.to_bits());
        assert_eq!(hot.label, label(&hot.start.0, declared.key.layout, &declared.times()));
        assert!(hot.start.0.is_empty() || hot.label.starts_with("user "), "{}", hot.label);
        let at = interval.regions.iter().position(|region| region.start == hot.start).unwrap();
        assert_eq!(hot.end.as_ref(), interval.regions.get(at + 1).map(|next| &next.start));
        let end = hot.end.as_ref().map(|end| label(&end.0, declared.key.layout, &declared.times()));
        assert_eq!(hot.end_label, end);
        let end = end.map_or("the end".to_owned(), |end| format!("before {end}"));
        let place = format!("on server {}, from {} to {end}", hot.server, hot.label);
        assert!(
            facts(&found).iter().any(|(name, told)| name.ends_with("the hottest region") && told.ends_with(&place))
        );
    }
    let hot = named[0];
    assert!((hot.share - 0.6).abs() < 0.03, "{}", hot.share);
    let told = format!("has {} % of the writes, on server {}, from user ", (hot.share * 100.0).round(), hot.server);
    assert!(found.saturates.is_some() && found.sentence.contains(&told), "{}", found.sentence);
    assert!(is_valid(&Line::Answer(Box::new(found))));
}

#[test]
fn good_designs_of_studies_have_nothing_to_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/designs");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut count = 0;
    for path in paths.iter().filter(|path| path.to_string_lossy().ends_with(".rowkey.toml")) {
        // It has what the texts warn of beside what they advise.
        let is_mixed = path.ends_with("four_designs.rowkey.toml");
        for found in answers(&fs::read_to_string(path).unwrap(), &options()) {
            count += 1;
            let is_bad = is_mixed && matches!(&*found.table, "sequential" | "randomised");
            assert_eq!(found.sentence.starts_with(NOTHING), !is_bad, "{}: {}", path.display(), found.sentence);
        }
    }
    assert!(count > 20, "{count}");
}

/// The bad and the good design of each rule that says where load lands.
fn pages(which: &str) -> Vec<(&'static str, String)> {
    let part = |rule: &Rule| {
        Some(rule.page().split_once(&format!("\n{which}:\n\n```toml\n"))?.1.split_once("```")?.0.to_owned())
    };
    Rule::all().filter(|rule| rule.id.starts_with('H')).filter_map(|rule| Some((rule.id, part(rule)?))).collect()
}

/// The rules that a sentence quotes, each once.
fn quoted(sentence: &str) -> Vec<String> {
    let ids =
        sentence.split_whitespace().filter_map(|word| word.strip_suffix(':')).filter(|id| Rule::named(id).is_some());
    let mut rules: Vec<String> = Vec::new();
    for id in ids.filter(|id| id.len() == 3) {
        if !rules.iter().any(|rule| rule == id) {
            rules.push(id.to_owned());
        }
    }
    rules
}

#[test]
fn the_verdict_is_that_of_check() {
    let mut seen = 0;
    for (id, text) in pages("Bad").into_iter().chain(pages("Good")) {
        let file = File { name: "t.rowkey.toml".to_owned(), text: text.clone() };
        let report = Design::parse([file]).unwrap().check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        for found in answers(&text, &options()) {
            let warned = |rule: &String| {
                report.findings.iter().any(|finding| finding.rule.id == rule && finding.severity > Severity::Note)
            };
            let is_warned = found.rules.iter().any(warned);
            seen += usize::from(is_warned);
            let is_fine = found.sentence.starts_with(NOTHING);
            assert_eq!(is_fine, !is_warned && found.saturates.is_none(), "{id}: {}", found.sentence);
            assert_eq!(found.rules, quoted(&found.sentence), "{id}: {}", found.sentence);
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn the_same_seed_gives_the_same_answers() {
    let text =
        design("\"host: text\", \"at: instant\"", "stats.host = { distinct = 100, skew = \"zipf 1\" }", 3, "5k/s");
    let told = |seed| {
        let found = answers(&text, &Options { seed, ..options() }).remove(0);
        serde_json::to_string(&Line::Answer(Box::new(found))).unwrap()
    };
    assert_eq!(told(5), told(5));
    assert_ne!(told(5), told(6));
}

/// A table of ten million users, which nothing writes, and a query of one of them.
fn read_only(rate: &str, more: &str) -> String {
    let text = design("\"user: u64\", \"item: u32\"", "rows = \"1G\"\nstats.user = { distinct = \"10M\" }", 8, "1/s");
    let text = text + "\n[table.t.family.v]\ncolumns = [\"x\"]\nsizes = { x = \"200 B\" }\n";
    let (table, write) = text.split_once("[[table.t.write]]").unwrap();
    let table = format!("{table}{}", write.split_once("\n\n").unwrap().1)
        .replace("region.writes", "region.reads = \"20k/s\"\nregion.writes");
    format!("{table}[[table.t.query]]\nname = \"q\"\nfix = [\"user\"]\nrate = \"{rate}\"\n{more}")
}

#[test]
fn a_table_that_nothing_writes_is_there_with_its_reads() {
    let run = |text: &str| {
        let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
        let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let declared = Declared::of(&design, "t", None, &check).unwrap();
        let run = declared.simulate(&Options { most: 100_000, ..options() }, |_| {}).unwrap();
        (run, declared.settings.max_filesize)
    };
    let text = read_only("50k/s", "");
    let (even, limit) = run(&text);
    // Its regions are as many as its rows fill, from the beginning on, with all rows; nothing is written or split.
    for Interval { regions, .. } in &even.intervals {
        let bytes: u64 = regions.iter().map(|region| region.bytes).sum();
        assert!(regions.len() as u64 == bytes.div_ceil(limit) && bytes > 200 << 30, "{} {bytes}", regions.len());
        assert!((regions.iter().map(|region| region.rows).sum::<u64>() as f64 / 1e9 - 1.0).abs() < 0.001);
        assert!(regions.iter().all(|region| region.rows_this_interval == 0 && region.bytes <= limit));
    }
    assert!(even.splits.is_empty() && even.moves.is_empty());
    let found = answers(&text, &options()).remove(0);
    assert!(found.saturates.is_none() && found.writes == 0.0 && found.sustained.is_none(), "{found:?}");
    // A user has a hundred rows, whatever number of rows each event stands for.
    assert!((found.reads / (50_000.0 * 1.99) - 1.0).abs() < 0.02, "{}", found.reads);
    assert!(found.sentence.contains("the busiest server is asked for") && !found.sentence.contains("writes"));
    // One user has half of the reads.
    let hot = answers(&read_only("50k/s", "skew.user = \"one value 0.5\"\n"), &options()).remove(0);
    assert!(hot.saturates.is_some_and(|saturation| saturation.reads) && hot.rules == ["H26"], "{}", hot.sentence);
    let picture = run(&text.replace("rows = \"1G\"", "rows = \"1G\"\nsplits = { uniform = 4 }")).0;
    assert!(picture.intervals[0].regions.len() >= 4);
}
