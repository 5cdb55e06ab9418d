//! A query of a design with values: what it reads, and the ranges to paste.

use std::ops::Bound;

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, FieldValues, TypeBuf};
use rowkey::{KeyRange, LayoutBuf, Value};

use super::snippet::Snippets;
use super::stream::values_as_json;
use super::values::{ArgumentError, assignment, value_of};
use crate::cost::{Condition, OrderFit, QueryCost, Selection, add, ascending, of_field, ranges_of};
use crate::design::{Engine, Query};
use crate::facts::{FieldFacts, KeyFacts, is_constant};
use crate::file::Count;
use crate::file::node::nearest;
use crate::forms::Times;
use crate::resolve::Design;
use crate::rules::context::CheckOptions;

/// The most that one call to a server returns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Page {
    /// This many rows.
    Rows(f64),
    /// This many bytes, as they are read.
    Bytes(f64),
}

impl Page {
    /// That of an engine's clients by default: 1 MB of DynamoDB, 5000 rows of Cassandra's drivers, elsewhere about 1000
    /// rows.
    pub const fn of(engine: Option<Engine>) -> Self {
        match engine {
            Some(Engine::DynamoDb) => Self::Bytes(1e6),
            Some(Engine::Cassandra) => Self::Rows(5000.0),
            _ => Self::Rows(1000.0),
        }
    }
}

/// The combinations of values that ranges are made for, at most.
const MOST: usize = 1024;

/// The ranges and beginnings of a field that are shown.
const SHOWN: usize = 8;

/// The cost of a query by the operation of the store, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CostLevel {
    /// One row by its key.
    Get,
    /// The first row at or after a key, of each range.
    First,
    /// The rows of ranges.
    Range,
    /// Every row.
    FullScan,
}

impl CostLevel {
    /// All, the cheapest first.
    pub const ALL: [Self; 4] = [Self::Get, Self::First, Self::Range, Self::FullScan];

    /// The words for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::First => "first row at or after",
            Self::Range => "range",
            Self::FullScan => "full scan",
        }
    }
}

