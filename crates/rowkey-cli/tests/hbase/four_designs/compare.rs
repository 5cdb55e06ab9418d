//! What was watched, by number: beside the counts of the load, and beside a simulation.

use std::collections::BTreeSet;

use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Key, Known, Region};

use super::{Told, length};

/// The part by which a share may differ from that of the load, under three minutes of it. What a region counts between
/// the last reading before its closing and that closing is told by nobody: up to three seconds of each of five closings.
const OF_THE_LOAD: f64 = 0.02;

/// The part by which shares, and Gini's coefficient of them, may differ from those of a simulation, under three minutes
/// of load: three times the chance in the 840 rows of an interval of 3 s, of which some make the answer. Of a real load
/// nobody knows how much is chance; a simulation takes its own away.
const OF_THE_SIMULATION: f64 = 0.04;

/// The factor by which a load is shorter.
fn less_than_three_minutes() -> f64 {
    (180.0 / length().as_secs_f64()).max(1.0)
}

/// The writes of a run in the regions that begin with these keys, and before the first of them.
fn writes(run: &Run, regions: usize) -> Vec<u64> {
    let splits = &run.settings.splits;
    assert_eq!(splits.len() + 1, regions, "the regions at the first reading");
    let mut counts = vec![0; regions];
    for region in run.intervals.iter().flat_map(|interval| &interval.regions) {
        counts[splits.partition_point(|split| *split <= region.start)] += region.rows_this_interval;
    }
    counts
}

fn shares(counts: &[u64]) -> Vec<f64> {
    let all = counts.iter().sum::<u64>() as f64;
    counts.iter().map(|count| *count as f64 / all).collect()
}

/// Shares in per cent.
fn shown(shares: &[f64]) -> String {
    shares.iter().map(|share| format!("{:.2}", share * 100.0)).collect::<Vec<_>>().join(" ")
}

/// The shares of regions are those of the load; none has more than was written, and all has one that was always open.
pub(super) fn shares_are_those_of(made: &[u64], run: &Run, table: &str, what: &str) {
    let told = writes(run, made.len());
    println!("  {table}, {what}: load {} %, watched {} %", shown(&shares(made)), shown(&shares(&told)));
    println!("    rows {made:?}, watched {told:?}");
    let bound = OF_THE_LOAD * less_than_three_minutes();
    for (told, made) in shares(&told).into_iter().zip(shares(made)) {
        assert!((told - made).abs() <= bound, "{told} of {made}, at most {bound}");
    }
    let always = always_open(run);
    let starts = std::iter::once(Key::default()).chain(run.settings.splits.iter().cloned());
    for ((told, made), start) in told.iter().zip(made).zip(starts) {
        assert!(told <= made, "{start:?}: {told} of {made}");
        assert!(told == made || !always.contains(&start), "{start:?} was always open: {told} of {made}");
    }
}

/// The first keys of regions of which all is known.
fn always_open(run: &Run) -> BTreeSet<Key> {
    let regions = || run.intervals.iter().flat_map(|interval| &interval.regions);
    let mut always: BTreeSet<Key> = regions().map(|region| region.start.clone()).collect();
    regions().filter(|region| region.known != Known::All).for_each(|region| _ = always.remove(&region.start));
    always
}

/// What a silent server had is not told as if it were calm.
pub(super) fn gaps_are_told(run: &Run) {
    let mut begin = 0;
    for interval in &run.intervals {
        let is_silent = |region: &Region| {
            let of = |silence: &&rowkey_simulate::run::Silence| silence.server == Some(region.server);
            let mut silences = run.silences.iter().filter(of);
            silences.any(|silence| silence.t_ms <= begin && interval.t_ms <= silence.until_ms)
        };
        for region in interval.regions.iter().filter(|region| is_silent(region)) {
            assert!(region.known != Known::All, "{region:?} until {}", interval.t_ms);
        }
        begin = interval.t_ms;
    }
    let unknown = |known| run.intervals.iter().flat_map(|all| &all.regions).filter(|one| one.known == known).count();
    println!(
        "  gaps: {} silences, {} cells unknown, {} in part",
        run.silences.len(),
        unknown(Known::None),
        unknown(Known::Part)
    );
    assert!(unknown(Known::Part) > 0, "what came before a closing is told by nobody");
}

/// The share of the hottest region, as the answer has it.
fn hottest(told: &Told) -> f64 {
    told.answer.hottest_region.of_run
}

/// Gini's coefficient of shares, the greatest of which is the first.
fn gini(shares: &[f64]) -> f64 {
    let n = shares.len() as f64;
    let ranked: f64 = (1..).zip(shares.iter().rev()).map(|(rank, share)| f64::from(rank) * share).sum();
    2.0 * ranked / n - (n + 1.0) / n
}

/// The rules that a sentence names, the first one first.
fn rules(sentence: &str) -> Vec<&str> {
    let is_rule = |word: &&str| word.len() == 3 && word.starts_with('H') && word[1..].parse::<u8>().is_ok();
    sentence.split([' ', ':', ',', '.']).filter(is_rule).collect()
}

/// The hottest region, the regions' shares in order, and Gini's coefficient are those of the simulation; the sentence
/// names the same rules.
pub(super) fn is_as_simulated(watched: &Told, simulated: &Told, table: &str) {
    let ordered = |told: &Told| {
        let mut shares = shares(&writes(&told.run, told.run.settings.splits.len() + 1));
        shares.sort_by(|a, b| b.total_cmp(a));
        shares
    };
    let (own, its) = (ordered(watched), ordered(simulated));
    println!("  {table}, in order: watched {} %, simulated {} %", shown(&own), shown(&its));
    let (of_watched, of_simulated) = ([hottest(watched), gini(&own)], [hottest(simulated), gini(&its)]);
    println!("    hottest region, Gini: watched {of_watched:.3?}, simulated {of_simulated:.3?}");
    println!("    watched: {}\n    simulated: {}", watched.answer.sentence, simulated.answer.sentence);
    let bound = OF_THE_SIMULATION * less_than_three_minutes().sqrt();
    for (own, its) in own.iter().chain(&of_watched).zip(its.iter().chain(&of_simulated)) {
        assert!((own - its).abs() <= bound, "{own} and {its}, at most {bound}");
    }
    assert_eq!(rules(&watched.answer.sentence), rules(&simulated.answer.sentence));
}
