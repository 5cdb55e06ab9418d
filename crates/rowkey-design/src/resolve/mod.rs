//! From what the files say to a design whose names all refer to something: layouts are built, fields are found.

mod contradictions;

use std::collections::{HashMap, HashSet, hash_map};

use indexmap::IndexMap;
use indexmap::map::Entry;
use rowkey::LayoutBuf;
use rowkey::layout::Scalar;
use rowkey::lead::{Lead, Salt as SaltOf, SaltFormat as FormatOf, SaltHash};
use rowkey::splits::Splits as SplitPoints;

use crate::design::{
    Allow, Cluster, DesignFile, Digest, KeyField, Level, Query, Salt, SaltFormat, Secondary, Size, Table, WriteOrder,
};
use crate::file::Named;
use crate::file::node::{self, Reading};
use crate::problem::{File, Files, Located, Problem, Problems, Span};
use crate::rule::Rule;

/// A design: all that its files say, checked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Design {
    /// The files.
    pub files: Files,
    /// The clusters that tables are for, by name.
    #[doc(hidden)]
    pub clusters: Named<Cluster>,
    /// The tables, by name.
    #[doc(hidden)]
    pub tables: IndexMap<String, TableDesign>,
    /// The levels of rules in all tables, by id.
    pub(crate) rules: Named<Level>,
}

/// A table of a design, and its layout.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TableDesign {
    /// Its name.
    pub name: Located<String>,
    /// The table as the file has it.
    pub table: Table,
    /// The layout of its keys.
    pub layout: LayoutBuf,
    /// The layouts of its secondary tables, in their order.
    pub secondary: Vec<LayoutBuf>,
    /// The split points that were taken from samples: of its secondary tables, and, without an index, of the table.
    pub(crate) sampled: IndexMap<Option<usize>, SplitPoints>,
}

impl Design {
    /// Reads the files of a design, which may be one or many.
    ///
    /// # Errors
    /// Everything that is wrong in them, each with its place.
    ///
    /// ```
    /// use rowkey_design::{Design, File};
    ///
    /// let text = "format = 1\n[table.visits]\nkey = [\"host: text\", \"at: i64 desc\"]\n";
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// assert_eq!(design.tables["visits"].layout.shape(), "text, i64 desc");
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    pub fn parse(files: impl IntoIterator<Item = File>) -> Result<Self, Problems> {
        let (clusters, tables, rules) = (Named::new(), IndexMap::new(), Named::new());
        let mut design = Self { files: Files::default(), clusters, tables, rules };
        let (mut problems, mut named) = (Vec::new(), Vec::new());
        for file in files {
            let text = file.text.clone();
            let mut reading = Reading { file: design.files.add(file), problems: &mut problems };
            if let Some(file) = node::read::<DesignFile>(&text, &mut reading) {
                named.extend(file.table.iter().map(|(name, table)| {
                    let name = Located { value: name.clone(), place: table.place };
                    (name, table.secondary.iter().map(|secondary| secondary.name.clone()).collect())
                }));
                design.add(file, &mut problems);
            }
        }
        design.name_tables_once(&named, &mut problems);
        if problems.is_empty() {
            return Ok(design);
        }
        problems.sort_by_key(|problem| problem.place);
        // The parser says of each of many open brackets that the end of the file does not close it.
        problems.dedup();
        Err(Problems { files: design.files, list: problems })
    }

