//! `rowkey suggest`: other keys for a table, judged by the design's writes and queries.
//!
//! Every order of the fields is tried, with several salts, ascending and descending in the fields that queries are
//! ordered by; each alone and with the secondary tables that its queries need, columns that they name among their keys.
//! A candidate is judged first by the writes that its servers can take at once, then by the work of its queries and
//! writes, then by its number of tables and its bytes, then by how little it changes, the design's own order and
//! directions, and how few rows come from secondary tables. Work that is within 11 % may count as the same. Where the
//! cluster is too small for the writes, it is judged as if it were large enough: that is so under every key. Of the
//! best, that one is first in which `check` finds the fewest errors and warnings, among those that serve the same
//! queries; findings about split points come after a key is chosen.

mod build;
mod score;

use std::borrow::Cow;
use std::cmp::Ordering;

use rowkey::untyped::FieldBuf;

pub use self::build::to_toml;
pub use self::score::{QueryScore, Score};

use self::build::Builder;
use self::score::hot_secondaries;
use crate::file::{Bytes, Count};
use crate::load::{Capacity, engine_of, places_as_text, said_in_vain};
use crate::resolve::{Design, TableDesign};
use crate::rule::Severity;
use crate::rules::context::{CheckOptions, Context};
use crate::write_cost::WriteCost;

/// A key for a table, and what it costs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The table with this key and these secondary tables.
    pub table: TableDesign,
    /// Its cost.
    pub score: Score,
    /// True if it is the design's own key, with its own secondary tables.
    pub current: bool,
    /// The errors and the warnings that `check` has for it, without those about split points.
    pub found: [usize; 2],
    /// The rules of these.
    rules: [Vec<&'static str>; 2],
    changes: usize,
}

impl Candidate {
    fn new(table: TableDesign, own: &TableDesign, score: Score, current: bool) -> Self {
        Self { changes: changes(&table, own), table, score, current, found: [0; 2], rules: Default::default() }
    }

    /// Returns whether it serves each query that another one serves.
    fn serves_as(&self, other: &Self) -> bool {
        let mut queries = self.score.queries.iter().zip(&other.score.queries);
        queries.all(|(query, of_other)| !query.is_unserved() || of_other.is_unserved())
    }
}

/// Keys for a table, the best first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Suggestions {
    /// The candidates, the best first; of those that only differ in fields that nothing depends on, one. The design's
    /// own key is among them.
    pub candidates: Vec<Candidate>,
    /// The number of those that were tried.
    pub tried: usize,
    /// Assumptions, where the file says nothing.
    pub assumed: Vec<String>,
    /// Why the first is first: a sentence for each of the others that are worth comparing.
    pub reasons: Vec<String>,
    /// Weaknesses of the first.
    pub remarks: Vec<String>,
}

/// The number of candidates that are kept while others are tried: many are alike.
const KEPT: usize = 512;

/// The rules about split points, which come after a key is chosen.
const OF_SPLITS: [&str; 3] = ["H09", "H10", "H21"];

/// The number of candidates that are returned.
const SHOWN: usize = 8;

