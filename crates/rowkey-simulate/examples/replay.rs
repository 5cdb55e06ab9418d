//! Replays recordings, and tells how near the simulated runs are to them.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: Vec<_> = std::env::args().skip(1).map(rowkey_simulate::recording::Run::open).collect::<Result<_, _>>()?;
    for seed in 1..4 {
        let run = rowkey_simulate::simulation::replay(&runs[0], seed)?;
        for measure in rowkey_simulate::compare::passes(&runs, &run) {
            println!("{measure}");
        }
    }
    Ok(())
}