    fn add(&mut self, file: DesignFile, problems: &mut Vec<Problem>) {
        for (name, cluster) in file.cluster {
            let place = cluster.place;
            cluster.contradict(place, problems);
            match self.clusters.entry(name) {
                // Each file can be read alone, if it has its cluster.
                Entry::Occupied(same) if same.get().value == cluster.value => {}
                Entry::Occupied(first) => {
                    problems.push(twice("cluster", first.key(), place, &self.files.position(first.get().place)));
                }
                Entry::Vacant(entry) => _ = entry.insert(cluster),
            }
        }
        refer_to_rules(&file.rules, problems);
        for (id, level) in file.rules {
            match self.rules.entry(id) {
                Entry::Occupied(same) if same.get().value == level.value => {}
                Entry::Occupied(first) => {
                    let at = self.files.position(first.get().place);
                    let message = format!("{} has the level {:?} already, at {at}", first.key(), first.get().word());
                    let help = "the files of a design have one level for a rule: remove one, or say it in a table";
                    problems.push(Problem { place: level.place, message, help: Some(help.to_owned()) });
                }
                Entry::Vacant(entry) => _ = entry.insert(level),
            }
        }
        for (name, Located { value: table, place }) in file.table {
            let Some(table) = TableDesign::of(Located { value: name.clone(), place }, table, problems) else {
                continue;
            };
            match self.tables.entry(name) {
                Entry::Occupied(first) => {
                    problems.push(twice("table", first.key(), place, &self.files.position(first.get().name.place)));
                }
                Entry::Vacant(entry) => _ = entry.insert(table),
            }
        }
    }

    /// Notes each secondary table with the name of another table: both would be one table of the store.
    fn name_tables_once(&self, named: &[(Located<String>, Vec<Located<String>>)], problems: &mut Vec<Problem>) {
        let mut names: HashMap<&str, (Span, Option<usize>)> =
            named.iter().map(|(name, _)| (name.as_str(), (name.place, None))).collect();
        for (of, (_, secondary)) in named.iter().enumerate() {
            for Located { value: name, place } in secondary {
                match names.entry(name) {
                    hash_map::Entry::Vacant(entry) => _ = entry.insert((*place, Some(of))),
                    // Two of one table are noted with what else a table names twice.
                    hash_map::Entry::Occupied(first) if first.get().1 == Some(of) => {}
                    hash_map::Entry::Occupied(first) => {
                        problems.push(twice("table", name, *place, &self.files.position(first.get().0)));
                    }
                }
            }
        }
    }
}

fn twice(what: &str, name: &str, place: Span, first: &str) -> Problem {
    let help = Some("remove one, or give it another name, also to see both beside each other".to_owned());
    Problem { place, message: format!("there is already a {what} {name:?}, at {first}"), help }
}

impl TableDesign {
    fn of(name: Located<String>, table: Table, problems: &mut Vec<Problem>) -> Option<Self> {
        let before = problems.len();
        let layout = layout(&name, &table.key, table.salt.as_ref(), table.hashed.as_ref(), problems);
        let secondary: Vec<_> =
            table.secondary.iter().map(|secondary| layout_of_secondary(secondary, problems)).collect();
        table.refer(problems);
        table.contradict(problems);
        begins_with(&table.key, table.partition.as_deref(), table.salt.is_some(), problems);
        for secondary in &table.secondary {
            let fewer = secondary.rows.as_ref().zip(table.rows.as_ref()).filter(|(own, all)| own.0 > all.0);
            if let Some((own, all)) = fewer {
                let message = format!("`rows` is {}, but the table has {}", own.value, all.value);
                let help = Some("a secondary table has the rows of the table that have its fields".to_owned());
                problems.push(Problem { place: own.place, message, help });
            }
            begins_with(&secondary.key, secondary.partition.as_deref(), secondary.salt.is_some(), problems);
        }
        expect(table.fingerprint.as_ref(), layout.as_ref(), problems);
        for (layout, secondary) in secondary.iter().zip(&table.secondary) {
            expect(secondary.fingerprint.as_ref(), layout.as_ref(), problems);
        }
        let secondary = secondary.into_iter().collect::<Option<_>>()?;
        (problems.len() == before).then_some(Self { layout: layout?, secondary, name, table, sampled: IndexMap::new() })
    }
}