impl Design {
    /// Searches for better keys for a table of the design; none if there is no such table.
    ///
    /// ```
    /// use rowkey_design::Date;
    /// use rowkey_design::{CheckOptions, Design, File};
    ///
    /// let text = r#"
    /// format = 1
    /// [cluster.prod]
    /// engine = "hbase"
    /// servers = 10
    /// [table.points]
    /// key = ["at: instant", "sensor: u64"]
    /// stats.sensor = { distinct = 5_000 }
    /// [[table.points.write]]
    /// name = "point"
    /// rate = "50k/s"
    /// order = "time"
    /// [[table.points.query]]
    /// name = "a sensor's latest"
    /// fix = ["sensor"]
    /// order = "newest"
    /// limit = 10
    /// rate = "100/s"
    /// "#;
    /// let design = Design::parse([File { name: "points.rowkey.toml".into(), text: text.into() }])?;
    /// let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    /// let suggestions = design.suggest("points", &options).unwrap();
    /// assert_eq!(suggestions.candidates[0].table.layout.shape(), "u64, instant desc");
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    pub fn suggest(&self, table: &str, options: &CheckOptions) -> Option<Suggestions> {
        let own = self.tables.get(table)?;
        let (full, mut assumed) = build::with_assumptions(own, options.profiles.get(table));
        let cluster = self.cluster(options);
        let profile = options.profiles.get(table);
        let capacity = Capacity::of(&full, cluster);
        assumed.extend(capacity.assumed().into_iter().chain(said_in_vain(cluster)));
        let builder = Builder::new(&full, &capacity);
        let judge = |table: &TableDesign| Score::of(table, &full, cluster, profile, None);
        let mut candidates = vec![Candidate::new(full.clone(), own, judge(&full), true)];
        let mut tried = 1;
        for choice in builder.choices() {
            let Some(alone) = builder.table(&choice) else { continue };
            let score = judge(&alone);
            tried += 1;
            if let Some(served) = builder.with_secondaries(&alone, &score) {
                let salted =
                    builder.with_salts(&served, &hot_secondaries(&served, &capacity, cluster)).collect::<Vec<_>>();
                for table in salted.into_iter().chain([served]) {
                    tried += 1;
                    let score = judge(&table);
                    candidates.push(Candidate::new(table, own, score, false));
                }
            }
            candidates.push(Candidate::new(alone, own, score, false));
            if candidates.len() > KEPT {
                candidates.sort_by(better);
                let mut place = 0;
                candidates.retain(|candidate| {
                    place += 1;
                    candidate.current || place <= KEPT / 2
                });
            }
        }
        candidates.sort_by(better);
        let mut candidates = distinct(candidates);
        if profile.is_some() {
            for candidate in &mut candidates {
                let options = under(options, own, &candidate.table);
                let sample = options.profiles.get(table);
                candidate.score = Score::of(&candidate.table, &full, cluster, sample, sample);
            }
            candidates.sort_by(better);
        }
        for candidate in &mut candidates {
            build::without_assumptions(&mut candidate.table, own);
            let options = under(options, own, &candidate.table);
            let found = crate::check::findings(&Context::new(self, &candidate.table, &options));
            let of_keys = || found.iter().filter(|finding| !OF_SPLITS.contains(&finding.rule.id));
            let rules = [Severity::Error, Severity::Warning].map(|severity| {
                let found = of_keys().filter(|finding| finding.severity == severity);
                found.map(|finding| finding.rule.id).collect::<Vec<_>>()
            });
            candidate.found = rules.each_ref().map(Vec::len);
            candidate.rules = rules;
        }
        assumed.extend(build::of_columns(own, candidates.iter().map(|candidate| &candidate.table)));
        with_fewest_findings_first(&mut candidates);
        let unit = WriteCost::of(engine_of(cluster)).word();
        let (reasons, remarks) = (reasons(&candidates, unit), remarks(&candidates, &capacity, unit));
        Some(Suggestions { candidates, tried, assumed, reasons, remarks })
    }
}

/// The options with the profile of the table's sample as another key has its rows.
fn under<'o>(options: &'o CheckOptions, own: &TableDesign, other: &TableDesign) -> Cow<'o, CheckOptions> {
    let name = own.name.as_str();
    match options.profiles.get(name) {
        Some(profile) if own.layout != other.layout => {
            Cow::Owned(options.clone().profile(name, profile.under(&own.layout, &other.layout)))
        }
        _ => Cow::Borrowed(options),
    }
}

/// The better first. What is nearly the same is not told apart by work, but by simplicity.
fn better(a: &Candidate, b: &Candidate) -> Ordering {
    let rank = |candidate: &Candidate| {
        let Score { refused, work, tables, unserved, unordered, salted, key_bytes, by_secondary, .. } = candidate.score;
        let changes = candidate.changes;
        let steps = (work.max(1e-9).ln() / 1.05f64.ln() / 2.0).round();
        let simple =
            (salted, key_bytes, !candidate.current, changes > 0, by_secondary, changes, hashed_by(&candidate.table));
        // Any that are refused are more than none.
        ((refused * 100.0 - 1e-6).ceil(), steps, tables, unserved, unordered, simple)
    };
    let order = rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal);
    order.then_with(|| a.table.layout.shape().cmp(&b.table.layout.shape()))
}

/// Puts that candidate first, of those that serve the queries of the first, in which `check` finds the fewest errors
/// and then warnings: so the two can't disagree.
fn with_fewest_findings_first(candidates: &mut [Candidate]) {
    loop {
        let Some(best) = candidates.first() else { return };
        let fewer = |at: &usize| candidates[*at].found < best.found && candidates[*at].serves_as(best);
        let Some(at) = (1..candidates.len()).filter(fewer).min_by_key(|at| candidates[*at].found) else { return };
        candidates[..=at].rotate_right(1);
    }
}

