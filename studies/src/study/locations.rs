//! Locations as the classics draw them: one table under the location's id, with its name, its parent and its children.
//!
//!     cargo run --release -p rowkey-studies -- locations cities.tsv.gz
//!     cargo run --release -p rowkey-studies -- locations --name lon --rename 2643743=Londinium
//!
//! In a relational schema a location has its parent's id, and an index finds the children. Here each row has both ways
//! as columns: `parent:` + the parent's key, `child:` + the child's name and key. So a location, its parent and its
//! children are one row and one seek; children come by name, and a page of them or those with a first letter are a
//! range of columns. What is named so anywhere is asked of a second table, under name + location.
//!
//! Names have versions, and versions the number of an edition: the list is the first one, each renaming the next. A
//! renaming writes to three rows, the location's own last, as it tells the old name: one that broke off is done again.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::Parser;
use indicatif::HumanCount;
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{DecodeError, Layout, RowKey, Select, Table, WideTable, WriteBatch};
use rowkey_studies::engine::{Db, Engine, Wide};
use rowkey_studies::output::{list, progress, report};
use rowkey_studies::{input, sample};

/// A row.
#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    #[rowkey(tag = 1)]
    World,
    #[rowkey(tag = 2)]
    Country { code: String },
    #[rowkey(tag = 3)]
    City { id: u32 },
}

/// A column of the family `child`; those of `parent` are a [`Location`].
#[derive(RowKey, Debug, PartialEq)]
struct Child {
    name: String,
    location: Location,
}

/// A row of the second table.
#[derive(RowKey, Debug, PartialEq)]
struct Named {
    /// In lower case, see [`folded`].
    name: String,
    location: Location,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World => write!(f, "world"),
            Self::Country { code } => write!(f, "country {code}"),
            Self::City { id } => write!(f, "city {id}"),
        }
    }
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("locations", Location::LAYOUT), ("names", Named::LAYOUT)];

/// Keeps places in a table of locations, and asks it for parents, children and names.
#[derive(Parser)]
struct Args {
    /// Cities as tab-separated geonameid, name, country, feature code, population, latitude, longitude below a line of
    /// titles, plain or gzip [default: a sample of a thousand]
    cities: Option<PathBuf>,
    /// How the names begin that are looked up [default: as that of the largest city, two letters]
    #[arg(long)]
    name: Option<String>,
    /// A city's id and its next name; may be given more than once [default: the largest city becomes "New …"]
    #[arg(long)]
    rename: Vec<Renaming>,
    /// How many rows of an answer are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

#[derive(Debug, Clone)]
struct Renaming {
    id: u32,
    name: String,
}

impl FromStr for Renaming {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed =
            text.split_once('=').and_then(|(id, name)| Some(Self { id: id.parse().ok()?, name: name.to_owned() }));
        parsed.ok_or("an id and a name are due, with = between them")
    }
}

struct City {
    id: u32,
    name: String,
    country: String,
    population: u64,
}

/// The edition that the list is.
const FIRST: i64 = 1;
/// Cities that are written together.
const BATCH: usize = 1000;

struct Atlas {
    db: Db,
    locations: WideTable<Location, Wide>,
    names: Table<Named, String, Db>,
}

impl Atlas {
    fn open(db: Db) -> Result<Self, rowkey::Error> {
        let schema = TableSchema::new()
            .family("name", FamilySchema::new().max_versions(100))
            .family("parent", FamilySchema::new())
            .family("child", FamilySchema::new());
        Ok(Self {
            locations: WideTable::open(db.wide(), "locations", &schema)?,
            names: Table::open(db.clone(), "names")?,
            db,
        })
    }

