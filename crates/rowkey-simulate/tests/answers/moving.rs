//! A load that moves from region to region: a table takes what one server takes, however long an interval is.

use rowkey_simulate::answer::NOTHING;
use rowkey_simulate::simulation::Options;

use super::answers_once;

/// A table on three servers that take 14,000 writes a second.
fn time_first(engine: &str, rate: f64, more: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 3\nregion.writes = \"14k/s\"\n[table.clicks]\n\
         key = [\"at: i64\", \"user: u64\"]\nmeans = {{ at = \"milliseconds\", user = \"random\" }}\n{more}\
         [table.clicks.family.v]\ncolumns = [\"x\"]\nsizes = {{ x = \"100 B\" }}\nttl = \"30 days\"\n\
         [[table.clicks.write]]\nname = \"click\"\nrate = \"{rate}/s\"\norder = \"time\"\n"
    )
}

#[test]
fn a_key_that_begins_with_a_time_takes_what_one_server_takes_however_long_the_run() {
    const HOUR: f64 = 3600.0;
    let of = [
        (0.3, 24.0),
        (0.9, 24.0),
        (1.4, 24.0),
        (3.0, 24.0),
        (1.4, 0.2),
        (1.4, 1.0),
        (0.9, 480.0),
        (3.0, 480.0),
        (1.4, 8760.0),
    ];
    for (seed, (times, hours)) in (1..).zip(of) {
        let seconds = hours * HOUR;
        let text = time_first("bigtable", times * 14_000.0, "");
        let options = Options { seconds, seed, most: 100_000, ..Options::default() };
        let found = answers_once(&text, &options).remove(0);
        let case = format!("{times} times, {seconds} s: {}", found.sentence);
        let sustained = found.sustained.unwrap().of_run;
        assert!((sustained / 14_000.0 - 1.0).abs() < 0.02, "{case}: {sustained}");
        assert_eq!(found.saturates.is_some(), times > 1.0, "{case}");
        assert!(found.saturates.is_none_or(|found| !found.passes && found.part > 0.9), "{case}");
        assert!(found.hottest_region.of_run > 0.97, "{case}: {:?}", found.hottest_region);
    }
}

#[test]
fn what_is_loaded_in_the_order_of_its_keys_asks_one_server_at_a_time() {
    let text = super::design("\"id: u64\"", "means.id = \"random\"\nsplits = { uniform = 300 }", 4, "20k/s");
    let text = text.replace("region.writes", "region.split = \"disabled\"\nregion.writes");
    let options = Options { seconds: 3600.0, most: 200_000, ..Options::default() };
    let of = |order: &str| answers_once(&format!("{text}order = \"{order}\"\n"), &options).remove(0);
    let (sorted, random) = (of("key"), of("random"));
    assert!((sorted.sustained.unwrap().of_run / 10_000.0 - 1.0).abs() < 0.03, "{}", sorted.sentence);
    assert!(sorted.saturates.is_some(), "{}", sorted.sentence);
    assert!((random.sustained.unwrap().of_run / 40_000.0 - 1.0).abs() < 0.02, "{}", random.sentence);
    assert_eq!(random.saturates, None);
}

/// Fewer events than ranges do not tell that one range after the other is asked: the design does.
#[test]
fn a_load_in_the_order_of_its_keys_is_told_by_few_events_too() {
    let text = "format = 1\n[cluster.c]\nengine = \"tikv\"\nservers = 50\nregion.writes = \"10k/s\"\n[table.t]\n\
                key = [\"user: u16\", \"item: u64\", \"at: instant desc\"]\nunique = \"upsert\"\n\
                keep = \"forever\"\nstats.user = { distinct = 1000 }\n\
                stats.item = { distinct = 1000, skew = \"zipf 0.9\" }\n[table.t.family.v]\ncolumns = [\"a\"]\n\
                sizes = { a = \"2 kB\" }\n[[table.t.write]]\nname = \"even\"\nrate = \"100k/s\"\n\
                [[table.t.write]]\nname = \"load\"\nrate = \"125k/s\"\norder = \"key\"\n";
    // What one may ask at most changes nothing where it asks the same all the time.
    let peaked = text.replace("rate = \"100k/s\"", "rate = \"100k/s\"\npeak = \"150k/s\"");
    for (text, most) in [(text, 1000), (text, 20_000), (text, 200_000), (&peaked, 1000)] {
        let found = answers_once(text, &Options { most, ..Options::default() }).remove(0);
        let sustained = found.sustained.unwrap().of_run;
        assert!((sustained / 18_000.0 - 1.0).abs() < 0.05, "{most} events: {sustained}");
        assert!(found.saturates.is_some_and(|found| !found.passes && found.part > 0.9), "{most}: {}", found.sentence);
        assert!(found.sentence.contains("H19: \"load\" writes in the order of the key"), "{most}: {}", found.sentence);
    }
}

/// Split points divide no load that goes through the keys in their order.
#[test]
fn the_cure_of_a_load_in_the_order_of_its_keys_is_another_order() {
    let of = |rate: &str| {
        let text = super::design("\"id: u64\"", "means.id = \"random\"", 4, rate) + "order = \"key\"\n";
        answers_once(&text, &Options { most: 20_000, ..Options::default() }).remove(0).sentence
    };
    let told = of("20k/s");
    assert!(told.contains(". H19: ") && told.contains("To do: shuffle the input"), "{told}");
    assert!(!of("5k/s").contains("H19"), "{}", of("5k/s"));
}

