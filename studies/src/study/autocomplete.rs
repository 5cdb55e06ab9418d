//! Autocomplete: after each key that a user presses, one lookup finds the names that begin with the text so far.
//!
//!     cargo run --release -p rowkey-studies -- autocomplete
//!     cargo run --release -p rowkey-studies -- autocomplete cities.tsv.gz --typed san --typed "san fr"
//!
//! The row key is what was typed: each beginning of a name, of 1 to 12 characters, in lower case. Its value is the
//! answer, ten names by rank as one JSON value, made when names are written and not when they are asked for. A
//! beginning that no name has is a row that is not there: it costs one seek and reads nothing, and where a store keeps
//! a Bloom filter of its row keys not even that. After 12 characters so few names are left that they are read from a
//! table of all names, by prefix.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use rowkey::{Json, Layout, RowKey, Table, WriteBatch};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::geo::{City, cities};
use rowkey_studies::output::progress;
use rowkey_studies::output::report::{self, Query};
use serde::{Deserialize, Serialize};

/// The typed text.
#[derive(RowKey, Debug)]
struct Typed {
    #[rowkey(raw)]
    beginning: String,
}

/// A name as it is searched for.
#[derive(RowKey, Debug)]
struct Name {
    name: String,
    id: u32,
}

/// The part of a city that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Suggestion {
    name: String,
    country: String,
    population: u64,
    id: u32,
}

impl Suggestion {
    /// Best first: by population; of two that are as large the lower id, so that there is one order.
    fn rank(&self) -> (Reverse<u64>, u32) {
        (Reverse(self.population), self.id)
    }
}

/// The best, in order.
type Best = Json<Vec<Suggestion>>;

/// How many names are suggested.
const BEST: usize = 10;
/// The longest beginning that has a row.
const LONGEST: usize = 12;

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("typed", Typed::LAYOUT), ("names", Name::LAYOUT)];

/// Suggests names of cities for what was typed.
#[derive(Parser)]
struct Args {
    /// Cities as tab-separated geonameid, name, country, feature code, population, latitude, longitude below a line of
    /// titles, plain or gzip [default: a sample of a thousand]
    cities: Option<PathBuf>,
    /// What was typed [default: the name of the largest city key by key, and others]
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    typed: Vec<String>,
}

struct Tables {
    db: Db,
    typed: Table<Typed, Best, Db>,
    names: Table<Name, Json<Suggestion>, Db>,
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut ranked: Vec<_> = cities(args.cities.as_deref(), out)?.into_iter().map(suggestion).collect();
    ranked.sort_by_key(Suggestion::rank);
    let Some(largest) = ranked.first().cloned() else { return Ok(()) };

    let db = on.open()?;
    let tables = Tables { typed: Table::open(db.clone(), "typed")?, names: Table::open(db.clone(), "names")?, db };
    tables.load(&ranked)?;

    let beginning: String = search_form(&largest.name).chars().take(3).collect();
    report::key(out, "The key of \"typed\"", &Typed { beginning: beginning.clone() })?;
    report::key(out, "The key of \"names\"", &Name { name: search_form(&largest.name), id: largest.id })?;
    let some = tables.typed.scan(Typed::prefix().beginning_starts_with(&beginning)).limit(4);
    let some =
        some.map(|row| row.map(|(key, best)| [key.beginning, serde_json::to_string(&best.0).unwrap_or_default()]));
    let some: Vec<_> = some.collect::<Result<_, _>>()?;
    let some = some.into_iter().map(|[key, json]| {
        let shown: String = json.chars().take(70).collect();
        [key, if shown.len() < json.len() { shown + "…" } else { shown }]
    });
    report::table(out, "The table \"typed\", some rows of it", ["row key", "ten best, as JSON"], some)?;

    let asked = if args.typed.is_empty() { by_default(&largest.name) } else { args.typed.clone() };
    for typed in &asked {
        tables.suggest(out, typed)?;
    }
    tables.by_scan(out, &beginnings(&largest.name).next().unwrap_or_default())?;
    tables.grows(out, &largest, ranked.last().unwrap_or(&largest))
}

fn suggestion(City { id, name, country, population, .. }: City) -> Suggestion {
    Suggestion { name, country, population, id }
}

