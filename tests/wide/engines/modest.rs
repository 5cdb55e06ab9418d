//! Stores that promise nothing pass, if they refuse what they do not promise.

use std::sync::Arc;

use rowkey::store::{CallOptions, RowBatch, Rows, Scan, TableId};
use rowkey::wide::{
    Column, Columns, Condition, Edit, Mutation, Row, TableSchema, Timestamps, WideGuarantees, WideStore,
};
use rowkey::{Error, conformance};

/// A store that has no operation but those that all have.
struct Modest<W> {
    inner: W,
    timestamps: Option<Timestamps>,
}

impl<W: WideStore> Modest<W> {
    fn check(&self, mutation: &Mutation) -> Result<(), Error> {
        for edit in mutation.edits() {
            match edit {
                Edit::DeleteVersion { at: None, .. } => {
                    return Err(Error::Unsupported("deletes of the newest version"));
                }
                Edit::DeleteFamily { until: Some(_), .. } | Edit::DeleteRow { until: Some(_) } => {
                    return Err(Error::Unsupported("deletes of families up to a timestamp"));
                }
                _ if edit.timestamp().is_some() && self.timestamps.is_none() => {
                    return Err(Error::Unsupported("timestamps"));
                }
                _ => {}
            }
        }
        self.timestamps.map_or(Ok(()), |timestamps| timestamps.check(mutation))
    }
}

impl<W: WideStore> WideStore for Modest<W> {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        Arc::new(Modest { inner: self.inner.with_options(options), timestamps: self.timestamps })
    }

    fn guarantees(&self) -> WideGuarantees {
        let mut guarantees = WideGuarantees::none();
        guarantees.timestamps = self.timestamps;
        guarantees
    }

    fn schema(&self) -> &TableSchema {
        self.inner.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        self.inner.get(row, columns)
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        if columns.piece.is_some() && columns.rows_where.is_some() {
            return Box::new(Refused);
        }
        self.inner.scan(scan, columns)
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        self.check(mutation)?;
        self.inner.mutate(row, mutation)
    }

    fn increment(&self, _: &[u8], _: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        Err(Error::Unsupported("counters"))
    }

    fn check_and_mutate(&self, _: &[u8], _: &Condition, _: &Mutation) -> Result<bool, Error> {
        Err(Error::Unsupported("checks"))
    }
}

struct Refused;

impl Rows for Refused {
    fn next_batch(&mut self, _: &mut RowBatch) -> Result<(), Error> {
        Err(Error::Unsupported("pieces under a condition"))
    }
}

fn pass<W: WideStore>(make: impl Fn(&TableSchema) -> W) {
    conformance::wide(|schema| Modest { inner: make(schema), timestamps: None });
    conformance::wide(|schema| {
        let inner = make(schema);
        Modest { timestamps: inner.guarantees().timestamps, inner }
    });
}

#[test]
fn cells() {
    pass(crate::engines::cells);
}

#[test]
fn hbase() {
    pass(crate::engines::hbase);
}

#[test]
fn bigtable() {
    pass(crate::engines::bigtable);
}