#[test]
fn two_writes_at_one_time_are_of_one_moment() {
    // Half of the load is even, and half goes to the last region: neither moves.
    let text = super::design("\"id: u64\"", "means.id = \"random\"\nsplits = { uniform = 8 }", 4, "5k/s");
    let text = text.replace("region.writes", "region.split = \"disabled\"\nregion.writes");
    let both = text + "[[table.t.write]]\nname = \"one\"\nrate = \"5k/s\"\norder = \"one row\"\n";
    for (seconds, most) in [(3600.0, 200_000), (86_400.0, 20_000), (86_400.0 * 365.0, 50_000)] {
        let found = answers_once(&both, &Options { seconds, most, ..Options::default() }).remove(0);
        assert!((found.busiest_server.of_run - 0.625).abs() < 0.03, "{seconds}: {:?}", found.busiest_server);
        assert!((found.hottest_region.of_run - 0.5625).abs() < 0.03, "{seconds}: {:?}", found.hottest_region);
    }
}

#[test]
fn a_load_that_moves_at_the_beginning_alone_does_so_however_long_the_run() {
    // A queue whose numbers are beyond those of the declared rows after an hour: then they are in the last range.
    let text = "format = 1\n[cluster.c]\nengine = \"tikv\"\nservers = 3\nregion.writes = \"10k/s\"\n[table.q]\n\
                key = [\"id: u64\"]\nmeans = { id = \"sequence\" }\nkeep = \"forever\"\nrows = \"40M\"\n\
                [table.q.family.p]\ncolumns = [\"doc\"]\nsizes = { doc = \"200 B\" }\n[[table.q.write]]\n\
                name = \"push\"\nrate = \"12k/s\"\norder = \"time\"\n[[table.q.write]]\nname = \"pop\"\n\
                kind = \"delete\"\nrate = \"12k/s\"\norder = \"time\"\n";
    const DAY: f64 = 86_400.0;
    for (seconds, most) in [3600.0, 21_600.0, DAY, 3.0 * DAY, 30.0 * DAY, 3650.0 * DAY]
        .into_iter()
        .flat_map(|seconds| [(seconds, 30_000), (seconds, 60_000)])
    {
        let found = answers_once(text, &Options { seconds, most, ..Options::default() }).remove(0);
        let case = format!("{seconds} {most}: {}", found.sentence);
        assert!(found.sentence.contains(" saturates from the start: "), "{case}");
        let saturates = found.saturates.unwrap();
        assert!((saturates.asked / 24_000.0 - 1.0).abs() < 0.02 && !saturates.passes, "{case}");
        assert!(saturates.part > 0.995, "{case}");
    }
}

/// Of few calls, each of which stands for as much as hundreds of others, two in one place in turn are chance.
#[test]
fn few_heavy_scans_do_not_move() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 8\nregion = { writes = \"12k/s\", reads = \
                \"15k/s\", split = \"disabled\" }\n[table.t]\nkey = [\"device: u32\", \"at: i64 desc\"]\n\
                means = { at = \"seconds\" }\nstats.device = { distinct = \"40k\" }\nsplits = { keys = [\"00001388\", \
                \"00002710\", \"00003a98\", \"00004e20\", \"000061a8\", \"00007530\", \"000088b8\"] }\n\
                [table.t.family.f]\nsizes = { v = \"8 B\" }\nttl = \"90 days\"\n[[table.t.write]]\nname = \"w\"\n\
                rate = \"20k/s\"\norder = \"time\"\n[[table.t.query]]\nname = \"day\"\nfix = [\"device\"]\n\
                range = { at = \"1 day\" }\nrecent = \"1 day\"\norder = \"newest\"\nrate = \"100/s\"\n\
                [[table.t.query]]\nname = \"latest\"\nfix = [\"device\"]\norder = \"newest\"\nlimit = 1\n\
                rate = \"2k/s\"\n";
    for seed in 1..=6 {
        let found = answers_once(text, &Options { seed, most: 5000, ..Options::default() }).remove(0);
        assert_eq!(found.saturates, None, "{seed}: {}", found.sentence);
        let reader = found.busiest_reader.unwrap().of_run;
        assert!(reader < 0.25, "{seed}: {reader}");
    }
}

/// A run that reads several partitions, as of two days, is divided among several events: those ask for one sensor, and
/// the next ones for another.
#[test]
fn the_ranges_of_one_run_are_no_load_that_moves() {
    let text = "format = 1\n[cluster.c]\nengine = \"cassandra\"\nservers = 6\nregion.writes = \"10k/s\"\n\
                region.reads = \"10k/s\"\n[table.t]\nkey = [\"sensor: u32\", \"day: u32\", \"at: i64 desc\"]\n\
                partition = [\"sensor\", \"day\"]\nmeans = { at = \"milliseconds\", day = \"time bucket\" }\n\
                stats.day = { bucket = \"1 day\", grows = true }\nstats.sensor = { distinct = 50_000 }\n\
                [table.t.family.v]\ncolumns = [\"value\"]\nsizes = { value = \"8 B\" }\nttl = \"30 days\"\n\
                [[table.t.write]]\nname = \"reading\"\nrate = \"30k/s\"\n[[table.t.query]]\nname = \"two hours\"\n\
                fix = [\"sensor\"]\nrange.at = \"2 h\"\nrecent = \"2 h\"\nrate = \"500/s\"\n";
    for most in [20_000, 50_000] {
        let found = answers_once(text, &Options { most, ..Options::default() }).remove(0);
        assert!(found.sentence.starts_with(NOTHING), "{most}: {}", found.sentence);
        assert!(found.hottest_reader.unwrap().of_run < 0.1, "{most}: {:?}", found.hottest_reader);
    }
}
