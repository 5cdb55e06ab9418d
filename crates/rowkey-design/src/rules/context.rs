//! The two arguments of each rule's function: what is known of a table, and what takes the findings.

use indexmap::IndexMap;

use crate::cost::QueryCost;
use crate::design::{Cluster, Date, Engine, Level, Secondary, Splits};
use crate::facts::KeyFacts;
use crate::finding::Finding;
use crate::load::{Capacity, WriteLoad, engine_of};
use crate::problem::{Located, Span};
use crate::profile::Profile;
use crate::resolve::{Design, TableDesign};
use crate::rule::{Rule, Severity};

/// Options of a check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub(crate) today: Date,
    pub(crate) cluster: Option<String>,
    pub(crate) profiles: IndexMap<String, Profile>,
    pub(crate) levels: IndexMap<&'static str, Level>,
}

impl CheckOptions {
    /// A check on the day `today`, on which `until` is read: for the first cluster, without samples.
    pub fn new(today: Date) -> Self {
        Self { today, cluster: None, profiles: IndexMap::new(), levels: IndexMap::new() }
    }

    /// The name of the cluster that the tables are for. Default: the first of the design.
    #[must_use]
    pub fn cluster(mut self, name: impl Into<String>) -> Self {
        self.cluster = Some(name.into());
        self
    }

    /// The level of a rule, in all tables. It wins over those of the design.
    ///
    /// ```
    /// use rowkey_design::{CheckOptions, Date, Level, Rule};
    ///
    /// let rule = Rule::named("H10").expect("a rule");
    /// let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).level(rule, Level::Allow);
    /// ```
    #[must_use]
    pub fn level(mut self, rule: &'static Rule, level: Level) -> Self {
        self.levels.insert(rule.id, level);
        self
    }

    /// The profile of a table's sample, which replaces one before it.
    #[doc(hidden)]
    #[must_use]
    pub fn profile(mut self, table: impl Into<String>, profile: Profile) -> Self {
        self.profiles.insert(table.into(), profile);
        self
    }

    /// The profile of a table's sample, if there is one.
    #[doc(hidden)]
    pub fn profile_of(&self, table: &str) -> Option<&Profile> {
        self.profiles.get(table)
    }
}

/// The parts that all tables ask for, where they are more than the servers take and no table alone asks for so much: of
/// the table that asks for most. One finding tells it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Together {
    pub(crate) writes: Option<f64>,
    pub(crate) reads: Option<f64>,
}

/// The facts of a table that rules are given.
pub(crate) struct Context<'d> {
    pub(crate) design: &'d Design,
    pub(crate) table: &'d TableDesign,
    pub(crate) cluster: Option<&'d Cluster>,
    pub(crate) engine: Engine,
    pub(crate) capacity: Capacity,
    pub(crate) profile: Option<&'d Profile>,
    options: &'d CheckOptions,
    /// The key of the table, and of each of its secondary tables after it.
    pub(crate) keys: Vec<KeyFacts<'d>>,
    /// The cost of each query.
    pub(crate) queries: Vec<QueryCost<'d>>,
    /// The places where each write lands in the table, and, in each secondary table after it, the same writes.
    pub(crate) loads: Vec<WriteLoad<'d>>,
    /// The parts of all tables that it is to tell.
    pub(crate) together: Together,
}

impl<'d> Context<'d> {
    /// The facts of a table.
    pub(crate) fn new(design: &'d Design, table: &'d TableDesign, options: &'d CheckOptions) -> Self {
        let cluster = design.cluster(options);
        let engine = engine_of(cluster);
        let profile = options.profile_of(&table.name);
        let keys = KeyFacts::all(table, profile, cluster);
        let queries = QueryCost::all(table, &keys, cluster, profile);
        let writes = |key| table.table.write.iter().map(move |write| WriteLoad::of(write, key));
        let loads = keys.iter().flat_map(writes).collect();
        let capacity = Capacity::of(table, cluster);
        Self {
            design,
            table,
            cluster,
            engine,
            capacity,
            profile,
            options,
            keys,
            queries,
            loads,
            together: Together::default(),
        }
    }

