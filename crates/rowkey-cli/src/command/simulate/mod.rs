//! `rowkey simulate`.

mod like;
pub(super) mod print;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::file::Period;
use rowkey_design::internal::load::engine_of;
use rowkey_design::internal::quote::terminal;
use rowkey_design::{CheckOptions, Design, Report};
use rowkey_simulate::answer::{self, Other, rates};
use rowkey_simulate::load::{Load, LoadError, Log, MOST_EVENTS, Sampled, Trace};
use rowkey_simulate::page;
use rowkey_simulate::simulation::{Declared, Options};

use self::print::Told;
use crate::failure::Failure;
use crate::samples;

const EXAMPLES: &str = "Examples:
  rowkey simulate visits.rowkey.toml
  rowkey simulate --for '30 days' --html visits.html visits.rowkey.toml
  rowkey simulate --trace trace.csv visits.rowkey.toml
  rowkey simulate --log keys.txt --form shell visits.rowkey.toml
  rowkey simulate --like run-1.jsonl.gz run-2.jsonl.gz

A trace is CSV, or an object of JSON a line: t_ms; op (put, delete, get, scan, increment); key in hex, or the
fields of the key by name; bytes; batch. A log is a file of keys, as `rowkey check --sample` reads. The table is empty
before the first event of both, and is judged at their rates, in place of those of the design.

Rates of writes and reads are means of the whole run. Shares of the busiest server and of the hottest region are those
of its intervals, in the middle of the second half: a run by statistics has 96, of 15 minutes each where it is a day;
one of a trace or log up to 192, of a second at least (`interval_ms` of --json). A server saturates if it is asked for
too much in an interval, or in one of up to 2048 shorter steps.

Exit status: 0 nothing to say, 1 a server saturates or `check` warns of the load, 2 the input is not valid: a design
that `check` refuses, a trace, a log or a recording that is none.";

/// Simulates the regions of tables under their load: which is hot, and when a server saturates.
///
/// HBase is simulated as its sources say: flushes, compactions, splits, the balancer. Of other engines, whose splits
/// are documented in words alone, it is the load by ranges of keys.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The design's files, and folders of files `*.rowkey.toml`; - is standard input.
    #[arg(required_unless_present = "like")]
    designs: Vec<PathBuf>,
    /// The table. Default: all of the design.
    #[arg(long)]
    table: Option<String>,
    /// The cluster that the tables are for. Default: the first of the design.
    #[arg(long)]
    cluster: Option<String>,
    #[command(flatten)]
    samples: samples::SampleArgs,
    /// A file of what a program did with the table, in place of the design's statistics; - is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "log")]
    trace: Option<PathBuf>,
    /// A file of the table's keys, in place of the design's statistics: rows come at the times in their keys, or at the
    /// rate of the design.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Recordings of one load on a real HBase: simulates their cluster and load, and prints how near the run is to
    /// them. Exit status 1: it is further than they are from each other.
    #[arg(long, value_name = "RUN.jsonl", num_args = 1..)]
    #[arg(conflicts_with_all = ["designs", "trace", "log", "html", "table", "length", "times", "once"])]
    like: Vec<PathBuf>,
    /// The length of the run, as '12 h'. Default: a day.
    #[arg(long = "for", value_name = "TIME", value_parser = period, conflicts_with_all = ["trace", "log"])]
    length: Option<Period>,
    /// All rates are so many times those of the design.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor, conflicts_with = "trace")]
    #[arg(allow_negative_numbers = true)]
    times: f64,
    /// The most events of writes, and of reads. Where there are more, each event stands for as many as are needed. Of a
    /// trace those of all kinds together.
    #[arg(long, default_value = "1000000", value_parser = clap::value_parser!(u64).range(1000..=MOST_EVENTS))]
    events: u64,
    /// The seed of all that is chance.
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Runs once, without the other seeds and skews that say how sure the numbers are.
    #[arg(long)]
    once: bool,
    /// Writes a page with a picture of keys and time.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Prints lines of JSON: the settings, splits, moves, intervals and answers of each table.
    #[arg(long)]
    json: bool,
}