impl Table {
    /// Notes each name that refers to nothing.
    fn refer(&self, problems: &mut Vec<Problem>) {
        // A secondary table's key may have what a row's value says.
        let keys = [&self.key].into_iter().chain(self.secondary.iter().map(|secondary| &secondary.key));
        let mut fields: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        fields.extend(keys.flatten().map(|field| field.name.as_str()).filter(|name| seen.insert(*name)));
        let mut field = |name: &str, place| refer("field", name, place, &fields, problems);
        let Self { means, stats, write, query, .. } = self;
        means.iter().for_each(|(name, at)| field(name, at.place));
        for (name, at) in stats {
            field(name, at.place);
            at.per.iter().for_each(|per| field(per, per.place));
        }
        for write in write {
            write.updates.iter().for_each(|name| field(name, name.place));
            if let Some(Located { value: WriteOrder::RandomIn(name), place }) = &write.order {
                field(name, *place);
            }
        }
        for query in query {
            for name in &query.fix {
                let told = problems.len();
                refer("field", name, name.place, &fields, problems);
                for help in problems[told..].iter_mut().filter_map(|problem| problem.help.as_mut()) {
                    help.push_str("; a column is no part of the key: write it in `where`");
                }
            }
            let mut field = |name: &str, place| refer("field", name, place, &fields, problems);
            query.range.iter().for_each(|(name, at)| field(name, at.place));
            query.among.iter().for_each(|(name, at)| field(name, at.place));
            query.starts_with.iter().for_each(|(name, at)| field(name, at.place));
            query.skew.iter().for_each(|(name, at)| field(name, at.place));
            query.parts.iter().for_each(|(name, at)| field(name, at.place));
        }
        for query in query {
            query.says_of_what_it_asks(problems);
        }
        once("query", query.iter().map(|query| &query.name), problems);
        once("write", write.iter().map(|write| &write.name), problems);
        once("secondary table", self.secondary.iter().map(|secondary| &secondary.name), problems);
        let queries: Vec<&str> = query.iter().map(|query| query.name.as_str()).collect();
        for secondary in &self.secondary {
            secondary.serves.iter().for_each(|name| refer("query", name, name.place, &queries, problems));
        }
        let things: Vec<&str> = queries
            .iter()
            .copied()
            .chain(fields.iter().copied())
            .chain(write.iter().map(|write| write.name.as_str()))
            .chain(self.family.keys().map(String::as_str))
            .chain(self.secondary.iter().map(|secondary| secondary.name.as_str()))
            .collect();
        refer_to_rules(&self.rules, problems);
        for allow in &self.allow {
            refer_to_rule(&allow.rule, allow.rule.place, problems);
            if allow.why.trim().is_empty() {
                let help = Some("say why the finding is accepted".to_owned());
                problems.push(Problem { place: allow.why.place, message: "the reason is empty".to_owned(), help });
            }
        }
        // What rules of changes name may be gone.
        let compares = |allow: &Allow| Rule::named(&allow.rule).is_some_and(|rule| rule.kind.compares());
        for allow in self.allow.iter().filter(|allow| !compares(allow)) {
            allow.of.iter().for_each(|name| {
                refer("query, write, family, field or secondary table", name, name.place, &things, problems)
            });
        }
    }
}

impl Query {
    /// Notes each skew of values, and each number of ranges, that it does not ask for.
    fn says_of_what_it_asks(&self, problems: &mut Vec<Problem>) {
        let mut add = |message: String, help: String, place| {
            problems.push(Problem { place, message, help: Some(help) });
        };
        let has_values = |name: &str| self.fix.iter().any(|field| **field == *name) || self.among.contains_key(name);
        for (name, skew) in self.skew.iter().filter(|(name, _)| !has_values(name)) {
            let message = format!("the query has a `skew` of {name:?}, and no value of it");
            add(message, format!("name {name:?} in `fix`, or in `among`"), skew.place);
        }
        let has_parts = |name: &str| self.range.contains_key(name) || self.starts_with.contains_key(name);
        for (name, parts) in self.parts.iter().filter(|(name, _)| !has_parts(name)) {
            let message = format!("the query has `parts` of {name:?}, and neither a range nor a beginning of it");
            add(message, format!("name {name:?} in `range` or `starts_with`; several values are `among`"), parts.place);
        }
    }
}

/// The median, the 99th of 100 and the greatest of a size that varies.
fn spread(size: &Size) -> Option<[Option<f64>; 3]> {
    match size {
        Size::About(_) => None,
        Size::Spread(spread) => Some([spread.p50, spread.p99, spread.max].map(|bytes| bytes.map(|bytes| bytes.0))),
    }
}

