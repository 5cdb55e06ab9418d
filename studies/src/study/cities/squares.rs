//! Cities as the columns of their tiles, in families by importance.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

use rowkey::geo::{GeoBox, QuadKey};
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Postcard, RowKey, Select, WideTable};
use rowkey_studies::engine::{Db, Wide};
use rowkey_studies::geo::City;
use rowkey_studies::output::report::{self, Query};

/// A tile, whose row has its cities as columns.
#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Square {
    at: QuadKey<ZOOM>,
}

const ZOOM: u8 = 5;

/// The name of a city's column: what kind of place it is, then which.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Feature {
    code: String,
    id: u32,
}

const FAMILIES: [&str; 3] = ["high", "medium", "low"];

/// A city's family: capitals and cities of a million, seats of the first order and large cities, all others.
fn importance(city: &City) -> &'static str {
    match (city.feature_code.as_str(), city.population) {
        ("PPLC", _) | (_, 1_000_000..) => "high",
        ("PPLA", _) | (_, 300_000..) => "medium",
        _ => "low",
    }
}

pub(crate) struct Squares {
    table: WideTable<Square, Wide>,
    db: Db,
}

impl Squares {
    /// Stores cities, and draws the table.
    pub(crate) fn of(db: &Db, cities: &[City], out: &mut impl Write) -> Result<Self, Box<dyn Error>> {
        let mut rows = BTreeMap::<Square, (Mutation, usize)>::new();
        for city in cities {
            let at = QuadKey::at(city.point()?);
            let column = Feature { code: city.feature_code.clone(), id: city.id }.encode();
            let (row, columns) = rows.entry(Square { at }).or_default();
            *row = std::mem::take(row).put_value((importance(city), column), &Postcard(city.clone()))?;
            *columns += 1;
        }
        let fullest = rows.iter().max_by_key(|(_, (_, columns))| *columns).map(|(square, _)| *square);

        let family = FamilySchema::new();
        let schema = FAMILIES.iter().fold(TableSchema::new(), |schema, &name| schema.family(name, family));
        let table = WideTable::open(db.wide(), "squares", &schema)?;
        table.mutate_many(rows.into_iter().map(|(square, (row, _))| (square, row)))?;
        let squares = Self { table, db: db.clone() };
        if let Some(square) = fullest {
            squares.draw(square, out)?;
        }
        Ok(squares)
    }

    fn draw(&self, square: Square, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
        report::key(out, "The key of a tile in the wide table, the fullest", &square)?;
        let row = self.table.get(&square, &Columns::all())?;
        if let Some(feature) = row.qualifiers::<Feature>("high").next().transpose()? {
            report::key(out, "The name of a column in its family high", &feature)?;
        }
        let some = |family: &str| {
            let cells = row.family(family).take(3).map(|cell| {
                let (Feature { code, id }, Postcard(city)) =
                    (Feature::decode(cell.qualifier)?, cell.read::<Postcard<City>>()?);
                Ok(format!("{code} {id} = {}", city.name))
            });
            Ok::<_, Box<dyn Error>>(cells.collect::<Result<Vec<_>, Box<dyn Error>>>()?.join("\n"))
        };
        let drawn = [square.at.to_string(), some("high")?, some("medium")?, some("low")?];
        report::table(out, "Table squares, three columns of each family", ["tile", "high", "medium", "low"], [drawn])
    }

    /// The cities in view from afar and from near, and those of a feature code.
    pub(crate) fn views(
        &self,
        view: &GeoBox,
        feature: &str,
        show: usize,
        out: &mut impl Write,
    ) -> Result<(), Box<dyn Error>> {
        let families = |some: &[&str]| some.iter().fold(Columns::all(), |columns, &family| columns.family(family));
        self.view(view, "In view from afar: high", &families(&FAMILIES[..1]), show, out)?;
        self.view(view, "In view from nearer: high and medium", &families(&FAMILIES[..2]), show, out)?;
        self.view(view, "In view from near: all families", &families(&FAMILIES), show, out)?;

        let features = |some: Vec<_>| {
            FAMILIES.iter().fold(Columns::all(), |columns, &family| columns.qualifiers_in(family, some.clone()))
        };
        let this = features(Feature::prefix().code(feature).ranges());
        self.view(view, &format!("In view of feature code {feature}"), &this, show, out)?;
        let these = features(Feature::prefix().code_starts_with(feature).ranges());
        self.view(view, &format!("In view of feature codes {feature}*"), &these, show, out)
    }

    /// Gets some columns of the tiles in view, each tile by its key; prints the largest cities.
    fn view(
        &self,
        view: &GeoBox,
        title: &str,
        columns: &Columns,
        show: usize,
        out: &mut impl Write,
    ) -> Result<(), Box<dyn Error>> {
        let tiles = view.tiles(ZOOM)?.map(|tile| Ok(Square { at: tile.try_into()? }));
        let tiles = tiles.collect::<Result<Vec<_>, rowkey::geo::GeoError>>()?;
        let query = Query::of(&self.db);
        let rows = self.table.get_many(&tiles, columns)?;
        let mut found = Vec::new();
        for cell in rows.iter().flat_map(Row::cells) {
            let Postcard(city) = cell.read::<Postcard<City>>()?;
            found.push(city);
        }
        query.returned(out, title, rows.iter().filter(|row| !row.is_empty()).count(), found.len())?;

        // The tiles at the sides reach beyond the view.
        let points = found.iter().map(City::point).collect::<Result<Vec<_>, _>>()?;
        let mut inside = points.into_iter().map(|point| view.contains(point));
        found.retain(|_| inside.next().unwrap_or(false));
        found.sort_by_key(|city| (Reverse(city.population), city.id));
        writeln!(out, "  {} of them lie within the box", found.len())?;
        for City { name, country, population, feature_code, .. } in found.iter().take(show) {
            writeln!(out, "  {population:>10}  {feature_code:5}  {name} ({country})")?;
        }
        Ok(())
    }
}
