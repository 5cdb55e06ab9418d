//! Wide stores and databases whose handles with options have one fault each.

use std::sync::Arc;

use rowkey::store::{CallOptions, NewTable, RowBatch, Rows, Scan, TableId};
use rowkey::wide::{
    CellsDatabase, Change, Column, Columns, Condition, Mutation, Row, TableSchema, WideDatabase, WideGuarantees,
    WideStore,
};
use rowkey::{Error, Memory};
use rowkey_testkit::{Over, WideDatabaseOver};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    OptionsForgotten,
    CancelIgnored,
    GetUnbounded,
    GetManyUnbounded,
    ExistsUnbounded,
    FirstUnbounded,
    ScanUnbounded,
    ScanCheckedWhenOpened,
    MutateUnbounded,
    MutateManyUnbounded,
    IncrementUnbounded,
    CheckUnbounded,
    WrittenAndRefused,
    TablesUnbounded,
    OpeningUnbounded,
    StrictOpeningUnbounded,
    CreationUnbounded,
    SchemaUnbounded,
    AlterUnbounded,
    ListUnbounded,
    DropUnbounded,
}
use Fault::*;

mod stores {
    use rowkey::conformance;

    use super::{Broken, Fault};
    use crate::broken_wide::refused;

    refused! { |fault: Fault| conformance::wide(move |schema| Broken::new(fault, schema));
        OptionsForgotten => "deadline",
        CancelIgnored => "cancel",
        GetUnbounded => "deadline",
        GetManyUnbounded => "deadline",
        ExistsUnbounded => "deadline",
        FirstUnbounded => "deadline",
        ScanUnbounded => "deadline",
        ScanCheckedWhenOpened => "cancel",
        MutateUnbounded => "deadline",
        MutateManyUnbounded => "deadline",
        IncrementUnbounded => "deadline",
        CheckUnbounded => "deadline",
        WrittenAndRefused => "deadline",
    }
}

mod databases {
    use rowkey::conformance;

    use super::{BrokenDatabase, Fault};
    use crate::broken_wide::refused;

    refused! { |fault: Fault| conformance::wide_database(move || BrokenDatabase::new(fault));
        OptionsForgotten => "deadline",
        TablesUnbounded => "deadline",
        OpeningUnbounded => "deadline",
        StrictOpeningUnbounded => "deadline",
        CreationUnbounded => "deadline",
        SchemaUnbounded => "deadline",
        AlterUnbounded => "deadline",
        ListUnbounded => "deadline",
        DropUnbounded => "deadline",
        CancelIgnored => "cancel",
    }
}

/// The options without their token, by the fault that forgets it.
fn left_of(fault: Fault, options: &CallOptions) -> CallOptions {
    match options.begin("test", "t") {
        Ok(call) if fault == CancelIgnored => {
            call.remaining().map_or(CallOptions::new(), |left| CallOptions::new().timeout(left))
        }
        _ => options.clone(),
    }
}

/// A wide table with one fault.
struct Broken {
    fault: Fault,
    /// The table without options, and with them.
    plain: Arc<dyn WideStore>,
    bounded: Arc<dyn WideStore>,
    options: CallOptions,
}

impl Broken {
    fn new(fault: Fault, schema: &TableSchema) -> Self {
        let plain = CellsDatabase::new(Memory::new()).table("t", schema).unwrap();
        Self { fault, bounded: Arc::clone(&plain), plain, options: CallOptions::new() }
    }

    fn inner(&self, unbounded: Fault) -> &Arc<dyn WideStore> {
        if self.fault == unbounded { &self.plain } else { &self.bounded }
    }
}

impl WideStore for Broken {
    fn id(&self) -> &TableId {
        self.plain.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        let options = if self.fault == OptionsForgotten { CallOptions::none() } else { options };
        Arc::new(Self {
            fault: self.fault,
            plain: Arc::clone(&self.plain),
            bounded: self.plain.with_options(&left_of(self.fault, options)),
            options: options.clone(),
        })
    }

    fn guarantees(&self) -> WideGuarantees {
        self.plain.guarantees()
    }

