//! The tables: visits by user, an index by page, counters of pages.

use std::sync::Arc;

use rowkey::nonblocking::{AsyncDatabase, AsyncTable, TableStream};
use rowkey::store::CallOptions;
use rowkey::table::Page;
use rowkey::{Cursor, CursorError, Result, RowKey, WriteBatch};
use serde::{Deserialize, Serialize};

/// A visit, by user, newest first.
#[derive(RowKey, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64, // Unix milliseconds
    page: String,
}

/// The same by page.
#[derive(RowKey, Clone, Debug)]
struct ByPage {
    page: String,
    #[rowkey(desc)]
    at: i64, // Unix milliseconds
    user: String,
}

type Engine = Arc<dyn AsyncDatabase>;

#[derive(Clone)]
pub(crate) struct Visits {
    db: Engine,
    by_user: AsyncTable<Visit, (), Engine>,
    by_page: AsyncTable<ByPage, (), Engine>,
    hits: AsyncTable<String, i64, Engine>,
    /// The visits that are in the counters.
    counted: AsyncTable<Visit, (), Engine>,
}

/// Visits, and the text of the cursor to the next ones.
#[derive(Serialize)]
pub(crate) struct Visited {
    visits: Vec<Visit>,
    next: Option<String>,
}

impl Visits {
    pub(crate) async fn open(db: Engine) -> Result<Self> {
        let by_user = AsyncTable::open(Arc::clone(&db), "visits").await?;
        let by_page = AsyncTable::open(Arc::clone(&db), "visits.by_page").await?;
        let hits = AsyncTable::open(Arc::clone(&db), "hits").await?;
        let counted = AsyncTable::open(Arc::clone(&db), "visits.counted").await?;
        Ok(Self { db, by_user, by_page, hits, counted })
    }

    /// For one request.
    pub(crate) fn with_options(&self, options: &CallOptions) -> Self {
        Self {
            db: self.db.with_options(options),
            by_user: self.by_user.with_options(options),
            by_page: self.by_page.with_options(options),
            hits: self.hits.with_options(options),
            counted: self.counted.with_options(options),
        }
    }

    /// Writes a visit. Returns whether it is new.
    pub(crate) async fn add(&self, visit: &Visit) -> Result<bool> {
        let Visit { user, at, page } = visit.clone();
        let mut batch = WriteBatch::new();
        batch.put(&self.by_user, visit, &())?;
        batch.put(&self.by_page, &ByPage { page: page.clone(), at, user }, &())?;
        batch.write_async(&self.db).await?;
        let mut is_new = false;
        let counted = self.counted.update(visit, |before| {
            is_new = before.is_none();
            Some(())
        });
        counted.await?;
        if is_new {
            self.hits.increment(&page, 1).await?;
        }
        Ok(is_new)
    }

    pub(crate) async fn of_user(&self, user: &str, rows: usize, after: Option<Cursor>) -> Result<Visited> {
        let page = self.by_user.scan(Visit::prefix().user(user)).after(after).page(rows).await?;
        Ok(visited(page, |visit| visit))
    }

    pub(crate) async fn of_page(&self, page: &str, rows: usize, after: Option<Cursor>) -> Result<Visited> {
        let page = self.by_page.scan(ByPage::prefix().page(page)).after(after).page(rows).await?;
        Ok(visited(page, |ByPage { page, at, user }| Visit { user, at, page }))
    }

    pub(crate) async fn hits(&self, page: &str) -> Result<i64> {
        Ok(self.hits.get(&page.to_owned()).await?.unwrap_or(0))
    }

    pub(crate) fn export(&self, user: &str) -> TableStream<Visit, ()> {
        self.by_user.scan(Visit::prefix().user(user))
    }
}

fn visited<K>(page: Page<K, ()>, visit: impl Fn(K) -> Visit) -> Visited {
    let next = page.next.map(|cursor| cursor.to_string());
    Visited { visits: page.rows.into_iter().map(|(key, ())| visit(key)).collect(), next }
}

/// The cursor of a text that a client sent.
pub(crate) fn cursor(text: Option<&str>) -> Result<Option<Cursor>, CursorError> {
    text.map(str::parse).transpose()
}
