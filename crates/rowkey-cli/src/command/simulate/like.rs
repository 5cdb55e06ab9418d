//! `rowkey simulate --like`: a simulated run held against recorded ones.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_design::internal::quote::terminal;
use rowkey_simulate::compare;
use rowkey_simulate::recording::Run;
use rowkey_simulate::run;
use rowkey_simulate::simulation;

use crate::failure::Failure;

/// Simulates the load of recordings on the cluster of the first of them, and prints how near the run is to them.
pub(super) fn run(recordings: &[PathBuf], seed: u64, json: bool) -> Result<ExitCode, Failure> {
    let open = |path: &PathBuf| Run::open(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())));
    let runs = recordings.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = runs.first() else { return Err(Failure::new("name a recording")) };
    for (path, run) in recordings.iter().zip(&runs) {
        if run.settings != first.settings || run.keys != first.keys {
            let said = format!("{} is of another load or cluster than the first recording", path.display());
            return Err(Failure::new(said));
        }
    }
    let simulated = simulation::replay(first, seed).map_err(|error| Failure::new(error.to_string()))?;
    let mut out = io::stdout().lock();
    if json {
        for line in simulated.lines(None) {
            run::write(&mut out, &line)?;
        }
    }
    let measures = compare::passes(&runs, &simulated);
    if !json {
        writeln!(out, "{}: {}", terminal(&first.settings.engine), terminal(&first.settings.load))?;
        for measure in &measures {
            writeln!(out, "  {measure}")?;
        }
        if runs.len() < 2 {
            writeln!(
                out,
                "one recording does not say how far two real runs are from each other: give more of its load"
            )?;
        }
    }
    out.flush()?;
    let is_near = measures.iter().all(|measure| measure.passes() || !measure.counts());
    Ok(if is_near { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