/// Notes a spread whose numbers do not grow, as those of no values do.
fn grows(spread: Option<[Option<f64>; 3]>, place: Span, problems: &mut Vec<Problem>) {
    let said: Vec<f64> = spread.into_iter().flatten().flatten().collect();
    if said.windows(2).any(|pair| pair[0] > pair[1]) {
        let message = "`p50` is more than `p99`, or one of them more than `max`".to_owned();
        problems.push(Problem { place, message, help: Some("exchange them, or correct one".to_owned()) });
    }
}

/// Notes each name that is there before.
fn once<'n>(what: &str, names: impl Iterator<Item = &'n Located<String>>, problems: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.as_str()) {
            let help = Some("give it another name".to_owned());
            problems.push(Problem {
                place: name.place,
                message: format!("there is already a {what} {:?}", name.as_str()),
                help,
            });
        }
    }
}

fn refer(what: &str, name: &str, place: Span, known: &[&str], problems: &mut Vec<Problem>) {
    if !known.contains(&name) {
        let help = node::nearest(name, known);
        problems.push(Problem { place, message: format!("there is no {what} {name:?}"), help: Some(help) });
    }
}

/// Notes an id that no rule has.
fn refer_to_rule(id: &str, place: Span, problems: &mut Vec<Problem>) {
    if Rule::named(id).is_none() {
        problems.push(no_rule(id, place));
    }
}

/// The problem of an id that no rule has.
pub(crate) fn no_rule(id: &str, place: Span) -> Problem {
    let near = Rule::nearest(id);
    let help = near.map_or(String::new(), |rule| format!("did you mean `{}` ({})? ", rule.id, rule.title))
        + "`rowkey rule --list` lists all";
    Problem { place, message: format!("there is no rule {id:?}"), help: Some(help) }
}

/// Notes levels of no rule, and those that no check can give.
fn refer_to_rules(levels: &Named<Level>, problems: &mut Vec<Problem>) {
    for (id, level) in levels {
        refer_to_rule(id, level.place, problems);
        if Rule::named(id).is_some_and(|rule| rule.kind.compares()) && level.value != Level::Allow {
            let message = format!("{id} compares two designs: its differences have no severity");
            let help = Some("write `\"allow\"`, or say what fails by `rowkey diff --deny`".to_owned());
            problems.push(Problem { place: level.place, message, help });
        }
    }
}

/// Notes each field of a partition key that is none of the first of the key.
fn begins_with(
    key: &[Located<KeyField>],
    partition: Option<&[Located<String>]>,
    is_salted: bool,
    problems: &mut Vec<Problem>,
) {
    let Some(partition) = partition else { return };
    let first = &key[..partition.len().min(key.len())];
    for name in partition.iter().filter(|name| !first.iter().any(|field| field.name == ***name)) {
        let message =
            format!("the partition key has {:?}, which is not among the first fields of the key", name.as_str());
        let help =
            format!("begin `key` with the {} of `partition`", if partition.len() == 1 { "field" } else { "fields" });
        problems.push(Problem { place: name.place, message, help: Some(help) });
    }
    once("field of the partition key", partition.iter(), problems);
    if let (Some(field), [], false) = (key.first(), partition, is_salted) {
        let message = "the partition key is empty".to_owned();
        let help = Some("name its fields, or leave `partition` out; of a salt alone it can be".to_owned());
        problems.push(Problem { place: field.place, message, help });
    }
}

/// Notes a layout that has not the fingerprint that the file says.
fn expect(fingerprint: Option<&Located<String>>, layout: Option<&LayoutBuf>, problems: &mut Vec<Problem>) {
    let (Some(said), Some(layout)) = (fingerprint, layout) else { return };
    let found = layout.fingerprint().to_string();
    if **said != found {
        let message =
            format!("the fingerprint of this key is {found}, not {:?}: its shape is {}", said.as_str(), layout.shape());
        let help = Some("change the key back, or migrate the table and write the new fingerprint".to_owned());
        problems.push(Problem { place: said.place, message, help });
    }
}

fn layout_of_secondary(secondary: &Secondary, problems: &mut Vec<Problem>) -> Option<LayoutBuf> {
    layout(&secondary.name, &secondary.key, secondary.salt.as_ref(), None, problems)
}

