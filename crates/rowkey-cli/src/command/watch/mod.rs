//! `rowkey watch`.

mod ending;
mod guessed;
mod live;
mod output;
mod reading;
mod sampled;
#[cfg(test)]
mod tests;
mod times;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::file::Period;
use rowkey_design::internal::quote::terminal;
use rowkey_design::{CheckOptions, Design};
use rowkey_simulate::answer::{self, Together, rates};
use rowkey_simulate::run::{AllTables, Settings};
use rowkey_simulate::simulation::{Declared, Simulates};

use self::guessed::Guessed;
use self::output::All;
use self::reading::{Cost, Followed, Watched};
use self::sampled::Sampled;
use super::simulate::print::Told;
use crate::failure::Failure;
use crate::{cluster, designs};

const EXAMPLES: &str = "Examples:
  rowkey watch --hbase conf/hbase-site.xml visits.rowkey.toml
  rowkey watch --hbase conf/hbase-site.xml --for 10m --html visits.html visits.rowkey.toml visits
  rowkey watch --hbase conf/hbase-site.xml --for '1 day' --every 1m --json run.jsonl visits.rowkey.toml
  rowkey watch --hbase conf/hbase-site.xml --table visits --sample 1000

Without a design, keys are decoded by the layout that `rowkey infer` finds in the start keys of the regions, or in the \
sample: a guess, which the output says. `rowkey import --from hbase` writes a design to start from.

Each reading asks the master once, and each region server once for each table: for counts alone. Regions are listed, \
by a scan of hbase:meta, at the first reading and when they change. No row of a table is read, but with --sample.

Intervals are as long as --every; longer where there would be more than 2,048 of them, or of a million regions. What \
no server told is unknown, and not nothing. Ctrl-C and SIGTERM end it as --for does, after one more reading: the page \
and the lines are written, and the exit status is that of what was counted. A second signal leaves that reading out.
A further one, while they are written, ends it at once.

--html and --json replace what `rowkey` wrote of that kind, --json an empty file too; no other, and no file of the \
design. Both are tried before the first reading.

Exit status: 0 nothing to say of what is known, 1 a server saturates or `check` warns of the load, 2 the input is not \
valid, the cluster can't be read, or the run ended before anything was counted.";

/// The words on a table whose counts were read once alone.
const UNCOUNTED: &str = "it ended before the second reading: nothing was counted";

/// Watches the regions of tables of a real HBase: which is hot now, and why.
///
/// By the counts that its servers keep. The picture, the sentence and the rules are those of `rowkey simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The hbase-site.xml of the cluster.
    #[arg(long, value_name = "SITE.XML")]
    hbase: PathBuf,
    /// The design's file, or a folder of files `*.rowkey.toml`; - is standard input.
    #[arg(required_unless_present = "table")]
    design: Option<PathBuf>,
    /// The tables, or secondary tables, of the design. Default: all.
    tables: Vec<String>,
    /// A table of which there is no design, in place of one; may be repeated.
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["design", "cluster"])]
    table: Vec<String>,
    /// The cluster of the design that says what a server takes. Default: the first.
    #[arg(long)]
    cluster: Option<String>,
    /// The time after which it ends, as 10m or '12 h'. Default: it ends by Ctrl-C or SIGTERM.
    #[arg(long = "for", value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    length: Option<Duration>,
    /// The time between two readings, as 5s.
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true, default_value = "5s")]
    every: Duration,
    /// Writes a page with a picture of keys and time.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Writes lines of JSON, as `rowkey simulate --json` prints them; - is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Reads so many keys of each table, if it has them, and says how many are none of the design's; without one, infers
    /// their layout.
    #[arg(long, value_name = "KEYS", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    sample: Option<u64>,
}

/// A time as a period of design files, or as 10m.
fn time(text: &str) -> Result<Duration, String> {
    let minutes = text.strip_suffix('m').map(|count| format!("{count} min"));
    let period = Period::parse(text).or_else(|| Period::parse(&minutes?));
    let period = period.filter(|period| (1.0..=3.2e8).contains(&period.seconds()));
    let period = period.ok_or("write a time from 1 s to 10 years, as 5s, 10m or '12 h'")?;
    Ok(Duration::from_secs_f64(period.seconds()))
}

