//! The candidates: orders of the fields, directions, salts, secondary tables.

use std::collections::HashMap;
use std::time::Duration;

use rowkey::lead::SaltHash;
use rowkey::untyped::FieldBuf;

use super::score::{QueryScore, STARTS_ALIKE, Score};
use crate::cost::{is_coarse, most_made};
use crate::design::{Digest, Family, FieldStats, KeyField, Query, Salt, Secondary, Width, WriteOrder};
use crate::facts::{FieldFacts, Growth, KeyFacts};
use crate::file::{Count, Period};
use crate::load::Capacity;
use crate::problem::{Located, Span};
use crate::profile::Profile;
use crate::quote;
use crate::resolve::{TableDesign, layout};

/// Fields beyond these are not moved to the front in every order.
const PERMUTED: usize = 5;
/// The number of fields of a longer key that are tried in front.
const IN_FRONT: usize = 3;

/// The number of fields of all candidates' queries that are looked at, about: the candidates of a large table are
/// fewer.
const LOOKED_AT: usize = 500_000;
/// Ranges of a query that take as long as to look at one of its fields.
const RANGES_PER_FIELD: usize = 8;
/// However large it is.
const FEWEST: usize = 16;

/// A salt of more buckets is more ranges a query than any cluster has servers.
const MOST_BUCKETS: u32 = 1024;

/// Each write goes to all: more secondary tables than these are no suggestion.
const MOST_SECONDARIES: usize = 16;

/// The values of a field, where the file does not say how many it has.
const DISTINCT: Count = Count(1000.0);

/// The time in which the rows of a table were written, where the file does not say it.
const YEAR: Period = Period(Duration::from_secs(365 * 24 * 3600));

/// A key to try.
pub(super) struct Choice {
    /// The fields, by their index in the design's key.
    order: Vec<usize>,
    /// True if the fields that queries are ordered by are descending.
    desc: bool,
    /// The buckets of a salt, and the fields that it is taken from.
    salt: Option<(u32, Vec<usize>)>,
}

/// Makes the tables of candidates.
pub(super) struct Builder<'d> {
    own: &'d TableDesign,
    /// The fields of the key, and what else queries select by, which a secondary table's key can have.
    fields: Vec<Located<KeyField>>,
    growing: Vec<bool>,
    /// Those that grow, of which many rows have one value: the next field orders these.
    coarse: Vec<bool>,
    buckets: Vec<u32>,
}

/// The table with what suggestions need to compare keys and the file does not say.
pub(super) fn with_assumptions(own: &TableDesign, profile: Option<&Profile>) -> (TableDesign, Vec<String>) {
    let mut table = own.clone();
    let mut assumed = Vec::new();
    if crate::cost::rows(own).is_none() {
        let rows = Count(profile.map_or(1e9, |profile| profile.distinct));
        table.table.rows = Some(unplaced(rows));
        assumed.push(format!("the table has {rows} rows: say `rows = …`"));
    }
    let facts = KeyFacts::of(own, profile);
    // Without it a query of a time's range reads nobody knows how many rows, and no key is better than another.
    let by_time = |query: &Located<Query>| {
        let is_time = |name: &str| {
            let field = facts.fields.iter().find(|field| field.name == name);
            field.is_some_and(|field| matches!(field.growth, Some(Growth::Time(_))))
        };
        asked(query).any(is_time) || query.range.values().any(|width| matches!(width.value, Width::Time(_)))
    };
    let is_told = || facts.fields.iter().any(|field| crate::cost::span_of_buckets(field).is_some());
    if crate::cost::span(&table).is_none() && !is_told() && own.table.query.iter().any(by_time) {
        let by_ttl = if own.table.keep.is_some() { "" } else { "`ttl = …` of each family, or " };
        assumed.push(format!(
            "the rows are those of a year, to compare ranges of time: say {by_ttl}`rate = …` of each write"
        ));
        table.table.keep = None;
        table.table.family.values_mut().for_each(|family| _ = family.value.ttl.get_or_insert(unplaced(YEAR)));
        if table.table.family.is_empty() {
            table.table.family.insert("all".to_owned(), unplaced(Family::kept(YEAR)));
        }
    }
    let is_unknown = |field: &&FieldFacts<'_>| field.spread.is_none() && field.growth.is_none();
    let of_key: Vec<String> = facts.fields.iter().filter(is_unknown).map(|field| field.name.to_owned()).collect();
    assumed.extend(
        of_key.iter().map(|name| format!("{name} has {DISTINCT} values: say `stats.{name} = {{ distinct = … }}`")),
    );
    let others = others(own).into_iter().map(|field| field.value.name);
    let others = others.filter(|name| own.table.stats.get(name).is_none_or(|stats| stats.distinct.is_none()));
    let rows = crate::cost::rows(&table);
    for name in of_key.into_iter().chain(others) {
        let distinct = distinct_of_column(own, &name, rows);
        let stats = table.table.stats.entry(name).or_insert_with(|| unplaced(FieldStats::unknown()));
        stats.value.distinct = Some(unplaced(distinct));
    }
    let asked = |name: &str| own.table.query.iter().any(|query| query.starts_with.contains_key(name));
    for field in facts.fields.iter().filter(|field| asked(field.name) && field.starting_with(1.0).is_none()) {
        let (name, rows) = (field.name, Count(1.0 / STARTS_ALIKE));
        assumed.push(format!("1 of {rows} rows begins alike in {name}, to compare keys: a sample of keys tells it"));
    }
    (table, assumed)
}

