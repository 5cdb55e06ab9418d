//! Contradictions: what a table says twice, or in two ways that cannot both be.

use std::collections::HashSet;

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldValues, TypeBuf};
use rowkey::{LayoutBuf, Value};

use super::{grows, once, spread};
use crate::design::{Cluster, Columns, Engine, Family, FieldStats, Meaning, Query, Shape, Table};
use crate::file::{Named, Rate};
use crate::problem::{Located, Problem, Span};

impl Cluster {
    /// Notes what its engine does not have.
    pub(super) fn contradict(&self, place: Span, problems: &mut Vec<Problem>) {
        let split = self.region.as_ref().and_then(|region| region.split);
        let said = [("region.split", split.is_some()), ("balancer", self.balancer.is_some())];
        for (name, _) in said.into_iter().filter(|(_, is_said)| *is_said && self.engine != Engine::HBase) {
            let message = format!("`{name}` is of HBase, but the engine is {}", self.engine.word());
            add(problems, place, message, &format!("remove `{name}`"));
        }
    }
}

/// Notes a rate, its peak and its shape that cannot all be.
fn rates(
    rate: Option<&Located<Rate>>,
    peak: Option<&Located<Rate>>,
    shape: Option<&Located<Shape>>,
    problems: &mut Vec<Problem>,
) {
    if let (Some(shape), None, None) = (shape, rate, peak) {
        add(problems, shape.place, "`shape`, but there is no rate".to_owned(), "add `rate = \"50k/s\"`, or `peak`");
    }
    let Some((rate, peak)) = rate.zip(peak) else { return };
    if peak.0 < rate.0 {
        let message = format!("`peak` is {}, but `rate` is {}", peak.value, rate.value);
        add(problems, peak.place, message, "write the highest rate as `peak`, or leave it out");
        return;
    }
    let Some(shape) = shape else { return };
    match shape.value {
        Shape::Constant if peak.0 > rate.0 => {
            let message = format!("the rate is constant, but `peak` is {} and `rate` {}", peak.value, rate.value);
            add(
                problems,
                shape.place,
                message,
                "write \"by day\" or \"bursts of 10 min every 1 h\", or leave `peak` out",
            );
        }
        Shape::Bursts { length, every } => {
            // Rates are rounded.
            let bursts = Rate(peak.0 * length.seconds() / every.seconds());
            if bursts.0 > 1.01 * rate.0 {
                let message = format!("bursts at {} are {bursts} on average, but `rate` is {}", peak.value, rate.value);
                let help = "`rate` is the average: raise it, lower `peak`, or write shorter bursts";
                add(problems, peak.place, message, help);
            }
        }
        Shape::Constant | Shape::ByDay => {}
    }
}

impl Table {
    /// Notes each.
    pub(super) fn contradict(&self, problems: &mut Vec<Problem>) {
        for query in &self.query {
            self.asks_once(query, problems);
            self.columns_are_there(&query.columns, problems);
        }
        for write in &self.write {
            self.columns_are_there(&write.columns, problems);
            rates(write.rate.as_ref(), write.peak.as_ref(), write.shape.as_ref(), problems);
        }
        for query in &self.query {
            rates(query.rate.as_ref(), query.peak.as_ref(), query.shape.as_ref(), problems);
        }
        for (name, stats) in &self.stats {
            self.statistics(name, stats, problems);
        }
        for family in self.family.values() {
            within_family(family, problems);
        }
    }

    fn type_of(&self, name: &str) -> Option<&TypeBuf> {
        let keys = [&self.key].into_iter().chain(self.secondary.iter().map(|secondary| &secondary.key));
        let field = keys.flatten().find(|field| field.name == name)?;
        Some(&field.field.as_ref()?.ty)
    }

    /// A query asks one thing of a field, and the beginning only of what has one.
    fn asks_once(&self, query: &Query, problems: &mut Vec<Problem>) {
        let mut asked: Vec<(&str, &str)> = Vec::new();
        let fixed = query.fix.iter().map(|name| ("fix", name.as_str(), name.place));
        let range = query.range.iter().map(|(name, at)| ("range", name.as_str(), at.place));
        let among = query.among.iter().map(|(name, at)| ("among", name.as_str(), at.place));
        let starts = query.starts_with.iter().map(|(name, at)| ("starts_with", name.as_str(), at.place));
        for (how, name, place) in fixed.chain(range).chain(among).chain(starts.clone()) {
            match asked.iter().find(|(_, before)| *before == name) {
                Some((before, _)) if *before == how => {
                    add(problems, place, format!("{name:?} is twice in `{how}`"), "remove one of them");
                }
                Some((before, _)) => {
                    let message = format!("{name:?} is in `{before}` and in `{how}`");
                    add(problems, place, message, "a query asks one thing of a field: remove it from one of them");
                }
                None => asked.push((how, name)),
            }
        }
        for (_, name, place) in starts {
            if let Some(ty) = self.type_of(name).filter(|ty| !has_beginning(ty)) {
                let help = format!("write `range = {{ {name} = … }}`, or how many values it has with `among`");
                add(problems, place, format!("values of {ty} have no beginning to select by"), &help);
            }
        }
    }