impl Args {
    /// True if there is no design: one is guessed.
    const fn is_guessed(&self) -> bool {
        self.design.is_none()
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    output::may_be_written(args)?;
    let (design, guessed) = match &args.design {
        Some(path) => (designs::read(std::slice::from_ref(path))?, Guessed::default()),
        None => {
            cluster::run(&args.hbase, |client| async move { guessed::design(&client, &args.table, args.sample).await })?
        }
    };
    designs::has_cluster(&design, args.cluster.as_deref())?;
    let check = args.cluster.iter().fold(CheckOptions::new(designs::today()), CheckOptions::cluster);
    let declared = declared(&design, &check, &args.tables)?;
    let names = declared.iter().map(|declared| declared.key.name.value.clone());
    let bar = live::bar();
    let tell =
        |watched: &[Watched], cost: &Cost| bar.set_message(live::told(&design, &declared, watched, cost, live::rows()));
    let read =
        cluster::run(
            &args.hbase,
            |client| async move { reading::watch(args, &client, names, guessed.keys, tell).await },
        );
    bar.finish_and_clear();
    let (followed, cost, ended) = read?;
    let (mut told, others, uncounted) = tables(&design, &check, declared, followed, &guessed);
    if told.is_empty() && !uncounted.is_empty() {
        return Err(nothing_counted(ended));
    }
    uncounted.iter().for_each(|name| eprintln!("note: {}: {UNCOUNTED}", terminal(name)));
    let together = together(&design, &check, &told);
    if let Some(together) = &together {
        told.iter_mut().for_each(|table| together.beside(&mut table.answer));
    }
    let is_fine = told.iter().all(|table| table.answer.sentence.starts_with(answer::NOTHING));
    let is_fine = is_fine && together.as_ref().is_none_or(|together| !together.saturates);
    for (table, others) in told.iter_mut().zip(&others) {
        let sentence = &mut table.answer.sentence;
        *sentence = others.iter().chain([&*sentence]).cloned().collect::<Vec<_>>().join(" ");
    }
    let all = All { design: &design, told: &told, together: together.as_ref(), cost: &cost };
    let failures: Vec<Failure> = all.write(args, io::stdout()).into_iter().chain(ended).collect();
    if !failures.is_empty() {
        failures.into_iter().for_each(|failure| {
            failure.report();
        });
        return Ok(ExitCode::from(2));
    }
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The failure where no table was read twice: why it ended, if not as it was to.
fn nothing_counted(ended: Option<Failure>) -> Failure {
    ended.unwrap_or_else(|| Failure::new(UNCOUNTED))
}

/// The tables of a design, and its secondary tables, with these names; all without any.
fn declared<'d>(design: &'d Design, check: &'d CheckOptions, names: &[String]) -> Result<Vec<Declared<'d>>, Failure> {
    let failed = |error: rowkey_simulate::load::LoadError| Failure::new(error.to_string());
    let mut all = Vec::new();
    for table in design.tables.values() {
        for secondary in std::iter::once(None).chain((0..table.table.secondary.len()).map(Some)) {
            all.push(Declared::of(design, &table.name, secondary, check).map_err(failed)?);
        }
    }
    if let Some(other) = all.iter().find(|declared| declared.simulates != Simulates::Regions) {
        let engine = other.engine();
        return Err(Failure::new(format!("watched is HBase, and the design is for {}", engine.word())));
    }
    let is = |declared: &Declared<'_>, name: &str| *declared.key.name.value == *name;
    if let Some(name) = names.iter().find(|name| !all.iter().any(|declared| is(declared, name))) {
        let known: Vec<&str> = all.iter().map(|declared| declared.key.name.as_str()).collect();
        return Err(Failure::new(format!("there is no table {name:?}; the design has {}", known.join(", "))));
    }
    all.retain(|declared| names.is_empty() || names.iter().any(|name| is(declared, name)));
    Ok(all)
}

/// The runs of watched tables, with their answers; the warning on sampled keys of each; and the names of tables without
/// counts.
fn tables<'d>(
    design: &'d Design,
    check: &'d CheckOptions,
    declared: Vec<Declared<'d>>,
    followed: Vec<Followed>,
    guessed: &Guessed,
) -> (Vec<Told<'d>>, Vec<Option<String>>, Vec<String>) {
    let (mut told, mut others, mut uncounted) = (Vec::new(), Vec::new(), Vec::new());
    for (mut declared, followed) in declared.into_iter().zip(followed) {
        let settings = Settings { engine: "hbase".to_owned(), ..declared.settings.clone() };
        let mut run = followed.follow.into_run(settings);
        if run.intervals.is_empty() {
            uncounted.push(declared.key.name.to_string());
            continue;
        }
        run.assumed.extend(guessed.words.get(&*declared.key.name.value).cloned());
        let sampled = followed.sample.map(|sample| Sampled::of(&sample, declared.key.layout));
        run.assumed.extend(sampled.as_ref().map(|sampled| sampled.words.clone()));
        let costs = costs(design, check, &declared);
        // A layout that no key has tells nothing of where rows land.
        let is_other = sampled.as_ref().is_some_and(Sampled::is_of_another);
        let check = Some(check).filter(|_| !is_other);
        let answer = answer::watched(&mut declared, &mut run, design, check, &costs);
        told.push(Told { declared, run, answer });
        others.push(sampled.and_then(Sampled::first));
    }
    (told, others, uncounted)
}

/// The costs of a table's queries.
fn costs<'d>(design: &'d Design, check: &'d CheckOptions, declared: &Declared<'_>) -> Vec<QueryCost<'d>> {
    let costs = design.query_costs(check).find(|(table, _)| *table.name.value == *declared.key.table.name.value);
    costs.map(|(_, costs)| costs).unwrap_or_default()
}

/// The load of the watched tables together, judged at the rates that were counted.
fn together(design: &Design, check: &CheckOptions, told: &[Told<'_>]) -> Option<AllTables> {
    let together = Together::of(told.iter().map(|table| (&table.declared, &table.run)))?;
    let counted = |counted: Design, table: &Told<'_>| {
        rates::of_counts(&counted, &table.declared, &table.run, &costs(design, check, &table.declared))
    };
    let mut design = told.iter().fold(design.clone(), counted);
    let is_watched = |name: &str| told.iter().any(|table| *table.declared.key.table.name.value == *name);
    design.tables.retain(|name, _| is_watched(name));
    Some(together.answer(&design.check(check)))
}
