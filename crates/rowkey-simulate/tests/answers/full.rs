//! Tables that are full grown from the beginning: those whose rows are overwritten, and those that hardly grow.

use super::{Declared, Options, answers_once, options};
use rowkey_design::{CheckOptions, Date, Design, File};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Interval, Region};

/// The run of a table that a design declares.
fn run(text: &str, options: &Options) -> Run {
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]);
    let design = design.unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    Declared::of(&design, "t", None, &check).unwrap().simulate(options, |_| {}).unwrap()
}

/// A table of rows of 100 bytes that are written again in any order, on four servers.
fn design(rows: &str, more: &str, rate: &str, order: &str) -> String {
    let write = match rate {
        "" => String::new(),
        rate => format!("[[table.t.write]]\nname = \"w\"\nrate = \"{rate}\"\norder = \"{order}\"\n"),
    };
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\n[table.t]\nkey = [\"id: u64\"]\n\
         means = {{ id = \"random\" }}\nkeep = \"forever\"\nunique = \"upsert\"\nrows = \"{rows}\"\n{more}\n\
         [table.t.family.v]\ncolumns = [\"x\"]\nsizes = {{ x = \"100 B\" }}\n{write}"
    )
}

#[test]
fn overwrites_make_no_regions() {
    // Row by row, and with events that stand for 17,280 writes.
    for (rows, rate) in [(100_000u64, "1/s"), (100_000, "20k/s"), (1_000_000, "20k/s")] {
        let text = design(&rows.to_string(), "splits = { uniform = 4 }", rate, "random");
        let run = run(&text, &Options { most: 100_000, ..options() });
        let last = run.intervals.last().unwrap();
        assert_eq!((last.regions.len(), run.splits.len()), (4, 0), "{rows} {rate}");
        // Three files of all rows at most, and what is compacted.
        let bytes: u64 = last.regions.iter().map(|region| region.bytes).sum();
        assert!((rows * 130..rows * 150 * 4).contains(&bytes), "{rows} {rate}: {bytes}");
        // Keys are as even as chance makes them.
        let writes: Vec<u64> = last.servers.iter().map(|server| server.writes).collect();
        assert!(writes.iter().all(|count| *count > 0), "{writes:?}");
    }
}

#[test]
fn reads_do_not_depend_on_how_rare_writes_are() {
    let query = "[[table.t.query]]\nname = \"look up\"\nfix = [\"id\"]\nrate = \"5k/s\"\n";
    for order in ["random", "time"] {
        let reads = ["", "1/day", "1/h", "1/min"].map(|rate| {
            let text = design("2M", "", rate, order) + query;
            let run = run(&text, &options());
            run.intervals.iter().flat_map(|interval| &interval.servers).map(|server| server.reads).sum::<u64>()
        });
        assert!(reads.iter().all(|found| *found == reads[0] && *found > 0), "{order}: {reads:?}");
    }
}

#[test]
fn ranges_do_not_depend_on_how_rare_writes_are() {
    let query = "[[table.t.query]]\nname = \"look up\"\nfix = [\"id\"]\nrate = \"5k/s\"\n";
    for (engine, range) in [("cockroachdb", 512 << 20), ("bigtable", 200_000_000)] {
        for rate in ["", "0.003/day", "1/day", "1/s", "1k/s"] {
            let text = design("100M", "", rate, "random").replace("hbase", engine).replace("unique", "#") + query;
            let run = run(&text, &options());
            let regions = &run.intervals.last().unwrap().regions;
            let count = 100e6 * 128.0 / f64::from(range);
            assert!((regions.len() as f64 / count - 1.0).abs() < 0.1, "{engine} {rate}: {}", regions.len());
            // As even as a sample of the rows is; a table that grows has few yet.
            let rows = regions.iter().map(|region| region.rows).max().unwrap_or(0);
            assert!(rows as f64 * count < 1.6 * 100e6, "{engine} {rate}: {rows}");
        }
    }
}