fn period(text: &str) -> Result<Period, String> {
    let period = Period::parse(text).filter(|period| (1.0..=3.2e9).contains(&period.seconds()));
    period.ok_or_else(|| "write a time from 1 s to 100 years, as '12 h' or '30 days'".to_owned())
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor| (1e-6..=1e6).contains(factor));
    factor.ok_or_else(|| "write a number above 0, as 2 or 0.5".to_owned())
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if !args.like.is_empty() {
        return like::run(&args.like, args.seed, args.json);
    }
    let mut design = crate::designs::read(&args.designs)?;
    crate::designs::has_cluster(&design, args.cluster.as_deref())?;
    let options = args.cluster.iter().fold(CheckOptions::new(crate::designs::today()), CheckOptions::cluster);
    let options = samples::read_with_notes(&mut design, &args.samples.sample, args.samples.form, options)?;
    let from_file = args.trace.is_some() || args.log.is_some();
    if from_file && args.table.is_none() && design.tables.len() > 1 {
        let known = known(&design);
        return Err(Failure::new(format!(
            "name the table that the events are of, --table NAME: the design has {known}"
        )));
    }
    if let Some(path) = &args.html {
        crate::designs::may_replace(path, &args.designs, page::FIRST_LINE, "page that `rowkey` wrote")?;
        crate::designs::try_write(path)?;
    }
    let report = checked(&design, &options, args.times)?;
    let (mut simulated, mut named) = (Vec::new(), 0);
    for (table, costs) in design.query_costs(&options) {
        if args.table.as_ref().is_some_and(|name| *name != *table.name.value) {
            continue;
        }
        let secondaries = if from_file { 0 } else { table.secondary.len() };
        for secondary in std::iter::once(None).chain((0..secondaries).map(Some)) {
            let declared = Declared::of(&design, &table.name, secondary, &options).map_err(failed)?;
            named += 1;
            simulated.extend(simulate(args, &design, &options, declared, &report, &costs)?);
        }
    }
    if simulated.is_empty() {
        if named > 0 {
            return Err(Failure::new("there is no load to simulate, as the notes say"));
        }
        let name = args.table.as_deref().unwrap_or_default();
        return Err(Failure::new(format!("there is no table {name:?}; the design has {}", known(&design))));
    }
    // Events of a file are of one table.
    let together = answer::Together::of(simulated.iter().map(|table| (&table.declared, &table.run)));
    let together = together.map(|together| together.answer(&report));
    if let Some(together) = &together {
        simulated.iter_mut().for_each(|table| together.beside(&mut table.answer));
    }
    if let (Some(path), Some(first)) = (&args.html, simulated.first()) {
        crate::designs::write(path, &print::page(&design, first, &simulated, together.as_ref()))?;
    }
    print::print(args.json, &design, &simulated, together.as_ref())?;
    let is_fine = simulated.iter().all(|table| table.answer.sentence.starts_with(answer::NOTHING));
    let is_fine = is_fine && together.is_none_or(|together| !together.saturates);
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Checks the design with its rates as they are run, unless `check` refuses it as it is.
fn checked(design: &Design, options: &CheckOptions, times: f64) -> Result<Report, Failure> {
    match design.check(options).refused(design) {
        Some(problems) => Err(problems.into()),
        None => Ok(rates::times(design, times).check(options)),
    }
}

fn known(design: &Design) -> String {
    design.tables.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn failed(error: LoadError) -> Failure {
    Failure::new(error.to_string())
}

fn simulate<'d>(
    args: &Args,
    design: &Design,
    check: &CheckOptions,
    mut declared: Declared<'d>,
    report: &Report,
    costs: &[QueryCost<'_>],
) -> Result<Option<Told<'d>>, Failure> {
    let bar = samples::progress(None);
    let name = declared.key.name.as_str();
    let told = |events: u64| bar.set_message(format!("{events} events of {name}"));
    let options = Options {
        seed: args.seed,
        seconds: args.length.map_or(86_400.0, |length| length.seconds()),
        most: args.events,
        times: args.times,
        ..Options::default()
    };
    let (mut others, mut assumed) = (Vec::new(), Vec::new());
    let mut run = match (&args.trace, &args.log) {
        (Some(path), _) => {
            if declared.makes_partitions() {
                match is_file(path) {
                    true => of_file(path, declared.fit(&mut trace(design, &declared, path, args.events)?, args.seed))?,
                    false => assumed.push(
                        "partitions are as many as `servers` says, as a pipe is read once: give the trace as a file"
                            .to_owned(),
                    ),
                }
            }
            of_file(path, declared.run(&mut trace(design, &declared, path, args.events)?, 0, args.seed, told))?
        }
        (None, Some(path)) => {
            let mut log = log(args, path, &declared)?;
            if log.undecoded > 0 {
                assumed.push(format!("{} keys that the layout does not decode are left out", log.undecoded));
            }
            of_file(path, declared.fit(&mut log, args.seed))?;
            of_file(path, declared.run(&mut log, 0, args.seed, told))?
        }
        (None, None) => {
            let run = match declared.simulate(&options, told) {
                Err(LoadError::NoEvents(why)) => {
                    bar.finish_and_clear();
                    eprintln!("note: {}: {}", terminal(declared.key.name), terminal(&why));
                    return Ok(None);
                }
                run => run.map_err(failed)?,
            };
            if !args.once {
                others = declared.simulate_others(&options, told, |run| Other::of(&declared, run)).map_err(failed)?;
            }
            run
        }
    };
    bar.finish_and_clear();
    let mut of_events = None;
    if let Some(what) = args.trace.as_ref().map(|_| "trace").or(args.log.as_ref().map(|_| "log")) {
        if let Some(rows) = run.settings.rows_per_event {
            assumed.push(format!("events are a sample, as there are many: one stands for up to {rows}"));
        }
        assumed.extend(rates::by_events(&declared, &mut run, what));
        of_events = Some(rates::of_events(design, &declared, &run, costs).check(check));
    }
    let report = of_events.as_ref().unwrap_or(report);
    let answer = answer::answer(&declared, &run, &others, report, costs, &assumed);
    Ok(Some(Told { declared, run, answer }))
}

