//! Statements that create the tables of a design: commands for HBase's shell and `cbt`, SQL for Phoenix, resources for
//! Terraform.
//!
//! ```
//! use rowkey_design::internal::ddl::{Options, Target, ddl};
//! use rowkey_design::{Design, File};
//!
//! let text = r#"
//! format = 1
//! [table.visits]
//! key = ["host: text", "at: i64 desc"]
//! [table.visits.family.d]
//! ttl = "1 week"
//! "#;
//! let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
//! let created = ddl(&design, &Options::new(Target::HBase))?;
//! assert_eq!(created.text, "create \"visits\",\n  {NAME => \"d\", VERSIONS => 1, TTL => 604800}\n");
//! # Ok::<(), rowkey_design::Problems>(())
//! ```

mod bigtable;
mod cbt;
mod hbase;
mod phoenix;
mod region;
mod terraform;

pub(crate) use self::bigtable::ALL_VERSIONS;
pub(crate) use self::region::POLICIES;

use std::collections::HashSet;

use rowkey::LayoutBuf;
use rowkey::splits::Splits as SplitPoints;
use serde_json::Value as Json;

use crate::choice::choices;
use crate::design::{Engine, Family, KeyField, Salt, Splits};
use crate::file::{Bytes, Named, Period};
use crate::problem::{Located, Problem, Problems, Span};
use crate::resolve::{Design, TableDesign};
use crate::{cost, quote, row_key_schema};

choices! {
    /// The program that reads the statements.
    pub enum Target {
        /// HBase's shell: create.
        HBase = "hbase",
        /// Bigtable: cbt createtable and cbt setgcpolicy, for a shell.
        Cbt = "cbt",
        /// Apache Phoenix: CREATE TABLE.
        Phoenix = "phoenix",
        /// Terraform: google_bigtable_table and google_bigtable_gc_policy.
        Terraform = "terraform",
    }
}

/// Options of the statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    target: Target,
    table: Option<String>,
    splits: bool,
}

impl Options {
    /// All tables, with their split points, for the program that reads the result.
    pub fn new(target: Target) -> Self {
        Self { target, table: None, splits: true }
    }

    /// The table, with the tables of its rows under other keys. Default: all tables.
    #[must_use]
    pub fn table(mut self, name: impl Into<String>) -> Self {
        self.table = Some(name.into());
        self
    }

    /// Sets whether new tables are split where the design says. Default: `true`.
    #[must_use]
    pub fn splits(mut self, splits: bool) -> Self {
        self.splits = splits;
        self
    }
}

/// The statements that create the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ddl {
    /// The commands, statements or resources, of all tables.
    pub text: String,
    /// The statements before those of any table: Terraform's variables.
    pub preamble: Vec<String>,
    /// The statements of each table.
    pub tables: Vec<TableDdl>,
    /// Differences between the target and the design, each with its place.
    pub notes: Vec<Problem>,
}

/// The statements that create one table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableDdl {
    /// The table.
    pub table: String,
    /// Its commands, statements or resources, each whole, without an end of line.
    pub statements: Vec<String>,
}

