//! What rowkey costs beside code written by hand and beside its peers, in one run:
//!
//! ```sh
//! cargo run --release --manifest-path bench/Cargo.toml -- --json speed.json
//! ```
//!
//! For each work it prints every contender's cost, and for ours the ratio to each goal's other side. A ratio is taken
//! within the run, pass by pass, so it holds on a busy machine too where the nanoseconds don't; `measure.rs` says how.
//! Every contender gets the same values, many and random, and by hand makes the same bytes as we do, which is checked
//! before the clock starts. A peer writes the same fields in its own format; one that can't is left out of the work.
//!
//! It ends with how costs grow: with a key's length, its fields, a salt's buckets and a table's rows, up to 10 M, which
//! take 2 GiB; `draw` makes a picture of that. `--json` writes a line for each contender (`work`, `who`, `ns` a key or
//! row, or `bytes`; `x` where it is a point of a curve), and one of ours for each goal (`against`, `goal`, `ratio`,
//! `met` too).

#![forbid(unsafe_code)]

mod beside;
mod by_hand;
mod decode;
mod disk;
mod draw;
mod encode;
mod growth;
mod keys;
mod measure;
mod memory;
mod merge;
mod scans;
mod streams;
mod wide;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::measure::Bench;

/// Measures rowkey against by hand, its peers and its goals.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    instead: Option<Instead>,
    /// Write what was measured, a JSON object a line.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// How often everything is measured.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(9..))]
    passes: u16,
    /// Only works that have this in their names.
    #[arg(long, value_name = "SUBSTRING")]
    only: Option<String>,
    /// Leave out how costs grow.
    #[arg(long)]
    no_growth: bool,
    /// Small data and short passes, to see that all works: what it measures means nothing.
    #[arg(long)]
    quick: bool,
}

#[derive(Subcommand)]
enum Instead {
    /// Draw how costs grow, from what `--json` has written.
    Draw { json: PathBuf, svg: PathBuf },
    /// Fill a tree and tell what memory that took.
    #[command(hide = true)]
    Resident { who: String, rows: usize },
}

fn main() -> Result<()> {
    let args = Args::parse();
    match args.instead {
        Some(Instead::Draw { json, svg }) => return draw::draw(&json, &svg),
        Some(Instead::Resident { who, rows }) => return memory::print_resident(&who, rows),
        None => {}
    }
    let mut bench = Bench {
        passes: if args.quick { 1 } else { args.passes.into() },
        batch: if args.quick { Duration::ZERO } else { Duration::from_millis(10) },
        only: args.only,
        shrink: if args.quick { 100 } else { 1 },
        lines: Vec::new(),
    };
    encode::measure(&mut bench);
    decode::measure(&mut bench);
    merge::measure(&mut bench);
    memory::measure(&mut bench)?;
    scans::measure(&mut bench);
    streams::measure(&mut bench);
    wide::measure(&mut bench);
    disk::measure(&mut bench);
    beside::measure(&mut bench);
    if !args.no_growth {
        growth::measure(&mut bench);
    }
    summary(&bench);
    if let Some(path) = args.json {
        let mut file = BufWriter::new(File::create(path)?);
        for line in &bench.lines {
            serde_json::to_writer(&mut file, line)?;
            file.write_all(b"\n")?;
        }
        file.flush()?;
    }
    Ok(())
}

/// The goals that were not met, again.
fn summary(bench: &Bench) {
    let goals = bench.lines.iter().filter_map(|line| Some((line, line.goal.as_ref()?)));
    let (met, missed): (Vec<_>, Vec<_>) = goals.partition(|(_, goal)| goal.met);
    println!("\n{} goals met, {} not met", met.len(), missed.len());
    for (line, goal) in missed {
        println!("    {}: {goal}", line.work);
    }
}
