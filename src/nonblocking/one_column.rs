//! Plain tables over asynchronous wide ones.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::stream::Stream;

use super::feed::poll_batch;
use super::{AsyncDatabase, AsyncStore, AsyncWideDatabase, AsyncWideStore, Batches, StoreFuture};
use crate::keys::range::KeyRange;
use crate::store::by_table::{ByTable, in_order};
use crate::store::error::{CommitPoint, Error};
use crate::store::options::Within;
use crate::store::{Batch, CallOptions, DatabaseId, Guarantees, NewTable, RowBatch, Scan, TableId, check_key};
use crate::wide::one_column::{
    added, check_batches, is_gone, known_for, of_column, of_table, one_family, opened, plain_id, plain_names,
    runs_ahead, sum, to_plain, to_values, value, wide_name,
};
use crate::wide::plain_value::{PlainValues, empty_of_others};
use crate::wide::{OneColumn, OneColumnDatabase};

impl<W: AsyncWideStore> AsyncStore for OneColumn<W> {
    fn id(&self) -> &TableId {
        self.id_within(self.wide.id())
    }

    fn options(&self) -> &CallOptions {
        self.wide.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncStore> {
        Arc::new(self.of_handle(self.wide.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        of_column(self.wide.guarantees())
    }

    fn get(&self, key: &[u8]) -> StoreFuture<'_, Option<Vec<u8>>> {
        let key = key.to_vec();
        Box::pin(async move {
            check_key(&key)?;
            Ok(value(&self.wide.get(&key, &self.columns()).await?, PlainValues::of(&self.wide.guarantees())))
        })
    }

    fn get_many(&self, keys: &[&[u8]]) -> StoreFuture<'_, Vec<Option<Vec<u8>>>> {
        let keys: Vec<_> = keys.iter().map(|key| key.to_vec()).collect();
        Box::pin(async move {
            keys.iter().try_for_each(|key| check_key(key))?;
            let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
            let rows = self.wide.get_many(&keys, &self.columns()).await?;
            let values = PlainValues::of(&self.wide.guarantees());
            Ok(rows.iter().map(|row| value(row, values)).collect())
        })
    }

    fn scan(&self, scan: &Scan) -> Batches {
        let cells = self.wide.scan_values(scan, &self.column);
        match PlainValues::of(&self.wide.guarantees()) {
            PlainValues::AsGiven => cells,
            PlainValues::NeverEmpty => {
                Box::pin(Cut { rows: Some(cells), cut: |rows| to_plain(rows, PlainValues::NeverEmpty) })
            }
        }
    }

    fn write(&self, batch: &Batch) -> StoreFuture<'_, ()> {
        let rows = self.mutations(batch, &self.wide.guarantees());
        Box::pin(async move {
            self.id().check_write()?;
            self.wide.mutate_many(&rows?).await.map_err(|error| of_table(self.id(), error))
        })
    }

    fn increment(&self, key: &[u8], by: i64) -> StoreFuture<'_, i64> {
        let key = key.to_vec();
        Box::pin(async move {
            self.id().check_write()?;
            check_key(&key)?;
            if !runs_ahead(&self.wide.guarantees()) {
                return sum(self.wide.increment(&key, &[(self.column.clone(), by)]).await);
            }
            let wide = Within::one_call(&self.wide as &dyn AsyncWideStore);
            let column = self.of_handle(&*wide);
            loop {
                let stored = column.get(&key).await?;
                let sum = added(&key, stored.as_deref(), by)?;
                if column.compare_and_write(&key, stored.as_deref(), Some(&sum.to_be_bytes())).await? {
                    return Ok(sum);
                }
            }
        })
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> StoreFuture<'_, bool> {
        let (key, guarantees) = (key.to_vec(), self.wide.guarantees());
        let (check, mutation) = self.comparison(expected, new, &guarantees);
        let of_others = empty_of_others(&self.column, expected, &guarantees);
        Box::pin(async move {
            self.id().check_write()?;
            check_key(&key)?;
            let Some(check_of_others) = of_others else {
                return self.wide.check_and_mutate(&key, &check, &mutation).await;
            };
            let wide = Within::one_call(&self.wide as &dyn AsyncWideStore);
            Ok(wide.check_and_mutate(&key, &check, &mutation).await?
                || wide.check_and_mutate(&key, &check_of_others, &mutation).await?)
        })
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> StoreFuture<'_, ()> {
        let ranges = ranges.to_vec();
        Box::pin(async move {
            self.id().check_write()?;
            let wide = Within::one_call(&self.wide as &dyn AsyncWideStore);
            let mut batches = wide.scan(&Scan::new(ranges), &self.columns());
            let (commit, table) = (CommitPoint::default(), self.id().name());
            loop {
                let read = poll_fn(|context| poll_batch(&mut batches, context)).await;
                let Some(batch) = commit.outcome(table, read)? else { return Ok(()) };
                let deleted = wide.mutate_many(&self.deletions(&batch)).await;
                let deleted = commit.decided(deleted).map_err(|error| of_table(self.id(), error));
                commit.outcome(table, deleted)?;
                commit.pass();
            }
        })
    }

    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>> {
        self.wide.split_points()
    }
}

/// The rows of one cell each, with the cells' values.
pub(super) fn cut_from_cells(cells: Batches) -> Batches {
    Box::pin(Cut { rows: Some(cells), cut: to_values })
}

/// The rows of a scan, with a part of each value.
struct Cut {
    /// `None` after the end or an error, so that the engine can free what it holds of the scan.
    rows: Option<Batches>,
    cut: fn(&mut RowBatch),
}

