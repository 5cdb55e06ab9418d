//! The tables, and the writes that touch several of them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use jiff::Timestamp;
use rowkey::nonblocking::{AsyncDatabase, AsyncTable};
use rowkey::store::{Atomicity, CallOptions};
use rowkey::{Bucket, Error, Json, Result, RowKey, TimeError, WriteBatch};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, MutexGuard};

use crate::turn::Turn;

/// A visit, as clients send and get it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Tells visits apart that a visitor made at the same instant, such as the line of a log.
    pub id: u64,
    /// An address, or a host's name.
    pub visitor: String,
    /// When it was.
    pub at: Timestamp,
    /// The request, and the response.
    #[serde(flatten)]
    pub hit: Hit,
}

/// The value of a visit's row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The path, such as `/projects/lamp`.
    pub page: String,
    /// HTTP's status.
    pub status: Option<u16>,
    /// Bytes of the response.
    #[serde(default)]
    pub size: u64,
    /// The page that led here.
    pub referrer: Option<String>,
    /// The program that asked.
    pub agent: Option<String>,
}

/// The visits of a visitor, newest first.
#[derive(RowKey, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ByVisitor {
    visitor: String,
    #[rowkey(desc)]
    at: Timestamp,
    id: u64,
}

/// The visits of a page, newest first.
#[derive(RowKey, Clone, Debug)]
pub(crate) struct ByPage {
    page: String,
    #[rowkey(desc)]
    at: Timestamp,
    visitor: String,
    id: u64,
}

/// A day, in UTC.
pub(crate) type Day = Bucket<Timestamp, 86_400>;

/// The visits of a page on a day.
#[derive(RowKey, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hits {
    pub(crate) page: String,
    pub(crate) day: Day,
}

impl Visit {
    pub(crate) fn of((ByVisitor { visitor, at, id }, Json(hit)): (ByVisitor, Json<Hit>)) -> Self {
        Self { id, visitor, at, hit }
    }
}

impl ByPage {
    fn new(ByVisitor { visitor, at, id }: &ByVisitor, page: &str) -> Self {
        Self { page: page.to_owned(), at: *at, visitor: visitor.clone(), id: *id }
    }

    /// The key of the visit.
    fn visit(&self) -> ByVisitor {
        ByVisitor { visitor: self.visitor.clone(), at: self.at, id: self.id }
    }

    fn counted_by(&self) -> std::result::Result<Hits, TimeError> {
        Ok(Hits { page: self.page.clone(), day: Day::floor(self.at)? })
    }
}

/// Visits of one request, each once, and what counts them.
pub(crate) struct Checked(BTreeMap<ByVisitor, (Hit, Hits)>);

impl Checked {
    pub(crate) fn new(visits: Vec<Visit>) -> std::result::Result<Self, TimeError> {
        let mut checked = BTreeMap::new();
        for Visit { id, visitor, at, hit } in visits {
            let hits = Hits { page: hit.page.clone(), day: Day::floor(at)? };
            checked.entry(ByVisitor { visitor, at, id }).or_insert((hit, hits));
        }
        Ok(Self(checked))
    }
}

/// How many visits of a request were stored, and how many were stored before.
#[derive(Debug, Serialize)]
pub(crate) struct Recorded {
    new: usize,
    known: usize,
}

impl Recorded {
    pub(crate) fn is_new(&self) -> bool {
        self.new > 0
    }
}

/// Marks that are looked up at a time.
const MARKS: usize = 1000;

/// Requests that write visits of one visitor take turns, so that two that send the same visit count it once. Visitors
/// share this many locks.
const LOCKS: u64 = 64;

