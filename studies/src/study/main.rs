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

use std::ffi::OsString;
use std::process::ExitCode;

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

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let study = args.first().and_then(|name| STUDIES.iter().find(|(study, _)| name == study));
    let Some((_, study)) = study else {
        let names = STUDIES.map(|(name, _)| name).join("\n  ");
        eprintln!(
            "usage: rowkey-studies STUDY [ARGUMENTS]\n\nThe studies, each of which runs without an argument:\n  {names}"
        );
        return ExitCode::from(2);
    };
    study(args)
}
