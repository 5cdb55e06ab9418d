//! The case studies: `cargo run --release -p rowkey-studies -- NAME`, then the arguments of the study.

mod access_log;
mod actions;
mod autocomplete;
mod boundaries;
mod cities;
mod crash_reports;
mod four_designs;
mod friends;
mod homepages;
mod inbound;
mod inbox;
mod ip_country;
mod links;
mod locations;
mod make_log;
mod metrics;
mod next_record;
mod students;
mod temperatures;
mod tiles;
mod visits;
mod weblogs;

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::process::ExitCode;

use clap::{Args, Command, FromArgMatches};
use rowkey::{Layout, LayoutBuf};
use rowkey_studies::engine::{Engine, EngineArgs};
use rowkey_studies::output::exit;

/// A study: it takes its arguments, the first of which is its name.
type Study = fn(Vec<OsString>) -> ExitCode;

const STUDIES: [(&str, Study); 22] = [
    ("access_log", access_log::main),
    ("actions", actions::main),
    ("autocomplete", autocomplete::main),
    ("boundaries", boundaries::main),
    ("cities", cities::main),
    ("crash_reports", crash_reports::main),
    ("four_designs", four_designs::main),
    ("friends", friends::main),
    ("homepages", homepages::main),
    ("inbound", inbound::main),
    ("inbox", inbox::main),
    ("ip_country", ip_country::main),
    ("links", links::main),
    ("locations", locations::main),
    ("make_log", make_log::main),
    ("metrics", metrics::main),
    ("next_record", next_record::main),
    ("students", students::main),
    ("temperatures", temperatures::main),
    ("tiles", tiles::main),
    ("visits", visits::main),
    ("weblogs", weblogs::main),
];

/// The keys of each study's tables; a log has none.
const LAYOUTS: [(&str, &[(&str, Layout)]); 21] = [
    ("access_log", access_log::LAYOUTS),
    ("actions", actions::LAYOUTS),
    ("autocomplete", autocomplete::LAYOUTS),
    ("boundaries", boundaries::LAYOUTS),
    ("cities", cities::LAYOUTS),
    ("crash_reports", crash_reports::LAYOUTS),
    ("four_designs", four_designs::LAYOUTS),
    ("friends", friends::LAYOUTS),
    ("homepages", homepages::LAYOUTS),
    ("inbound", inbound::LAYOUTS),
    ("inbox", inbox::LAYOUTS),
    ("ip_country", ip_country::LAYOUTS),
    ("links", links::LAYOUTS),
    ("locations", locations::LAYOUTS),
    ("metrics", metrics::LAYOUTS),
    ("next_record", next_record::LAYOUTS),
    ("students", students::LAYOUTS),
    ("temperatures", temperatures::LAYOUTS),
    ("tiles", tiles::LAYOUTS),
    ("visits", visits::LAYOUTS),
    ("weblogs", weblogs::LAYOUTS),
];

/// Where a study prints.
type Out = BufWriter<StdoutLock<'static>>;

/// Runs a study with these arguments, the first of which is its name. All studies have the options of the engine.
fn study<A: Args>(
    args: Vec<OsString>,
    run: impl FnOnce(&A, &Engine, &mut Out) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    let name = args.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // In this order: the help begins with the text of the last.
    let command = A::augment_args(EngineArgs::augment_args(Command::new("rowkey-studies")));
    let parsed = command.try_get_matches_from(args);
    let parsed = parsed.and_then(|found| Ok((A::from_arg_matches(&found)?, EngineArgs::from_arg_matches(&found)?)));
    let (args, engine) = parsed.unwrap_or_else(|error| error.exit());
    let (engine, mut out) = (Engine::new(&name, engine), BufWriter::new(io::stdout().lock()));
    let ran = run(&args, &engine, &mut out).and_then(|()| Ok(out.flush()?));
    let closed = engine.close();
    exit(ran.and_then(|()| Ok(closed?)))
}

/// Prints the layout of each study's keys, a line of JSON each: `studies/designs/` is held to them.
fn layouts() -> ExitCode {
    for (study, tables) in LAYOUTS {
        for (table, layout) in tables {
            let layout = LayoutBuf::from(layout);
            println!("{}", serde_json::json!({"study": study, "table": table, "layout": layout}));
        }
    }
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    if args.first().is_some_and(|name| name == "layouts") {
        return layouts();
    }
    let study = args.first().and_then(|name| STUDIES.iter().find(|(study, _)| name == study));
    let Some((_, study)) = study else {
        let names = STUDIES.map(|(name, _)| name).join("\n  ");
        eprintln!(
            "usage: rowkey-studies STUDY [ARGUMENTS]\n\nThe studies, each of which runs without an argument:\n  {names}\n\n\
             `layouts` prints the layouts of their keys, as JSON"
        );
        return ExitCode::from(2);
    };
    study(args)
}