/// Returns what creates the tables of a design.
///
/// # Errors
/// If the target cannot have one of the tables: each reason with its place. Of a table that is not there, the place is
/// the beginning of the first file.
pub fn ddl(design: &Design, options: &Options) -> Result<Ddl, Problems> {
    let mut said = Said::default();
    said.foreign(design, options.target);
    let mut tables = Vec::new();
    for table in design.tables.values() {
        if options.table.as_ref().is_none_or(|name| *name == *table.name) {
            tables.extend(NewTable::all(table, options.splits, &mut said));
        }
    }
    if let Some(name) = options.table.as_deref().filter(|_| tables.is_empty() && said.problems.is_empty()) {
        let known: Vec<&str> = design.tables.keys().map(String::as_str).collect();
        let help = crate::file::node::nearest(name, &known);
        said.problem(Span::default(), format!("there is no table {name:?}"), help);
    }
    let regions = match options.target {
        Target::HBase | Target::Phoenix => region::of_hbase(&design.clusters, &mut said),
        Target::Cbt | Target::Terraform => {
            region::of_bigtable(&design.clusters, &mut said);
            Vec::new()
        }
    };
    let (preamble, created, between) = match options.target {
        Target::HBase => (Vec::new(), hbase::ddl(&tables, &regions, &mut said), "\n"),
        Target::Cbt => (Vec::new(), cbt::ddl(&tables, &mut said), "\n"),
        Target::Phoenix => (Vec::new(), phoenix::ddl(&tables, &regions, &mut said), "\n"),
        Target::Terraform => (terraform::preamble(&tables), terraform::ddl(&tables, &mut said), "\n\n"),
    };
    if said.problems.is_empty() {
        let of_tables = created.iter().flatten().map(String::as_str);
        let mut text = preamble.iter().map(String::as_str).chain(of_tables).collect::<Vec<_>>().join(between);
        if !text.is_empty() {
            text.push('\n');
        }
        let tables = tables.iter().zip(created);
        let tables =
            tables.map(|(table, statements)| TableDdl { table: table.name.value.clone(), statements }).collect();
        return Ok(Ddl { text, preamble, tables, notes: said.notes });
    }
    said.problems.sort_by_key(|problem| problem.place);
    said.problems.dedup();
    Err(Problems { files: design.files.clone(), list: said.problems })
}

/// Notes on a design.
#[derive(Default)]
struct Said {
    problems: Vec<Problem>,
    notes: Vec<Problem>,
}

impl Said {
    /// Notes that the clusters are all of engines that the target creates no tables of.
    fn foreign(&mut self, design: &Design, target: Target) {
        if design.clusters.values().any(|cluster| matches!(cluster.engine, Engine::HBase | Engine::Bigtable)) {
            return;
        }
        for (name, cluster) in &design.clusters {
            let (engine, target) = (cluster.engine, target.word());
            let message = format!("cluster {} is of {engine}, and {target} creates no tables of it", shown(name));
            self.problem(cluster.place, message, by_hand(engine));
        }
    }

    fn problem(&mut self, place: Span, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem { place, message: message.into(), help: Some(help.into()) });
    }

    fn note(&mut self, place: Span, message: impl Into<String>) {
        self.notes.push(Problem { place, message: message.into(), help: None });
    }
}

/// A table to be created: one of the design, or one of its rows under another key.
struct NewTable<'d> {
    name: &'d Located<String>,
    layout: &'d LayoutBuf,
    key: &'d [Located<KeyField>],
    salt: Option<&'d Located<Salt>>,
    /// The place of a salt or a digest.
    lead: Span,
    families: &'d Named<Family>,
    declared: Option<&'d Located<Splits>>,
    points: Option<SplitPoints>,
}

impl<'d> NewTable<'d> {
    /// The table and those of its rows under other keys, which have the same families.
    fn all(design: &'d TableDesign, splits: bool, said: &mut Said) -> Vec<Self> {
        let table = &design.table;
        let lead = |salt: Option<&Located<Salt>>, name: &Located<String>| {
            let hashed = table.hashed.as_ref().map(|hashed| hashed.place);
            salt.map(|salt| salt.place).or(hashed).unwrap_or(name.place)
        };
        let mut tables = vec![Self {
            name: &design.name,
            layout: &design.layout,
            key: &table.key,
            salt: table.salt.as_ref(),
            lead: lead(table.salt.as_ref(), &design.name),
            families: &table.family,
            declared: table.splits.as_ref(),
            points: if splits { design.split_points(None) } else { None },
        }];
        tables.extend(table.secondary.iter().zip(&design.secondary).enumerate().map(|(i, (secondary, layout))| Self {
            name: &secondary.name,
            layout,
            key: &secondary.key,
            salt: secondary.salt.as_ref(),
            lead: lead(secondary.salt.as_ref(), &secondary.name),
            families: &table.family,
            declared: secondary.splits.as_ref(),
            points: if splits { design.split_points(Some(i)) } else { None },
        }));
        for table in tables.iter_mut().filter(|_| splits) {
            table.split(said);
        }
        tables
    }