    /// The key that a query is served by.
    pub(crate) fn key_of(&self, cost: &QueryCost<'_>) -> &KeyFacts<'d> {
        &self.keys[cost.secondary.map_or(0, |i| i + 1)]
    }

    /// The split points that the file declares for a key.
    pub(crate) fn splits(&self, key: &KeyFacts<'_>) -> Option<&'d Located<Splits>> {
        self.secondary(key).map_or(&self.table.table.splits, |secondary| &secondary.splits).as_ref()
    }

    /// The secondary table of a key; none of the table's own.
    pub(crate) fn secondary(&self, key: &KeyFacts<'_>) -> Option<&'d Located<Secondary>> {
        self.table.table.secondary.get(key.secondary?)
    }

    /// The queries that a key serves.
    pub(crate) fn queries_of(&self, key: &KeyFacts<'_>) -> impl Iterator<Item = &QueryCost<'d>> {
        let secondary = key.secondary;
        self.queries.iter().filter(move |cost| cost.secondary == secondary)
    }

    /// The writes to the table of a key.
    pub(crate) fn loads_of(&self, key: &KeyFacts<'_>) -> impl Iterator<Item = &WriteLoad<'d>> {
        let secondary = key.secondary;
        self.loads.iter().filter(move |load| load.secondary == secondary)
    }

    /// The queries that somebody waits for, or that did not say that nobody does.
    pub(crate) fn interactive(&self) -> impl Iterator<Item = &QueryCost<'d>> {
        self.queries.iter().filter(|cost| cost.query.batch != Some(true))
    }

    /// The level of a rule, and where the design says it; no place for one of the options. None where a rule has its
    /// own severities.
    pub(crate) fn level(&self, rule: &Rule) -> Option<(Level, Option<Span>)> {
        let option = self.options.levels.get(rule.id).map(|level| (*level, None));
        let said = self.table.table.rules.get(rule.id).or_else(|| self.design.rules.get(rule.id));
        option.or_else(|| said.map(|level| (level.value, Some(level.place))))
    }

    /// The size at which a memstore is flushed, in bytes.
    pub(crate) fn flush_size(&self) -> f64 {
        /// HBase's default of `hbase.hregion.memstore.flush.size`.
        const DEFAULT: f64 = 128.0 * 1024.0 * 1024.0;
        let region = self.cluster.and_then(|cluster| cluster.region.as_ref());
        region.and_then(|region| region.flush).map_or(DEFAULT, |flush| flush.0)
    }
}

impl Design {
    /// The cluster that a check is for.
    #[doc(hidden)]
    pub fn cluster(&self, options: &CheckOptions) -> Option<&Cluster> {
        let cluster = match &options.cluster {
            Some(name) => self.clusters.get(name),
            None => self.clusters.values().next(),
        };
        cluster.map(|cluster| &cluster.value)
    }
}

/// Takes the findings of one rule.
pub(crate) struct RuleSink<'f> {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) table: &'f str,
    pub(crate) list: &'f mut Vec<Finding>,
}

impl RuleSink<'_> {
    /// A finding of this rule, with its severity for the table's engine.
    pub(crate) fn finding(&self, place: Span, message: String) -> Finding {
        Finding::new(self.rule, self.severity, self.table, place, message)
    }

    /// Takes a finding. What overflowed, from sizes that nothing has, is not one of its numbers.
    pub(crate) fn push(&mut self, mut finding: Finding) {
        finding.numbers.retain(|number| number.value.is_finite());
        // The sum of nothing is -0.
        finding.numbers.iter_mut().for_each(|number| number.value += 0.0);
        self.list.push(finding);
    }
}