    /// Notes each column that no family has. Of a family that lists none, and of one whose columns are data, all are
    /// there.
    fn columns_are_there(&self, columns: &[Located<String>], problems: &mut Vec<Problem>) {
        let has = |family: &Family, column: &str| {
            let is = |name: &str| name == column || head(name) == column;
            match family.columns.as_ref().map(|columns| &columns.value) {
                Some(Columns::Names(names)) => {
                    names.iter().any(|name| is(name)) || family.sizes.keys().any(|name| is(name))
                }
                Some(Columns::OfRow(_)) => true,
                None => family.sizes.is_empty() || family.sizes.keys().any(|name| is(name)),
            }
        };
        for name in columns {
            let known = match name.split_once(':') {
                Some((family, column)) => self.family.get(family).is_some_and(|family| has(family, column)),
                None => self.family.contains_key(name.as_str()) || self.family.values().any(|family| has(family, name)),
            };
            if !known && !self.family.is_empty() {
                let families: Vec<&str> = self.family.keys().map(String::as_str).collect();
                let message = format!("no family has the column {:?}", name.as_str());
                let help = format!("write COLUMN, FAMILY:COLUMN or FAMILY; the families are {}", families.join(", "));
                add(problems, name.place, message, &help);
            }
        }
        once("column", columns.iter(), problems);
    }

    fn statistics(&self, name: &str, stats: &Located<FieldStats>, problems: &mut Vec<Problem>) {
        if let Some(per) = &stats.per {
            if ends(name, &self.stats).is_none() {
                let help = "count the values of one of these fields without `per`";
                add(
                    problems,
                    per.place,
                    format!("{name:?} is counted for each {:?}, which leads back", per.as_str()),
                    help,
                );
            }
            let most = stats.distinct.as_ref().zip(stats.max).filter(|(distinct, max)| distinct.0 > max.0);
            if let Some((distinct, max)) = most {
                let message = format!("`distinct` is {}, but `max` is {max}", distinct.value);
                add(problems, distinct.place, message, "`max` is the most for one value of `per`: raise it");
            }
        }
        let meaning = self.means.get(name).map(|meaning| meaning.value);
        if let Some(bucket) = stats.bucket.as_ref().filter(|_| meaning != Some(Meaning::TimeBucket)) {
            let help = format!("write `means.{name} = \"time bucket\"`, or remove `bucket`");
            add(problems, bucket.place, format!("`bucket`, but {name:?} has no time buckets"), &help);
        }
        let values = self.type_of(name).and_then(values);
        if let Some((distinct, values)) =
            stats.distinct.as_ref().zip(values).filter(|(distinct, all)| distinct.0 > *all)
        {
            let ty = self.type_of(name).map_or(String::new(), ToString::to_string);
            let message = format!("there are no {} values of {ty}", distinct.value);
            add(problems, distinct.place, message, &format!("write at most {values}"));
        }
        let rows = stats.rows_per.as_ref().map(|rows| [rows.p50, rows.p99, rows.max].map(|n| n.map(|n| n.0)));
        grows(rows, stats.place, problems);
        grows(stats.size.as_ref().and_then(spread), stats.place, problems);
    }
}

fn within_family(family: &Family, problems: &mut Vec<Problem>) {
    for size in family.sizes.values() {
        grows(spread(&size.value), size.place, problems);
    }
    let Some(Columns::Names(names)) = family.columns.as_ref().map(|columns| &columns.value) else { return };
    once("column", names.iter(), problems);
    for (column, size) in &family.sizes {
        if !names.iter().any(|name| name.as_str() == column || head(name) == column) {
            let help = "name it in `columns`, or remove its size";
            add(problems, size.place, format!("`columns` has no {column:?}"), help);
        }
    }
}

/// The name of a column that says its type too: `lang: text`.
fn head(column: &str) -> &str {
    column.split(':').next().unwrap_or_default().trim_end()
}

/// The field at the end of a chain of `per`; none if it leads back.
fn ends<'t>(name: &'t str, stats: &'t Named<FieldStats>) -> Option<&'t str> {
    let (mut name, mut seen) = (name, HashSet::new());
    while let Some(per) = stats.get(name).and_then(|stats| stats.per.as_ref()) {
        if !seen.insert(name) {
            return None;
        }
        name = per.as_str();
    }
    Some(name)
}

fn has_beginning(ty: &TypeBuf) -> bool {
    use Scalar::{ByteArray, Bytes, HostPath, QuadKey, Text, Tile, Url};

    match ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) if foreign.values() == Scalar::Text => {
            let start = FieldValues::StartsWith(Value::Text(String::new()));
            let layout: Result<LayoutBuf, _> = ty.to_string().parse();
            layout.is_ok_and(|layout| layout.ranges_by_bucket(&[], Some(&start)).is_ok())
        }
        TypeBuf::Scalar(scalar) => {
            matches!(scalar, Text | Bytes | ByteArray(_) | QuadKey(_) | Tile | HostPath | Url)
        }
        TypeBuf::Option(inner) => has_beginning(inner),
        _ => false,
    }
}

/// The number of values of a type, where that can be less than people write.
fn values(ty: &TypeBuf) -> Option<f64> {
    match ty {
        TypeBuf::Scalar(Scalar::Bool) => Some(2.0),
        TypeBuf::Scalar(Scalar::U8 | Scalar::I8) => Some(2f64.powi(8)),
        TypeBuf::Scalar(Scalar::U16 | Scalar::I16) => Some(2f64.powi(16)),
        TypeBuf::Scalar(Scalar::U32 | Scalar::I32 | Scalar::F32) => Some(2f64.powi(32)),
        TypeBuf::Scalar(Scalar::ByteArray(len)) => Some(256f64.powi(i32::try_from(*len).unwrap_or(i32::MAX))),
        TypeBuf::Scalar(Scalar::QuadKey(zoom)) => Some(4f64.powi(i32::from(*zoom))),
        TypeBuf::Option(inner) => values(inner).map(|values| values + 1.0),
        _ => None,
    }
}

fn add(problems: &mut Vec<Problem>, place: Span, message: String, help: &str) {
    problems.push(Problem { place, message, help: Some(help.to_owned()) });
}
