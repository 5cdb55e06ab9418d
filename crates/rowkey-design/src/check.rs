//! `rowkey check`: every rule on every table of a design, and what the file allows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::cost::QueryCost;
use crate::design::{Allow, Date, Level};
use crate::finding::{Edit, Finding};
use crate::load::{assumed_rates, said_in_vain};
use crate::problem::{Located, Problem, Problems, Span};
use crate::resolve::{Design, TableDesign};
use crate::rule::{H17, Rule, Severity};
use crate::rules::FINDERS;
use crate::rules::context::{CheckOptions, Context, RuleSink};
use crate::rules::together;
use crate::rules::unjudged::unjudged;
use crate::rules::unsplit::unsplit;

/// A finding that is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct AllowedFinding {
    /// The finding.
    pub finding: Finding,
    /// The reason for which it is allowed.
    pub by: AllowedBy,
}

/// The reason for which a finding is allowed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AllowedBy {
    /// An `allow` of the file: why the finding is accepted, and until when.
    Allow(Allow),
    /// The level of its rule: where a file says it, or none where it is an option of the check.
    Level(Option<Span>),
    /// A baseline, which knows it.
    Baseline,
}

impl AllowedBy {
    /// The word for it: `allow`, `rules`, `option`, or `baseline`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Allow(_) => "allow",
            Self::Level(Some(_)) => "rules",
            Self::Level(None) => "option",
            Self::Baseline => "baseline",
        }
    }
}

/// An `allow` of what is not found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnusedAllow {
    /// The table.
    pub table: String,
    /// The finding that is allowed.
    pub allow: Allow,
    /// The edit that removes it from the file.
    pub edit: Edit,
}

/// A part of a table that no rule judges, as the design does not say what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unjudged {
    /// The table.
    pub table: String,
    /// The question, why it is open, and what to say.
    pub question: String,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The findings, by place.
    pub findings: Vec<Finding>,
    /// The findings that are allowed.
    pub allowed: Vec<AllowedFinding>,
    /// The problems of `allow` itself: unknown rules, expired days, findings that are not there.
    pub problems: Vec<Problem>,
    /// Those `allow` of the problems that nothing is found for. Where a finding was mended, its `allow` can go.
    pub unused: Vec<UnusedAllow>,
    /// Statistics that a sample or other statistics contradict, split points that the engine does not take, and what a
    /// baseline knows and is found no more. They say nothing against the design.
    pub notes: Vec<Problem>,
    /// Assumptions of the findings, where the file says nothing.
    pub assumed: Vec<String>,
    /// The questions that no rule answers, as the file does not say what it takes: each with what to say.
    pub unjudged: Vec<Unjudged>,
    /// The number of tables that were checked, secondary tables among them.
    pub tables: usize,
    /// The number of queries that were checked.
    pub queries: usize,
}

impl Report {
    /// The number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

impl Report {
    /// The problems for which a design is refused, whatever is found in it; none if it has none.
    #[doc(hidden)]
    pub fn refused(&self, design: &Design) -> Option<Problems> {
        let list = self.problems.clone();
        (!list.is_empty()).then(|| Problems { files: design.files.clone(), list })
    }

    /// True if a query of a table passes over deleted rows, which its cost does not count, as H17 finds.
    #[doc(hidden)]
    pub fn passes_deleted(&self, table: &str, query: &str) -> bool {
        let all = self.findings.iter().chain(self.allowed.iter().map(|allowed| &allowed.finding));
        let mut of_query = all.filter(|finding| finding.table == table && finding.of.as_deref() == Some(query));
        of_query.any(|finding| finding.rule.id == H17.id)
    }
}

impl Design {
    /// The cost of each query of each table: by the same ranges and counts that the rules see.
    ///
    /// ```
    /// use rowkey_design::Date;
    /// use rowkey_design::{CheckOptions, Design, File};
    ///
    /// let text = r#"
    /// format = 1
    /// [table.visits]
    /// key = ["host: text", "at: instant"]
    /// salt = { buckets = 4, by = ["at"] }
    /// [[table.visits.query]]
    /// name = "one host"
    /// fix = ["host"]
    /// "#;
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    /// let (table, costs) = design.query_costs(&options).next().expect("a table");
    /// assert_eq!((table.name.as_str(), costs[0].range_count()), ("visits", 4));
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    #[doc(hidden)]
    pub fn query_costs<'d>(
        &'d self,
        options: &'d CheckOptions,
    ) -> impl Iterator<Item = (&'d TableDesign, Vec<QueryCost<'d>>)> {
        self.tables.values().map(|table| (table, Context::new(self, table, options).queries))
    }