#[test]
fn ranges_of_other_engines_have_what_is_live_alone() {
    for engine in ["cockroachdb", "bigtable", "tikv", "foundationdb", "cassandra", "dynamodb", "fjall", "rocksdb"] {
        // Row by row, and with events that stand for many writes; each row is written up to 86 times.
        for (rows, rate) in [(100_000u64, "1/s"), (100_000, "100/s"), (20_000_000, "3k/s"), (20_000_000, "20k/s")] {
            let text = design(&rows.to_string(), "", rate, "random").replace("hbase", engine);
            let run = run(&text, &Options { most: 50_000, ..options() });
            for Interval { t_ms, regions, .. } in &run.intervals {
                let [told, bytes] = [|region: &Region| region.rows, |region: &Region| region.bytes]
                    .map(|of| regions.iter().map(of).sum::<u64>() as f64);
                let told_rows = told / rows as f64;
                assert!((0.99..1.01).contains(&told_rows), "{engine} {rows} {rate} {t_ms}: {told_rows}");
                let row = bytes / rows as f64;
                assert!((128.0..150.0).contains(&row), "{engine} {rows} {rate} {t_ms}: {row}");
            }
            assert!(run.intervals.len() > 10);
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let is_said = |run: &Run, start: &str| run.assumed.iter().any(|line| line.starts_with(start));
    for engine in ["hbase", "cockroachdb", "tikv", "dynamodb"] {
        for rows in ["1G", "10G", "1T", "1000T", "1000000T"] {
            let text = design(rows, "", "1/s", "random").replace("hbase", engine);
            let run = run(&text, &options());
            let last = run.intervals.last().unwrap();
            let bytes: f64 = last.regions.iter().map(|region| region.bytes as f64).sum();
            let size = run.settings.max_filesize as f64;
            let Rows(rows) = rows.parse().unwrap();
            // As many regions as its rows fill, or it is said that these are more.
            let is_more = is_said(&run, "the table takes ");
            let needed = rows * 135.0 / size;
            assert!(needed > 3500.0 || !is_more, "{engine} {rows}: {:?}", run.assumed);
            assert!(needed < 4700.0 || is_more, "{engine} {rows}: {:?}", run.assumed);
            // As many bytes as rows have, or it is said that these are fewer.
            let is_less = is_said(&run, "each row of the sample stands for ");
            let part = bytes / (rows * 135.0);
            assert!((0.8..1.2).contains(&part) != is_less, "{engine} {rows}: {part} {:?}", run.assumed);
        }
    }
}

/// A number of rows with its unit.
struct Rows(f64);

impl std::str::FromStr for Rows {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, times) = match text.strip_suffix('T') {
            Some(number) => (number, 1e12),
            None => (text.trim_end_matches('G'), 1e9),
        };
        Ok(Self(number.parse::<f64>()? * times))
    }
}

#[test]
fn one_process_takes_all_whatever_its_cluster_says() {
    let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"90k/s\"\n";
    let text = design("1M", "splits = { uniform = 24 }", "90k/s", "random") + query;
    for engine in ["rocksdb", "fjall"] {
        let of = |cluster: &str| {
            let text = text.replace("hbase", engine).replace("servers = 4", cluster);
            (answers_once(&text, &options()).remove(0), run(&text, &options()))
        };
        let (bare, _) = of("");
        let (found, run) = of("servers = 6\nregion.reads = \"10k/s\"\nregion.writes = \"10k/s\"");
        assert_eq!(run.settings.servers, 1, "{engine}");
        assert!(run.intervals.iter().all(|interval| interval.servers.len() == 1), "{engine}");
        assert_eq!((&found.sentence, &found.saturates), (&bare.sentence, &None), "{engine}");
        let due = format!(
            "{engine} is one process, which takes all: `servers`, `region.writes` and `region.reads` mean nothing"
        );
        assert!(found.assumed.contains(&due), "{:?}", found.assumed);
        assert!(bare.assumed.iter().all(|assumed| !assumed.contains("a second: say")), "{:?}", bare.assumed);
    }
}
