//! The rules: what each looks for, how bad it is on each engine, and its page.
//!
//! `pages/` has a page for each rule: condition, consequence, cure, source, when it is wrong, a minimal bad design on which
//! it fires, and the nearest good one on which it is silent. Tests check each page's two designs.

mod changes;
mod families;
mod keys;
mod queries;

use crate::check::Context;
use crate::design::Engine;
use crate::finding::{Finding, Severity};

/// A rule.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its id, such as `H05`; it never changes.
    pub id: &'static str,
    /// What it looks for, in a few words.
    pub title: &'static str,
    severity: fn(Engine) -> Severity,
    /// Finds it in a table; none for a rule that compares two designs or checks keys alone.
    pub(crate) find: Option<fn(&Context<'_>, &mut Found<'_>)>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// Takes the findings of one rule.
pub(crate) struct Found<'f> {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) table: &'f str,
    pub(crate) list: &'f mut Vec<Finding>,
}

impl Found<'_> {
    /// A finding of this rule, with its severity for the table's engine.
    pub(crate) fn finding(&self, place: crate::Place, message: String) -> Finding {
        Finding::new(self.rule, self.severity, self.table, place, message)
    }

    /// Takes a finding. What overflowed, from sizes that nothing has, is not one of its numbers.
    pub(crate) fn push(&mut self, mut finding: Finding) {
        finding.numbers.retain(|number| number.value.is_finite());
        self.list.push(finding);
    }
}

impl Rule {
    /// All rules, by id.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        [keys::RULES, queries::RULES, families::RULES, changes::RULES].into_iter().flatten()
    }

    /// The rule of this id.
    pub fn named(id: &str) -> Option<&'static Self> {
        Self::all().find(|rule| rule.id == id)
    }

    /// How bad it is on an engine.
    pub fn severity(&self, engine: Engine) -> Severity {
        (self.severity)(engine)
    }

    /// Its page, as Markdown: condition, consequence, cure, source, when it is wrong, two designs.
    pub fn page(&self) -> &'static str {
        const PAGES: [&str; 4] = [
            include_str!("pages/keys.md"),
            include_str!("pages/queries.md"),
            include_str!("pages/families.md"),
            include_str!("pages/changes.md"),
        ];
        let start = format!("## {} ", self.id);
        let page = PAGES.iter().find_map(|pages| pages.find(&start).map(|at| &pages[at..])).unwrap_or("");
        page.get(3..).and_then(|rest| rest.find("\n## ")).map_or(page, |end| &page[..end + 4])
    }
}

/// Declares rules: id, title, severity by engine, and the function that finds it.
macro_rules! rules {
    ($($id:literal $title:literal $severity:expr, $find:expr;)*) => {
        /// The rules of this file.
        pub(crate) static RULES: &[$crate::rules::Rule] = &[
            $($crate::rules::Rule { id: $id, title: $title, severity: $severity, find: $find },)*
        ];
    };
}
pub(crate) use rules;
