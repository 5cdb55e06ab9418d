//! The next record: which tile covers a point, when tiles are of any size, in one seek.
//!
//!     cargo run --release -p rowkey-studies -- next_record cities.tsv.gz --at 35.68,139.69
//!
//! The world is cut into tiles that hold at most 64 cities each (see `tiles`), so a point's tile may have any zoom. Who
//! asks by key has to guess the zoom: a get for each tile that the point lies in, until one is there. The key is made
//! for another question. A tile sorts right after all that lies in it: its digits, padded with ones, then its zoom
//! counted down. Seek to the smallest tile over the point, zoom 29; the next record is the tile that covers it, as
//! tiles are disjoint. Where no tile does, the next record is of another place, which its own key tells: it is rejected
//! without a second seek.
//!
//! A wide table answers more by that seek: the row that it finds brings the columns asked for, here the tile's three
//! largest cities, as the names of its columns begin with the population, the largest first.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use rowkey::geo::{Point, Tile, covering};
use rowkey::store::Costs;
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Layout, RowKey, Table, WideTable, WriteBatch};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::geo::mixed_tiles::{Counted, DEEPEST, Input, Stored, Tiles};
use rowkey_studies::geo::{City, Degrees};
use rowkey_studies::output::progress;
use rowkey_studies::output::report::{self, Query};

/// A tile that was looked for.
type Found = Result<Option<Tile>, rowkey::Error>;

/// The distance between the points that are looked up, in degrees.
const GRID: usize = 10;

/// A column of a tile's row in the wide table: a city in it, the largest first.
#[derive(RowKey, Debug)]
struct Largest {
    #[rowkey(desc)]
    population: u64,
    id: u32,
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("tiles", Counted::LAYOUT)];

/// Finds the tile over each city, and over points without one.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    input: Input,
    /// The points to look up, as latitude,longitude [default: two cities, both poles, both ends of a parallel,
    /// the sea]
    #[arg(long, allow_hyphen_values = true)]
    at: Vec<Degrees<2>>,
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = on.open()?;
    let Stored { cities, points, tiles } = args.input.store(&db, out)?;
    let rows: Vec<(Counted, i64)> = tiles.scan(..).collect::<Result<_, _>>()?;

    let some =
        [[35.68, 139.69], [48.86, 2.35], [90.0, 0.0], [-90.0, 0.0], [-17.0, 180.0], [-17.0, -180.0], [0.0, -140.0]];
    let some = some.map(Degrees);
    let asked = if args.at.is_empty() { &some[..] } else { &args.at };
    if let [first, ..] = asked {
        draw(out, &tiles, &rows, *first)?;
    }
    every_city(out, &db, &tiles, &points, &rows)?;

    for &Degrees([latitude, longitude]) in asked {
        let point = Point::new(latitude, longitude)?;
        let query = Query::of(&db);
        let found = next_record(&tiles, point)?;
        let title = format!("Over {latitude}, {longitude}");
        query.returned(out, title, found.is_some().into(), found.is_some().into())?;
        if let Some((Counted { tile }, cities)) = found {
            writeln!(out, "  {}, {cities} cities", named(tile))?;
        }
    }

    holes(out, &db, &rows, asked)?;
    wide(out, &db, &cities, &rows, asked)
}

/// Draws the key that is sought for a point, the one that is found, and the rows about it.
fn draw(
    out: &mut impl Write,
    tiles: &Tiles,
    rows: &[(Counted, i64)],
    Degrees([latitude, longitude]): Degrees<2>,
) -> Result<(), Box<dyn Error>> {
    let point = Point::new(latitude, longitude)?;
    let title = format!("What is sought: the smallest tile over {latitude}, {longitude}");
    report::key(out, &title, &Counted { tile: Tile::deepest(point) })?;
    let Some((key, _)) = next_record(tiles, point)? else { return Ok(()) };
    report::key(out, "What is found: the key of the tile that covers it", &key)?;
    let around = rows.iter().take_while(|(other, _)| *other != key).count().saturating_sub(2);
    let row =
        |(Counted { tile }, cities): &(Counted, i64)| [tile.to_string(), tile.zoom().to_string(), cities.to_string()];
    let drawn = rows.iter().skip(around).take(5).map(row);
    report::table(out, "Table tiles, the rows about it", ["tile", "zoom", "cities"], drawn)
}

fn named(tile: Tile) -> String {
    if tile == Tile::WORLD { "the world".to_owned() } else { format!("tile {tile}") }
}

/// The tile over a point: the first at or after the smallest one over it, if it covers it.
fn next_record(tiles: &Tiles, point: Point) -> Result<Option<(Counted, i64)>, rowkey::Error> {
    covering(point, |row: &(Counted, i64)| row.0.tile, |tile| tiles.first_at_or_after(&Counted { tile }))
}

/// The same by keys alone: the first tile over the point that is there, of those of some zooms.
fn first_there(tiles: &Tiles, point: Point, zooms: impl IntoIterator<Item = u8>) -> Found {
    for tile in zooms.into_iter().filter_map(|zoom| Tile::deepest(point).ancestor(zoom)) {
        if tiles.get(&Counted { tile })?.is_some() {
            return Ok(Some(tile));
        }
    }
    Ok(None)
}

