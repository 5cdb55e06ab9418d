//! Levels of rules on the command line, and the severity that fails.

use rowkey_design::{CheckOptions, Level, Rule, Severity};

use crate::args;
use crate::failure::Failure;

/// Levels of rules, each for all tables. They win over those of the design.
#[derive(Debug, clap::Args)]
pub(crate) struct Levels {
    /// Rules whose findings are allowed, as H10,Q03. As `rules.H10 = "allow"` of the design, and before it.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule_of_check)]
    allow: Vec<&'static Rule>,
    /// Rules whose findings are notes.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule_of_check)]
    note: Vec<&'static Rule>,
    /// Rules whose findings are warnings.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule_of_check)]
    warn: Vec<&'static Rule>,
    /// The lowest severity that makes the exit status 1: note, warning or error. Default: warning. Or rules whose
    /// findings are errors.
    #[arg(long, value_name = "SEVERITY|RULE", value_delimiter = ',', value_parser = denied)]
    deny: Vec<Denied>,
}

/// A value of `--deny`.
#[derive(Clone, Copy, Debug)]
enum Denied {
    From(Severity),
    Rule(&'static Rule),
}

fn rule_of_check(id: &str) -> Result<&'static Rule, String> {
    let rule = args::rule(id)?;
    match rule.kind.compares() {
        true => Err(format!("{} compares two designs, and a check has one: see `rowkey diff`", rule.id)),
        false => Ok(rule),
    }
}

fn denied(text: &str) -> Result<Denied, String> {
    match text.parse() {
        Ok(severity) => Ok(Denied::From(severity)),
        Err(_) => rule_of_check(text).map(Denied::Rule).map_err(|why| format!("note, warning, error or a rule: {why}")),
    }
}

impl Levels {
    /// The lowest severity that fails.
    pub(crate) fn fails_from(&self) -> Result<Severity, Failure> {
        let mut said = self.deny.iter().filter_map(|denied| match denied {
            Denied::From(severity) => Some(*severity),
            Denied::Rule(_) => None,
        });
        match (said.next(), said.next()) {
            (first, None) => Ok(first.unwrap_or(Severity::Warning)),
            (_, Some(_)) => Err(Failure::new("--deny names two severities: the lower one is enough")),
        }
    }

    /// The options with these levels.
    pub(crate) fn of(&self, mut options: CheckOptions) -> Result<CheckOptions, Failure> {
        let denied = self.deny.iter().filter_map(|denied| match denied {
            Denied::From(_) => None,
            Denied::Rule(rule) => Some((*rule, Level::Error)),
        });
        let with = |rules: &[&'static Rule], level| rules.iter().map(|rule| (*rule, level)).collect::<Vec<_>>();
        let others = [(&self.allow, Level::Allow), (&self.note, Level::Note), (&self.warn, Level::Warning)];
        let all: Vec<_> = others.into_iter().flat_map(|(rules, level)| with(rules, level)).chain(denied).collect();
        for (index, (rule, level)) in all.iter().enumerate() {
            if let Some((_, other)) = all[..index].iter().find(|(before, other)| before == rule && other != level) {
                return Err(Failure::new(format!("the options give {} two levels: {other} and {level}", rule.id)));
            }
            options = options.level(rule, *level);
        }
        Ok(options)
    }
}