/// The number of values of what a query filters by alone: as its rows and those that it returns tell, else
/// [`DISTINCT`].
fn distinct_of_column(own: &TableDesign, name: &str, rows: Option<f64>) -> Count {
    let alone = |query: &&Located<Query>| crate::cost::all_of(&query.value) == [name];
    let returns = own.table.query.iter().filter(alone).find_map(|query| query.returns.as_ref());
    match rows.zip(returns) {
        Some((rows, returns)) => Count((rows / returns.0.max(1.0)).max(1.0).round()),
        None => DISTINCT,
    }
}

/// The assumptions on the columns that these tables have in the keys of secondary tables, where the design has none
/// such.
pub(super) fn of_columns<'t>(own: &TableDesign, tables: impl Iterator<Item = &'t TableDesign> + Clone) -> Vec<String> {
    let is_in = |table: &TableDesign, name: &str| {
        table.table.secondary.iter().flat_map(|secondary| &secondary.key).any(|field| field.name == name)
    };
    let columns = others(own).into_iter().map(|field| field.value.name);
    let new = columns.filter(|name| !is_in(own, name) && tables.clone().any(|table| is_in(table, name)));
    let rows = crate::cost::rows(own);
    new.map(|name| {
        let values = distinct_of_column(own, &name, rows);
        format!("{name} is a text of {values} values: write its type in the key of the secondary table")
    })
    .collect()
}

/// The table as the file has it, but for its key: nothing that was assumed.
pub(super) fn without_assumptions(table: &mut TableDesign, own: &TableDesign) {
    table.table.rows = own.table.rows;
    table.table.keep = own.table.keep;
    table.table.family = own.table.family.clone();
    table.table.stats = own.table.stats.clone();
}

fn unplaced<T>(value: T) -> Located<T> {
    Located { value, place: Span::default() }
}

impl<'d> Builder<'d> {
    /// With salts of as many buckets as `check` has in its edits.
    pub(super) fn new(own: &'d TableDesign, capacity: &Capacity) -> Self {
        let facts = KeyFacts::of(own, None);
        let fields: Vec<_> = own.table.key.iter().cloned().chain(others(own)).collect();
        let of_key = |test: fn(&FieldFacts<'_>) -> bool| -> Vec<bool> {
            let others = fields.len() - facts.fields.len();
            facts.fields.iter().map(test).chain(std::iter::repeat_n(false, others)).collect()
        };
        let growing = of_key(|field| field.growth.is_some());
        let coarse = of_key(|field| field.growth.is_some() && is_coarse(field));
        let even = if capacity.takes_all() { 0.0 } else { capacity.buckets() };
        let even = even.min(MOST_BUCKETS.into()) as u32;
        let mut buckets: Vec<u32> = own.table.salt.iter().map(|salt| *salt.buckets).chain([even]).collect();
        buckets.retain(|&buckets| buckets > 1 && buckets <= MOST_BUCKETS);
        buckets.sort_unstable();
        buckets.dedup();
        Self { own, fields, growing, coarse, buckets }
    }

