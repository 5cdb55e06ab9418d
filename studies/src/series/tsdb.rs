//! OpenTSDB's tables: a row an hour of a series, a column a point, names in a dictionary.
//!
//! Rows and cells have OpenTSDB's bytes, so that it reads them, and its own are read here. A qualifier is the offset
//! within the hour and four bits, which say whether the value is a float and how many bytes it has: two bytes for
//! seconds, four for milliseconds. An hour's points, all in one cell, are their qualifiers one after another, their
//! values likewise, and one byte more. Code that reads one form reads the other, and both in one row.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use rowkey::ids::NameIds;
use rowkey::wide::{Column, Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Bucket, List, RowKey, Seconds, WideTable};

use crate::engine::{Cells, Db, Wide};

/// An id out of the dictionary.
pub type Uid = [u8; 3];
/// Names and values, by name.
pub type Tags = List<(Uid, Uid)>;

/// OpenTSDB's row key, where `tsd.storage.salt.width` is 1 and `tsd.storage.salt.buckets` is 8.
#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 8, hash = java, by(metric, tags)))]
pub struct SeriesHour {
    /// The metric's id.
    pub metric: Uid,
    /// Its first second, in four bytes: until 2106.
    pub hour: u32,
    /// Sorted.
    #[rowkey(raw)]
    pub tags: Tags,
}

/// The one family.
const POINTS: &str = "t";
/// The four bits of a value that is an `f64`.
const DOUBLE: u16 = 0xf;
/// A day's seconds.
pub const DAY: u32 = 86_400;

/// A metric's name, and tags in the order in which they are of interest.
pub type Series = (&'static str, Vec<(&'static str, String)>);
/// The points of each series: seconds since 1970, and values.
pub type Points = BTreeMap<Series, BTreeMap<u32, f64>>;

/// The tables. A row has the points of this many seconds, at most 4,096. OpenTSDB has 3,600.
pub struct Tsdb<const WIDTH: u32> {
    /// Where the tables are.
    pub db: Db,
    /// The points.
    pub rows: WideTable<SeriesHour, Wide>,
    /// The same rows, where no server drops what is deleted.
    cells: Option<WideTable<SeriesHour, Cells>>,
    /// The metrics' names.
    pub metrics: NameIds,
    /// The tags' names.
    pub tag_names: NameIds,
    /// The tags' values.
    pub tag_values: NameIds,
    /// How many points were written. A point's timestamp is its number: of any two it tells which came later, where the
    /// clock may stand still.
    written: Mutex<i64>,
}

/// A query: a metric in a window, of all series, those with a tag, or one; its points downsampled, by a tag.
pub struct Ask {
    /// The metric's id.
    pub metric: Uid,
    /// From the first second to the last.
    pub window: RangeInclusive<u32>,
    /// Whose points.
    pub of: Of,
    /// Groups the rows by the value of this tag. Default: one group of all rows.
    pub by: Option<Uid>,
    /// Sums points over this many seconds, from a multiple of them on.
    pub every: u32,
}

/// Which series of a metric.
pub enum Of {
    /// Every one.
    All,
    /// Those with this tag.
    With(Uid, Uid),
    /// The one with these tags and no others.
    One(Tags),
}

/// The result of a query, and the amount that was read.
#[derive(Default, PartialEq)]
pub struct Answer {
    /// Rows that were asked for.
    pub rows: usize,
    /// Their cells.
    pub cells: usize,
    /// By the tag's value, and by the first second.
    pub sums: BTreeMap<(Option<Uid>, u32), Summary>,
}

/// The aggregate of points.
#[derive(PartialEq)]
pub struct Summary {
    /// How many.
    pub points: u64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// All of them.
    pub sum: f64,
}

impl<const WIDTH: u32> Tsdb<WIDTH> {
    /// The table of this name, and the dictionary, which all tables share.
    pub fn open(db: Db, table: &str) -> Result<Self, Box<dyn Error>> {
        let schema = TableSchema::new().family(POINTS, FamilySchema::new().max_versions(2));
        let rows = WideTable::open(db.wide(), table, &schema)?;
        let cells = db.cells().map(|cells| WideTable::open(cells, table, &schema)).transpose()?;
        let names = |kind| NameIds::open(&db, "tsdb-uid", kind);
        let (metrics, tag_names, tag_values) = (names("metric")?, names("tagk")?, names("tagv")?);
        Ok(Self { db, rows, cells, metrics, tag_names, tag_values, written: Mutex::new(0) })
    }

