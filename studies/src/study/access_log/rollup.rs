//! Roll-ups: sums of rows by five minutes, hour, day, week and month; resumed wherever the job was killed.
//!
//! Sums stand under kind of period + its start. Who has written rows leaves a mark at their five minutes, under an id
//! of its own. A run takes a period that has marks, the finest first, sums it again whole, and in one batch writes the
//! sums, marks the coarser periods that it is part of, and takes away the marks that it had read before. So nothing is
//! counted twice or lost, wherever it dies; rows that come late are a mark as any other; and a mark that came while it
//! was reading stays.
//!
//! There may be many writers, and one run at a time. Where a batch over tables is not one step, these three writes in
//! this order do as well.

use std::collections::BTreeMap;
use std::error::Error;
use std::num::NonZero;
use std::ops::Range;

use jiff::tz::TimeZone;
use rowkey::ids::{Flake, FlakeIds};
use rowkey::store::Database;
use rowkey::{Bucket, Postcard, RowKey, Seconds, Table, WriteBatch, civil};
use serde::{Deserialize, Serialize};

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    FiveMinutes = 1,
    Hour = 2,
    Day = 3,
    /// From Monday.
    Week = 4,
    Month = 5,
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Period {
    pub(crate) kind: Kind,
    pub(crate) start: Seconds,
}

/// That a period has to be summed again; the finest first.
#[derive(RowKey, Debug, PartialEq)]
pub(super) struct Mark {
    period: Period,
    by: Flake,
}

/// The measures that can be summed. The number of visitors can't.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sums {
    pub(crate) hits: u64,
    /// Answers of status 400 and above.
    pub(crate) errors: u64,
    pub(crate) bytes: u64,
}