impl Stream for Cut {
    type Item = Result<RowBatch, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(rows) = &mut self.rows else { return Poll::Ready(None) };
        match ready!(rows.as_mut().poll_next(context)) {
            Some(Ok(mut batch)) => {
                (self.cut)(&mut batch);
                Poll::Ready(Some(Ok(batch)))
            }
            end => {
                self.rows = None;
                Poll::Ready(end)
            }
        }
    }
}

impl<W: AsyncWideDatabase> AsyncDatabase for OneColumnDatabase<W> {
    fn id(&self) -> DatabaseId {
        plain_id(self.wide.id())
    }

    fn options(&self) -> &CallOptions {
        self.wide.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncDatabase> {
        Arc::new(OneColumnDatabase { wide: self.wide.with_options(options) })
    }

    fn guarantees(&self) -> Guarantees {
        of_column(self.wide.guarantees())
    }

    fn table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let name = name.to_owned();
        Box::pin(async move {
            let wide = self.wide.table(&wide_name(&name), &one_family()).await;
            Ok(Arc::new(opened(self.id(), &name, wide)?) as Arc<dyn AsyncStore>)
        })
    }

    fn open_table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let name = name.to_owned();
        Box::pin(async move {
            let wide = self.wide.open_table(&wide_name(&name), &one_family()).await;
            Ok(Arc::new(opened(self.id(), &name, wide)?) as Arc<dyn AsyncStore>)
        })
    }

    fn create_table(&self, name: &str, new: &NewTable) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let (name, new) = (name.to_owned(), new.clone());
        Box::pin(async move {
            let wide = self.wide.create_table(&wide_name(&name), &one_family(), &new).await;
            Ok(Arc::new(opened(self.id(), &name, wide)?) as Arc<dyn AsyncStore>)
        })
    }

    fn tables(&self) -> StoreFuture<'_, Vec<String>> {
        Box::pin(async move { Ok(plain_names(self.wide.tables().await?)) })
    }

    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()> {
        let name = name.to_owned();
        Box::pin(async move {
            self.id().check_write([name.as_str()])?;
            self.wide.drop_table(&wide_name(&name)).await
        })
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> StoreFuture<'_, ()> {
        let batches: Vec<_> = batches.iter().map(|&(name, batch)| (name.to_owned(), batch.clone())).collect();
        Box::pin(async move {
            let batches: Vec<_> = batches.iter().map(|(name, batch)| (name.as_str(), batch)).collect();
            self.id().check_write(batches.iter().map(|&(name, _)| name))?;
            check_batches(&batches, self.wide.guarantees())?;
            // All tables are created, or none is, before anything is written.
            let wide = Within::one_call(&self.wide as &dyn AsyncWideDatabase);
            let open = |name| {
                let (wide, id) = (&wide, self.id());
                async move { opened(id, name, wide.table(&wide_name(name), &one_family()).await) }
            };
            let mut tables = BTreeMap::new();
            for &(name, batch) in &batches {
                let known = known_for(batch, || wide.opened_table(&wide_name(name), &one_family()));
                let table = match known {
                    Some(known) => (opened(self.id(), name, Ok(known))?, true),
                    None => (open(name).await?, false),
                };
                tables.insert(name, table);
            }
            let mut report = ByTable::new(&batches);
            for (name, batch) in in_order(&batches) {
                let Some((table, is_known)) = tables.get(name) else { continue };
                let written = match table.write(batch).await {
                    Err(error) if *is_known && is_gone(&error) => match open(name).await {
                        Ok(table) => table.write(batch).await,
                        Err(error) => Err(error),
                    },
                    written => written,
                };
                report.add(name, batch, written)?;
            }
            report.into_result()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;
    use crate::wide::{Cell, push_cell};

    /// Yields what it is given, and is not to be polled after its last item.
    struct Given(std::vec::IntoIter<Option<Result<RowBatch, Error>>>);

    impl Stream for Given {
        type Item = Result<RowBatch, Error>;

        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Ready(self.0.next().expect("an item is left"))
        }
    }

    fn polled(given: Vec<Option<Result<RowBatch, Error>>>) -> Vec<Option<Result<RowBatch, Error>>> {
        let items = given.len() + 2;
        let mut values = cut_from_cells(Box::pin(Given(given.into_iter())));
        let mut next = || match values.as_mut().poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(item) => item,
            Poll::Pending => panic!("it waits for nothing"),
        };
        (0..items).map(|_| next()).collect()
    }

    #[test]
    fn empty_batches_pass_and_nothing_comes_after_the_end_or_an_error() {
        let mut cells = Vec::new();
        push_cell(&mut cells, &Cell { family: "v", qualifier: b"", timestamp: 1, value: b"value" }).unwrap();
        let mut rows = RowBatch::new();
        rows.push(b"key", &cells);
        let row = |item: &Option<Result<RowBatch, Error>>| match item {
            Some(Ok(batch)) => {
                Some(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect::<Vec<_>>())
            }
            _ => None,
        };
        let due = Some(vec![(b"key".to_vec(), b"value".to_vec())]);
        let ended = polled(vec![Some(Ok(RowBatch::new())), Some(Ok(rows.clone())), None]);
        assert_eq!(ended.iter().map(row).collect::<Vec<_>>(), [Some(Vec::new()), due.clone(), None, None, None]);
        assert!(ended[2..].iter().all(Option::is_none));
        let failed = polled(vec![Some(Ok(rows)), Some(Err(Error::engine("it is cut")))]);
        assert_eq!(row(&failed[0]), due);
        assert!(matches!(failed[1], Some(Err(_))) && failed[2..].iter().all(Option::is_none));
    }
}
