//! The hottest region's part: that of the design's statistics, and no more by chance, however few events there are.

use std::collections::BTreeMap;

use rowkey_design::{Design, File};
use rowkey_simulate::event::Op;
use rowkey_simulate::load::{self, Drawn, Load as _};
use rowkey_simulate::simulation::Options;

use super::{ControlFlow, answers_once, design};

const SEEDS: u64 = 8;

/// The greatest part of keys that is between two split points, of very many.
fn exact(design: &Design, seed: u64) -> f64 {
    let splits: Vec<Vec<u8>> = design.tables["t"].split_points(None).unwrap().iter().map(<[u8]>::to_vec).collect();
    let options = load::Options { seed, most: 200_000, seconds: 86_400.0, writes_alone: true, ..Default::default() };
    let mut drawn = Drawn::new(design, "t", None, None, None, &options).unwrap();
    let (mut counts, mut all) = (BTreeMap::<usize, u32>::new(), 0);
    let count = |event: rowkey_simulate::event::Event<'_>| {
        assert_eq!(event.op, Op::Put);
        *counts.entry(splits.partition_point(|split| **split <= *event.key)).or_default() += 1;
        all += 1;
        ControlFlow::Continue(())
    };
    drawn.events(&mut { count }).unwrap();
    f64::from(*counts.values().max().unwrap()) / f64::from(all)
}

#[test]
fn the_hottest_region_has_the_part_that_the_statistics_say() {
    for (stats, is_even) in [
        ("", true),
        ("stats.id = { distinct = 100000, skew = \"zipf 1\" }", false),
        ("stats.id = { distinct = 1000, skew = \"zipf 1.3\" }", false),
        ("stats.id = { distinct = 1000, skew = \"one value 0.11\" }", false),
    ] {
        let more = format!("means.id = \"random\"\n{stats}\nsplits = {{ uniform = 16 }}");
        let text = design("\"id: u64\"", &more, 4, "1k/s");
        let text = text.replace("region.writes", "region.split = \"disabled\"\nregion.writes");
        let parsed = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.clone() }]).unwrap();
        let exact: Vec<f64> = (1..=SEEDS).map(|seed| if is_even { 1.0 / 16.0 } else { exact(&parsed, seed) }).collect();
        // The greatest error in the mean of seeds, and of one of them: of a half of so many events.
        for (most, mean_bound, bound) in [(1000, 0.15, 0.6), (4000, 0.05, 0.2), (100_000, 0.02, 0.08)] {
            let error = |(seed, exact): (u64, &f64)| {
                let options = Options { seed, most, ..Options::default() };
                answers_once(&text, &options)[0].hottest_region.of_run / exact - 1.0
            };
            let errors: Vec<f64> = (1..).zip(&exact).map(error).collect();
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            assert!(mean.abs() < mean_bound, "{stats} {most} events: {mean:.3} of {errors:.3?}");
            assert!(errors.iter().all(|error| error.abs() < bound), "{stats} {most} events: {errors:.3?}");
        }
    }
}

#[test]
fn any_number_of_servers_takes_what_the_heaviest_value_leaves() {
    for (servers, part, due) in [(4, 0.5, "20k"), (16, 0.5, "20k"), (64, 0.5, "20k"), (16, 0.25, "40k")] {
        let more = format!(
            "means.id = \"random\"\nstats.id = {{ distinct = 1000000, skew = \"one value {part}\" }}\n\
             splits = {{ uniform = {} }}\nrows = \"1G\"",
            4 * servers
        );
        let written = design("\"id: u64\"", &more, servers, "80k/s\"\norder = \"random");
        let query = format!(
            "[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"80k/s\"\nskew.id = \"one value {part}\"\n"
        );
        let read = design("\"id: u64\"", &more, servers, "1/s\"\norder = \"random") + &query;
        let read = read.replace("region.writes", "region.reads = \"10k/s\"\nregion.writes");
        for (text, unit) in [(written, ""), (read, " reads")] {
            let options = Options { most: 100_000, ..Options::default() };
            let found = answers_once(&text, &options).remove(0);
            let told = format!("the table takes {due}{unit} a second, however many servers there are");
            assert!(found.sentence.contains(&told), "{servers} {part}{unit}: {}", found.sentence);
        }
    }
}