/// Looks up the tile over each city in three ways, which have to agree.
fn every_city(
    out: &mut impl Write,
    db: &Db,
    tiles: &Tiles,
    points: &[Point],
    rows: &[(Counted, i64)],
) -> Result<(), Box<dyn Error>> {
    type Way<'w> = (&'static str, &'w dyn Fn(Point) -> Found);
    let ways: [Way<'_>; 3] = [
        ("The next record", &|point| Ok(next_record(tiles, point)?.map(|(Counted { tile }, _)| tile))),
        ("A get for each zoom from the world down", &|point| first_there(tiles, point, 0..=DEEPEST)),
        ("A get for each zoom from the smallest up", &|point| first_there(tiles, point, (0..=DEEPEST).rev())),
    ];

    let mut holding = BTreeMap::<Tile, i64>::new();
    for (Counted { tile }, cities) in rows.iter().filter(|(_, cities)| *cities > 0) {
        holding.insert(*tile, *cities);
    }
    let mut costs = Vec::new();
    for (way, find) in ways {
        let (query, before, mut most) = (Query::of(db), db.costs(), 0);
        let mut found = BTreeMap::<Tile, i64>::new();
        for &point in progress(points) {
            let seeks = db.costs().seeks;
            let tile = find(point)?.ok_or_else(|| format!("no tile is found over {point:?}"))?;
            most = most.max(db.costs().seeks - seeks);
            *found.entry(tile).or_default() += 1;
        }
        query.returned(out, format_args!("The tiles over all cities. {way}"), points.len(), points.len())?;
        if found != holding {
            return Err(format!("{way}: cities are found in other tiles than those that counted them").into());
        }
        writeln!(out, "  {} tiles, each over as many cities as it counted", found.len())?;
        let Costs { seeks, rows_read, .. } = db.costs() - before;
        costs.push([way.to_owned(), seeks.to_string(), rows_read.to_string(), most.to_string()]);
    }
    report::table(
        out,
        "The same answers, and what they cost",
        ["way", "seeks", "rows read", "most seeks a city"],
        costs,
    )
}

/// Only the tiles that hold cities: at sea nothing covers a point, and one seek tells it too.
fn holes(out: &mut impl Write, db: &Db, rows: &[(Counted, i64)], asked: &[Degrees<2>]) -> Result<(), Box<dyn Error>> {
    let tiles: Tiles = Table::open(db.clone(), "tiles.with_cities")?;
    let mut batch = WriteBatch::new();
    for (key, cities) in rows.iter().filter(|(_, cities)| *cities > 0) {
        batch.put(&tiles, key, cities)?;
    }
    batch.write(db)?;

    for &Degrees([latitude, longitude]) in asked {
        let point = Point::new(latitude, longitude)?;
        let query = Query::of(db);
        let next = tiles.first_at_or_after(&Counted { tile: Tile::deepest(point) })?;
        let covers = next.as_ref().is_some_and(|(Counted { tile }, _)| tile.covers(point));
        let title = format!("Over {latitude}, {longitude}, in the table without empty tiles");
        query.returned(out, title, covers.into(), covers.into())?;
        match next {
            Some((Counted { tile }, cities)) if covers => writeln!(out, "  {}, {cities} cities", named(tile))?,
            Some((Counted { tile }, _)) => writeln!(out, "  none: the next record is {}", named(tile))?,
            None => writeln!(out, "  none: there is no next record")?,
        }
    }

    let query = Query::of(db);
    let (mut asked, mut covered) = (0, 0);
    for latitude in (-90..=90).step_by(GRID) {
        for longitude in (-180..180).step_by(GRID) {
            asked += 1;
            covered += usize::from(next_record(&tiles, Point::new(latitude.into(), longitude.into())?)?.is_some());
        }
    }
    let title = format!("Over a point each {GRID} degrees, in the table without empty tiles");
    query.returned(out, title, covered, covered)?;
    Ok(writeln!(out, "  {asked} points, {covered} covered")?)
}

/// The tiles as wide rows: the seek that finds the tile brings its largest cities.
fn wide(
    out: &mut impl Write,
    db: &Db,
    cities: &[City],
    rows: &[(Counted, i64)],
    asked: &[Degrees<2>],
) -> Result<(), Box<dyn Error>> {
    let schema = TableSchema::new().family("count", FamilySchema::new()).family("largest", FamilySchema::new());
    let tiles: WideTable<Counted, _> = WideTable::open(db.wide(), "tiles.wide", &schema)?;
    let mut mutations = BTreeMap::<Tile, Mutation>::new();
    for (Counted { tile }, cities) in rows {
        mutations.insert(*tile, Mutation::new().put_value("count:cities", cities)?);
    }
    for city in cities {
        // Tiles are sorted in memory as in the table: the next one is the one over the city here too.
        let Some((_, row)) = mutations.range_mut(Tile::deepest(city.point()?)..).next() else { continue };
        let column = Largest { population: city.population, id: city.id }.encode();
        *row = std::mem::take(row).put(("largest", column), city.name.as_str());
    }
    tiles.mutate_many(mutations.into_iter().map(|(tile, row)| (Counted { tile }, row)))?;

    for &Degrees([latitude, longitude]) in asked {
        let point = Point::new(latitude, longitude)?;
        let columns = Columns::of("count:cities").family("largest").limit(4);
        let query = Query::of(db);
        let first_from = |tile| tiles.first_at_or_after(&Counted { tile }, columns);
        let found = covering(point, |row: &(Counted, Row)| row.0.tile, first_from)?;
        let cells = found.iter().flat_map(|(_, row)| row.cells()).count();
        let title = format!("Over {latitude}, {longitude}, and the three largest cities in the tile");
        query.returned(out, title, found.is_some().into(), cells)?;
        let Some((Counted { tile }, row)) = found else { continue };
        writeln!(out, "  {}, {} cities", named(tile), row.read::<i64>("count:cities")?.unwrap_or_default())?;
        for cell in row.family("largest") {
            writeln!(out, "  {:>10}  {}", Largest::decode(cell.qualifier)?.population, cell.read::<String>()?)?;
        }
    }
    Ok(())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
