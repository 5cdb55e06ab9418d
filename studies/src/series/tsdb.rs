//! OpenTSDB's tables: a row an hour of a series, a column a point, names in a dictionary.
//!
//! A qualifier is a list of seconds, written raw, as its value is one of numbers. A point is a list of one; an hour's
//! points, all in one cell, are those lists one after another. Code that reads one form reads the other, and both in
//! one row.

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

/// OpenTSDB's row key.
#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 8, by(metric, tags)))]
pub struct SeriesHour {
    /// The metric's id.
    pub metric: Uid,
    /// Its first second, in four bytes: until 2106.
    pub hour: u32,
    /// Sorted.
    #[rowkey(raw)]
    pub tags: Tags,
}

/// A qualifier: seconds within the hour, of one point or of many.
#[derive(RowKey)]
struct Offsets {
    #[rowkey(raw)]
    seconds: List<u16>,
}

/// A cell's value: those points' values.
#[derive(RowKey)]
struct Values {
    #[rowkey(raw)]
    values: List<f64>,
}

/// The one family.
const POINTS: &str = "t";
/// A day's seconds.
pub const DAY: u32 = 86_400;

/// A metric's name, and tags in the order in which they are of interest.
pub type Series = (&'static str, Vec<(&'static str, String)>);
/// The points of each series: seconds since 1970, and values.
pub type Points = BTreeMap<Series, BTreeMap<u32, f64>>;

/// The tables. A row has the points of this many seconds. OpenTSDB has 3,600.
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
            let (seconds, values) = (List(vec![rest.as_secs().try_into()?]), List(vec![*value]));
            *written += 1;
            let column = (POINTS, Offsets { seconds }.encode());
            let point = Mutation::new().put_at(column, *written, Values { values }.encode());
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
                let at = hour.saturating_add(offset.into());
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

/// The points of a row, whether each is a cell or one cell has many. Of several for one second the newest counts.
pub fn points(row: &Row) -> Result<BTreeMap<u16, f64>, Box<dyn Error>> {
    let mut cells: Vec<_> = row.cells().collect();
    cells.sort_by_key(|cell| cell.timestamp);
    let mut points = BTreeMap::new();
    for cell in cells {
        let (seconds, values) = (Offsets::decode(cell.qualifier)?.seconds.0, Values::decode(cell.value)?.values.0);
        if seconds.len() != values.len() {
            return Err(format!("{} has {} values for {} seconds", cell.column(), values.len(), seconds.len()).into());
        }
        points.extend(seconds.into_iter().zip(values));
    }
    Ok(points)
}

/// One mutation that makes one cell of a row; `None` if it is one cell already. The cell is as old as the newest that
/// it is made of, and what is deleted is no younger: a point that comes meanwhile stays, and counts. It is idempotent:
/// to do it twice, or by two writers at once, is to do it once.
pub fn compacted(row: &Row) -> Result<Option<Mutation>, Box<dyn Error>> {
    let newest = row.cells().map(|cell| cell.timestamp).max();
    let Some(newest) = newest.filter(|_| row.cells().nth(1).is_some()) else { return Ok(None) };
    let (seconds, values) = points(row)?.into_iter().unzip();
    let whole = Column::from((POINTS, Offsets { seconds: List(seconds) }.encode()));
    let gone = row.cells().filter(|cell| cell.timestamp < newest || cell.qualifier != whole.qualifier);
    let gone = gone.fold(Mutation::new(), |gone, cell| gone.delete_column_until(cell.column(), cell.timestamp));
    Ok(Some(gone.put_at(whole, newest, Values { values: List(values) }.encode())))
}
