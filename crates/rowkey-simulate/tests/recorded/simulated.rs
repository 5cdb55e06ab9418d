//! Simulated runs, held against recordings: each combination is simulated from the keys, batches and settings of its
//! recordings, and must pass by each measure that counts.

use rowkey_simulate::compare::{Measure, Recordings, naive};
use rowkey_simulate::recording::Run;
use rowkey_simulate::simulation::replay;

use crate::goldens;

/// The measures of a run against the recordings of a combination.
fn measures(name: &str, recordings: &[Run], simulated: &Run) -> Vec<Measure> {
    Recordings::by(recordings, goldens::ranks(name)).measure(simulated)
}

/// The measures of evenly cut regions.
pub(crate) fn of_naive(name: &str, recordings: &[Run]) -> Vec<Measure> {
    measures(name, recordings, &naive::evenly_cut(&recordings[0], &goldens::ranks(name)))
}

#[test]
fn evenly_cut_regions_are_told_from_real_ones() {
    for (name, runs) in goldens::all() {
        let measures = of_naive(name, runs);
        assert!(measures.iter().any(|measure| measure.counts() && !measure.passes()), "{name}: {measures:#?}");
    }
}

#[test]
fn simulated_runs_are_as_near_as_recordings_are_to_each_other() {
    let seeds = if std::env::var_os("ROWKEY_LONG").is_some() { 1..=20 } else { 1..=3 };
    for (name, runs) in goldens::all() {
        for seed in seeds.clone() {
            let simulated = replay(&runs[0], seed).unwrap();
            let failed = measures(name, runs, &simulated).into_iter().filter(|measure| !measure.passes());
            let failed: Vec<Measure> = failed.filter(Measure::counts).collect();
            assert!(failed.is_empty(), "{name}, seed {seed}: {failed:?}");
        }
    }
}
