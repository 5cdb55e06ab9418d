//! Which regions lie here: a table of regions, and a table of tiles whose columns are the regions in them.
//!
//!     cargo run --release -p rowkey-studies -- boundaries cities.tsv.gz --region a:jp --at 35.68,139.69
//!
//! A region's row is found by one byte for its type, then its id, so all regions of a type stand together. In the table
//! of tiles each type of region is a family and each region a column, `a:jp`: a tile's row tells all regions in it,
//! those of some types, or whether one of them is there. Each is one seek a tile. Of all columns nothing else is read;
//! of some, also a type that stands between two of them, or the cell that stands where a region would that is not
//! there.
//!
//! The tiles of zoom 9 are the base: what is seen from nearer shows a part of one of them and gets its row. What is
//! seen from further away has rows of its own, for zooms 0 to 8, under keys of three bytes: the zoom, then the quadkey
//! of the tile's north-western corner in two. So a continent is a few rows, not all base tiles in it.
//!
//! There are no outlines of regions at hand. Each is derived from the cities, and said to lie in the tiles in which its
//! cities stand: `a` are countries by the cities' country codes, `b` the belts of climate between the tropics and polar
//! circles, `z` nautical time zones, 15 degrees each round their meridian.

mod regions;

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use regions::{ByRegion, Region, Regions, Type};
use rowkey::geo::{GeoBox, GeoError, Point, QuadKey, Tile};
use rowkey::wide::{Column, Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Layout, Postcard, RowKey, WideTable};
use rowkey_studies::engine::{Db, Engine, Wide};
use rowkey_studies::geo::{Degrees, cities};
use rowkey_studies::output::report::{self, Query};

/// The zoom of the base tiles, and the last of those with rows of their own.
const BASE: u8 = 9;
const COARSE: u8 = 8;

/// A tile of zoom 0 to 8, by the quadkey of its north-western corner.
#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Coarse {
    zoom: u8,
    corner: QuadKey<COARSE>,
}

impl Coarse {
    fn of(tile: Tile) -> Result<Self, GeoError> {
        let down = COARSE.saturating_sub(tile.zoom());
        Ok(Self { zoom: tile.zoom(), corner: QuadKey::from_xy(tile.x() << down, tile.y() << down)? })
    }
}

/// A tile of zoom 9: what is seen from nearer shows a part of it.
#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Base {
    tile: QuadKey<BASE>,
}

type Rows<K> = WideTable<K, Wide>;

struct Tiles {
    coarse: Rows<Coarse>,
    base: Rows<Base>,
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] =
    &[("regions", Region::LAYOUT), ("tiles_from_afar", Coarse::LAYOUT), ("tiles", Base::LAYOUT)];