/// The trace of a table; a sample of about so many events, where it has more.
fn trace<'t>(
    design: &'t Design,
    declared: &Declared<'t>,
    path: &Path,
    events: u64,
) -> Result<impl Load + use<'t>, Failure> {
    let trace = Trace::new(reader(path)?, declared.key.layout, design.times_of(&declared.key.table.name));
    let trace = trace.engine(engine_of(declared.cluster()));
    Ok(Sampled::new(trace, events, lines(path)))
}

fn of_file<T>(path: &Path, read: Result<T, LoadError>) -> Result<T, Failure> {
    read.map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

fn reader(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if crate::designs::is_stdin(path) {
        return Ok(Box::new(BufReader::with_capacity(1 << 20, crate::designs::unlocked_stdin()?)));
    }
    if path.is_dir() {
        return Err(Failure::new(format!("{} is a folder: name the file in it", path.display())));
    }
    let file = File::open(path);
    let file = file.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}

/// True of what can be read twice, and has a length.
fn is_file(path: &Path) -> bool {
    path.is_file() && !crate::designs::is_stdin(path)
}

/// The lines that a file has, about, by parts of it that lie evenly in all of it; 0 if it is no file.
fn lines(path: &Path) -> u64 {
    const PARTS: u64 = 64;
    let counted = || -> io::Result<u64> {
        let (mut file, mut part) = (File::open(path)?, vec![0; 1 << 14]);
        let all = file.metadata()?.len();
        let (mut lines, mut bytes) = (0, 0);
        for number in 0..PARTS {
            file.seek(SeekFrom::Start((u128::from(all) * u128::from(number) / u128::from(PARTS)) as u64))?;
            let read = file.read(&mut part)?;
            lines += part[..read].iter().filter(|byte| **byte == b'\n').count() as u128;
            bytes += read as u128;
        }
        Ok(u64::try_from(u128::from(all) * lines / bytes.max(1)).unwrap_or(u64::MAX))
    };
    if is_file(path) { counted().unwrap_or(0) } else { 0 }
}

fn log(args: &Args, path: &Path, declared: &Declared<'_>) -> Result<Log, Failure> {
    let (form, layout, engine) = (args.samples.form, declared.key.layout, engine_of(declared.cluster()));
    let is_trace = |text: &str| text.starts_with('{') || text.split(',').any(|column| column.trim() == "t_ms");
    let key = |text: &str, key: &mut Vec<u8>| {
        let hint = || if is_trace(text) { "; a trace is given by --trace" } else { "" };
        let before = key.len();
        form.parse_to(text, layout, key).map_err(|error| format!("{error}{}", hint()))?;
        engine.refuses_key(key.len() - before).map_or(Ok(()), Err)
    };
    let rate = declared.settings.rows_per_second;
    let rate = if rate > 0.0 { rate } else { 1000.0 } * args.times;
    let most = usize::try_from(args.events).unwrap_or(usize::MAX);
    let bar = samples::progress(None);
    let read = Log::read(reader(path)?, key, &declared.key, rate, most, |keys, bytes| samples::told(&bar, keys, bytes));
    bar.finish_and_clear();
    of_file(path, read)
}