    /// The ids of a series' names. Creates those that are missing.
    pub fn ids(&self, (metric, tags): &Series) -> Result<(Uid, Tags), Box<dyn Error>> {
        let tag = |(name, value): &(&str, String)| Ok((self.tag_names.id(name)?, self.tag_values.id(value)?));
        let mut tags = tags.iter().map(tag).collect::<Result<Tags, Box<dyn Error>>>()?;
        tags.sort_unstable();
        Ok((self.metrics.id(metric)?, tags))
    }

    /// A tag as text: `name=value`.
    pub fn tag(&self, (name, value): &(Uid, Uid)) -> Result<String, Box<dyn Error>> {
        let [name, value] = [self.tag_names.name(*name)?, self.tag_values.name(*value)?].map(Option::unwrap_or_default);
        Ok(format!("{name}={value}"))
    }

    /// Writes points, each a cell of its own.
    pub fn write(&self, points: &[(&Series, u32, f64)]) -> Result<(), Box<dyn Error>> {
        let mut rows = Vec::with_capacity(points.len());
        // It is held until they are there: what is compacted has no later number than what is still to come.
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        for (series, at, value) in points {
            let (metric, tags) = self.ids(series)?;
            let (hour, rest) = Bucket::<Seconds, WIDTH>::split(Seconds(i64::from(*at)))?;
            const { assert!(WIDTH <= 1 << 12) };
            let qualifier = u16::try_from(rest.as_secs())? << 4 | DOUBLE;
            *written += 1;
            let column = (POINTS, qualifier.to_be_bytes());
            let point = Mutation::new().put_at(column, *written, value.to_be_bytes());
            rows.push((SeriesHour { metric, hour: hour.start().0.try_into()?, tags }, point));
        }
        Ok(self.rows.mutate_many(rows)?)
    }

    /// Runs a query. Hours that the window does not touch are not read.
    pub fn ask(&self, ask: &Ask) -> Result<Answer, Box<dyn Error>> {
        let Ask { metric, ref window, ref of, by, every } = *ask;
        let first = window.start() - window.start() % WIDTH;
        let hours = SeriesHour::prefix().metric(metric).hour_range(first..=*window.end());
        let rows = match of {
            // Any of the series' keys tells its bucket.
            Of::One(tags) => hours.in_bucket_of(&SeriesHour { metric, hour: first, tags: tags.clone() }),
            _ => hours,
        };
        let mut answer = Answer::default();
        for row in self.rows.scan(rows, Columns::all()) {
            let (SeriesHour { hour, tags, .. }, row) = row?;
            let wanted = match of {
                Of::All => true,
                Of::With(name, value) => tags.contains(&(*name, *value)),
                Of::One(all) => tags == *all,
            };
            if !wanted {
                continue;
            }
            let group = by.and_then(|by| tags.iter().find(|(name, _)| *name == by)).map(|(_, value)| *value);
            for (offset, value) in points(&row)? {
                let at = hour.saturating_add(offset / 1000);
                if window.contains(&at) {
                    let new = Summary { points: 0, min: value, max: value, sum: 0.0 };
                    let summary = answer.sums.entry((group, at - at % every.max(1))).or_insert(new);
                    let Summary { points, min, max, sum } = summary;
                    (*points, *min, *max, *sum) = (*points + 1, min.min(value), max.max(value), *sum + value);
                }
            }
            answer.rows += 1;
            answer.cells += row.cells().count();
        }
        Ok(answer)
    }

    /// Puts the points of each row into one cell; a row that is one already stays as it is.
    pub fn compact(&self) -> Result<(), Box<dyn Error>> {
        let mut changed = Vec::new();
        // This drops versions that no query reads any more.
        for row in self.rows.scan(.., Columns::all().versions(2)) {
            let (key, row) = row?;
            changed.extend(compacted(&row)?.map(|mutation| (key, mutation)));
        }
        Ok(self.rows.mutate_many(changed)?)
    }

    /// Drops what no query reads any more, where no server does.
    pub fn purge(&self) -> Result<(), rowkey::Error> {
        self.cells.as_ref().map_or(Ok(()), |cells| cells.purge().run().map(drop))
    }
}