/// Stores which regions lie in which tiles, and asks it of views near and far.
#[derive(Parser)]
struct Args {
    /// Cities as tab-separated geonameid, name, country, feature code, population, latitude, longitude below a line of
    /// titles, plain or gzip [default: a sample of a thousand]
    cities: Option<PathBuf>,
    /// The region that is looked for: its type, a (country), b (belt) or z (time zone), and its id
    #[arg(long, default_value = "a:jp")]
    region: Region,
    /// The box that is seen from afar: south,west,north,east; with west above east it crosses the antimeridian
    #[arg(long, default_value = "20,100,50,150", allow_hyphen_values = true)]
    view: Degrees<4>,
    /// From how far: the zoom of the tiles that show it
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(..=8))]
    zoom: u8,
    /// The point that is seen from ever nearer: latitude,longitude
    #[arg(long, default_value = "35.68,139.69", allow_hyphen_values = true)]
    at: Degrees<2>,
    /// How many lines of an answer are printed
    #[arg(long, default_value_t = 6)]
    show: usize,
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let Degrees([south, west, north, east]) = args.view;
    let view = GeoBox::new(south, west, north, east)?;
    let Degrees([latitude, longitude]) = args.at;
    let at = Point::new(latitude, longitude)?;

    let db = on.open()?;
    let cities = cities(args.cities.as_deref(), out)?;
    writeln!(
        out,
        "Regions are derived from the cities, and lie in the tiles where these stand; no outlines are at hand.\n\
         a: countries, b: belts of climate, z: nautical time zones; a cell counts the cities of a region in a tile.\n\
         What is seen from nearer than zoom 9 gets the row of its base tile."
    )?;
    let (regions, by_region) = regions::store(&db, &cities)?;
    let tiles = store_tiles(&db, &by_region)?;
    let drawn = by_region.get_key_value(&args.region).or(by_region.first_key_value());
    if let Some((region, [city, ..])) = drawn.map(|(region, cities)| (region, &cities[..])) {
        draw(out, &regions, &tiles, region, city.point()?)?;
    }

    let query = Query::of(&db);
    let info = regions.get(&args.region)?;
    query.returned(out, format_args!("Region {}", args.region), info.iter().len(), info.iter().len())?;
    if let Some(Postcard(info)) = info {
        writeln!(out, "  {info}")?;
    }
    for kind in Type::ALL {
        let query = Query::of(&db);
        let found = regions.scan(Region::prefix().kind(kind)).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, format_args!("Regions of type {}", kind.family()), found.len(), found.len())?;
        let lines = found.iter().map(|(region, Postcard(info))| format!("{region}  {info}"));
        print(out, lines.collect(), args.show)?;
    }

    // A view from afar: the tiles that show it, each by its key.
    let zoom = args.zoom;
    let keys = view.tiles(zoom)?.map(Coarse::of).collect::<Result<Vec<_>, _>>()?;
    let region = Column::from((args.region.kind.family(), args.region.id.as_str()));
    let some = [
        ("all families".to_owned(), Columns::all()),
        ("families a and z".to_owned(), Columns::all().family("a").family("z")),
        (format!("column {}", args.region), Columns::of(region)),
    ];
    for (what, columns) in some {
        let query = Query::of(&db);
        let rows = tiles.coarse.get_many(&keys, &columns)?;
        answer(out, query, &format!("In view at zoom {zoom}: {what}"), &rows, args.show)?;
    }
    let query = Query::of(&db);
    let every = Base::prefix().tile_within(&view.cover(usize::MAX));
    let rows = tiles.base.scan(every, Columns::all()).map(|row| Ok(row?.1));
    let rows = rows.collect::<Result<Vec<_>, rowkey::Error>>()?;
    answer(out, query, "In view, by the base tiles: all families", &rows, args.show)?;

    // Nearer and nearer: from zoom 9 on it is the same row.
    for zoom in [0, 5, COARSE, BASE, 14, 20] {
        let query = Query::of(&db);
        let (tile, row) = match Tile::at(at, zoom)? {
            tile if zoom <= COARSE => (tile, tiles.coarse.get(&Coarse::of(tile)?, &Columns::all())?),
            _ => (QuadKey::<BASE>::at(at).tile(), tiles.base.get(&Base { tile: QuadKey::at(at) }, &Columns::all())?),
        };
        let title = format!("Over {latitude}, {longitude} at zoom {zoom}: the row of tile {:?}", tile.to_string());
        answer(out, query, &title, &[row], args.show)?;
    }
    Ok(())
}

/// Counts each region's cities in the tiles of zooms 0 to 9.
fn store_tiles(db: &Db, by_region: &ByRegion<'_>) -> Result<Tiles, Box<dyn Error>> {
    let mut counts = BTreeMap::<Tile, BTreeMap<&Region, i64>>::new();
    for (region, cities) in by_region {
        for city in cities {
            for zoom in 0..=BASE {
                *counts.entry(Tile::at(city.point()?, zoom)?).or_default().entry(region).or_default() += 1;
            }
        }
    }
    let (mut coarse, mut base) = (Vec::new(), Vec::new());
    for (tile, counts) in counts {
        let mut row = Mutation::new();
        for (Region { kind, id }, cities) in counts {
            row = row.put_value((kind.family(), id.as_str()), &cities)?;
        }
        match QuadKey::try_from(tile) {
            Ok(tile) => base.push((Base { tile }, row)),
            Err(_) => coarse.push((Coarse::of(tile)?, row)),
        }
    }
    let family = FamilySchema::new();
    let schema = Type::ALL.iter().fold(TableSchema::new(), |schema, kind| schema.family(kind.family(), family));
    let wide = db.wide();
    let tiles = Tiles {
        coarse: WideTable::open(wide.clone(), "tiles_from_afar", &schema)?,
        base: WideTable::open(wide, "tiles", &schema)?,
    };
    tiles.coarse.mutate_many(coarse)?;
    tiles.base.mutate_many(base)?;
    Ok(tiles)
}

