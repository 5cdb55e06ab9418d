//! A graph of links in four forms: a row each, a column each, all in one value, and a hub's columns over several rows.

use std::collections::BTreeMap;

use rowkey::error::Access;
use rowkey::merge::Merge;
use rowkey::wide::{Cell, Columns, Condition, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Error, OwnedKey, Postcard, RowKey, RowValue, Table, WideTable, WriteBatch};
use rowkey_studies::engine::{self, Cells, Db};
use rowkey_studies::output::progress;
use rowkey_studies::packages::{End, Link, Way};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) type Wide<K> = WideTable<K, engine::Wide>;

/// By package the others, those that it links to and those that link to it, by name.
pub(crate) type ByPackage<'l> = BTreeMap<&'l str, [Vec<&'l str>; 2]>;

const WAYS: [Way; 2] = [Way::Out, Way::In];

/// Links in one form, and what they are asked.
pub(crate) trait Graph {
    /// The name of the form.
    fn name(&self) -> &'static str;

    fn load(&self, links: &ByPackage<'_>) -> Result<(), Error>;

    fn linked(&self, from: &str, to: &str) -> Result<bool, Error>;

    /// All that a package links to, or that link to it, by name.
    fn links(&self, end: &End) -> Result<Vec<String>, Error>;

    /// This many of them, after a name.
    fn page(&self, end: &End, after: &str, count: u32) -> Result<Vec<String>, Error>;

    fn add(&self, from: &str, to: &str) -> Result<(), Error>;

    /// Draws where a package is stored: a row key and its columns.
    fn draw(&self, package: &str) -> Result<[String; 2], Error>;
}

/// A row a link, at either end.
pub(crate) struct EdgeList {
    links: Table<Link, (), Db>,
}

/// A package's row.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(crate) struct Page {
    pub(crate) package: String,
}

/// A row a package, a column a link: families `out` and `in`.
pub(crate) struct Adjacency {
    rows: Wide<Page>,
}

/// The qualifier of a link's column.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Linked {
    #[rowkey(raw)]
    other: String,
}

/// A row a package, all its links one way in one value, under the empty qualifier of `out` or `in`. Links that came
/// later are deltas, columns of their own beside it, until they are rolled up.
pub(crate) struct OneValue {
    rows: Wide<Page>,
    /// The same rows, where no server drops what is deleted.
    cells: Option<WideTable<Page, Cells>>,
}

/// Part of the links into a hub.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(crate) struct Shard {
    pub(crate) package: String,
    pub(crate) shard: u8,
}

/// The links into one package, a column each, by their names' hash spread over several rows.
pub(crate) struct Sharded {
    rows: Wide<Shard>,
    hub: String,
    shards: u8,
}

/// The timestamp of all that the files have: they tell no times.
pub(crate) const LOADED: i64 = 1;

/// Rows a write, where many are loaded.
const ROWS: usize = 1024;

fn family(way: Way) -> &'static str {
    match way {
        Way::Out => "out",
        Way::In => "in",
    }
}

fn page(package: &str) -> Page {
    Page { package: package.to_owned() }
}

fn qualifier(other: &str) -> Vec<u8> {
    Linked { other: other.to_owned() }.encode()
}

/// A link as a column in either of two rows.
fn both(from: &str, to: &str) -> [(Page, Mutation); 2] {
    let put = |way, other| Mutation::new().put((family(way), qualifier(other)), "");
    [(page(from), put(Way::Out, to)), (page(to), put(Way::In, from))]
}

fn schema(families: &[&str]) -> TableSchema {
    families.iter().fold(TableSchema::new(), |schema, &name| schema.family(name, FamilySchema::new()))
}

fn open<K: RowKey>(db: &Db, name: &str, families: &[&str]) -> Result<Wide<K>, Error> {
    WideTable::open(db.wide(), name, &schema(families))
}

/// Writes many rows; with timestamps of their own they need not look at what is there.
pub(crate) fn load<K: OwnedKey>(rows: &Wide<K>, mutations: Vec<(K, Mutation)>) -> Result<(), Error> {
    let mut left = progress(mutations).peekable();
    while left.peek().is_some() {
        rows.mutate_many(left.by_ref().take(ROWS))?;
    }
    Ok(())
}