    fn load(&self, cities: &[City]) -> Result<(), rowkey::Error> {
        let mut countries = BTreeMap::<&str, Mutation>::new();
        for some in progress(cities.chunks(BATCH)) {
            let (mut rows, mut names) = (Vec::new(), WriteBatch::new());
            for City { id, name, country, .. } in some {
                let (city, parent) = (Location::City { id: *id }, Location::Country { code: country.clone() });
                let children = countries.entry(country).or_default();
                *children = std::mem::take(children).put_at(child(name, &city), FIRST, "");
                names.put(&self.names, &Named { name: folded(name), location: city.clone() }, name)?;
                let known = Mutation::new().put_at("name", FIRST, name.as_str());
                rows.push((city, known.put_at(("parent", parent.encode()), FIRST, "")));
            }
            self.locations.mutate_many(rows)?;
            names.write(&self.db)?;
        }
        // Of a country the list has the code.
        let mut world = Mutation::new().put_at("name", FIRST, "World");
        let mut rows = Vec::new();
        for (code, children) in countries {
            let country = Location::Country { code: code.to_owned() };
            world = world.put_at(child(code, &country), FIRST, "");
            let known = children.put_at("name", FIRST, code);
            rows.push((country, known.put_at(("parent", Location::World.encode()), FIRST, "")));
        }
        rows.push((Location::World, world));
        self.locations.mutate_many(rows)
    }

    /// Gives a location another name in this edition.
    fn rename(&self, location: &Location, name: &str, edition: i64) -> Result<(), Box<dyn Error>> {
        let row = self.locations.get(location, &Columns::all().family("name").family("parent"))?;
        let Some(old) = row.read::<String>("name")? else { return Err(format!("there is no {location}").into()) };
        let mut batch = WriteBatch::new();
        batch.delete(&self.names, &Named { name: folded(&old), location: location.clone() });
        batch.put(&self.names, &Named { name: folded(name), location: location.clone() }, &name.to_owned())?;
        batch.write(&self.db)?;
        // A put of this edition must not be hidden.
        let moved = Mutation::new().delete_column_until(child(&old, location), edition - 1);
        let moved = moved.put_at(child(name, location), edition, "");
        for parent in row.qualifiers::<Location>("parent") {
            self.locations.mutate(&parent?, &moved)?;
        }
        Ok(self.locations.mutate(location, &Mutation::new().put_at("name", edition, name))?)
    }
}

/// Lower case letter by letter, so that what begins a name begins it here too: of a whole word the last Σ is another.
fn folded(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).collect()
}

fn child(name: &str, location: &Location) -> (&'static str, Vec<u8>) {
    ("child", Child { name: name.to_owned(), location: location.clone() }.encode())
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (text, from) = input::text(args.cities.as_deref(), sample::CITIES)?;
    let mut cities = Vec::new();
    let mut ids = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
        match parse(line) {
            Ok(City { id, .. }) if !ids.insert(id) => {
                return Err(format!("{from}:{number}: {id} is there twice").into());
            }
            Ok(city) => cities.push(city),
            // The titles, which begin with no number.
            Err(_) if number == 1 && !line.starts_with(|first: char| first.is_ascii_digit()) => {}
            Err(error) => return Err(format!("{from}:{number}: {error}").into()),
        }
    }
    let atlas = Atlas::open(on.open()?)?;
    atlas.load(&cities)?;
    let mut countries = BTreeMap::<&str, u64>::new();
    for City { country, .. } in &cities {
        *countries.entry(country).or_default() += 1;
    }
    let [count, of] = [cities.len(), countries.len()].map(|count| HumanCount(count as u64));
    writeln!(out, "{count} cities of {of} countries in {from}")?;

    // The largest, and the country with most cities; of equals the first.
    let largest = cities.iter().min_by_key(|city| (std::cmp::Reverse(city.population), city.id));
    let fullest = countries.iter().min_by_key(|(_, count)| std::cmp::Reverse(**count));
    let (Some(largest), Some((&fullest, _))) = (largest, fullest) else { return Ok(()) };
    let [home, fullest] = [&largest.country, fullest].map(|code| Location::Country { code: code.to_owned() });
    let city = Location::City { id: largest.id };
    report::key(out, "The key of a location", &city)?;
    report::key(
        out,
        "The key of a child, the name of a column",
        &Child { name: largest.name.clone(), location: city.clone() },
    )?;
    let drawn = [&Location::World, &home, &city].map(|location| atlas.drawn(location));
    let drawn = drawn.into_iter().collect::<Result<Vec<_>, _>>()?;
    report::table(out, "locations", ["row key", "name:", "parent:", "child:"], drawn)?;

    let prefix = args.name.clone().unwrap_or_else(|| largest.name.chars().take(2).collect());
    atlas.ask(out, args.show, [&city, &home, &fullest], &prefix)?;
    let missing = (0..).find(|id| !ids.contains(id)).map(|id| Location::City { id });
    if let Some(missing) = missing {
        let title = format!("{missing}, which is not there");
        atlas.get(out, &title, &missing, &Columns::all())?;
    }

    let usual = [Renaming { id: largest.id, name: format!("New {}", largest.name) }];
    let renamings = if args.rename.is_empty() { &usual[..] } else { &args.rename };
    let mut written = Vec::new();
    let mut renamed = BTreeSet::new();
    for (edition, Renaming { id, name }) in (FIRST + 1..).zip(renamings) {
        let (location, before) = (Location::City { id: *id }, atlas.db.costs());
        atlas.rename(&location, name, edition)?;
        let costs = atlas.db.costs() - before;
        let counts = [costs.seeks, costs.writes, costs.cells_written, costs.bytes_written];
        let [seeks, writes, cells, bytes] = counts.map(|count| HumanCount(count).to_string());
        written.push([location.to_string(), edition.to_string(), name.clone(), seeks, writes, cells, bytes]);
        renamed.insert(*id);
    }
    let titles = ["location", "edition", "name", "seeks", "writes", "cells written", "bytes written"];
    report::table(out, "Renamed, to see it (no list says so)", titles, written)?;
    renamed.into_iter().try_for_each(|id| atlas.ask_renamed(out, args.show, &Location::City { id }))
}