/// Prints what some tiles' rows say of regions, those of most cities first in each type.
fn answer(
    out: &mut impl Write,
    query: Query<'_>,
    title: &str,
    rows: &[Row],
    show: usize,
) -> Result<(), Box<dyn Error>> {
    let mut found = BTreeMap::<(String, Vec<u8>), (i64, usize)>::new();
    for cell in rows.iter().flat_map(Row::cells) {
        let (cities, tiles) = found.entry((cell.family.to_owned(), cell.qualifier.to_vec())).or_default();
        *cities += cell.read::<i64>()?;
        *tiles += 1;
    }
    let cells = rows.iter().flat_map(Row::cells).count();
    query.returned(out, title, rows.iter().filter(|row| !row.is_empty()).count(), cells)?;
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|((a, _), (more, _)), ((b, _), (less, _))| a.cmp(b).then(less.cmp(more)));
    let lines = found.into_iter().map(|((family, id), (cities, tiles))| {
        Ok(format!("{family}:{}  {cities} cities in {tiles} tiles", String::from_utf8(id)?))
    });
    print(out, lines.collect::<Result<_, Box<dyn Error>>>()?, show)
}

/// Draws the keys, a region's row among others, and the rows of some tiles over one of its cities.
fn draw(
    out: &mut impl Write,
    regions: &Regions,
    tiles: &Tiles,
    region: &Region,
    city: Point,
) -> Result<(), Box<dyn Error>> {
    let base = Base { tile: QuadKey::at(city) };
    report::key(out, "The key of a region", region)?;
    report::key(out, "The key of a tile from afar", &Coarse::of(Tile::at(city, 4)?)?)?;
    report::key(out, "The key of a base tile", &base)?;

    let some = regions.scan(Region::prefix().kind(region.kind).id_range(region.id.as_str()..)).limit(3);
    let some = some.map(|row| row.map(|(region, Postcard(info))| [region.to_string(), info.to_string()]));
    let some = some.collect::<Result<Vec<_>, _>>()?;
    report::table(out, "Table regions, some rows", ["region", "value"], some)?;

    let family = |row: &Row, kind: Type| {
        let cells = row
            .family(kind.family())
            .take(3)
            .map(|cell| Ok(format!("{} = {}", String::from_utf8_lossy(cell.qualifier), cell.read::<i64>()?)));
        cells.collect::<Result<Vec<_>, rowkey::Error>>().map(|cells| cells.join("\n"))
    };
    let drawn = |key: String, row: Row| {
        let [a, b, z] = Type::ALL.map(|kind| family(&row, kind));
        Ok::<_, rowkey::Error>([key, a?, b?, z?])
    };
    let mut rows = Vec::new();
    for zoom in [0, 4, COARSE] {
        let key = Coarse::of(Tile::at(city, zoom)?)?;
        rows.push(drawn(format!("{zoom} {}", key.corner), tiles.coarse.get(&key, &Columns::all())?)?);
    }
    let title = "Table tiles_from_afar, some rows: three regions a family";
    report::table(out, title, ["zoom, corner", "a", "b", "z"], rows)?;
    let row = drawn(base.tile.to_string(), tiles.base.get(&base, &Columns::all())?)?;
    report::table(out, "Table tiles, a row", ["tile", "a", "b", "z"], [row])
}

fn print(out: &mut impl Write, lines: Vec<String>, show: usize) -> Result<(), Box<dyn Error>> {
    for line in lines.iter().take(show) {
        writeln!(out, "  {line}")?;
    }
    match lines.len().saturating_sub(show) {
        0 => Ok(()),
        more => Ok(writeln!(out, "  and {more} more")?),
    }
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
