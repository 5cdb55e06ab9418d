//! `rowkey diff`: what each change of a design does to the rows that are there.

mod engine;
mod families;
mod keys;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rowkey::LayoutBuf;

use crate::choice::{self, Choice, UnknownName};
use crate::cost::{bytes_per_row, rows};
use crate::design::{Columns, Engine, Level};
use crate::facts::KeyFacts;
use crate::finding::Finding;
use crate::problem::{File, Span};
use crate::quote;
use crate::resolve::{Design, TableDesign};
use crate::rule::{self, Rule};
use crate::rules::context::CheckOptions;
use crate::suggest::to_toml;

/// The impact of a change on stored rows, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Impact {
    /// Nothing.
    Safe,
    /// Nothing until files are compacted.
    AfterCompaction,
    /// They have to be written again, under other keys.
    Rewrite,
    /// Some are lost.
    DataLoss,
    /// They are read as other values, and nothing says so.
    SilentCorruption,
}

impl Impact {
    /// All of them, the least first.
    pub const ALL: [Self; 5] =
        [Self::Safe, Self::AfterCompaction, Self::Rewrite, Self::DataLoss, Self::SilentCorruption];

    /// The words for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::AfterCompaction => "after a compaction",
            Self::Rewrite => "rewrite",
            Self::DataLoss => "data loss",
            Self::SilentCorruption => "silent corruption",
        }
    }
}

impl Choice for Impact {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::AfterCompaction => "after-compaction",
            Self::Rewrite => "rewrite",
            Self::DataLoss => "data-loss",
            Self::SilentCorruption => "silent-corruption",
        }
    }
}

impl FromStr for Impact {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        choice::named(name)
    }
}

impl fmt::Display for Impact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One change between two designs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Its impact on stored rows.
    pub class: Impact,
    /// The rule whose page says more.
    pub rule: &'static Rule,
    /// The table.
    pub table: String,
    /// The field, family, secondary table or query; none for the table.
    pub of: Option<String>,
    /// Its place in the new design; none for what it has no more.
    pub place: Option<Span>,
    /// The change, and what it means.
    pub message: String,
    /// The steps by which a table is rewritten; empty for other classes.
    pub plan: Vec<String>,
    /// Why it is accepted, where the new design allows it.
    pub allowed: Option<String>,
}

/// Takes the differences of one table.
pub(super) struct Changes<'t> {
    table: &'t str,
    /// The words for the time at which cells go that are kept no longer.
    gone: &'static str,
    list: Vec<Difference>,
}

impl Changes<'_> {
    fn push(&mut self, class: Impact, rule: &'static Rule, of: Option<&str>, place: Option<Span>, message: String) {
        let (table, of) = (self.table.to_owned(), of.map(str::to_owned));
        self.list.push(Difference { class, rule, table, of, place, message, plan: Vec::new(), allowed: None });
    }
}