impl Atlas {
    fn ask(
        &self,
        out: &mut impl Write,
        show: usize,
        [city, home, fullest]: [&Location; 3],
        prefix: &str,
    ) -> Result<(), Box<dyn Error>> {
        let known = Columns::all().family("name").family("parent");
        let row = self.get(out, &format!("{city}: its name and its parent"), city, &known)?;
        if let Some(name) = row.read::<String>("name")? {
            writeln!(out, "  {name}")?;
        }
        row.qualifiers::<Location>("parent")
            .try_for_each(|parent| Ok::<_, Box<dyn Error>>(writeln!(out, "  {}", parent?)?))?;

        let query = report::Query::of(&self.db);
        let (mut way, mut next, mut cells) = (Vec::new(), Some(city.clone()), 0);
        while let Some(location) = next {
            let row = self.locations.get(&location, &known)?;
            cells += row.cells().count();
            next = row.qualifiers("parent").next().transpose()?;
            way.push((row.read::<String>("name")?.unwrap_or_default(), location));
        }
        query.returned(out, format!("From {city} up to the world"), way.len(), cells)?;
        list(out, usize::MAX, way.iter().map(|(name, location)| format!("{name}  {location}")))?;

        let children = Columns::all().family("child");
        self.children(out, show, "The countries", &Location::World, &children)?;
        let found = self.children(out, show, &format!("The cities of {fullest}"), fullest, &children)?;
        if let Some(last) = show.checked_sub(1).and_then(|last| found.get(last)) {
            let page = Columns::all().after_qualifier("child", last.encode()).limit(show as u64);
            self.children(
                out,
                show,
                &format!("The next {show} cities of {fullest}, after {}", last.name),
                fullest,
                &page,
            )?;
        }
        let beginning = Columns::all().qualifiers_in("child", Child::prefix().name_starts_with(prefix).ranges());
        self.children(out, show, &format!("The cities of {home} whose names begin with {prefix}"), home, &beginning)?;
        let anywhere = Named::prefix().name_starts_with(&folded(prefix));
        self.named(out, show, &format!("What begins with {prefix}, or any case of it, anywhere"), anywhere)
    }