/// The bytes of a bucket; a problem where a text is not the format of one.
fn salt_format(salt: &Salt, problems: &mut Vec<Problem>) -> FormatOf {
    let own = match salt.format {
        Some(SaltFormat::Hex) => FormatOf::Hex,
        _ => FormatOf::Binary,
    };
    let Some(text) = &salt.text else { return own };
    match Scalar::from_shape(text) {
        Some(Scalar::Foreign(foreign)) if salt.format.is_none() => FormatOf::Foreign(foreign),
        _ => {
            let message = format!("{:?} is not how a bucket is written", text.as_str());
            let help = "write a width and perhaps a delimiter, and no `format`: text = \"dec[2 '-']\"";
            problems.push(Problem { place: text.place, message, help: Some(help.to_owned()) });
            own
        }
    }
}

/// The digest; a problem where a text is not the beginning of a hash.
fn digest(digest: &Digest, problems: &mut Vec<Problem>) -> Lead<String> {
    let bytes = digest.bytes.as_ref().map_or(16, |bytes| u8::try_from(**bytes).unwrap_or(u8::MAX));
    let Some(of) = &digest.of else { return Lead::Digest(bytes) };
    match of.parse() {
        Ok(prefix) if digest.bytes.is_none() => Lead::Hash(prefix),
        _ => {
            let message = format!("{:?} is not the beginning of a hash", of.as_str());
            let help = "write a hash and how much of it, and no `bytes`: of = \"sha1 hex[4 '_']\"";
            problems.push(Problem { place: of.place, message, help: Some(help.to_owned()) });
            Lead::Digest(bytes)
        }
    }
}

/// The layout of a key as a file has it.
pub(crate) fn layout(
    name: &Located<String>,
    key: &[Located<KeyField>],
    salt: Option<&Located<Salt>>,
    hashed: Option<&Located<Digest>>,
    problems: &mut Vec<Problem>,
) -> Option<LayoutBuf> {
    let before = problems.len();
    let names: Vec<&str> = key.iter().map(|field| field.name.as_str()).collect();
    let indices = |by: &[Located<String>], problems: &mut Vec<Problem>| -> Vec<usize> {
        by.iter().for_each(|name| refer("field", name, name.place, &names, problems));
        let mut by: Vec<_> =
            by.iter().filter_map(|name| names.iter().position(|field| field == &name.as_str())).collect();
        by.sort_unstable();
        by
    };
    let (lead, by, place) = match (salt, hashed) {
        (Some(salt), None) => {
            let hash = SaltHash::named(salt.hash.as_ref().map_or("xxh3", |hash| hash.as_str()));
            let format = salt_format(salt, problems);
            (Lead::Salt(SaltOf { buckets: *salt.buckets, hash, format }), indices(&salt.by, problems), salt.place)
        }
        (None, Some(hashed)) => {
            let by = indices(&hashed.by, problems);
            (digest(hashed, problems), by, hashed.place)
        }
        (None, None) => (Lead::None, Vec::new(), name.place),
        (Some(_), Some(hashed)) => {
            let message = "a key has a salt or a digest, not both".to_owned();
            problems.push(Problem { place: hashed.place, message, help: Some("remove `salt` or `hashed`".to_owned()) });
            return None;
        }
    };
    if problems.len() > before {
        return None;
    }
    if key.is_empty() {
        let help = Some("write `key = [\"host: text\", \"at: instant desc\"]`: each field and its shape".to_owned());
        problems.push(Problem { place: name.place, message: format!("{:?} has no `key`", name.as_str()), help });
        return None;
    }
    let fields: Vec<_> = key.iter().map(|field| field.field.clone()).collect::<Option<_>>()?;
    match LayoutBuf::of_fields(name.as_str(), lead, by, fields) {
        Ok(layout) => Some(layout),
        Err(error) => {
            // `fields[2].raw` is of the third text.
            let index =
                error.path.strip_prefix("fields[").and_then(|rest| rest.split(']').next()?.parse::<usize>().ok());
            let place = index.and_then(|index| key.get(index)).map_or(place, |text| text.place);
            problems.push(Problem { place, message: error.reason, help: None });
            None
        }
    }
}
