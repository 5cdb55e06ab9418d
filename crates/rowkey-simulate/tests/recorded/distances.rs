//! Distances of recordings from each other: the noise that no simulation can be held below.

use rowkey_simulate::compare::{Kind, Recordings};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::Interval;

use crate::{goldens, simulated};

/// The rows of an interval's regions.
fn rows(interval: &Interval) -> u64 {
    interval.regions.iter().map(|region| region.rows).sum()
}

#[test]
fn recordings_are_whole() {
    for (name, runs) in goldens::all() {
        assert_eq!(runs.len(), 4, "{name}");
        for (run, number) in runs.iter().zip(1..) {
            whole(run, &format!("{name}-{number}"));
            assert_eq!(run.settings, runs[0].settings, "{name}");
        }
    }
}

fn whole(run: &Run, path: &str) {
    let written: u64 = run.batches.iter().filter_map(|batch| batch.rows).sum();
    assert_eq!(written, run.keys.len() as u64, "{path}");
    let last = run.intervals.last().unwrap();
    assert_eq!(rows(last), written, "{path}");
    for pair in run.intervals.windows(2) {
        let new: u64 = pair[1].regions.iter().map(|region| region.rows_this_interval).sum();
        assert_eq!(rows(&pair[1]), rows(&pair[0]) + new, "{path}");
        assert_eq!(pair[1].servers.iter().map(|server| server.writes).sum::<u64>(), new, "{path}");
    }
    // Each boundary is one with which the table was created, or that of a split.
    let mut known: Vec<_> = run.settings.splits.iter().chain(run.splits.iter().map(|split| &split.at)).collect();
    known.sort_unstable();
    let boundaries: Vec<_> = last.regions.iter().skip(1).map(|region| &region.start).collect();
    assert_eq!(boundaries, known, "{path}");
    // The load was paced: no more than a tenth longer than planned.
    let planned = 1_000.0 * written as f64 / run.settings.rows_per_second;
    let took = run.batches.last().unwrap().t_ms as f64;
    assert!((0.98..1.1).contains(&(took / planned)), "{path}: {took} ms, planned {planned}");
}

/// The rule is not so strict that a fifth real run would fail: of four, each is held against the other three.
#[test]
fn a_real_run_passes_against_others() {
    let (mut all, mut failed) = (0, Vec::new());
    for (name, runs) in goldens::all() {
        for at in 0..runs.len() {
            let mut others = runs.to_vec();
            let one = others.remove(at);
            for measure in Recordings::by(&others, goldens::ranks(name)).measure(&one) {
                all += 1;
                if !measure.passes() {
                    failed.push(format!("{name}-{}: {measure}", at + 1));
                }
            }
        }
    }
    println!("{} of {all} fail", failed.len());
    assert!(failed.len() * 20 < all, "{} of {all} fail:\n{}", failed.len(), failed.join("\n"));
}

/// The table in the recordings' README is that which these distances make.
#[test]
fn the_readme_has_the_distances() {
    let mut table = String::from("| recording | regions by tenths | ");
    let kinds = Kind::UNBALANCED.into_iter().chain([Kind::Moved]);
    table += &kinds.clone().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" | ");
    table += &format!(" |\n|{}\n", "---|".repeat(kinds.clone().count() + 2));
    for (name, runs) in goldens::all().iter().filter(|(_, runs)| runs.len() == 4) {
        let recordings = Recordings::by(runs, goldens::ranks(name));
        let tenths = runs.iter().map(|run| {
            let at = |tenth: u64| {
                let at = tenth * run.keys.len() as u64 / 10;
                let nearest = run.intervals.iter().min_by_key(|interval| rows(interval).abs_diff(at)).unwrap();
                nearest.regions.len().to_string()
            };
            (1..=10).map(at).collect::<Vec<_>>().join(" ")
        });
        let mut tenths: Vec<String> = tenths.collect();
        tenths.dedup();
        table += &format!("| {name} | {} |", tenths.join("; "));
        let measures = simulated::of_naive(name, runs);
        for kind in kinds.clone() {
            let Some(measure) = measures.iter().find(|measure| measure.kind == kind) else {
                table += " |";
                continue;
            };
            let mut between = recordings.between(measure.kind);
            between.sort_by(f64::total_cmp);
            let mark = if measure.counts() { "" } else { "*" };
            let (least, most) = (between[0], between[between.len() - 1]);
            table += &format!(" {least:.2}–{most:.2} / {:.2}{mark} |", measure.naive);
        }
        table += "\n";
    }
    let readme = include_str!("../../recordings/README.md");
    assert!(readme.contains(&table), "recordings/README.md wants:\n{table}");
}