/// Compares two designs; `rate` is how many rows a second a rewrite is planned with.
///
/// ```
/// use rowkey_design::Date;
/// use rowkey_design::{CheckOptions, Impact, Design, File, diff};
///
/// let design = |key: &str| {
///     let text = format!("format = 1\n[table.visits]\nkey = [{key}]\n");
///     Design::parse([File { name: "visits.rowkey.toml".into(), text }])
/// };
/// let (old, new) = (design(r#""host: text", "at: i64""#)?, design(r#""host: text", "at: i64 desc""#)?);
/// let changes = diff(&old, &new, &CheckOptions::new(Date { year: 2026, month: 1, day: 31 }), 10_000.0);
/// assert_eq!((changes[0].rule.id, changes[0].class), ("D01", Impact::Rewrite));
/// # Ok::<(), rowkey_design::Problems>(())
/// ```
pub fn diff(old: &Design, new: &Design, options: &CheckOptions, rate: f64) -> Vec<Difference> {
    let mut all = Vec::new();
    let gone = match new.cluster(options).map(|cluster| cluster.engine) {
        Some(Engine::DynamoDb) => "within days",
        _ => "at the next compaction",
    };
    let engines = other_engine(old, new, options);
    for (name, table) in &new.tables {
        let mut changes = Changes { table: name, gone, list: Vec::new() };
        match old.tables.get(name) {
            None => changes.push(Impact::Safe, &rule::D08, None, Some(table.name.place), "a new table".to_owned()),
            Some(before) => {
                of_table(before, table, rate, &mut changes);
                if let Some(engines) = engines {
                    engine::compare(engines, (before, table), rate, &mut changes);
                }
            }
        }
        all.append(&mut changes.list);
    }
    for (name, table) in old.tables.iter().filter(|(name, _)| !new.tables.contains_key(*name)) {
        let mut changes = Changes { table: name, gone, list: Vec::new() };
        let added = new.tables.values().filter(|other| !old.tables.contains_key(other.name.as_str()));
        let alike = added.into_iter().find(|other| other.layout == table.layout);
        let message = match alike {
            Some(other) => format!(
                "the table is gone; {:?} has the same key, but no engine here renames a table: its rows would have to be copied",
                other.name.as_str()
            ),
            None => "the table is gone, and its rows".to_owned(),
        };
        changes.push(Impact::DataLoss, &rule::D06, None, None, message);
        all.append(&mut changes.list);
    }
    all.extend(new_findings(old, new, options));
    for difference in &mut all {
        difference.allowed = allowed(new, difference);
    }
    all
}

fn of_table(old: &TableDesign, new: &TableDesign, rate: f64, changes: &mut Changes<'_>) {
    keys::compare(old, new, changes);
    for difference in changes.list.iter_mut().filter(|change| change.class >= Impact::Rewrite) {
        if difference.class == Impact::Rewrite && difference.of.is_none() {
            difference.plan = plan(old, new, rate);
        }
    }
    families::compare(old, new, changes);
}

/// The phases of `rowkey::migrate`, with what the old design says of rows and bytes.
fn plan(old: &TableDesign, new: &TableDesign, rate: f64) -> Vec<String> {
    vec![
        format!("from {} to {}", old.layout.fingerprint(), new.layout.fingerprint()),
        "open a `rowkey::migrate::Migration`: each write goes to both tables".to_owned(),
        format!("backfill {}", copied(old, rate)),
        "verify, repair, and cut over: reads go to the new table".to_owned(),
        "finish: writes go to the new table alone, and the old one is dropped".to_owned(),
    ]
}

/// The rows and bytes of a table, and the time that copying them takes.
fn copied(old: &TableDesign, rate: f64) -> String {
    let rows = rows(old).filter(|rows| rows.is_finite());
    let bytes = rows.map(|rows| rows * bytes_per_row(old, &KeyFacts::of(old, None), &[]));
    let size = match (rows, bytes) {
        (Some(rows), Some(bytes)) => format!("{} rows, {}", crate::file::Count(rows), crate::file::Bytes(bytes)),
        _ => "all rows (the design does not say how many: `rows = …`)".to_owned(),
    };
    let time = rows.filter(|_| rate > 0.0).and_then(|rows| Duration::try_from_secs_f64(rows / rate).ok());
    let time = time.map_or(String::new(), |time| {
        format!(": {} at {} rows/s", crate::file::Period(time), crate::file::Count(rate))
    });
    format!("{size}{time}")
}

/// The old engine and the new one, where they differ. A lock file has no cluster.
fn other_engine(old: &Design, new: &Design, options: &CheckOptions) -> Option<(Engine, Engine)> {
    let engine = |design: &Design| design.cluster(options).map(|cluster| cluster.engine);
    engine(old).zip(engine(new)).filter(|(old, new)| old != new)
}

