//! Baselines: the findings that are known, so that a check fails on new ones alone.
//!
//! A baseline names a finding by its table, its rule and what has it, and not by its line: a design has one table of a
//! name, in whatever file it is, and files are moved and formatted.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use crate::check::{AllowedBy, AllowedFinding, Report};
use crate::file::node::{self, Reading, record};
use crate::file::{Bounds, Named};
use crate::finding::Finding;
use crate::problem::{File, Files, Located, Problem, Problems, Span};
use crate::quote;
use crate::resolve::{Design, no_rule};
use crate::rule::{Rule, Severity};

/// The first line of each baseline: what says that a file is one.
pub const BASELINE_LINE: &str =
    "# Written by `rowkey check --write-baseline`: findings that are known. Others are new.";

record! {
    /// The contents of a baseline.
    pub struct BaselineFile {
        /// The version of this format: 1.
        baseline: Located<u32> where Bounds::whole(1, 1),
        /// The findings, by table.
        table: Named<Vec<Located<KnownFinding>>>,
    }

    /// A finding that is known.
    pub struct KnownFinding {
        /// The rule.
        rule: Located<String>,
        /// The query, write, family, field or secondary table that has it; none for the table itself.
        of: Option<String>,
        /// Its severity. A more severe one is new.
        severity: Severity,
    }
}

/// A finding as a baseline knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    table: String,
    rule: &'static str,
    of: Option<String>,
    severity: Severity,
    place: Span,
}

impl Known {
    fn of(finding: &Finding) -> Self {
        let Finding { rule, severity, table, of, .. } = finding;
        let (table, of, severity) = (table.clone(), of.clone(), *severity);
        Self { table, rule: rule.id, of, severity, place: Span::default() }
    }

    /// The note of one that is not found.
    fn gone(&self, files: &Files) -> Problem {
        let of = self.of.as_ref().map_or(String::new(), |of| format!(" of {of:?}"));
        let message = format!("{}{of} is found no more in {:?}", self.rule, self.table);
        let name = files.file(self.place).map_or("FILE", |file| &file.name);
        let help = format!("`--baseline {name} --write-baseline {name}` leaves out all such, and takes in nothing new");
        Problem { place: self.place, message, help: Some(help) }
    }

    fn name(&self) -> (&str, &str, Option<&str>) {
        (&self.table, self.rule, self.of.as_deref())
    }
}

/// The findings that are known.
///
/// Its text is that of a file: sorted, and the same for the same findings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    known: Vec<Known>,
}

impl Baseline {
    /// The findings of a report that nothing allows.
    pub fn of(report: &Report) -> Self {
        Self::sorted(report.findings.iter().map(Known::of).collect())
    }

    fn sorted(mut known: Vec<Known>) -> Self {
        known.sort_unstable();
        Self { known }
    }

    /// Reads a file, which becomes one of the design's: notes of a report show places in it.
    ///
    /// # Errors
    /// Everything that is wrong in it, each with its place.
    pub fn read(design: &mut Design, file: File) -> Result<Self, Problems> {
        let (text, mut problems) = (file.text.clone(), Vec::new());
        let mut reading = Reading { file: design.files.add(file), problems: &mut problems };
        let file: Option<BaselineFile> = node::read(&text, &mut reading);
        let mut all = Vec::new();
        for (table, known) in file.into_iter().flat_map(|file| file.table) {
            for Located { value: KnownFinding { rule, of, severity }, place } in known.value {
                match Rule::named(&rule) {
                    Some(Rule { id, .. }) => all.push(Known { table: table.clone(), rule: id, of, severity, place }),
                    None => problems.push(no_rule(&rule, rule.place)),
                }
            }
        }
        if problems.is_empty() {
            return Ok(Self::sorted(all));
        }
        problems.sort_by_key(|problem| problem.place);
        Err(Problems { files: design.files.clone(), list: problems })
    }

    /// The number of findings.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// True if no finding is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{BASELINE_LINE}\nbaseline = 1")?;
        for Known { table, rule, of, severity, .. } in &self.known {
            let title = Rule::named(rule).map_or("", |rule| rule.title);
            writeln!(f, "\n[[table.{}]]\nrule = {} # {title}", quote::toml_key(table), quote::toml(rule))?;
            if let Some(of) = of {
                writeln!(f, "of = {}", quote::toml(of))?;
            }
            writeln!(f, "severity = {}", quote::toml(severity.word()))?;
        }
        Ok(())
    }
}

impl Report {
    /// Allows the findings that a baseline knows, each as often as it has it, and none that is more severe. Notes what
    /// it knows and is not found. Returns as much of it as is found still.
    pub fn allow_known(&mut self, baseline: &Baseline, files: &Files) -> Baseline {
        let found: Vec<Known> = self.findings.iter().map(Known::of).collect();
        let mut known: HashMap<_, Vec<&Known>> = HashMap::new();
        // Each list ends with the most severe.
        baseline.known.iter().for_each(|entry| known.entry(entry.name()).or_default().push(entry));
        // The most severe finding first: what is known of it is of no use to milder ones.
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&at| Reverse(found[at].severity));
        let (mut is_known, mut still) = (vec![false; found.len()], Vec::new());
        for &at in &order {
            let entries = known.get_mut(&found[at].name());
            let entry = entries.and_then(|all| all.pop_if(|entry| entry.severity >= found[at].severity));
            is_known[at] = entry.is_some();
            still.extend(entry.map(|_| found[at].clone()));
        }
        // What has become more severe is new, and what is known of it is found still.
        for at in order.into_iter().filter(|&at| !is_known[at]) {
            still.extend(known.get_mut(&found[at].name()).and_then(Vec::pop).cloned());
        }
        for (finding, is_known) in std::mem::take(&mut self.findings).into_iter().zip(is_known) {
            match is_known {
                true => self.allowed.push(AllowedFinding { finding, by: AllowedBy::Baseline }),
                false => self.findings.push(finding),
            }
        }
        self.notes.extend(known.into_values().flatten().map(|entry| entry.gone(files)));
        self.notes.sort_by_key(|note| note.place);
        Baseline::sorted(still)
    }
}