/// The first of a row's columns, one a line.
pub(crate) fn drawn(row: &Row, show: impl Fn(&Cell<'_>) -> Result<String, Error>) -> Result<String, Error> {
    const LINES: usize = 4;
    let lines = row.cells().take(LINES).map(|cell| Ok(format!("{}:{}", cell.family, show(&cell)?)));
    let mut lines = lines.collect::<Result<Vec<_>, Error>>()?;
    if row.cells().nth(LINES).is_some() {
        lines.push("…".to_owned());
    }
    Ok(lines.join("\n"))
}

fn other(cell: &Cell<'_>) -> Result<String, Error> {
    Ok(Linked::decode(cell.qualifier)?.other)
}

/// Each link at either end.
pub(crate) fn by_package(links: &[(String, String)]) -> ByPackage<'_> {
    let mut packages = ByPackage::new();
    for (from, to) in links {
        packages.entry(from).or_default()[0].push(to);
        packages.entry(to).or_default()[1].push(from);
    }
    packages
}

impl EdgeList {
    pub(crate) fn open(db: &Db) -> Result<Self, Error> {
        Ok(Self { links: Table::open(db.clone(), "edges")? })
    }

    fn put(&self, links: impl IntoIterator<Item = Link>) -> Result<(), Error> {
        let mut batch = WriteBatch::new();
        for link in links {
            batch.put(&self.links, &link, &())?;
        }
        batch.write(self.links.database())
    }
}

impl Graph for EdgeList {
    fn name(&self) -> &'static str {
        "edge list"
    }

    fn load(&self, links: &ByPackage<'_>) -> Result<(), Error> {
        let packages: Vec<_> = links.iter().collect();
        progress(packages.chunks(ROWS)).try_for_each(|some| {
            let mut rows = Vec::new();
            for (package, ways) in some {
                for (way, others) in WAYS.into_iter().zip(*ways) {
                    let end = End { package: (**package).to_owned(), way };
                    rows.extend(others.iter().map(|&other| Link { end: end.clone(), other: other.to_owned() }));
                }
            }
            self.put(rows)
        })
    }

    fn linked(&self, from: &str, to: &str) -> Result<bool, Error> {
        let [link, _] = Link::both(from, to);
        Ok(self.links.get(&link)?.is_some())
    }

    fn links(&self, end: &End) -> Result<Vec<String>, Error> {
        self.links.keys(Link::prefix().end(end)).map(|link| Ok(link?.other)).collect()
    }

    fn page(&self, end: &End, after: &str, count: u32) -> Result<Vec<String>, Error> {
        let after = Link { end: end.clone(), other: after.to_owned() };
        let scan = self.links.scan(Link::prefix().end(end)).after_key(&after).limit(count.into());
        scan.keys().map(|link| Ok(link?.other)).collect()
    }

    fn add(&self, from: &str, to: &str) -> Result<(), Error> {
        self.put(Link::both(from, to))
    }

    fn draw(&self, package: &str) -> Result<[String; 2], Error> {
        let links = self.links.scan(Link::prefix().end_prefix(End::prefix().package(package))).limit(3).keys();
        let keys = links.map(|link| link.map(|Link { end, other }| format!("{package}, {:?}, {other}", end.way)));
        Ok([keys.collect::<Result<Vec<_>, _>>()?.join("\n"), String::new()])
    }
}

impl Adjacency {
    pub(crate) fn open(db: &Db) -> Result<Self, Error> {
        Ok(Self { rows: open(db, "adjacency", &["out", "in"])? })
    }
}

fn others(row: &Row, way: Way) -> Result<Vec<String>, Error> {
    row.qualifiers::<Linked>(family(way)).map(|linked| Ok(linked?.other)).collect()
}

