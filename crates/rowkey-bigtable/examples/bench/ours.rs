//! The tables of this crate.

use std::sync::Arc;

use futures_util::stream::{StreamExt, TryStreamExt, iter};
use rowkey::Error;
use rowkey::nonblocking::AsyncWideTable;
use rowkey::wide::{Columns, Mutation, Row};
use rowkey_bigtable::Bigtable;

use crate::{
    AT, Answer, COUNT, Contender, Counted, Failure, IN_FLIGHT, NOTE, ROWS_A_REQUEST, Visit, Work, schema, some, timed,
};

#[derive(Clone)]
pub(crate) struct Ours {
    db: Bigtable,
    visits: Arc<[Visit]>,
}

type Visits = AsyncWideTable<Visit, Bigtable>;

/// Walks all cells of a row.
fn walk(row: &Row) -> Counted {
    Counted { rows: usize::from(!row.is_empty()), bytes: row.cells().map(|cell| cell.value.len()).sum() }
}

impl Ours {
    pub(crate) fn new(db: Bigtable, visits: Arc<[Visit]>) -> Self {
        Self { db, visits }
    }

    async fn write(table: &Visits, visits: &[Visit]) -> Result<(), Error> {
        let row = |visit| (visit, Mutation::new().put_at("d:count", AT, COUNT).put_at("d:note", AT, NOTE));
        table.mutate_many(visits.iter().map(row)).await
    }

    async fn load(self, table: Visits) -> Result<Counted, Failure> {
        let calls: Vec<_> = self.visits.chunks(ROWS_A_REQUEST).map(|visits| Self::write(&table, visits)).collect();
        iter(calls).buffer_unordered(IN_FLIGHT).try_collect::<()>().await?;
        Ok(Counted { rows: self.visits.len(), bytes: 0 })
    }

    async fn load_at_once(self, table: Visits) -> Result<Counted, Failure> {
        Self::write(&table, &self.visits).await?;
        Ok(Counted { rows: self.visits.len(), bytes: 0 })
    }

    async fn scan(table: Visits) -> Result<Counted, Failure> {
        let mut counted = Counted::default();
        let mut rows = table.scan(.., Columns::all());
        while let Some(row) = rows.next().await {
            counted.add(walk(&row?.1));
        }
        Ok(counted)
    }

    async fn gets(self, table: Visits) -> Result<Counted, Failure> {
        let mut counted = Counted::default();
        for visit in some(&self.visits) {
            counted.add(walk(&table.get(visit, &Columns::all()).await?));
        }
        Ok(counted)
    }

    async fn many(self, table: Visits) -> Result<Counted, Failure> {
        let rows = table.get_many(some(&self.visits), &Columns::all()).await?;
        let mut counted = Counted::default();
        rows.iter().for_each(|row| counted.add(walk(row)));
        Ok(counted)
    }
}

impl Contender for Ours {
    fn name(&self) -> String {
        "rowkey".into()
    }

    fn run<'a>(&'a mut self, work: Work, table: &'a str) -> Answer<'a> {
        Box::pin(async move {
            let table = Visits::open_existing(self.db.clone(), table, &schema()).await?;
            let this = self.clone();
            match work {
                Work::Load => timed(this.load(table)).await,
                Work::LoadAtOnce => timed(this.load_at_once(table)).await,
                Work::Scan | Work::Whole => timed(Self::scan(table)).await,
                Work::Gets => timed(this.gets(table)).await,
                Work::Many => timed(this.many(table)).await,
            }
        })
    }
}
