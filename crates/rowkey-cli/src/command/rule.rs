//! `rowkey rule`.

use std::io::Write as _;
use std::process::ExitCode;

use rowkey_design::design::Engine;
use rowkey_design::{Rule, Severity};
use serde_json::{Value as Json, json};

use crate::failure::Failure;

/// Prints the page of a rule: what it looks for, why, the cure, the source, a bad and a good design.
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
            let rule = named(id)?;
            if args.json {
                let mut page = json(rule);
                page["page"] = rule.page().trim_end().into();
                writeln!(out, "{page:#}")?;
            } else {
                writeln!(out, "{}", rule.page().trim_end())?;
            }
        }
        None if args.json => writeln!(out, "{:#}", Json::from(Rule::all().map(json).collect::<Vec<_>>()))?,
        None => {
            for rule in Rule::all() {
                writeln!(out, "{}  {:<7}  {}{}", rule.id, usual(rule).word(), rule.title, others(rule))?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn named(id: &str) -> Result<&'static Rule, Failure> {
    let upper = id.trim().to_ascii_uppercase();
    Rule::named(&upper).ok_or_else(|| {
        // `H5` and `H005` for `H05`; else the first of the same kind.
        let kind = |id: &str| id.chars().next();
        let number = |id: &str| id.get(1..).and_then(|number| number.parse::<u32>().ok());
        let alike = || Rule::all().filter(|rule| kind(rule.id) == kind(&upper));
        let nearest = alike()
            .filter_map(|rule| Some((number(rule.id)?.abs_diff(number(&upper)?), rule)))
            .min_by_key(|(apart, _)| *apart)
            .map(|(_, rule)| rule)
            .or_else(|| alike().next());
        let near = nearest.map_or(String::new(), |rule| format!("did you mean {} ({})? ", rule.id, rule.title));
        Failure::new(format!("there is no rule {id:?}; {near}`rowkey rule --list` lists all"))
    })
}

/// The severity on HBase.
fn usual(rule: &Rule) -> Severity {
    rule.severity(Engine::HBase)
}

/// The engines on which the severity is another.
fn others(rule: &Rule) -> String {
    let others: Vec<&Engine> = Engine::ALL.iter().filter(|engine| rule.severity(**engine) != usual(rule)).collect();
    let same = others.first().map(|first| rule.severity(**first));
    match same {
        None => String::new(),
        Some(same)
            if others.len() + 1 == Engine::ALL.len() && others.iter().all(|other| rule.severity(**other) == same) =>
        {
            format!(" (other engines: {same})")
        }
        Some(_) => {
            let others: Vec<String> =
                others.iter().map(|engine| format!("{engine}: {}", rule.severity(**engine))).collect();
            format!(" ({})", others.join(", "))
        }
    }
}

fn json(rule: &Rule) -> Json {
    let severities = Engine::ALL.iter().map(|engine| (engine.word().to_owned(), rule.severity(*engine).word().into()));
    json!({"id": rule.id, "title": rule.title, "severity": severities.collect::<serde_json::Map<_, _>>()})
}