pub(crate) struct Visits<D> {
    db: D,
    pub(crate) by_visitor: AsyncTable<ByVisitor, Json<Hit>, D>,
    pub(crate) by_page: AsyncTable<ByPage, (), D>,
    pub(crate) hits: AsyncTable<Hits, i64, D>,
    /// Index rows that may not be there, or that their counters may lack.
    uncounted: AsyncTable<ByPage, (), D>,
    /// Whether a batch that spans tables is atomic.
    is_atomic: bool,
    locks: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl<D: AsyncDatabase + Clone> Visits<D> {
    pub(crate) async fn open(db: D) -> Result<Self> {
        let visits = Self {
            by_visitor: AsyncTable::open(db.clone(), "visits").await?,
            by_page: AsyncTable::open(db.clone(), "visits.by_page").await?,
            hits: AsyncTable::open(db.clone(), "hits").await?,
            uncounted: AsyncTable::open(db.clone(), "visits.uncounted").await?,
            is_atomic: db.guarantees().batch == Atomicity::Database,
            db,
            locks: (0..LOCKS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
        };
        visits.recount().await?;
        Ok(visits)
    }

    /// Corrects the index rows and the counters that an earlier process may have left without some visits.
    async fn recount(&self) -> Result<()> {
        let (mut marks, mut wrong) = (Vec::new(), BTreeSet::new());
        let mut uncounted = self.uncounted.keys(..);
        while let Some(mark) = uncounted.next().await {
            marks.push(mark?);
        }
        for marks in marks.chunks(MARKS) {
            let keys: Vec<_> = marks.iter().map(ByPage::visit).collect();
            let stored = keys.iter().zip(self.by_visitor.get_many(&keys).await?);
            let rows = stored.filter_map(|(key, hit)| Some(ByPage::new(key, &hit?.0.page)));
            self.index(rows, &self.db).await?;
            wrong.extend(marks.iter().flat_map(ByPage::counted_by));
        }
        for hits in &wrong {
            // The last day ends before its last second.
            let last = hits.day.at(Duration::new(86_399, 999_999_999)).unwrap_or(Timestamp::MAX);
            let of_day = ByPage::prefix().page(&hits.page).at_range(hits.day.start()..=last);
            let count = i64::try_from(self.by_page.count(of_day).await?).unwrap_or(i64::MAX);
            // By an increment: a put has this process's time, and would hide behind one that a server's clock dates
            // later.
            let counted = self.hits.get(hits).await?.unwrap_or(0);
            self.hits.increment(hits, count - counted).await?;
        }
        self.uncounted.delete_rows(..).await
    }

    async fn index(&self, rows: impl Iterator<Item = ByPage>, db: &(impl AsyncDatabase + ?Sized)) -> Result<()> {
        let mut written = WriteBatch::new();
        for row in rows {
            written.put(&self.by_page, &row, &())?;
        }
        if written.is_empty() { Ok(()) } else { written.write_async(db).await }
    }

    /// Stores visits and counts those that are new. What it waits for before it writes is in the turn's time. Once it
    /// writes, only the turn's token ends it.
    pub(crate) async fn record(&self, Checked(visits): Checked, turn: &Turn) -> Result<Recorded> {
        let _locks = turn.within("write", self.lock(visits.keys())).await?;
        let stored = self.by_visitor.with_options(&turn.options()).get_many(visits.keys()).await?;
        let known = stored.iter().flatten().count();
        if known > 0 && !self.is_atomic {
            let rows =
                visits.keys().zip(&stored).filter_map(|(key, hit)| Some(ByPage::new(key, &hit.as_ref()?.0.page)));
            self.mend(rows.collect(), turn).await?;
        }
        let new = visits.iter().zip(stored).filter(|(_, stored)| stored.is_none()).map(|(visit, _)| visit);

        // One batch if it is atomic. If not, a mark is stored before its visit, and the visit before its index row.
        let step = |number: usize| if self.is_atomic { 0 } else { number };
        let (mut written, mut counted) = ([const { WriteBatch::new() }; 3], WriteBatch::new());
        let mut counts = BTreeMap::<&Hits, i64>::new();
        for (key, (hit, hits)) in new {
            let of_page = ByPage::new(key, &hit.page);
            written[step(0)].put(&self.uncounted, &of_page, &())?;
            written[step(1)].put(&self.by_visitor, key, &Json(hit.clone()))?;
            written[step(2)].put(&self.by_page, &of_page, &())?;
            counted.delete(&self.uncounted, &of_page);
            *counts.entry(hits).or_default() += 1;
        }
        let recorded = Recorded { new: counted.len(), known };
        if recorded.is_new() {
            turn.options().begin("write", self.by_visitor.name())?;
            self.write(&written, &counts, &counted, &turn.options_of_writes()).await?;
        }
        Ok(recorded)
    }

    /// Writes the index rows of stored visits that an earlier request of this process stored and did not index.
    async fn mend(&self, rows: Vec<ByPage>, turn: &Turn) -> Result<()> {
        let marks = self.uncounted.with_options(&turn.options()).get_many(&rows).await?;
        let marked = rows.into_iter().zip(marks).filter_map(|(row, mark)| mark.map(|()| row));
        self.index(marked, &*self.db.with_options(&turn.options_of_writes())).await
    }

    async fn write(
        &self,
        written: &[WriteBatch],
        counts: &BTreeMap<&Hits, i64>,
        counted: &WriteBatch,
        options: &CallOptions,
    ) -> Result<()> {
        let db = self.db.with_options(options);
        for batch in written.iter().filter(|batch| !batch.is_empty()) {
            batch.write_async(&db).await?;
        }
        let counters = self.hits.with_options(options);
        for (hits, count) in counts {
            counters.increment(hits, *count).await?;
        }
        counted.write_async(&db).await
    }

    /// The locks of these visits' visitors, taken in the locks' order, so that no two requests wait for each other.
    async fn lock(&self, visits: impl Iterator<Item = &ByVisitor>) -> Vec<MutexGuard<'_, ()>> {
        let numbers: BTreeSet<_> =
            visits.map(|visit| (self.hasher.hash_one(&visit.visitor) % LOCKS) as usize).collect();
        let mut guards = Vec::new();
        for number in numbers {
            guards.push(self.locks[number].lock().await);
        }
        guards
    }

    /// The visits that these index rows name.
    pub(crate) async fn named_by(&self, rows: &[(ByPage, ())], options: &CallOptions) -> Result<Vec<Visit>> {
        let keys: Vec<_> = rows.iter().map(|(row, ())| row.visit()).collect();
        let hits = self.by_visitor.with_options(options).get_many(&keys).await?;
        let visits = keys.into_iter().zip(hits).map(|(key, hit)| match hit {
            Some(hit) => Ok(Visit::of((key, hit))),
            None => Err(Error::engine(format!("the index has a row without a visit: {key:?}"))),
        });
        visits.collect()
    }
}