/// A name as it is searched for: upper and lower case are one, accents are not left out. Each character has its own
/// form, so a beginning's form is the beginning of the name's; `str::to_lowercase` has two for a sigma.
fn search_form(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The beginnings of a name that have a row.
fn beginnings(name: &str) -> impl Iterator<Item = String> {
    let name: Vec<char> = search_form(name).chars().collect();
    (1..=name.len().min(LONGEST)).map(move |len| name[..len].iter().collect())
}

/// A name key by key, a beginning that no name has, and a text longer than any row holds.
fn by_default(name: &str) -> Vec<String> {
    let longer = format!("{name}, and more");
    beginnings(name).take(4).chain(["zzz".to_owned(), longer]).collect()
}

impl Tables {
    /// Writes both tables; the best of each beginning are the first in order of rank.
    fn load(&self, ranked: &[Suggestion]) -> Result<(), Box<dyn Error>> {
        let mut best = BTreeMap::<String, Vec<Suggestion>>::new();
        let mut batch = WriteBatch::new();
        for city in progress(ranked) {
            batch.put(&self.names, &Name { name: search_form(&city.name), id: city.id }, &Json(city.clone()))?;
            for beginning in beginnings(&city.name) {
                let best = best.entry(beginning).or_default();
                if best.len() < BEST {
                    best.push(city.clone());
                }
            }
        }
        for (beginning, best) in best {
            batch.put(&self.typed, &Typed { beginning }, &Json(best))?;
        }
        Ok(batch.write(&self.db)?)
    }

    /// The suggestions for a typed text.
    fn suggest(&self, out: &mut impl Write, typed: &str) -> Result<(), Box<dyn Error>> {
        let beginning = search_form(typed);
        if beginning.chars().count() > LONGEST {
            return self.by_scan(out, typed);
        }
        let query = Query::of(&self.db);
        let best = self.typed.get(&Typed { beginning })?;
        let rows = usize::from(best.is_some());
        query.returned(out, format_args!("{typed:?} is typed"), rows, rows)?;
        show(out, best.map(|best| best.0).unwrap_or_default())
    }

    /// The same from the table of names: all that begin so are read, and the best of them kept.
    fn by_scan(&self, out: &mut impl Write, typed: &str) -> Result<(), Box<dyn Error>> {
        let query = Query::of(&self.db);
        let found = self.names.scan(Name::prefix().name_starts_with(&search_form(typed)));
        let mut found: Vec<_> = found.map(|row| row.map(|(_, city)| city.0)).collect::<Result<_, _>>()?;
        found.sort_by_key(Suggestion::rank);
        found.truncate(BEST);
        query.returned(
            out,
            format_args!("All names that begin with {typed:?}, and the best of them"),
            found.len(),
            found.len(),
        )?;
        show(out, found)
    }

    /// The smallest city becomes the largest: what its new rank costs.
    fn grows(&self, out: &mut impl Write, largest: &Suggestion, smallest: &Suggestion) -> Result<(), Box<dyn Error>> {
        let grown = Suggestion { population: largest.population.saturating_add(1), ..smallest.clone() };
        let (query, before) = (Query::of(&self.db), self.db.costs());
        self.names.put(&Name { name: search_form(&grown.name), id: grown.id }, &Json(grown.clone()))?;
        let mut rows = 0;
        for beginning in beginnings(&grown.name) {
            self.typed.update(&Typed { beginning }, |best| {
                let mut best = best.map(|best| best.0).unwrap_or_default();
                best.retain(|other| other.id != grown.id);
                best.push(grown.clone());
                best.sort_by_key(Suggestion::rank);
                best.truncate(BEST);
                Some(Json(best))
            })?;
            rows += 1;
        }
        let written = (self.db.costs() - before).writes;
        query.returned(out, format_args!("{} grows larger than {}", grown.name, largest.name), rows, rows)?;
        writeln!(out, "  {written} rows written")?;
        beginnings(&grown.name).next().map_or(Ok(()), |first| self.suggest(out, &first))
    }
}

fn show(out: &mut impl Write, best: Vec<Suggestion>) -> Result<(), Box<dyn Error>> {
    for Suggestion { name, country, population, .. } in best {
        writeln!(out, "  {:>10}  {country}  {name}", HumanCount(population).to_string())?;
    }
    Ok(())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