impl Graph for Adjacency {
    fn name(&self) -> &'static str {
        "columns"
    }

    fn load(&self, links: &ByPackage<'_>) -> Result<(), Error> {
        let rows = links.iter().map(|(package, ways)| {
            let columns = WAYS.into_iter().zip(ways);
            let columns = columns.flat_map(|(way, others)| others.iter().map(move |other| (family(way), other)));
            let put = |row: Mutation, (family, &other)| row.put_at((family, qualifier(other)), LOADED, "");
            (page(package), columns.fold(Mutation::new(), put))
        });
        load(&self.rows, rows.collect())
    }

    fn linked(&self, from: &str, to: &str) -> Result<bool, Error> {
        Ok(!self.rows.get(&page(from), &Columns::of(("out", qualifier(to))))?.is_empty())
    }

    fn links(&self, end: &End) -> Result<Vec<String>, Error> {
        others(&self.rows.get(&page(&end.package), &Columns::all().family(family(end.way)))?, end.way)
    }

    fn page(&self, end: &End, after: &str, count: u32) -> Result<Vec<String>, Error> {
        let columns = Columns::all().after_qualifier(family(end.way), qualifier(after)).limit(count.into());
        others(&self.rows.get(&page(&end.package), &columns)?, end.way)
    }

    fn add(&self, from: &str, to: &str) -> Result<(), Error> {
        self.rows.mutate_many(both(from, to))
    }

    fn draw(&self, package: &str) -> Result<[String; 2], Error> {
        let row = self.rows.get(&page(package), &Columns::all())?;
        Ok([package.to_owned(), drawn(&row, other)?])
    }
}

impl OneValue {
    pub(crate) fn open(db: &Db) -> Result<Self, Error> {
        let families = ["out", "in"];
        let rows = open(db, "lists", &families)?;
        let cells = db.cells().map(|cells| WideTable::open(cells, "lists", &schema(&families))).transpose()?;
        Ok(Self { rows, cells })
    }

    fn read(&self, end: &End) -> Result<Row, Error> {
        self.rows.get(&page(&end.package), &Columns::all().family(family(end.way)))
    }

    /// The list in a row, and the deltas beside it.
    fn joined(row: &Row, way: Way) -> Result<Vec<String>, Error> {
        let list = row.read::<Postcard<Vec<String>>>(family(way))?;
        let mut all = list.map_or_else(Vec::new, |Postcard(list)| list);
        let rolled_up = all.len();
        for delta in deltas(row, way) {
            all.push(Linked::decode(delta.qualifier)?.other);
        }
        if all.len() > rolled_up {
            all.sort();
            all.dedup();
        }
        Ok(all)
    }

    /// Writes a package's links as one value again and drops the deltas that are in it now, atomically; what is added
    /// meanwhile stays a delta.
    pub(crate) fn roll_up(&self, end: &End) -> Result<(), Error> {
        let list = family(end.way);
        loop {
            let row = self.read(end)?;
            let unchanged = match row.value(list) {
                Some(before) => Condition::equal(list, before),
                None => Condition::absent(list),
            };
            let whole = Mutation::new().put_value(list, &Postcard(Self::joined(&row, end.way)?))?;
            let rolled_up =
                deltas(&row, end.way).fold(whole, |m, cell| m.delete_version(cell.column(), cell.timestamp));
            if self.rows.check_and_mutate(&page(&end.package), &unchanged, &rolled_up)? {
                return Ok(());
            }
        }
    }

    /// Drops the lists and deltas that no reader can need any more, where no server does.
    pub(crate) fn purge(&self) -> Result<(), Error> {
        self.cells.as_ref().map_or(Ok(()), |cells| cells.purge().run().map(drop))
    }
}

fn deltas(row: &Row, way: Way) -> impl Iterator<Item = Cell<'_>> {
    row.family(family(way)).filter(|cell| !cell.qualifier.is_empty())
}

