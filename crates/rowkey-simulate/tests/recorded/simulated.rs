//! Simulated runs, held against recordings: each combination is simulated from the keys, batches and settings of its
//! recordings, and must pass by each measure that counts.

use rowkey_simulate::compare::{Measure, Ranks, naive, passes};
use rowkey_simulate::recording::Run;

use crate::goldens;

/// The measures by which a run fails, of those that a naive one does not pass.
fn failures(recordings: &[Run], simulated: &Run) -> Vec<Measure> {
    let measures = passes(recordings, simulated);
    measures.into_iter().filter(|measure| measure.counts() && !measure.passes()).collect()
}

/// The measures of evenly cut regions against the recordings of a combination.
pub(crate) fn of_naive(recordings: &[Run]) -> Vec<Measure> {
    passes(recordings, &naive::evenly_cut(&recordings[0], &Ranks::of(&recordings[0])))
}

#[test]
fn evenly_cut_regions_are_told_from_real_ones() {
    for (name, runs) in goldens::all() {
        assert!(runs.iter().all(|run| failures(runs, run).is_empty()), "{name}");
        let ranks = Ranks::of(&runs[0]);
        let failed = runs.iter().map(|run| failures(runs, &naive::evenly_cut(run, &ranks)));
        assert!(failed.clone().all(|failed| !failed.is_empty()), "{name}: nothing tells real regions from these");
    }
}