/// The points of a row by their milliseconds, whether each is a cell or one cell has many. Of several for one time the
/// newest counts.
pub fn points(row: &Row) -> Result<BTreeMap<u32, f64>, Box<dyn Error>> {
    let number = |(at, Point { value, is_float, .. })| {
        let number = match (is_float, value) {
            (true, &[a, b, c, d]) => f64::from(f32::from_be_bytes([a, b, c, d])),
            (true, &[a, b, c, d, e, f, g, h]) => f64::from_be_bytes([a, b, c, d, e, f, g, h]),
            (false, &[a]) => f64::from(i8::from_be_bytes([a])),
            (false, &[a, b]) => f64::from(i16::from_be_bytes([a, b])),
            (false, &[a, b, c, d]) => f64::from(i32::from_be_bytes([a, b, c, d])),
            (false, &[a, b, c, d, e, f, g, h]) => i64::from_be_bytes([a, b, c, d, e, f, g, h]) as f64,
            _ => return Err(format!("no value of OpenTSDB has {} bytes", value.len()).into()),
        };
        Ok((at, number))
    };
    parts(row)?.into_iter().map(number).collect()
}

/// A point's part of a cell.
struct Point<'c> {
    qualifier: &'c [u8],
    value: &'c [u8],
    is_float: bool,
}

/// The parts of a row's cells by the points' milliseconds, the newest of each.
fn parts(row: &Row) -> Result<BTreeMap<u32, Point<'_>>, Box<dyn Error>> {
    let mut cells: Vec<_> = row.cells().collect();
    cells.sort_by_key(|cell| cell.timestamp);
    let mut parts = BTreeMap::new();
    for cell in cells {
        let (mut qualifiers, mut values, mut count) = (cell.qualifier, cell.value, 0);
        while let Some((at, part)) = first(&mut qualifiers, &mut values) {
            parts.insert(at, part);
            count += 1;
        }
        if count == 0 || !qualifiers.is_empty() || values.len() != usize::from(count > 1) {
            return Err(format!("{} is not of points", cell.column()).into());
        }
    }
    Ok(parts)
}

/// Takes the first point of a cell.
fn first<'c>(qualifiers: &mut &'c [u8], values: &mut &'c [u8]) -> Option<(u32, Point<'c>)> {
    let is_fine = *qualifiers.first()? >= 0xf0;
    let (qualifier, other_qualifiers) = qualifiers.split_at_checked(if is_fine { 4 } else { 2 })?;
    let bits = qualifier.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
    let (value, other_values) = values.split_at_checked((bits & 7) as usize + 1)?;
    (*qualifiers, *values) = (other_qualifiers, other_values);
    let at = if is_fine { (bits & 0x0fff_ffff) >> 6 } else { (bits >> 4) * 1000 };
    Some((at, Point { qualifier, value, is_float: bits & 8 != 0 }))
}

/// One mutation that makes one cell of a row; `None` if it is one cell already. The cell is as old as the newest that
/// it is made of, and what is deleted is no younger: a point that comes meanwhile stays, and counts. It is idempotent:
/// to do it twice, or by two writers at once, is to do it once.
pub fn compacted(row: &Row) -> Result<Option<Mutation>, Box<dyn Error>> {
    let newest = row.cells().map(|cell| cell.timestamp).max();
    let Some(newest) = newest.filter(|_| row.cells().nth(1).is_some()) else { return Ok(None) };
    let parts = parts(row)?;
    let (mut qualifiers, mut values) = (Vec::new(), Vec::new());
    for Point { qualifier, value, .. } in parts.values() {
        qualifiers.extend_from_slice(qualifier);
        values.extend_from_slice(value);
    }
    if parts.len() > 1 {
        // Whether seconds and milliseconds are mixed.
        let is_fine = |part: &Point<'_>| part.qualifier.len() == 4;
        values.push(u8::from(parts.values().any(is_fine) && !parts.values().all(is_fine)));
    }
    let whole = Column::from((POINTS, qualifiers));
    let gone = row.cells().filter(|cell| cell.timestamp < newest || cell.qualifier != whole.qualifier);
    let gone = gone.fold(Mutation::new(), |gone, cell| gone.delete_column_until(cell.column(), cell.timestamp));
    Ok(Some(gone.put_at(whole, newest, values)))
}
