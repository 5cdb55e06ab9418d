//! `rowkey rule`.

use std::io::Write as _;
use std::process::ExitCode;

use rowkey_design::Rule;
use rowkey_design::design::Engine;

use crate::failure::Failure;

/// Prints the page of a rule: what it looks for, why, the cure, the source, a bad and a good design.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rowkey rule H05\n  rowkey rule --list")]
pub(crate) struct Args {
    /// The rule's id.
    #[arg(required_unless_present = "list")]
    id: Option<String>,
    /// Lists all rules, with their severity on HBase and on Bigtable.
    #[arg(long, conflicts_with = "id")]
    list: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    let Some(id) = &args.id else {
        for rule in Rule::all() {
            let [hbase, bigtable] = [Engine::HBase, Engine::Bigtable].map(|engine| rule.severity(engine).word());
            writeln!(out, "{}  {hbase:<7}  {bigtable:<7}  {}", rule.id, rule.title)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let Some(rule) = Rule::named(&id.to_ascii_uppercase()) else {
        return Err(Failure::new(format!("there is no rule {id:?}; `rowkey rule --list` lists all")));
    };
    writeln!(out, "{}", rule.page().trim_end())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