/// D11 and D12: what a check finds in the new design and not in the old.
fn new_findings(old: &Design, new: &Design, options: &CheckOptions) -> Vec<Difference> {
    let known = old.check(options).findings;
    let is_known = |finding: &Finding| {
        known.iter().any(|known| known.rule == finding.rule && known.table == finding.table && known.of == finding.of)
    };
    let rule = if other_engine(old, new, options).is_some() { &rule::D12 } else { &rule::D11 };
    let found = new.check(options).findings.into_iter().filter(|finding| {
        finding.severity > crate::rule::Severity::Note && old.tables.contains_key(&finding.table) && !is_known(finding)
    });
    found
        .map(|finding| Difference {
            class: Impact::Safe,
            rule,
            message: format!("a check now finds {}: {}", finding.rule.id, finding.message),
            table: finding.table,
            of: finding.of,
            place: Some(finding.place),
            plan: Vec::new(),
            allowed: None,
        })
        .collect()
}

/// Why the new design accepts a difference.
fn allowed(new: &Design, difference: &Difference) -> Option<String> {
    let allows = &new.tables.get(&difference.table)?.table.allow;
    let matching = allows.iter().find(|allow| {
        *allow.rule == difference.rule.id && allow.of.as_ref().map(|of| of.as_str()) == difference.of.as_deref()
    });
    let level = new.tables.get(&difference.table)?.table.rules.get(difference.rule.id);
    let level = level.or_else(|| new.rules.get(difference.rule.id)).filter(|level| level.value == Level::Allow);
    let by_level = level.map(|level| format!("`rules`, at {}", new.files.position(level.place)));
    matching.map(|allow| allow.why.value.clone()).or(by_level)
}

/// The first line of each [`lock`] file: what says that a file is one.
pub const LOCK_LINE: &str = "# Written by `rowkey diff --write-lock`: keys and options that rows depend on.";

/// The lock file of a design: a design file of keys with their fingerprints, and of what loses data when it changes. To
/// compare a design with it, read it as a design.
pub fn lock(design: &Design) -> File {
    let mut text = format!("{LOCK_LINE}\nformat = 1\n");
    for table in design.tables.values() {
        let kept = TableDesign { table: without_queries(table), ..table.clone() };
        text.push('\n');
        text += &to_toml(&kept);
        let name = quote::toml_key(&table.name);
        if !table.table.means.is_empty() {
            text += &format!("[table.{name}.means]\n");
        }
        for (field, meaning) in &table.table.means {
            text += &format!("{} = {}\n", quote::toml_key(field), quote::toml(meaning.value.word()));
        }
        for (family, options) in &table.table.family {
            text += &format!("[table.{name}.family.{}]\n", quote::toml_key(family));
            let ttl = options.ttl.as_ref().map(|ttl| format!("ttl = \"{}\"\n", ttl.exact()));
            let versions = options.versions.as_ref().map(|versions| format!("versions = {}\n", versions.value));
            let fewest = options.min_versions.as_ref().map(|fewest| format!("min_versions = {}\n", fewest.value));
            let stamps = options.timestamp.as_ref().map(|stamp| format!("timestamp = \"{}\"\n", stamp.value));
            let columns = options.columns.as_ref().map(|columns| match &columns.value {
                Columns::Names(names) => {
                    let names: Vec<String> = names.iter().map(|name| quote::toml(name)).collect();
                    format!("columns = [{}]\n", names.join(", "))
                }
                Columns::OfRow(of_row) => format!("columns = {{ name = {} }}\n", quote::toml(&of_row.name)),
            });
            text.extend([ttl, versions, fewest, stamps, columns].into_iter().flatten());
        }
    }
    File { name: "rowkey.lock".to_owned(), text }
}

/// A table without the queries that its secondary tables serve, and with the fingerprints of its keys.
fn without_queries(table: &TableDesign) -> crate::design::Table {
    let mut kept = table.table.clone();
    let located = |layout: &LayoutBuf| {
        Some(crate::problem::Located { value: layout.fingerprint().to_string(), place: Span::default() })
    };
    kept.fingerprint = located(&table.layout);
    for (secondary, layout) in kept.secondary.iter_mut().zip(&table.secondary) {
        (secondary.value.serves, secondary.value.rows) = (Vec::new(), None);
        secondary.value.fingerprint = located(layout);
    }
    kept
}
