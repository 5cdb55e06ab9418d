//! `rowkey rule`.

use std::io::Write as _;
use std::process::ExitCode;

use rowkey_design::internal::report;

use crate::failure::Failure;

/// Explains a rule: what it looks for, why, the cure, a bad and a good design.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rowkey rule H05\n  rowkey rule --list\n  rowkey rule --list --json")]
pub(crate) struct Args {
    /// The rule's id, in upper or lower case. Default: all rules are listed.
    id: Option<String>,
    /// Lists all rules: id, severity on HBase, title, and the severity on engines where it differs.
    #[arg(long, conflicts_with = "id")]
    list: bool,
    /// Prints JSON: of each rule its id, title, severities by engine, and, of one, its page as Markdown.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    match &args.id {
        Some(id) => {
            let rule = crate::args::rule(id).map_err(Failure::new)?;
            let text = if args.json { report::rule_as_json(rule) } else { format!("{}\n", rule.page().trim_end()) };
            out.write_all(text.as_bytes())?;
        }
        None if args.json => out.write_all(report::rules_as_json().as_bytes())?,
        None => out.write_all(report::rules_as_text().as_bytes())?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