impl Graph for OneValue {
    fn name(&self) -> &'static str {
        "one value"
    }

    fn load(&self, links: &ByPackage<'_>) -> Result<(), Error> {
        let rows = links.iter().map(|(package, ways)| {
            let mut row = Mutation::new();
            for (way, others) in WAYS.into_iter().zip(ways).filter(|(_, others)| !others.is_empty()) {
                let list = Postcard(others.iter().map(|&other| other.to_owned()).collect::<Vec<String>>());
                let (column, mut bytes) = (family(way), Vec::new());
                let unwritten = |source| Error::Cell { column: column.to_owned(), access: Access::Write, source };
                list.encode_value(&mut bytes).map_err(unwritten)?;
                row = row.put_at(column, LOADED, bytes);
            }
            Ok((page(package), row))
        });
        load(&self.rows, rows.collect::<Result<_, Error>>()?)
    }

    fn linked(&self, from: &str, to: &str) -> Result<bool, Error> {
        let row = self.rows.get(&page(from), &Columns::of("out").column(("out", qualifier(to))))?;
        Ok(Self::joined(&row, Way::Out)?.iter().any(|other| other == to))
    }

    fn links(&self, end: &End) -> Result<Vec<String>, Error> {
        Self::joined(&self.read(end)?, end.way)
    }

    fn page(&self, end: &End, after: &str, count: u32) -> Result<Vec<String>, Error> {
        let all = self.links(end)?;
        Ok(all.into_iter().skip_while(|other| other.as_str() <= after).take(count as usize).collect())
    }

    fn add(&self, from: &str, to: &str) -> Result<(), Error> {
        self.rows.mutate_many(both(from, to))
    }

    fn draw(&self, package: &str) -> Result<[String; 2], Error> {
        let row = self.rows.get(&page(package), &Columns::all())?;
        let list = |cell: &Cell<'_>| match cell.qualifier {
            [] => Ok(format!(" {} bytes: all names", cell.value.len())),
            _ => other(cell),
        };
        Ok([package.to_owned(), drawn(&row, list)?])
    }
}

impl Sharded {
    pub(crate) fn open(db: &Db, hub: &str, shards: u8) -> Result<Self, Error> {
        Ok(Self { rows: open(db, "shards", &["in"])?, hub: hub.to_owned(), shards })
    }

    /// The row of a link from there.
    fn row(&self, from: &str) -> Shard {
        let shard = (xxh3_64(from.as_bytes()) % u64::from(self.shards)) as u8;
        Shard { package: self.hub.clone(), shard }
    }

    /// A shard, read whole: how many links it has.
    pub(crate) fn size(&self, shard: u8) -> Result<usize, Error> {
        let row = Shard { package: self.hub.clone(), shard };
        Ok(self.rows.get(&row, &Columns::all())?.cells().count())
    }

    /// The shards' columns, put back into one order.
    fn merged(&self, columns: &Columns, limit: Option<u64>) -> Result<Vec<String>, Error> {
        let rows =
            self.rows.get_many((0..self.shards).map(|shard| Shard { package: self.hub.clone(), shard }), columns)?;
        let columns = rows.iter().map(|row| row.family("in").map(|cell| Ok::<_, Error>(cell.qualifier)));
        Merge::new(columns).limit(limit).map(|column| Ok(Linked::decode(column?)?.other)).collect()
    }
}

impl Graph for Sharded {
    fn name(&self) -> &'static str {
        "hub in shards"
    }

    fn load(&self, links: &ByPackage<'_>) -> Result<(), Error> {
        let mut shards = BTreeMap::<u8, (Shard, Mutation)>::new();
        let hub = links.get(self.hub.as_str());
        for &from in hub.into_iter().flat_map(|[_, into]| into) {
            let row = self.row(from);
            let (_, columns) = shards.entry(row.shard).or_insert_with(|| (row, Mutation::new()));
            *columns = std::mem::take(columns).put_at(("in", qualifier(from)), LOADED, "");
        }
        load(&self.rows, shards.into_values().collect())
    }

    fn linked(&self, from: &str, to: &str) -> Result<bool, Error> {
        Ok(to == self.hub && !self.rows.get(&self.row(from), &Columns::of(("in", qualifier(from))))?.is_empty())
    }

    fn links(&self, _: &End) -> Result<Vec<String>, Error> {
        self.merged(&Columns::all(), None)
    }

    fn page(&self, _: &End, after: &str, count: u32) -> Result<Vec<String>, Error> {
        let columns = Columns::all().after_qualifier("in", qualifier(after)).limit(count.into());
        self.merged(&columns, Some(count.into()))
    }

    fn add(&self, from: &str, _: &str) -> Result<(), Error> {
        self.rows.mutate(&self.row(from), &Mutation::new().put(("in", qualifier(from)), ""))
    }

    fn draw(&self, _: &str) -> Result<[String; 2], Error> {
        let first = self.rows.scan(.., Columns::all()).limit(1).next().transpose()?;
        let Some((Shard { package, shard }, row)) = first else { return Ok(Default::default()) };
        Ok([format!("{package}, {shard}"), drawn(&row, other)?])
    }
}