    /// The keys to try: all, or, of a table with many fields and queries, those first whose fields most queries ask
    /// for.
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        let fields = self.own.table.key.len();
        // Some thousand orders at most.
        let front = match fields {
            0..=PERMUTED => fields,
            6..=12 => IN_FRONT,
            13..=40 => 2,
            _ => 1,
        };
        let salts = self.salts();
        let is_ordered = self.own.table.query.iter().any(|query| query.newest_first().is_some());
        let directions: &[bool] = if is_ordered && self.growing.contains(&true) { &[false, true] } else { &[false] };
        let queries = &self.own.table.query;
        let ranges: usize = queries.iter().map(|query| most_made(query)).sum();
        let each = fields.max(1) * (1 + queries.len()) + ranges / RANGES_PER_FIELD;
        let most = (LOOKED_AT / each).max(FEWEST);
        orders(&self.by_demand(), front)
            .flat_map(move |order| {
                let salts = salts.clone();
                directions.iter().flat_map(move |&desc| {
                    let order = order.clone();
                    salts.clone().into_iter().map(move |salt| Choice { order: order.clone(), desc, salt })
                })
            })
            .take(most)
    }

    /// The fields, those first by which most queries a second select.
    fn by_demand(&self) -> Vec<usize> {
        let mut demand: HashMap<&str, f64> = HashMap::new();
        for query in &self.own.table.query {
            let rate = query.rate.as_ref().map_or(1.0, |rate| rate.0);
            let next = query.among.keys().chain(query.starts_with.keys()).chain(query.range.keys());
            for name in query.fix.iter().map(|name| name.as_str()).chain(next.map(String::as_str)) {
                *demand.entry(name).or_default() += rate;
            }
        }
        let of = |field: usize| demand.get(self.own.table.key[field].name.as_str()).copied().unwrap_or(0.0);
        let mut fields: Vec<usize> = (0..self.own.table.key.len()).collect();
        fields.sort_by(|&a, &b| of(b).total_cmp(&of(a)));
        fields
    }

    /// No salt; and one by all fields, by all that do not grow, by each that does not grow.
    fn salts(&self) -> Vec<Option<(u32, Vec<usize>)>> {
        let fields = self.own.table.key.len();
        let still: Vec<usize> = (0..fields).filter(|&field| !self.growing[field]).collect();
        let mut by = vec![Vec::new()];
        if still.len() > 1 && still.len() < fields {
            by.push(still.clone());
        }
        by.extend(still.into_iter().take(PERMUTED).map(|field| vec![field]));
        let salts = self.buckets.iter().flat_map(|&buckets| by.iter().map(move |by| Some((buckets, by.clone()))));
        std::iter::once(None).chain(salts).collect()
    }

    /// The table of a choice; none if its key is not valid.
    pub(super) fn table(&self, choice: &Choice) -> Option<TableDesign> {
        let own = &self.own.table;
        let mut table = own.clone();
        let ordered: Vec<usize> = own.query.iter().flat_map(|query| self.ordered_by(query, &choice.order)).collect();
        table.key = self.key(&choice.order, &ordered, choice.desc);
        table.hashed = None;
        table.salt = choice.salt.as_ref().map(|(buckets, by)| self.salt(*buckets, by));
        table.secondary = Vec::new();
        let first = |names: &Vec<Located<String>>| {
            let mut first = table.key.iter().take(names.len());
            first.all(|field| names.iter().any(|name| **name == field.name))
                && (!names.is_empty() || table.salt.is_some())
        };
        table.partition = table.partition.clone().filter(first);
        // They are of the file's key, and nothing here counts regions.
        table.splits = None;
        if !choice.order.is_sorted() {
            for write in &mut table.write {
                write.value.order = write.value.order.take().filter(|order| order.value != WriteOrder::Random);
            }
        }
        let layout = layout(&self.own.name, &table.key, table.salt.as_ref(), None, &mut Vec::new())?;
        Some(TableDesign {
            name: self.own.name.clone(),
            table,
            layout,
            secondary: Vec::new(),
            sampled: Default::default(),
        })
    }

    fn salt(&self, buckets: u32, by: &[usize]) -> Located<Salt> {
        let by = by.iter().map(|&field| unplaced(self.own.table.key[field].name.clone())).collect();
        let own = self.own.table.salt.as_ref();
        let hash = own.and_then(|salt| salt.hash.clone()).or_else(|| {
            let SaltHash { name, .. } = SaltHash::named("xxh3");
            Some(unplaced(name))
        });
        unplaced(Salt {
            buckets: unplaced(buckets),
            by,
            hash,
            format: own.and_then(|salt| salt.format),
            text: own.and_then(|salt| salt.text.clone()),
        })
    }

    /// A key of these fields, of which the `ordered` ones are in this direction: the others stay as they are. Only the
    /// last can be raw.
    fn key(&self, order: &[usize], ordered: &[usize], desc: bool) -> Vec<Located<KeyField>> {
        let field = |(at, &index): (usize, &usize)| {
            let mut text = self.fields[index].clone();
            if let Some(field) = &mut text.value.field {
                field.raw &= at + 1 == order.len();
                field.desc = if ordered.contains(&index) { desc } else { field.desc };
            }
            text
        };
        order.iter().enumerate().map(field).collect()
    }

    /// The fields by which a key with this order has that of a query: the first that grows after those that it fixes,
    /// and the next where that one is coarse.
    fn ordered_by(&self, query: &Query, order: &[usize]) -> Vec<usize> {
        let is_fixed = |index: &&usize| asked(query).any(|name| name == self.fields[**index].name);
        let free: Vec<usize> = order.iter().skip_while(is_fixed).copied().collect();
        let first = free.iter().position(|&index| self.growing[index]).filter(|_| query.newest_first().is_some());
        let Some(first) = first else { return Vec::new() };
        let finer = free.get(first + 1).filter(|&&finer| self.coarse[free[first]] && self.growing[finer]);
        std::iter::once(free[first]).chain(finer.copied()).collect()
    }

    /// The table with a secondary table for each of its queries that it does not serve; none if it serves all, or
    /// nothing can.
    pub(super) fn with_secondaries(&self, alone: &TableDesign, score: &Score) -> Option<TableDesign> {
        let unserved = score.queries.iter().zip(&alone.table.query).filter(|(score, _)| score.is_unserved());
        let mut unserved: Vec<_> = unserved.collect();
        if unserved.len() > MOST_SECONDARIES {
            let cost = |score: &QueryScore| score.rate * score.work();
            unserved.sort_by(|(a, _), (b, _)| cost(b).total_cmp(&cost(a)));
        }
        let mut table = alone.clone();
        for (_, query) in unserved {
            let Some(key) = self.key_for(query) else { continue };
            let name =
                Located { value: format!("{}_{}", self.own.name.value, table.secondary.len() + 1), place: query.place };
            let serves = unplaced(query.name.value.clone());
            let same = table.table.secondary.iter().position(|other| same_key(&other.key, &key));
            if let Some(same) = same {
                table.table.secondary[same].value.serves.push(serves);
                continue;
            }
            if table.secondary.len() >= MOST_SECONDARIES {
                continue;
            }
            let layout = layout(&name, &key, None, None, &mut Vec::new())?;
            table.secondary.push(layout);
            let secondary = Secondary {
                name,
                key,
                salt: None,
                partition: None,
                fingerprint: None,
                serves: vec![serves],
                rows: None,
                splits: None,
            };
            table.table.secondary.push(unplaced(secondary));
        }
        (!table.secondary.is_empty()).then_some(table)
    }

    /// The table with a salt for each of its secondary tables that is hot: one for each number of buckets to try.
    pub(super) fn with_salts(&self, served: &TableDesign, hot: &[bool]) -> impl Iterator<Item = TableDesign> {
        let salted = move |buckets: u32| {
            let mut table = served.clone();
            let secondaries = table.table.secondary.iter_mut().zip(&mut table.secondary).zip(hot);
            for ((secondary, laid_out), _) in secondaries.filter(|(_, hot)| **hot) {
                let salt = self.salt(buckets, &[]);
                let Secondary { name, key, .. } = &secondary.value;
                *laid_out = layout(name, key, Some(&salt), None, &mut Vec::new())?;
                secondary.value.salt = Some(salt);
            }
            Some(table)
        };
        let buckets: &[u32] = if hot.contains(&true) { &self.buckets } else { &[] };
        buckets.iter().filter_map(move |&buckets| salted(buckets))
    }

    /// The key that serves a query: what it has one value of, what it has a range of, what it is sorted by, and then
    /// the rest of the fields, which keep rows apart.
    fn key_for(&self, query: &Query) -> Option<Vec<Located<KeyField>>> {
        let index = |name: &str| self.fields.iter().position(|field| field.name == name);
        let next = query.among.keys().chain(query.starts_with.keys()).chain(query.range.keys());
        let mut order: Vec<usize> = asked(query).chain(next.map(String::as_str)).filter_map(index).collect();
        if order.is_empty() {
            return None;
        }
        let of_key = 0..self.own.table.key.len();
        let grows = of_key.clone().filter(|&field| query.newest_first().is_some() && self.growing[field]);
        order.extend(grows.chain(of_key));
        let mut seen = vec![false; self.fields.len()];
        order.retain(|&field| !std::mem::replace(&mut seen[field], true));
        let newest = query.newest_first().unwrap_or(false);
        Some(self.key(&order, &self.ordered_by(query, &order), newest))
    }
}

