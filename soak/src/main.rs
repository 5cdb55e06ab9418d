//! The laws, by the hundred million: order, decoding, scans, and the store in memory under threads.
//!
//! It says what it did, and exits with 1 at the first thing that was wrong, with the seed that shows it again.

#![forbid(unsafe_code)]

mod decode;
mod keys;
mod memory;
mod order;
mod scans;

use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use fastrand::Rng;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use rowkey_fjall::Fjall;
use rowkey_testkit::killed;

/// Runs the laws of rowkey for a long time.
#[derive(Parser)]
struct Args {
    /// Random pairs of keys whose order is compared.
    #[arg(long, default_value_t = 100_000_000)]
    pairs: u64,
    /// Random byte strings that are decoded.
    #[arg(long, default_value_t = 100_000_000)]
    strings: u64,
    /// Random scans that are compared with a filter.
    #[arg(long, default_value_t = 1_000_000)]
    scans: u64,
    /// Threads on one database in memory.
    #[arg(long, default_value_t = 16, value_parser = 1..=26)]
    threads: i64,
    /// How often a process is killed that writes to disk.
    #[arg(long, default_value_t = 100)]
    kills: u64,
    /// For how many seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// A hundredth of each.
    #[arg(long)]
    short: bool,
    /// Where chance begins.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What was wrong.
type Fault = String;

/// Where a process is to write that is going to be killed.
const WRITES_TO: &str = "ROWKEY_SOAK_WRITES_TO";

/// Kills a process of this program again and again, and looks at what it has left.
fn kill(times: u64) -> Result<String, Fault> {
    let fault = |error: std::io::Error| error.to_string();
    let directory = tempfile::tempdir().map_err(fault)?;
    let program = std::env::current_exe().map_err(fault)?;
    let answered = killed::kill(
        times,
        || Fjall::open(directory.path()).expect("the database is opened again"),
        || {
            let mut child = Command::new(&program);
            child.env(WRITES_TO, directory.path());
            child
        },
    );
    Ok(format!("{times} kills, {} writes answered: all are there, and none by half", HumanCount(answered)))
}

fn main() -> ExitCode {
    if let Some(directory) = std::env::var_os(WRITES_TO) {
        killed::write_on(&Fjall::open(directory).expect("a directory for the database"));
    }
    let args = Args::parse();
    let part = if args.short { 100 } else { 1 };
    let soaks: [&dyn Fn() -> Result<String, Fault>; 5] = [
        &|| {
            let layouts = shared(args.pairs / part, args.seed, "pairs", order::pool)?;
            Ok(format!(
                "{} pairs of keys compared, {layouts} layouts: none out of order",
                HumanCount(args.pairs / part)
            ))
        },
        &|| {
            let read = AtomicU64::new(0);
            let strings = args.strings / part;
            let layouts = shared(strings, args.seed, "strings", |rng| decode::pool(rng, &read))?;
            let read = HumanCount(read.into_inner());
            Ok(format!("{} strings decoded, {layouts} layouts: {read} were keys, and came back", HumanCount(strings)))
        },
        &|| {
            let scans = args.scans / part;
            let tables = shared(scans, args.seed, "scans", scans::table)?;
            Ok(format!("{} scans of {tables} tables: each as a filter and a sort have it", HumanCount(scans)))
        },
        &|| {
            let time = Duration::from_secs(args.seconds) / part as u32;
            memory::soak(usize::try_from(args.threads).unwrap_or(1), time, args.seed)
        },
        &|| kill(if args.short { 10 } else { args.kills }),
    ];
    for soak in soaks {
        let start = Instant::now();
        match soak() {
            Ok(done) => println!("{done} ({:.1} s)", start.elapsed().as_secs_f64()),
            Err(fault) => {
                eprintln!("error: {fault}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Runs `round` on all cores until this many are done in all: a round returns how many it did. Returns how many rounds
/// it took.
fn shared(
    due: u64,
    seed: u64,
    of: &'static str,
    round: impl Fn(&mut Rng) -> Result<u64, Fault> + Sync,
) -> Result<u64, Fault> {
    let bar = ProgressBar::new(due).with_message(of);
    bar.set_style(
        ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} {msg}, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let (rounds, fault) = (AtomicU64::new(0), Mutex::new(None));
    let work = || {
        while bar.position() < due && fault.lock().is_ok_and(|fault| fault.is_none()) {
            let seed = seed.wrapping_mul(1 << 32).wrapping_add(rounds.fetch_add(1, Ordering::Relaxed));
            match round(&mut Rng::with_seed(seed)) {
                Ok(done) => bar.inc(done),
                Err(text) => {
                    if let Ok(mut fault) = fault.lock() {
                        *fault = Some(format!("round {seed}: {text}"));
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    match fault.into_inner() {
        Ok(None) => Ok(rounds.into_inner()),
        Ok(Some(fault)) => Err(fault),
        Err(_) => Err("a thread panicked".into()),
    }
}

/// Bytes as the messages show them.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
