//! Findings of a check: a rule, where it applies, the numbers it saw, and the cure.

use crate::problem::Span;
use crate::rule::{Rule, Severity};

/// A number that a finding rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name, such as `ranges` or `rows read for each returned`.
    pub name: &'static str,
    /// The number.
    pub value: f64,
    /// Its unit; empty for a plain count.
    pub unit: &'static str,
}

/// A change of a design file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text that is replaced; an empty place inserts.
    pub place: Span,
    /// The new text.
    pub text: String,
}

/// The cure of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The cure in words.
    pub text: String,
    /// The edits of the design file; empty where no edit of the file can do it.
    pub edits: Vec<Edit>,
}

/// One thing that a check found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Its severity on the table's engine.
    pub severity: Severity,
    /// The table.
    pub table: String,
    /// The query, write, family, field or secondary table that has it; none for the table itself.
    pub of: Option<String>,
    /// Its place in the file.
    pub place: Span,
    /// The finding in a sentence.
    pub message: String,
    /// The numbers it rests on.
    pub numbers: Vec<Measure>,
    /// Evidence: keys, ranges, a query; one line each.
    pub witness: Vec<String>,
    /// The cure.
    pub remedy: Option<Remedy>,
}

impl Finding {
    /// A finding of a rule in a table, with the rule's severity for its engine.
    pub(crate) fn new(rule: &'static Rule, severity: Severity, table: &str, place: Span, message: String) -> Self {
        let (numbers, witness) = (Vec::new(), Vec::new());
        Self { rule, severity, table: table.to_owned(), of: None, place, message, numbers, witness, remedy: None }
    }

    pub(crate) fn of(mut self, of: impl Into<String>) -> Self {
        self.of = Some(of.into());
        self
    }

    pub(crate) fn number(mut self, name: &'static str, value: f64, unit: &'static str) -> Self {
        self.numbers.push(Measure { name, value, unit });
        self
    }

    pub(crate) fn witness(mut self, line: impl Into<String>) -> Self {
        self.witness.push(line.into());
        self
    }

    pub(crate) fn remedy(mut self, text: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.remedy = Some(Remedy { text: text.into(), edits });
        self
    }
}
