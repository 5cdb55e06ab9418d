//! `rowkey simulate`.

use std::io::{self, BufReader, BufWriter, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::file::Period;
use rowkey_design::{CheckOptions, Design, Report};
use rowkey_simulate::answer;
use rowkey_simulate::load::{Log, Trace};
use rowkey_simulate::page::{self, Measure, RowOrder, Terminal};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{self, Answer, Line};
use rowkey_simulate::simulation::{Declared, Options};

use crate::failure::Failure;
use crate::samples;

const EXAMPLES: &str = "Examples:
  rowkey simulate visits.rowkey.toml
  rowkey simulate --for '30 days' --html visits.html visits.rowkey.toml
  rowkey simulate --trace trace.csv visits.rowkey.toml
  rowkey simulate --log keys.txt --form shell visits.rowkey.toml

A trace is CSV, or an object of JSON a line: t_ms; op (put, delete, get, scan, increment); key in hex, or the
fields of the key by name; bytes; batch. A log is a file of keys, as `rowkey check --sample` reads.
Exit status: 0 nothing to say, 1 a server saturates or `check` warns of the load, 2 the input is not valid.";

/// Simulates the regions of tables under their load: which is hot, and when a server saturates.
///
/// HBase is simulated as its sources say: flushes, compactions, splits, the balancer. Of other engines, whose splits
/// are documented in words alone, it is the load by ranges of keys.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The design's files, and folders of files `*.rowkey.toml`; - is standard input.
    #[arg(required = true)]
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
    /// The length of the run, as '12 h'. Default: a day.
    #[arg(long = "for", value_name = "TIME", value_parser = period, conflicts_with_all = ["trace", "log"])]
    length: Option<Period>,
    /// All rates are so many times those of the design.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor)]
    times: f64,
    /// The most events. Where there are more rows, each event stands for as many as are needed.
    #[arg(long, default_value = "1000000", value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
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

/// A table's run and what it says.
struct Simulated<'d> {
    declared: Declared<'d>,
    run: Run,
    answer: Answer,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut design = crate::designs::read(&args.designs)?;
    crate::designs::has_cluster(&design, args.cluster.as_deref())?;
    let options = args.cluster.iter().fold(CheckOptions::new(crate::designs::today()), CheckOptions::cluster);
    let options = samples::read_with_notes(&mut design, &args.samples.sample, args.samples.form, options)?;
    let report = design.check(&options);
    let mut simulated = Vec::new();
    for (table, costs) in design.query_costs(&options) {
        if args.table.as_ref().is_some_and(|name| *name != *table.name.value) {
            continue;
        }
        let secondaries = if args.trace.is_some() || args.log.is_some() { 0 } else { table.secondary.len() };
        for secondary in std::iter::once(None).chain((0..secondaries).map(Some)) {
            let declared = Declared::of(&design, &table.name, secondary, &options).map_err(failed)?;
            simulated.push(simulate(args, &design, declared, &report, &costs)?);
        }
    }
    let Some(first) = simulated.first() else {
        let known: Vec<&str> = design.tables.keys().map(String::as_str).collect();
        let name = args.table.as_deref().unwrap_or_default();
        return Err(Failure::new(format!("there is no table {name:?}; the design has {}", known.join(", "))));
    };
    if (args.trace.is_some() || args.log.is_some()) && simulated.len() > 1 {
        return Err(Failure::new("name the table that the events are of: --table NAME"));
    }
    if let Some(path) = &args.html {
        crate::designs::may_replace(path, &args.designs, page::FIRST_LINE, "page that `rowkey` wrote")?;
        crate::designs::write(path, &page(&design, first, &simulated))?;
    }
    print(args, &design, &simulated)?;
    let is_fine = simulated.iter().all(|table| table.answer.sentence.starts_with(answer::NOTHING));
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn failed(error: rowkey_simulate::load::LoadError) -> Failure {
    Failure::new(error.to_string())
}

fn simulate<'d>(
    args: &Args,
    design: &Design,
    declared: Declared<'d>,
    report: &Report,
    costs: &[QueryCost<'_>],
) -> Result<Simulated<'d>, Failure> {
    let bar = samples::progress(None);
    let told = |events: u64| bar.set_message(format!("{events} events of {}", declared.key.name.as_str()));
    let options = Options {
        seed: args.seed,
        seconds: args.length.map_or(86_400.0, |length| length.seconds()),
        most: args.events,
        times: args.times,
        ..Options::default()
    };
    let (mut others, mut assumed) = (Vec::new(), Vec::new());
    let run = match (&args.trace, &args.log) {
        (Some(path), _) => {
            let times = design.times_of(&declared.key.table.name);
            let mut trace = Trace::new(reader(path)?, declared.key.layout, times);
            of_file(path, declared.run(&mut trace, 0, args.seed, told))?
        }
        (None, Some(path)) => {
            let mut log = log(args, path, &declared)?;
            if log.undecoded > 0 {
                assumed.push(format!("{} keys that the layout does not decode are left out", log.undecoded));
            }
            of_file(path, declared.run(&mut log, 0, args.seed, told))?
        }
        (None, None) => {
            let run = declared.simulate(&options, told).map_err(failed)?;
            assumed = declared.assumed_of_load(&options);
            let fewer = Options { most: (args.events / 4).max(1000), ..options.clone() };
            let seeds = [1, 2].map(|more| Options { seed: args.seed.wrapping_add(more), ..fewer.clone() });
            let skews = [-0.1, 0.1].map(|skew| Options { skew, ..fewer.clone() });
            for options in seeds.iter().chain(&skews).filter(|_| !args.once) {
                others.push(declared.simulate(options, told).map_err(failed)?);
            }
            run
        }
    };
    bar.finish_and_clear();
    let answer = answer::answer(&declared, &run, &others, report, costs, &assumed);
    Ok(Simulated { declared, run, answer })
}