/// The fields and columns that a query has one value of.
fn asked(query: &Query) -> impl Iterator<Item = &str> {
    query.fix.iter().chain(&query.filter).map(|name| name.as_str())
}

/// The fields and columns that queries have one value of and the key has not: as a secondary table of the design has
/// them, else text.
fn others(own: &TableDesign) -> Vec<Located<KeyField>> {
    let mut others: Vec<Located<KeyField>> = Vec::new();
    for name in own.table.query.iter().flat_map(|query| asked(query)) {
        let is = |field: &&Located<KeyField>| field.name == name;
        if own.table.key.iter().chain(&others).any(|field| is(&field)) {
            continue;
        }
        let mut declared = own.table.secondary.iter().flat_map(|secondary| &secondary.key);
        let text = || {
            let field = FieldBuf::new(name, "text").ok()?;
            Some(unplaced(KeyField { name: name.to_owned(), field: Some(field) }))
        };
        others.extend(declared.find(is).cloned().or_else(text));
    }
    others
}

fn key_line(fields: &[Located<KeyField>]) -> String {
    let texts = fields.iter().filter_map(|text| {
        let field = text.field.as_ref()?;
        Some(quote::toml(&format!("{}: {field}", text.name)))
    });
    format!("key = [{}]\n", texts.collect::<Vec<_>>().join(", "))
}