    fn schema(&self) -> &TableSchema {
        self.plain.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        self.inner(GetUnbounded).get(row, columns)
    }

    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
        self.inner(GetManyUnbounded).get_many(rows, columns)
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        if self.fault == ScanCheckedWhenOpened && self.options.begin("scan", "t").is_ok() {
            return Box::new(Whole::read(&*self.bounded, scan, columns));
        }
        self.inner(ScanUnbounded).scan(scan, columns)
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        if self.fault == WrittenAndRefused && self.options.begin("mutation", "t").is_err() {
            self.plain.mutate(row, mutation)?;
        }
        self.inner(MutateUnbounded).mutate(row, mutation)
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        self.inner(MutateManyUnbounded).mutate_many(rows)
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        self.inner(IncrementUnbounded).increment(row, counters)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        self.inner(CheckUnbounded).check_and_mutate(row, check, mutation)
    }

    fn exists(&self, row: &[u8]) -> Result<bool, Error> {
        self.inner(ExistsUnbounded).exists(row)
    }

    fn first_at_or_after(&self, row: &[u8], columns: &Columns) -> Result<Option<(Vec<u8>, Row)>, Error> {
        self.inner(FirstUnbounded).first_at_or_after(row, columns)
    }
}

/// A scan whose batches are all read when it is opened.
struct Whole(std::vec::IntoIter<Result<RowBatch, Error>>);

impl Whole {
    fn read(store: &dyn WideStore, scan: &Scan, columns: &Columns) -> Self {
        let (mut rows, mut batches) = (store.scan(scan, columns), Vec::new());
        loop {
            let mut batch = RowBatch::new();
            match rows.next_batch(&mut batch) {
                Ok(()) if batch.is_empty() => return Self(batches.into_iter()),
                Ok(()) => batches.push(Ok(batch)),
                Err(error) => {
                    batches.push(Err(error));
                    return Self(batches.into_iter());
                }
            }
        }
    }
}

impl Rows for Whole {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        *batch = self.0.next().transpose()?.unwrap_or_default();
        Ok(())
    }
}

/// Wide tables with one fault.
struct BrokenDatabase {
    fault: Fault,
    plain: Arc<dyn WideDatabase>,
    bounded: Arc<dyn WideDatabase>,
    options: CallOptions,
}

impl BrokenDatabase {
    fn new(fault: Fault) -> Over<Self> {
        let plain: Arc<dyn WideDatabase> = Arc::new(CellsDatabase::new(Memory::new()));
        Over(Self { fault, bounded: Arc::clone(&plain), plain, options: CallOptions::new() })
    }

    fn handle(&self, unbounded: Fault) -> &Arc<dyn WideDatabase> {
        if self.fault == unbounded { &self.plain } else { &self.bounded }
    }
}

impl WideDatabaseOver for BrokenDatabase {
    fn inner(&self) -> &Arc<dyn WideDatabase> {
        &self.plain
    }

    fn over(&self, handle: Arc<dyn WideDatabase>) -> Self {
        let options = if self.fault == OptionsForgotten { CallOptions::none() } else { handle.options() };
        Self {
            fault: self.fault,
            plain: Arc::clone(&self.plain),
            bounded: self.plain.with_options(&left_of(self.fault, options)),
            options: options.clone(),
        }
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        match self.fault {
            TablesUnbounded => {
                self.options.begin("opening", name)?;
                self.plain.table(name, schema)
            }
            OpeningUnbounded => Ok(self.plain.table(name, schema)?.with_options(&self.options)),
            // The law of tables is not the one that is to name it.
            CancelIgnored => Ok(self.bounded.table(name, schema)?.with_options(&self.options)),
            _ => self.bounded.table(name, schema),
        }
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        self.handle(StrictOpeningUnbounded).open_table(name, schema)
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        self.handle(CreationUnbounded).create_table(name, schema, new)
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        self.handle(SchemaUnbounded).schema(name)
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        self.handle(AlterUnbounded).alter(name, schema)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.handle(ListUnbounded).tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.handle(DropUnbounded).drop_table(name)
    }
}