fn of_file<T>(path: &Path, read: Result<T, rowkey_simulate::load::LoadError>) -> Result<T, Failure> {
    read.map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

fn reader(path: &Path) -> Result<Box<dyn io::BufRead>, Failure> {
    if crate::designs::is_stdin(path) {
        return Ok(Box::new(crate::designs::stdin()?));
    }
    let file = std::fs::File::open(path);
    let file = file.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}

fn log(args: &Args, path: &Path, declared: &Declared<'_>) -> Result<Log, Failure> {
    let (form, layout) = (args.samples.form, declared.key.layout);
    let key = |text: &str, key: &mut Vec<u8>| form.parse_to(text, layout, key).map_err(|error| error.to_string());
    let rate = declared.settings.rows_per_second;
    let rate = if rate > 0.0 { rate } else { 1000.0 } * args.times;
    let most = usize::try_from(args.events).unwrap_or(usize::MAX);
    let bar = samples::progress(None);
    let read = Log::read(reader(path)?, key, &declared.key, rate, most, |keys, bytes| samples::told(&bar, keys, bytes));
    bar.finish_and_clear();
    of_file(path, read)
}

fn drawn<'s>(design: &'s Design, table: &'s Simulated<'_>) -> page::Drawn<'s> {
    let Simulated { declared, run, .. } = table;
    page::Drawn {
        name: declared.key.name,
        settings: &run.settings,
        intervals: &run.intervals,
        splits: &run.splits,
        moves: &run.moves,
        layout: declared.key.layout,
        times: design.times_of(&declared.key.table.name),
    }
}

fn page(design: &Design, first: &Simulated<'_>, all: &[Simulated<'_>]) -> String {
    let answers: Vec<&Answer> = all.iter().map(|table| &table.answer).collect();
    let drawn: Vec<page::Drawn<'_>> = all.iter().map(|table| drawn(design, table)).collect();
    let text = answer::page_text(&answers, first.declared.simulates);
    page::html(&text, &drawn, answer::capacity(&first.declared))
}

fn print(args: &Args, design: &Design, simulated: &[Simulated<'_>]) -> Result<(), Failure> {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let mut out = BufWriter::new(stdout.lock());
    for table in simulated {
        if args.json {
            for line in lines(table) {
                run::write(&mut out, &line)?;
            }
            continue;
        }
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|_| is_terminal);
        let terminal = Terminal { columns: columns.unwrap_or(100).clamp(60, 160), is_ascii: false };
        let capacity = answer::capacity(&table.declared);
        let blocks = page::blocks(&drawn(design, table), Measure::Writes, RowOrder::Key, capacity, terminal);
        writeln!(out, "{}\n{blocks}", answer::text(&table.answer))?;
    }
    match out.flush().map_err(Failure::from) {
        Err(Failure::Closed) => Ok(()),
        written => written,
    }
}

/// The lines of a table's run, in the order of time.
fn lines(table: &Simulated<'_>) -> impl Iterator<Item = Line> {
    let Run { settings, splits, moves, intervals, .. } = table.run.clone();
    let mut lines: Vec<(u64, Line)> = Vec::new();
    lines.extend(splits.into_iter().map(|split| (split.t_ms, Line::Split(split))));
    lines.extend(moves.into_iter().map(|moved| (moved.t_ms, Line::Move(moved))));
    lines.extend(intervals.into_iter().map(|interval| (interval.t_ms, Line::Interval(interval))));
    lines.sort_by_key(|(t_ms, _)| *t_ms);
    let lines = lines.into_iter().map(|(_, line)| line);
    let answer = Line::Answer(Box::new(table.answer.clone()));
    std::iter::once(Line::Settings(Box::new(settings))).chain(lines).chain([answer])
}