    fn split(&mut self, said: &mut Said) {
        let Some(declared) = self.declared else { return };
        // Those of a sample are there, if it was read.
        if self.points.is_none() {
            self.points = cost::points(&declared.value, self.layout);
        }
        if let Splits::Keys(keys) = &declared.value {
            split_keys(keys, said);
        } else if self.points.is_none() {
            let message = match &declared.value {
                Splits::Sample { path, .. } => {
                    format!("the split points are those of a sample, {path:?}, which is not read here")
                }
                Splits::Buckets => "the key has no salt, so it has no buckets to split between".to_owned(),
                _ => "these are more regions than a table is to have, or than the key has".to_owned(),
            };
            said.problem(declared.place, message, "write other `splits`, or leave them out of the result");
        }
    }

    /// The families by name, which is the order that HBase and Bigtable keep them in.
    fn families(&self) -> Vec<(&'d str, &'d Located<Family>)> {
        let mut families: Vec<_> = self.families.iter().map(|(name, family)| (name.as_str(), family)).collect();
        families.sort_unstable_by_key(|(name, _)| *name);
        families
    }

    /// The `row_key_schema` of Bigtable, as JSON of the admin API. A table that has none gets a note.
    fn row_key_schema(&self, said: &mut Said) -> Option<Json> {
        let is_family = |name: &str| self.families.iter().any(|(family, _)| family == name);
        match row_key_schema::of_layout(self.layout, is_family) {
            Ok(None) => None,
            Ok(Some((schema, None))) => Some(schema),
            Ok(Some((schema, Some(delimiter)))) => {
                let first = delimiter.as_bytes().first().copied().unwrap_or_default();
                said.note(
                    self.name.place,
                    format!(
                        "table {}: by its row_key_schema no field holds a byte up to {first:02x}, the first of the \
                         delimiter {delimiter}: GoogleSQL may not read the fields of a key where one does",
                        shown(self.name)
                    ),
                );
                Some(schema)
            }
            Err((field, why)) => {
                let place = self.key.iter().find(|key| Some(key.name.as_str()) == field).map(|key| key.place);
                let what = field.map_or("the key".to_owned(), |field| format!("field {}", shown(field)));
                let message = format!(
                    "table {} has no row_key_schema, so GoogleSQL reads its keys as bytes: {what} {why}",
                    shown(self.name)
                );
                said.note(place.unwrap_or(self.lead), message);
                None
            }
        }
    }

    /// The split points, and where they are said.
    fn points(&self) -> Option<(&SplitPoints, Span)> {
        let points = self.points.as_ref().filter(|points| points.iter().len() > 0)?;
        Some((points, self.declared?.place))
    }
}

/// Notes each key that is no split point.
fn split_keys(keys: &[Located<String>], said: &mut Said) {
    let mut seen = HashSet::new();
    for key in keys {
        let digits = key.trim().to_ascii_lowercase();
        if digits.is_empty() {
            said.problem(key.place, "a split point is empty", "remove it: the first region begins there");
        } else if digits.len() % 2 == 1 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            said.problem(
                key.place,
                format!("{} is no key in hex", shown(key)),
                "write two hex digits a byte: \"0a1f\"",
            );
        } else if !seen.insert(digits) {
            said.problem(key.place, format!("the split point {} is there twice", shown(key)), "remove one of them");
        }
    }
}