fn same_key(a: &[Located<KeyField>], b: &[Located<KeyField>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.value == b.value)
}

/// The orders of fields in which every choice of `front` of them comes first, the others after them as the design has
/// them; choices of the first of `fields` come first.
fn orders(fields: &[usize], front: usize) -> impl Iterator<Item = Vec<usize>> + use<> {
    let all = fields.len();
    let mut firsts: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..front {
        let longer = firsts.iter().flat_map(|order| {
            fields.iter().filter(|field| !order.contains(field)).map(|&field| [&order[..], &[field]].concat())
        });
        firsts = longer.collect();
    }
    firsts.into_iter().map(move |mut order| {
        let mut rest = vec![true; all];
        order.iter().for_each(|&field| rest[field] = false);
        order.extend((0..all).filter(|&field| rest[field]));
        order
    })
}

/// The keys of a design file that say a table's key, salt and secondary tables.
pub fn to_toml(table: &TableDesign) -> String {
    let names = |names: &[Located<String>]| names.iter().map(|name| quote::toml(name)).collect::<Vec<_>>().join(", ");
    let partition = |fields: &[Located<String>]| format!("partition = [{}]\n", names(fields));
    let salted = |salt: &Salt| {
        let by = if salt.by.is_empty() { String::new() } else { format!(", by = [{}]", names(&salt.by)) };
        let hash = salt.hash.as_ref().filter(|hash| hash.as_str() != "xxh3");
        let hash = hash.map_or(String::new(), |hash| format!(", hash = {}", quote::toml(hash)));
        let format = salt.format.map_or(String::new(), |format| format!(", format = \"{format}\""));
        let text = salt.text.as_ref().map_or(String::new(), |text| format!(", text = {}", quote::toml(text)));
        format!("salt = {{ buckets = {}{by}{hash}{format}{text} }}\n", *salt.buckets)
    };
    let hashed = |digest: &Digest| {
        let bytes = digest.bytes.as_ref().map(|bytes| format!("bytes = {}", **bytes));
        let of = digest.of.as_ref().map(|of| format!("of = {}", quote::toml(of)));
        let by = (!digest.by.is_empty()).then(|| format!("by = [{}]", names(&digest.by)));
        let parts: Vec<String> = bytes.into_iter().chain(of).chain(by).collect();
        format!("hashed = {{ {} }}\n", parts.join(", "))
    };
    let name = quote::toml_key(&table.name);
    let mut toml = format!("[table.{name}]\n{}", key_line(&table.table.key));
    let printed = |fingerprint: &Option<Located<String>>| {
        fingerprint.as_ref().map(|fingerprint| format!("fingerprint = {}\n", quote::toml(fingerprint)))
    };
    toml.extend(printed(&table.table.fingerprint));
    toml.extend(table.table.salt.iter().map(|salt| salted(salt)));
    toml.extend(table.table.hashed.iter().map(|digest| hashed(digest)));
    toml.extend(table.table.partition.iter().map(|names| partition(names)));
    for secondary in &table.table.secondary {
        toml += &format!(
            "[[table.{name}.secondary]]\nname = {}\n{}",
            quote::toml(&secondary.name),
            key_line(&secondary.key)
        );
        toml.extend(printed(&secondary.fingerprint));
        toml.extend(secondary.salt.iter().map(|salt| salted(salt)));
        toml.extend(secondary.partition.iter().map(|names| partition(names)));
        toml += &format!("serves = [{}]\n", names(&secondary.serves));
        toml.extend(secondary.rows.as_ref().map(|rows| format!("rows = \"{}\"\n", rows.value)));
    }
    toml
}

/// No statistics of any field.
impl FieldStats {
    fn unknown() -> Self {
        let (distinct, skew, per, max) = (None, None, None, None);
        Self { distinct, skew, per, max, grows: None, bucket: None, rows_per: None, size: None }
    }
}

/// A family of which the TTL alone is said.
impl Family {
    fn kept(period: Period) -> Self {
        let ttl = Some(unplaced(period));
        let (about, versions, min_versions, compression, encoding, bloom, block) =
            (None, None, None, None, None, None, None);
        let (in_memory, mob, timestamp, rows, columns, sizes) = (None, None, None, None, None, Default::default());
        let on_disk = None;
        Self {
            about,
            ttl,
            versions,
            min_versions,
            compression,
            on_disk,
            encoding,
            bloom,
            block,
            in_memory,
            mob,
            timestamp,
            rows,
            columns,
            sizes,
        }
    }
}