    /// Checks every table by every rule.
    ///
    /// ```
    /// use rowkey_design::Date;
    /// use rowkey_design::{CheckOptions, Design, File};
    ///
    /// let text = r#"
    /// format = 1
    /// [table.visits]
    /// key = ["at: instant", "host: text"]
    /// [[table.visits.query]]
    /// name = "one host"
    /// fix = ["host"]
    /// "#;
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    /// assert!(report.findings.iter().any(|finding| finding.rule.id == "Q01"));
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    pub fn check(&self, options: &CheckOptions) -> Report {
        let mut report = Report::default();
        let mut contexts: Vec<_> = self.tables.values().map(|table| Context::new(self, table, options)).collect();
        together::add(&mut contexts);
        for context in contexts {
            let table = context.table;
            report.tables += context.keys.len();
            report.queries += context.queries.len();
            let seen = context.profile.map(|profile| crate::sample::differ::differences(table, profile));
            report.notes.extend(seen.into_iter().flatten().chain(crate::cost::unlikely_rows(table)));
            report.notes.extend(unsplit(&context));
            let found = all(&context);
            let of_servers = |finding: &Finding| finding.numbers.iter().any(|number| number.name == "servers");
            let assumed = context.capacity.assumed().filter(|_| found.iter().any(of_servers));
            let of_table = |question| Unjudged { table: table.name.value.clone(), question };
            report.unjudged.extend(unjudged(&context).into_iter().map(of_table));
            let rates = assumed_rates(&table.table).into_iter().filter(|_| !found.is_empty());
            for assumed in assumed.into_iter().chain(rates) {
                if !report.assumed.contains(&assumed) {
                    report.assumed.push(assumed);
                }
            }
            report.take(&context, found, options.today);
        }
        let cluster = self.cluster(options);
        report.assumed.extend(said_in_vain(cluster));
        let engine = cluster.map(|cluster| cluster.engine);
        report.problems.extend(crate::ddl::refused(self, engine));
        report.findings.sort_by_key(|finding| finding.place);
        report.problems.sort_by_key(|problem| problem.place);
        report.problems.dedup();
        report.notes.sort_by_key(|note| note.place);
        report
    }
}

/// The findings of a table, but for those of rules whose level allows them.
pub(crate) fn findings(context: &Context<'_>) -> Vec<Finding> {
    let is_off = |finding: &Finding| context.level(finding.rule).is_some_and(|(level, _)| level == Level::Allow);
    all(context).into_iter().filter(|finding| !is_off(finding)).collect()
}

/// All findings of a table, with the severities that the levels of their rules give.
fn all(context: &Context<'_>) -> Vec<Finding> {
    let mut list = Vec::new();
    for (rule, find) in FINDERS {
        let (severity, before) = (rule.severity(context.engine), list.len());
        find(context, &mut RuleSink { rule, severity, table: &context.table.name, list: &mut list });
        if let Some(severity) = context.level(rule).and_then(|(level, _)| level.severity()) {
            list[before..].iter_mut().for_each(|finding| finding.severity = severity);
        }
    }
    list
}

impl Report {
    /// Takes a table's findings, those apart that are allowed.
    fn take(&mut self, context: &Context<'_>, found: Vec<Finding>, today: Date) {
        let (table, files) = (context.table, &context.design.files);
        let allows = &table.table.allow;
        let mut used = vec![false; allows.len()];
        for finding in found {
            let matching = allows.iter().position(|allow| {
                *allow.rule == finding.rule.id && allow.of.as_ref().map(|of| of.as_str()) == finding.of.as_deref()
            });
            match matching {
                Some(i) => {
                    used[i] = true;
                    self.allowed.push(AllowedFinding { finding, by: AllowedBy::Allow(allows[i].value.clone()) });
                }
                None => match context.level(finding.rule) {
                    Some((Level::Allow, place)) => {
                        self.allowed.push(AllowedFinding { finding, by: AllowedBy::Level(place) });
                    }
                    _ => self.findings.push(finding),
                },
            }
        }
        let mut first: HashMap<_, Span> = HashMap::new();
        for (allow, used) in allows.iter().zip(used) {
            match first.entry((allow.rule.as_str(), allow.of.as_ref().map(|of| of.as_str()))) {
                Entry::Occupied(first) => {
                    let message = format!("this `allow` is of the same as that at {}", files.position(*first.get()));
                    let help = Some("remove one of them".to_owned());
                    self.problems.push(Problem { place: allow.rule.place, message, help });
                }
                Entry::Vacant(entry) => {
                    entry.insert(allow.rule.place);
                    if !used && !compares(&allow.rule) {
                        let (name, edit) = (table.name.value.clone(), files.allow_removed(allow));
                        self.unused.push(UnusedAllow { table: name, allow: allow.value.clone(), edit });
                    }
                    self.problems.extend(fault(allow, used, today));
                }
            }
        }
    }
}

/// True if an id is of a rule that compares two designs.
fn compares(id: &str) -> bool {
    Rule::named(id).is_some_and(|rule| rule.kind.compares())
}

/// The problem of an `allow`.
fn fault(allow: &Located<Allow>, used: bool, today: Date) -> Option<Problem> {
    let problem = |place, message, help: &str| Some(Problem { place, message, help: Some(help.to_owned()) });
    let rule = &allow.rule;
    if let Some(until) = allow.until.as_ref().filter(|until| ***until < today) {
        let help = "mend what it allows, or give it a later day";
        return problem(until.place, format!("this ended on {}", until.value), help);
    }
    // Rules of changes find nothing in one design.
    if !used && !compares(rule) {
        let of = allow.of.as_ref().map_or(String::new(), |of| format!(" of {:?}", of.as_str()));
        return problem(
            rule.place,
            format!("nothing{of} is found by {}", rule.as_str()),
            "remove this `allow`, or name what the finding is of",
        );
    }
    None
}