impl Sums {
    pub(crate) fn add(&mut self, other: Self) {
        let Self { hits, errors, bytes } = other;
        self.hits += hits;
        self.errors += errors;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

pub(crate) struct RollUp<D> {
    pub(crate) periods: Table<Period, Postcard<Sums>, D>,
    /// Of days, weeks and months.
    pub(crate) zone: TimeZone,
    /// How many times a period was summed.
    pub(crate) summed: u64,
    /// How many times again.
    pub(crate) again: u64,
    marks: Table<Mark, (), D>,
    ids: FlakeIds,
}

impl<D: Database + Clone> RollUp<D> {
    pub(crate) fn open(db: D, zone: TimeZone) -> Result<Self, Box<dyn Error>> {
        let (periods, marks) = (Table::open(db.clone(), "periods")?, Table::open(db, "marks")?);
        // One process writes here; of several each has a worker's number of its own.
        Ok(Self { periods, zone, summed: 0, again: 0, marks, ids: FlakeIds::new(0)? })
    }

    /// Marks the five minutes of rows that were written; returns how many rows are late, as theirs were summed before.
    pub(crate) fn mark(&self, rows: &[Seconds]) -> Result<u64, Box<dyn Error>> {
        let mut periods = BTreeMap::<Period, u64>::new();
        for at in rows {
            *periods.entry(self.period(Kind::FiveMinutes, *at)?.0).or_default() += 1;
        }
        let mut batch = WriteBatch::new();
        for &period in periods.keys() {
            batch.put(&self.marks, &Mark { period, by: self.ids.next()? }, &())?;
        }
        batch.write(self.marks.database())?;
        let summed = self.periods.get_many(periods.keys())?;
        Ok(periods.values().zip(summed).filter_map(|(rows, summed)| summed.and(Some(rows))).sum())
    }

    /// Whether no period is marked.
    pub(crate) fn is_done(&self) -> Result<bool, rowkey::Error> {
        Ok(self.marks.first(..)?.is_none())
    }

    /// Sums all periods that are marked. After so many batches it dies: what it was about to write is lost, and it
    /// returns of which period that was.
    pub(crate) fn run(
        &mut self,
        batches: Option<NonZero<u64>>,
        rows: impl Fn(Range<Seconds>) -> Result<Sums, Box<dyn Error>>,
    ) -> Result<Option<Period>, Box<dyn Error>> {
        let mut left = batches.map_or(u64::MAX, NonZero::get);
        while let Some((Mark { period, .. }, ())) = self.marks.first(..)? {
            let marks = self.marks.keys(Mark::prefix().period(period)).collect::<Result<Vec<_>, _>>()?;
            let (_, range) = self.period(period.kind, period.start)?;
            let sums = self.sum(period.kind, range.clone(), &rows)?;
            let mut batch = WriteBatch::new();
            match sums.hits {
                // Of an hour that is of two days, one may have no row.
                0 => batch.delete(&self.periods, &period),
                _ => batch.put(&self.periods, &period, &Postcard(sums))?,
            };
            for period in self.coarser(period.kind, range)? {
                batch.put(&self.marks, &Mark { period, by: self.ids.next()? }, &())?;
            }
            for mark in &marks {
                batch.delete(&self.marks, mark);
            }
            if left == 0 {
                return Ok(Some(period));
            }
            left -= 1;
            self.summed += 1;
            self.again += u64::from(self.periods.get(&period)?.is_some());
            batch.write(self.periods.database())?;
        }
        Ok(None)
    }

    /// The period of this kind that has the instant, and from when to when it is.
    pub(crate) fn period(&self, kind: Kind, at: Seconds) -> Result<(Period, Range<Seconds>), rowkey::TimeError> {
        let of = |start: Seconds, seconds| start..Seconds(start.0 + seconds);
        let date = || civil::date_of(at, &self.zone);
        let range = match kind {
            Kind::FiveMinutes => of(Bucket::<_, 300>::floor(at)?.start(), 300),
            Kind::Hour => of(Bucket::<_, 3600>::floor(at)?.start(), 3600),
            Kind::Day => civil::day(date()?, &self.zone)?,
            Kind::Week => civil::week(date()?, &self.zone)?,
            Kind::Month => civil::month(date()?, &self.zone)?,
        };
        Ok((Period { kind, start: range.start }, range))
    }

    /// The sums of a period: of rows, or of the periods in it.
    fn sum(
        &self,
        kind: Kind,
        range: Range<Seconds>,
        rows: impl Fn(Range<Seconds>) -> Result<Sums, Box<dyn Error>>,
    ) -> Result<Sums, Box<dyn Error>> {
        let on = |seconds| range.start.0 % seconds == 0 && range.end.0 % seconds == 0;
        let parts = match kind {
            Kind::FiveMinutes => return rows(range),
            Kind::Hour => Kind::FiveMinutes,
            Kind::Day if on(3600) => Kind::Hour,
            // Where clocks are not whole hours from UTC; long ago, not even whole minutes.
            Kind::Day if on(300) => Kind::FiveMinutes,
            Kind::Day => return rows(range),
            Kind::Week | Kind::Month => Kind::Day,
        };
        let mut sums = Sums::default();
        for part in self.periods.scan(Period::prefix().kind(parts).start_range(range)) {
            let (_, Postcard(part)) = part?;
            sums.add(part);
        }
        Ok(sums)
    }

    /// The periods that a period is part of. An hour may be of two days.
    fn coarser(&self, kind: Kind, range: Range<Seconds>) -> Result<Vec<Period>, rowkey::TimeError> {
        let last = Seconds(range.end.0 - 1);
        let of = match kind {
            Kind::FiveMinutes => vec![(Kind::Hour, range.start)],
            Kind::Hour => vec![(Kind::Day, range.start), (Kind::Day, last)],
            Kind::Day => vec![(Kind::Week, range.start), (Kind::Month, range.start)],
            Kind::Week | Kind::Month => vec![],
        };
        let mut periods =
            of.into_iter().map(|(kind, at)| Ok(self.period(kind, at)?.0)).collect::<Result<Vec<_>, _>>()?;
        periods.dedup();
        Ok(periods)
    }
}