    fn ask_renamed(&self, out: &mut impl Write, show: usize, city: &Location) -> Result<(), Box<dyn Error>> {
        let all = Columns::of("name").versions(u32::MAX);
        let row = self.get(out, &format!("{city}: all its names"), city, &all)?;
        for cell in row.versions("name") {
            writeln!(out, "  edition {}  {}", cell.timestamp, cell.read::<String>()?)?;
        }
        let first = Columns::of("name").time(0..FIRST + 1);
        let row = self.get(out, &format!("{city}: its name in edition {FIRST}"), city, &first)?;
        let then = row.read::<String>("name")?.unwrap_or_default();
        writeln!(out, "  {then}")?;
        let row = self.locations.get(city, &Columns::all().family("name").family("parent"))?;
        let now = row.read::<String>("name")?.unwrap_or_default();
        for (name, when) in [(then, "then"), (now, "now")] {
            let title = format!("{city}: what has the name of {when}, {name}");
            self.named(out, show, &title, Named::prefix().name(folded(&name)))?;
            for parent in row.qualifiers::<Location>("parent") {
                let parent = parent?;
                let title = format!("{city}: the children of {parent} with the name of {when}, {name}");
                let columns = Columns::all().qualifiers_in("child", Child::prefix().name(&name).ranges());
                self.children(out, show, &title, &parent, &columns)?;
            }
        }
        Ok(())
    }

    fn get(&self, out: &mut impl Write, title: &str, of: &Location, columns: &Columns) -> Result<Row, Box<dyn Error>> {
        let query = report::Query::of(&self.db);
        let row = self.locations.get(of, columns)?;
        query.returned(out, title, usize::from(!row.is_empty()), row.cells().count())?;
        Ok(row)
    }

    fn children(
        &self,
        out: &mut impl Write,
        show: usize,
        title: &str,
        of: &Location,
        columns: &Columns,
    ) -> Result<Vec<Child>, Box<dyn Error>> {
        let row = self.get(out, title, of, columns)?;
        let children = row.qualifiers::<Child>("child").collect::<Result<Vec<_>, _>>()?;
        list(out, show, children.iter().map(|Child { name, location }| format!("{name}  {location}")))?;
        Ok(children)
    }

    fn named(
        &self,
        out: &mut impl Write,
        show: usize,
        title: &str,
        names: impl Select<Named>,
    ) -> Result<(), Box<dyn Error>> {
        let query = report::Query::of(&self.db);
        let found = self.names.scan(names).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, title, found.len(), found.len())?;
        Ok(list(out, show, found.iter().map(|(Named { location, .. }, name)| format!("{name}  {location}")))?)
    }

    /// A row as the books draw it.
    fn drawn(&self, location: &Location) -> Result<[String; 4], Box<dyn Error>> {
        let row = self.locations.get(location, &Columns::all())?;
        let parents = row.qualifiers::<Location>("parent").map(|parent| Ok(parent?.to_string()));
        let children = row
            .qualifiers::<Child>("child")
            .map(|child| child.map(|child| format!("{} {}", child.name, child.location)));
        let parents = parents.collect::<Result<Vec<_>, DecodeError>>()?.join("\n");
        let mut children = children.collect::<Result<Vec<_>, DecodeError>>()?;
        if let more @ 1.. = children.len().saturating_sub(3) {
            children.truncate(3);
            children.push(format!("and {more} more"));
        }
        Ok([location.to_string(), row.read::<String>("name")?.unwrap_or_default(), parents, children.join("\n")])
    }
}

/// `2988507<TAB>Paris<TAB>FR<TAB>PPLC<TAB>2138551<TAB>48.85341<TAB>2.3488`
fn parse(line: &str) -> Result<City, String> {
    let city = match line.split('\t').collect::<Vec<_>>()[..] {
        [id, name, country, _, population, _, _] => id
            .parse()
            .ok()
            .zip(population.parse().ok())
            .map(|(id, population)| City { id, name: name.to_owned(), country: country.to_owned(), population }),
        _ => None,
    };
    city.ok_or_else(|| format!("not a city: {line:?}"))
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