/// The parts of a design that the DDL of an engine cannot have, each with its place. Split points of samples that were
/// not read are not known.
pub(crate) fn refused(design: &Design, engine: Option<Engine>) -> Vec<Problem> {
    let mut said = Said::default();
    let mut tables: Vec<_> = design.tables.values().flat_map(|table| NewTable::all(table, true, &mut said)).collect();
    let unread: Vec<Span> = tables
        .iter()
        .filter(|table| table.points.is_none())
        .filter_map(|table| table.declared)
        .filter(|declared| matches!(declared.value, Splits::Sample { .. }))
        .map(|declared| declared.place)
        .collect();
    // A design may begin with its keys.
    tables.retain(|table| !table.families.is_empty());
    match engine {
        Some(Engine::HBase) => _ = hbase::ddl(&tables, &[], &mut said),
        Some(Engine::Bigtable) => _ = cbt::ddl(&tables, &mut said),
        _ => {}
    }
    said.problems.retain(|problem| !unread.contains(&problem.place));
    said.problems
}

/// The way in which a table of an engine is made that none of the targets creates.
fn by_hand(engine: Engine) -> &'static str {
    match engine {
        Engine::DynamoDb => {
            "`aws dynamodb create-table` makes it: the fields of `partition`, with the salt, are the HASH key, and the \
             others the RANGE key; several fields are one attribute, of type B with rowkey's bytes"
        }
        Engine::Cassandra => {
            "CQL makes it: `PRIMARY KEY ((…), …)` with the fields of `partition`, with the salt, inside, and `WITH \
             CLUSTERING ORDER BY` for fields that are descending"
        }
        Engine::Cockroach => {
            "SQL makes it: a column for each field, and `PRIMARY KEY (…)` in their order, `USING HASH WITH \
             (bucket_count = …)` in place of a salt; or one BYTES column with rowkey's bytes"
        }
        Engine::HBase | Engine::Bigtable | Engine::TiKv | Engine::FoundationDb | Engine::Fjall | Engine::RocksDb => {
            "it has no tables to create: the first write makes a key"
        }
    }
}

/// The name of a table or family as messages show it.
fn shown(name: &str) -> String {
    format!("\"{}\"", quote::terminal(name))
}

/// A size as a whole number of bytes from `min` to `max`.
fn whole_bytes(size: &Located<Bytes>, what: &str, min: u64, max: u64, said: &mut Said) -> Option<u64> {
    let bytes = size.0;
    // A size beyond 2^53 bytes is beyond each limit here.
    if bytes.fract() == 0.0 && bytes >= min as f64 && bytes <= max as f64 {
        return Some(bytes as u64);
    }
    let message = format!("{what} is a whole number of bytes, {min} to {max}");
    said.problem(size.place, message, format!("write for example \"{} B\"", 65_536.max(min)));
    None
}

/// A length of time as a whole number of seconds.
fn whole_seconds(period: &Located<Period>, max: u64, said: &mut Said) -> Option<u64> {
    let seconds = period.0.as_secs();
    if period.0.subsec_nanos() == 0 && (1..=max).contains(&seconds) {
        return Some(seconds);
    }
    said.problem(
        period.place,
        format!("a TTL is a whole number of seconds, 1 to {max}"),
        "write for example \"30 days\"",
    );
    None
}

/// The versions that a family keeps: the most, and the fewest once the TTL has expired.
fn versions(family: &Family, max: u32, said: &mut Said) -> (u32, u32) {
    let most = family.versions.as_ref().map_or(1, |versions| **versions);
    let fewest = family.min_versions.as_ref().map_or(0, |versions| **versions);
    if let Some(place) = family.versions.as_ref().filter(|_| most == 0 || most > max).map(|versions| versions.place) {
        said.problem(place, format!("{most} versions of a cell cannot be kept"), format!("write 1 to {max}"));
    } else if let Some(place) = family.min_versions.as_ref().filter(|_| fewest > most).map(|fewest| fewest.place) {
        let message = format!("`min_versions` is {fewest}, but `versions` is {most}");
        said.problem(place, message, "raise `versions`, or lower `min_versions`");
    }
    (most, fewest)
}