/// The number of fields that a salt names: none is the simplest, for then it is by all.
fn hashed_by(table: &TableDesign) -> usize {
    table.table.salt.as_ref().map_or(0, |salt| salt.by.len())
}

/// The number of places of a key that have another field than the design's own, and of fields in another direction:
/// each needs a reason.
fn changes(table: &TableDesign, own: &TableDesign) -> usize {
    let (fields, own) = (table.layout.fields(), own.layout.fields());
    let moved = fields.iter().zip(own).filter(|(field, own)| field.name != own.name).count();
    let turned = |field: &&FieldBuf| own.iter().any(|own| own.name == field.name && own.desc != field.desc);
    moved + fields.iter().filter(turned).count()
}

/// The first of those that have the same cost for each query and the same first field, and the design's own.
fn distinct(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let same = |other: &&Candidate| other.score.alike(&candidate.score) && first(other) == first(&candidate);
        let known = kept.iter().any(|other| same(&other));
        if candidate.current || (!known && kept.len() < SHOWN) {
            kept.push(candidate);
        }
    }
    kept
}

fn first(candidate: &Candidate) -> (bool, &str) {
    let name = candidate.table.layout.fields().first().map_or("", |field| field.name.as_str());
    (candidate.score.salted, name)
}

/// A key in a few words: `salt(20 by metric), metric, hour desc`, and how many secondary tables.
pub fn described(table: &TableDesign) -> String {
    let fields = table.layout.fields();
    let mut parts = Vec::new();
    if let Some(salt) = &table.table.salt {
        let by: Vec<&str> = salt.by.iter().map(|name| name.as_str()).collect();
        let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
        parts.push(format!("salt({}{by})", *salt.buckets));
    }
    if let Some(hashed) = &table.table.hashed {
        parts.push(match &hashed.of {
            Some(of) => format!("hash({})", **of),
            None => format!("md5({})", hashed.bytes.as_ref().map_or(16, |bytes| **bytes)),
        });
    }
    parts.extend(fields.iter().map(|field| format!("{}{}", field.name, if field.desc { " desc" } else { "" })));
    let key = parts.join(", ");
    let salt = table.table.secondary.iter().find_map(|secondary| secondary.salt.as_ref());
    let salted = salt.map_or(String::new(), |salt| format!(", salt({})", *salt.buckets));
    match table.secondary.len() {
        0 => key,
        1 => format!("{key} + 1 secondary table{salted}"),
        n => format!("{key} + {n} secondary tables{salted}"),
    }
}

/// Why the first is before each of the others, whose writes are counted in a unit.
fn reasons(candidates: &[Candidate], unit: &str) -> Vec<String> {
    let Some((best, others)) = candidates.split_first() else {
        return Vec::new();
    };
    others.iter().map(|other| format!("{}: {}", described(&other.table), worse(best, other, unit))).collect()
}

/// Weaknesses of the first.
fn remarks(candidates: &[Candidate], capacity: &Capacity, unit: &str) -> Vec<String> {
    let Some(best) = candidates.first() else { return Vec::new() };
    let Score { tables, refused, peak, .. } = best.score;
    let small = capacity.too_small_for(tables).map(|(all, needed)| {
        let (all, needed) = (Count(all), Count(needed).of("server"));
        let of_its = if tables > 1 { format!(" for its {tables} tables") } else { ", under every key".to_owned() };
        format!("all servers together take {all} {unit}s/s: {needed} are needed{of_its}")
    });
    let refused = (refused >= 0.005).then(|| {
        let taken = Count((peak * (1.0 - refused)).round());
        format!("its servers take {taken} of {} {unit}s/s, as they land in too few places", Count(peak))
    });
    // That there are too few servers is said above.
    let found = found_in(best, |rule| rule != "H24" || small.is_none());
    let found = found.map(|found| format!("check finds {found} in it"));
    let queries = best.score.queries.iter();
    let unserved = queries.filter(|query| query.is_unserved()).map(|query| {
        let (rows, name) = (read(query), &query.name);
        match (query.full_scan, query.amplification) {
            (true, _) => format!("{name:?} reads {rows} at each run"),
            (false, each) => {
                let each =
                    each.map_or(String::new(), |each| format!(", {} for each that it returns", Count(each.round())));
                format!("{name:?} reads {rows} a run{each}")
            }
        }
    });
    small.into_iter().chain(refused).chain(unserved).chain(found).collect()
}