/// A query with some values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan<'d> {
    /// The table that it reads, or the secondary table.
    pub table: &'d str,
    /// The layout of its keys.
    pub layout: &'d LayoutBuf,
    /// Its cost, with `ranges` of these values.
    pub cost: QueryCost<'d>,
    /// The fields that it selects by, each with its values as JSON.
    pub by: Vec<(&'d str, String)>,
    /// The same of fields that are times, as dates.
    pub dates: Vec<(&'d str, String)>,
    /// The fields whose values were made up.
    pub made_up: Vec<&'d str>,
    /// The fields whose values were given and do not choose rows: rows are filtered by them after they are read.
    pub unused: Vec<&'d str>,
    /// Its place among the ways to read.
    pub level: CostLevel,
    /// The engine of the cluster; none for a design without one, whose keys may be anywhere.
    pub engine: Option<Engine>,
    /// The number of first fields that the engine hashes.
    pub partition: Option<usize>,
}

impl<'d> Plan<'d> {
    /// Plans a query of a table, for the cluster and by the samples of the options, with values, each as `field=value`;
    /// for the field that the query has a range of as `field=from..to`, with `to` left out of the range; several times
    /// for a field that it has several values or ranges of. Where none is given, one is made up.
    ///
    /// # Errors
    /// If there is no such table or query, or a value is not one of the query's.
    ///
    /// ```
    /// use rowkey_design::internal::explain::{Plan, CostLevel};
    /// use rowkey_design::{CheckOptions, Date, Design, File};
    ///
    /// let text = r#"
    /// format = 1
    /// [table.visits]
    /// key = ["host: text", "at: i64 desc"]
    /// [[table.visits.query]]
    /// name = "a day"
    /// fix = ["host"]
    /// range = { at = "1 day" }
    /// "#;
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    /// let plan = Plan::of(&design, "visits", "a day", &["host=bonn", "at=0..86400"], &options)?;
    /// assert_eq!((plan.level, plan.made_up.len()), (CostLevel::Range, 0));
    /// assert!(plan.snippets()[0].hbase.starts_with(r#"scan "visits", {STARTROW => "bonn\x00\x7F"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(
        design: &'d Design,
        table: &str,
        query: &str,
        given: &[&str],
        options: &CheckOptions,
    ) -> Result<Self, ArgumentError> {
        let holds = |design: &crate::resolve::TableDesign| {
            design.table.secondary.iter().any(|secondary| secondary.name.as_str() == table)
        };
        let found = design.tables.get(table).or_else(|| design.tables.values().find(|table| holds(table)));
        let Some(found) = found else {
            return Err(no("table", table, &design.names_of_tables()));
        };
        let Some(asked) = found.table.query.iter().find(|asked| asked.name.as_str() == query) else {
            let known: Vec<&str> = found.table.query.iter().map(|query| query.name.as_str()).collect();
            return Err(no("query", query, &known));
        };
        if let Some(name) = options.cluster.as_ref().filter(|name| !design.clusters.contains_key(*name)) {
            return Err(no("cluster", name, &design.clusters.keys().map(String::as_str).collect::<Vec<_>>()));
        }
        let cluster = design.cluster(options);
        let profile = options.profiles.get(found.name.as_str());
        let keys = KeyFacts::all(found, profile, cluster);
        let mut cost = QueryCost::of(asked, found, &keys, cluster, profile);
        let Some(key) = keys.get(cost.secondary.map_or(0, |index| index + 1)) else {
            return Err(no("table", table, &design.names_of_tables()));
        };
        let layout: &'d LayoutBuf = key.layout;
        let times = design.times_of(found.name.as_str());
        let mut choice = Choice {
            layout,
            query: asked,
            times,
            given: Vec::new(),
            by: Vec::new(),
            dates: Vec::new(),
            made_up: Vec::new(),
        };
        for argument in given {
            choice.given.push(assignment(layout, argument)?);
        }
        let leading = key.fields[..cost.leading].iter().enumerate();
        let leading = leading.map(|(index, field)| choice.fixed(index, field)).collect::<Result<Vec<_>, _>>()?;
        let between = if cost.next { cost.selection.between.as_slice() } else { &[] };
        let mut prefixes = vec![leading];
        let mut more = 1.0;
        for ((facts, condition), index) in between.iter().zip(cost.leading..) {
            let values = choice.several(index, facts, *condition)?;
            let lists = prefixes.iter().flat_map(|prefix| values.iter().map(move |value| (prefix, value)));
            let prefix = |(prefix, value): (&Vec<Value>, &Value)| prefix.iter().chain([value]).cloned().collect();
            prefixes = lists.take(MOST).map(prefix).collect();
            if choice.given(index).is_empty() {
                more *= condition.count() / values.len().max(1) as f64;
            }
        }
        let last = cost.leading + between.len();
        let next = if cost.next { choice.next(last, &cost.selection)? } else { Vec::new() };
        if let Some((_, condition)) = cost.selection.next.as_ref().filter(|_| choice.given(last).is_empty()) {
            more *= condition.count() / condition.count().min(cost.selection.made() as f64);
        }
        if !cost.full_scan || !next.is_empty() {
            let mut ranges = Vec::new();
            for prefix in &prefixes {
                let of_prefix = ranges_of(layout, prefix, &next)
                    .map_err(|error| ArgumentError::new(format!("query {query:?}"), error.to_string()))?;
                add(&mut ranges, of_prefix);
            }
            let are_given = choice.made_up.is_empty();
            cost.set_ranges(ranges, more, are_given, found.split_points(key.secondary).as_ref(), cluster);
        }
        let used = cost.used();
        let mut unused: Vec<&str> =
            choice.given.iter().filter(|(index, _)| *index >= used).map(|(i, _)| name(layout, *i)).collect();
        unused.dedup();
        let Choice { by, dates, made_up, .. } = choice;
        let (level, engine) = (CostLevel::Range, cluster.map(|cluster| cluster.engine));
        let (table, partition) = (key.name.as_str(), key.partition);
        let mut plan = Self { table, layout, cost, by, dates, made_up, unused, level, engine, partition };
        plan.level = plan.level();
        Ok(plan)
    }

    /// The most rows that each of its ranges has to return, if the query has a limit.
    pub fn limit(&self) -> Option<u64> {
        self.cost.limit()
    }

    /// Returns whether the clients of an engine read the table, as far as the design says.
    pub fn is_for(&self, engine: Engine) -> bool {
        self.engine.is_none_or(|of| of == engine)
    }

    fn level(&self) -> CostLevel {
        let cost = &self.cost;
        if !cost.full_scan && !cost.next && cost.leading == self.layout.fields().len() && cost.range_count() == 1 {
            return CostLevel::Get;
        }
        match self.limit() {
            Some(1) => CostLevel::First,
            None if cost.full_scan => CostLevel::FullScan,
            _ => CostLevel::Range,
        }
    }

    /// Its ranges as commands to paste, in order.
    pub fn snippets(&self) -> Vec<Snippets> {
        let reverse = matches!(self.cost.order, OrderFit::Reverse | OrderFit::Merge { reverse: true });
        let limit = self.limit();
        let of = |range: &KeyRange| match self.level {
            CostLevel::Get => Snippets::of_key(self.table, range.start()),
            _ => None,
        };
        let ranges = self.cost.ranges.iter().flatten();
        ranges.map(|range| of(range).unwrap_or_else(|| Snippets::of_range(self.table, range, limit, reverse))).collect()
    }

    /// The calls to servers of one run, at a [`Page`] a call: one for each range, at the least.
    pub fn calls(&self) -> Option<f64> {
        let ranges = self.cost.range_count() as f64;
        let pages = match Page::of(self.engine) {
            Page::Rows(rows) => self.cost.rows_read? / rows,
            Page::Bytes(bytes) => self.cost.bytes_read? / bytes,
        };
        Some(pages.ceil().max(ranges))
    }

    /// The fields that the engine hashes, and the number of their values that the query asks for, each a partition; no
    /// number where it asks every partition. None on an engine that sorts all keys.
    pub fn partitions(&self) -> Option<(Vec<&str>, Option<f64>)> {
        let fields = self.layout.fields().get(..self.partition?)?;
        let values = |condition: &Condition| if let Condition::Among(count) = condition { *count } else { 1.0 };
        let asked = self.cost.selection.conditions().map(|(_, condition)| values(condition)).zip(self.cost.leading..);
        let asked: f64 = asked.filter(|(_, at)| *at < fields.len()).map(|(values, _)| values).product();
        let names = fields.iter().map(|field| field.name.as_str()).collect();
        Some((names, (!self.cost.full_scan).then_some(asked * self.cost.buckets as f64)))
    }
}

