//! The tables, and the writes that touch several of them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use jiff::Timestamp;
use rowkey::nonblocking::{AsyncDatabase, AsyncTable};
use rowkey::store::CallOptions;
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
    /// What was asked, and the response.
    #[serde(flatten)]
    pub hit: Hit,
}

/// What is stored of a visit besides its key.
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

/// Requests that write visits of one visitor take turns, so that two that send the same visit count it once. Visitors share
/// this many locks.
const LOCKS: u64 = 64;

pub(crate) struct Visits<D> {
    db: D,
    pub(crate) by_visitor: AsyncTable<ByVisitor, Json<Hit>, D>,
    pub(crate) by_page: AsyncTable<ByPage, (), D>,
    pub(crate) hits: AsyncTable<Hits, i64, D>,
    /// Index rows that their counters may lack.
    uncounted: AsyncTable<ByPage, (), D>,
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
            db,
            locks: (0..LOCKS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
        };
        visits.recount().await?;
        Ok(visits)
    }

    /// Sets the counters that an earlier process may have left without some visits.
    async fn recount(&self) -> Result<()> {
        let mut wrong = BTreeSet::new();
        let mut uncounted = self.uncounted.keys(..);
        while let Some(row) = uncounted.next().await {
            wrong.extend(row?.counted_by());
        }
        for hits in &wrong {
            // The last day ends before its last second.
            let last = hits.day.at(Duration::new(86_399, 999_999_999)).unwrap_or(Timestamp::MAX);
            let of_day = ByPage::prefix().page(&hits.page).at_range(hits.day.start()..=last);
            let count = self.by_page.count(of_day).await?;
            self.hits.put(hits, &i64::try_from(count).unwrap_or(i64::MAX)).await?;
        }
        self.uncounted.delete_rows(..).await
    }

    /// Stores visits and counts those that are new. What it waits for before it writes is in the turn's time. Once it
    /// writes, only the turn's token ends it.
    pub(crate) async fn record(&self, Checked(visits): Checked, turn: &Turn) -> Result<Recorded> {
        let _locks = turn.within("write", self.lock(visits.keys())).await?;
        let stored = self.by_visitor.with_options(&turn.options()).get_many(visits.keys()).await?;
        let known = stored.iter().flatten().count();
        let new = visits.iter().zip(stored).filter(|(_, stored)| stored.is_none()).map(|(visit, _)| visit);

        let (mut written, mut counted) = (WriteBatch::new(), WriteBatch::new());
        let mut counts = BTreeMap::<&Hits, i64>::new();
        for (key, (hit, hits)) in new {
            let of_page = ByPage::new(key, &hit.page);
            written.put(&self.by_visitor, key, &Json(hit.clone()))?;
            written.put(&self.by_page, &of_page, &())?;
            written.put(&self.uncounted, &of_page, &())?;
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

    async fn write(
        &self,
        written: &WriteBatch,
        counts: &BTreeMap<&Hits, i64>,
        counted: &WriteBatch,
        options: &CallOptions,
    ) -> Result<()> {
        let db = self.db.with_options(options);
        written.write_async(&db).await?;
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
        let keys = rows.iter().map(|(ByPage { at, visitor, id, .. }, ())| ByVisitor {
            visitor: visitor.clone(),
            at: *at,
            id: *id,
        });
        let keys: Vec<_> = keys.collect();
        let hits = self.by_visitor.with_options(options).get_many(&keys).await?;
        let visits = keys.into_iter().zip(hits).map(|(key, hit)| match hit {
            Some(hit) => Ok(Visit::of((key, hit))),
            None => Err(Error::engine(format!("the index has a row without a visit: {key:?}"))),
        });
        visits.collect()
    }
}