/// The number of rows that a query reads, in words.
fn number(query: &QueryScore) -> String {
    query.rows_read.map_or("an unknown number".to_owned(), |rows| Count(rows.round()).to_string())
}

/// The same, with what it is the number of.
fn read(query: &QueryScore) -> String {
    if query.full_scan {
        return "the whole table".to_owned();
    }
    query.rows_read.map_or(format!("{} of rows", number(query)), |rows| Count(rows.round()).of("row"))
}

/// The rules, of these, by which `check` finds errors and warnings; none if it finds none.
fn found_in(candidate: &Candidate, of: impl Fn(&str) -> bool) -> Option<String> {
    let of_severity = |(word, rules): (&str, &Vec<&str>)| {
        let mut rules: Vec<&str> = rules.iter().copied().filter(|rule| of(rule)).collect();
        rules.sort_unstable();
        rules.dedup();
        (!rules.is_empty()).then(|| format!("{word} {}", rules.join(", ")))
    };
    let words = ["error", "warning"].into_iter().zip(&candidate.rules).filter_map(of_severity);
    Some(words.collect::<Vec<_>>().join(" and ")).filter(|words| !words.is_empty())
}

/// The ways in which `other` is worse.
fn worse(best: &Candidate, other: &Candidate, unit: &str) -> String {
    let mut why = Vec::new();
    let is_found = other.found > best.found && other.serves_as(best);
    let by_check = || match found_in(best, |_| true) {
        Some(of_best) => {
            format!("check finds {} in it, and {of_best} in the first", found_in(other, |_| true).unwrap_or_default())
        }
        None => format!("check finds {} in it", found_in(other, |_| true).unwrap_or_default()),
    };
    let by_check = is_found.then(by_check);
    let (best, other) = (&best.score, &other.score);
    if (other.refused * 100.0).round() > (best.refused * 100.0).round() {
        let (places, peak) = (other.places.unwrap_or(0.0), other.peak);
        why.push(format!(
            "its writes land in {} at once, which take {} of {} {unit}s/s",
            places_as_text(places),
            Count(peak * (1.0 - other.refused)),
            Count(peak)
        ));
    }
    let read_more = |least: f64| {
        let more = other.queries.iter().zip(&best.queries).filter(move |(query, ours)| {
            query.work() > 1.2 * ours.work() && query.rate * (query.work() - ours.work()) > least * best.work
        });
        more.map(move |(query, ours)| {
            format!(
                "{:?} reads {} in {}, and {} in {} with the first",
                query.name,
                read(query),
                Count(query.ranges).of("range"),
                number(ours),
                Count(ours.ranges)
            )
        })
    };
    why.extend(read_more(0.02));
    for (query, ours) in other.queries.iter().zip(&best.queries) {
        if ours.in_order && !query.in_order {
            let how = if query.is_reverse { "scans in reverse" } else { "sorts what it reads" };
            why.push(format!("{:?} {how}", query.name));
        }
    }
    if other.tables > best.tables {
        why.push(format!("each write goes to {} tables, not {}", other.tables, best.tables));
    }
    if why.is_empty() {
        why.extend(by_check);
    }
    if why.is_empty() {
        why.extend(read_more(0.0));
    }
    if why.is_empty() && other.salted && !best.salted {
        why.push("a salt, which nothing here needs".to_owned());
    }
    if why.is_empty() && other.key_bytes > best.key_bytes {
        why.push(format!("keys of {}, not {}", Bytes(other.key_bytes), Bytes(best.key_bytes)));
    }
    if why.is_empty() && other.by_secondary > best.by_secondary {
        why.push("queries read more rows from its secondary tables".to_owned());
    }
    if why.is_empty() {
        let places = |score: &Score| score.places.unwrap_or(f64::INFINITY).round();
        why.push(match places(other) == places(best) {
            true => "as good: no query reads more, and writes land in as many places".to_owned(),
            false => "as good: no query reads more, and servers take as many writes".to_owned(),
        });
    }
    why.join("; ")
}