fn no(what: &str, name: &str, known: &[&str]) -> ArgumentError {
    ArgumentError::new(format!("{what} {name:?}"), format!("there is no such {what}; {}", nearest(name, known)))
}

fn name(layout: &LayoutBuf, index: usize) -> &str {
    layout.fields().get(index).map_or("", |field| field.name.as_str())
}

/// The values of a query: given, or made up.
struct Choice<'d, 'a> {
    layout: &'d LayoutBuf,
    query: &'d Query,
    times: Times<'d>,
    given: Vec<(usize, &'a str)>,
    by: Vec<(&'d str, String)>,
    dates: Vec<(&'d str, String)>,
    made_up: Vec<&'d str>,
}

impl<'d> Choice<'d, '_> {
    fn field(&self, index: usize) -> Result<&'d FieldBuf, ArgumentError> {
        let layout = self.layout;
        layout
            .fields()
            .get(index)
            .ok_or_else(|| ArgumentError::new("query", "it selects by more fields than the key has"))
    }

    fn given(&self, index: usize) -> Vec<&str> {
        self.given.iter().filter(|(field, _)| *field == index).map(|(_, text)| *text).collect()
    }

    fn fixed(&mut self, index: usize, facts: &FieldFacts<'_>) -> Result<Value, ArgumentError> {
        let field = self.field(index)?;
        let value = match self.given(index)[..] {
            [] if is_constant(&field.ty) => return Ok(of_field(facts, 0)),
            [] => {
                self.made_up.push(&field.name);
                of_field(facts, 0)
            }
            [text] => value_of(field, text, &self.times)?,
            _ => return Err(ArgumentError::new(&field.name, "the field has two values, and the query has one of it")),
        };
        self.by.push((&field.name, one_as_json(&value)));
        self.dates.extend(self.times.date(&field.name, &value).map(|date| (field.name.as_str(), date)));
        Ok(value)
    }

    /// The values of a field that has other fields of the query behind it.
    fn several(
        &mut self,
        index: usize,
        facts: &FieldFacts<'_>,
        condition: Condition,
    ) -> Result<Vec<Value>, ArgumentError> {
        let field = self.field(index)?;
        if condition == Condition::One {
            return Ok(vec![self.fixed(index, facts)?]);
        }
        let given: Vec<String> = self.given(index).into_iter().map(str::to_owned).collect();
        let values: Vec<Value> = if given.is_empty() {
            self.made_up.push(&field.name);
            (0..condition.count().min(MOST as f64) as u64).map(|k| of_field(facts, k)).collect()
        } else {
            given.iter().map(|text| value_of(field, text, &self.times)).collect::<Result<_, _>>()?
        };
        self.tell(field, std::slice::from_ref(&FieldValues::In(values.clone())));
        Ok(values)
    }

    /// The values of the field after the leading ones: several together, or each range or beginning by itself.
    fn next(&mut self, index: usize, selection: &Selection<'_>) -> Result<Vec<FieldValues>, ArgumentError> {
        let field = self.field(index)?;
        let Some((facts, condition)) = &selection.next else { return Ok(Vec::new()) };
        let given: Vec<String> = self.given(index).into_iter().map(str::to_owned).collect();
        let values = if given.is_empty() {
            self.made_up.push(&field.name);
            selection.made_up().unwrap_or_default()
        } else if self.query.among.contains_key(&field.name) {
            let values = given.iter().map(|text| value_of(field, text, &self.times)).collect::<Result<_, _>>()?;
            vec![FieldValues::In(values)]
        } else if given.len() > condition.count() as usize {
            let reason = match condition.count() {
                1.0 => "the field is given twice: write it once".to_owned(),
                count => format!("the query has {} `parts` of it, and {} are given", Count(count), given.len()),
            };
            return Err(ArgumentError::new(&field.name, reason));
        } else {
            given.iter().map(|text| self.part(field, facts, text)).collect::<Result<_, _>>()?
        };
        if !values.is_empty() {
            self.tell(field, &values);
        }
        Ok(values)
    }

    /// Keeps the values that are told of a field.
    fn tell(&mut self, field: &'d FieldBuf, values: &[FieldValues]) {
        let several = |one: &dyn Fn(&FieldValues) -> String| {
            let mut told: Vec<String> = values.iter().take(SHOWN).map(one).collect();
            told.extend((values.len() > SHOWN).then(|| "…".to_owned()));
            told.join(" or ")
        };
        self.by.push((&field.name, several(&|values| told(values, one_as_json))));
        if self.times.word(field).is_some() {
            let date = |value: &Value| self.times.date(&field.name, value).unwrap_or_default();
            self.dates.push((&field.name, several(&|values| told(values, date))));
        }
    }

    /// One range or beginning of a field, as it is given.
    fn part(&self, field: &FieldBuf, facts: &FieldFacts<'_>, text: &str) -> Result<FieldValues, ArgumentError> {
        Ok(match (self.query.starts_with.contains_key(&field.name), bounds(text)) {
            (true, None) if matches!(field.ty, TypeBuf::Scalar(Scalar::HostPath | Scalar::Url)) => {
                FieldValues::Under(text.to_owned())
            }
            (true, None) => FieldValues::StartsWith(value_of(field, text, &self.times)?),
            (_, Some((from, to))) => {
                let (from, to) = (self.bound(field, from)?, self.bound(field, to)?);
                let bytes = |value: &Option<Value>| ascending(facts, value.as_ref()?);
                // The bytes of a `MAX - x` go down.
                let is_turned = facts.is_descending().is_some_and(|desc| desc != facts.field.desc);
                let is_empty = |(from, to): (Vec<u8>, Vec<u8>)| if is_turned { from <= to } else { from >= to };
                if facts.is_descending().is_some() && bytes(&from).zip(bytes(&to)).is_some_and(is_empty) {
                    let reason = "the range has no values: write the lesser first, and TO is not in it";
                    return Err(ArgumentError::new(&field.name, reason));
                }
                FieldValues::Between(
                    from.map_or(Bound::Unbounded, Bound::Included),
                    to.map_or(Bound::Unbounded, Bound::Excluded),
                )
            }
            (false, None) => {
                let reason =
                    format!("the query has a range of it: write {0}=FROM..TO, {0}=FROM.. or {0}=..TO", field.name);
                return Err(ArgumentError::new(&field.name, reason));
            }
        })
    }

    fn bound(&self, field: &FieldBuf, text: &str) -> Result<Option<Value>, ArgumentError> {
        if text.is_empty() { Ok(None) } else { value_of(field, text, &self.times).map(Some) }
    }
}

fn one_as_json(value: &Value) -> String {
    let array = values_as_json(std::slice::from_ref(value));
    array.strip_prefix('[').and_then(|array| array.strip_suffix(']')).unwrap_or(&array).to_owned()
}

fn told(values: &FieldValues, one: impl Fn(&Value) -> String) -> String {
    let bound = |bound: &Bound<Value>| match bound {
        Bound::Included(value) | Bound::Excluded(value) => one(value),
        Bound::Unbounded => String::new(),
    };
    match values {
        FieldValues::In(values) => values.iter().map(&one).collect::<Vec<_>>().join(" or "),
        FieldValues::Between(from, to) => format!("{}..{}", bound(from), bound(to)),
        FieldValues::StartsWith(value) => format!("{}…", one(value)),
        FieldValues::Under(host) => format!("{host:?} and under it"),
        _ => String::new(),
    }
}

/// The texts before and after the first `..` that is not in quotes.
fn bounds(text: &str) -> Option<(&str, &str)> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'.' if !quoted && text[at..].starts_with("..") => return Some((&text[..at], &text[at + 2..])),
            _ => {}
        }
    }
    None
}
