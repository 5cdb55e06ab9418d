//! Stores and databases whose handles with options have one fault each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rowkey::store::{
    Batch, CallOptions, Database, Guarantees, Memory, NewTable, Readable, RowBatch, Rows, Scan, Store, TableId,
};
use rowkey::{Error, KeyRange};
use rowkey_testkit::{DatabaseOver, Over};

use crate::broken_stores::table;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    OptionsForgotten,
    OptionsKept,
    OptionsOfAll,
    DeadlineIgnored,
    TimeoutIgnored,
    GetUnbounded,
    GetManyUnbounded,
    ScanUnbounded,
    WriteUnbounded,
    IncrementUnbounded,
    CompareUnbounded,
    DeleteRangesUnbounded,
    TransactUnbounded,
    WrittenAndRefused,
    AnotherError,
    CancelIgnored,
    ScanCheckedWhenOpened,
    ScanGoesOnAfterTheError,
    BodyNotChecked,
    WaitsOn,
    TransactWaitsOn,
    WaitsWhenCancelled,
    LateAfterAPanic,
    TablesUnbounded,
    OpeningUnbounded,
    StrictOpeningUnbounded,
    CreationUnbounded,
    ListUnbounded,
    DropUnbounded,
    WriteAcrossUnbounded,
    TransactAcrossUnbounded,
    WriteAcrossWaitsOn,
}
use Fault::*;

pub(crate) mod stores {
    use rowkey::conformance;

    use super::{Broken, Fault};
    use crate::broken_stores::{refused, waiting};

    refused! { Broken::new, store:
        OptionsForgotten => "deadline",
        OptionsKept => "deadline",
        OptionsOfAll => "deadline",
        DeadlineIgnored => "deadline",
        TimeoutIgnored => "deadline",
        GetUnbounded => "deadline",
        GetManyUnbounded => "deadline",
        ScanUnbounded => "deadline",
        WriteUnbounded => "deadline",
        IncrementUnbounded => "deadline",
        CompareUnbounded => "deadline",
        DeleteRangesUnbounded => "deadline",
        TransactUnbounded => "deadline",
        WrittenAndRefused => "deadline",
        AnotherError => "deadline",
        CancelIgnored => "cancel",
        ScanCheckedWhenOpened => "cancel",
        ScanGoesOnAfterTheError => "deadline",
        BodyNotChecked => "cancel",
    }

    waiting! { Broken::new, store:
        WaitsOn => "waits-in-bounds",
        TransactWaitsOn => "waits-in-bounds",
        WaitsWhenCancelled => "waits-in-bounds",
        LateAfterAPanic => "waits-in-bounds",
    }
}

pub(crate) mod databases {
    use rowkey::conformance;

    use super::{BrokenDatabase, Fault};
    use crate::broken_stores::{refused, waiting};

    refused! { BrokenDatabase::new, database:
        OptionsForgotten => "deadline",
        TablesUnbounded => "deadline",
        OpeningUnbounded => "deadline",
        StrictOpeningUnbounded => "deadline",
        CreationUnbounded => "deadline",
        ListUnbounded => "deadline",
        DropUnbounded => "deadline",
        WriteAcrossUnbounded => "deadline",
        TransactAcrossUnbounded => "deadline",
        CancelIgnored => "cancel",
        BodyNotChecked => "cancel",
    }

    waiting! { BrokenDatabase::new, database:
        WriteAcrossWaitsOn => "waits-in-bounds",
    }
}

/// The options that are left by a fault that forgets one of them. Their values are seen by the calls that they let
/// through.
fn without(fault: Fault, options: &CallOptions) -> CallOptions {
    let call = options.begin("test", "t");
    let remaining = call.as_ref().ok().and_then(|call| call.remaining());
    match (fault, call) {
        (DeadlineIgnored, Err(Error::DeadlineExceeded { .. })) => CallOptions::new(),
        // Time-outs of the suite are shorter than its deadlines, where it gives both.
        (TimeoutIgnored, Err(_)) if format!("{options:?}").contains("timeout: Some(0ns)") => CallOptions::new(),
        (CancelIgnored, Ok(_)) => remaining.map_or(CallOptions::new(), |left| CallOptions::new().timeout(left)),
        _ => options.clone(),
    }
}

/// Returns whether only a token ends a call with these options.
fn is_cancelled_only(options: &CallOptions) -> bool {
    !options.is_unbounded() && options.begin("test", "t").is_ok_and(|call| call.remaining().is_none())
}

/// A table of a [`Memory`] with one fault.
struct Broken {
    fault: Fault,
    /// The table without options, and with them.
    plain: Arc<dyn Store>,
    bounded: Arc<dyn Store>,
    options: CallOptions,
    cancelled_only: bool,
    /// True while the body of a transaction runs, and after it has panicked.
    body_runs: Arc<AtomicBool>,
    /// Options that one handle was given, for all.
    last: Arc<std::sync::Mutex<CallOptions>>,
}

impl Broken {
    fn new(fault: Fault) -> Self {
        let plain = table();
        Self {
            fault,
            bounded: Arc::clone(&plain),
            plain,
            options: CallOptions::new(),
            cancelled_only: false,
            body_runs: Arc::default(),
            last: Arc::default(),
        }
    }

    fn inner(&self, unbounded: Fault) -> Arc<dyn Store> {
        match self.fault {
            OptionsOfAll => self.plain.with_options(&self.last.lock().unwrap()),
            fault if fault == unbounded => Arc::clone(&self.plain),
            _ => Arc::clone(&self.bounded),
        }
    }

    /// The store of a write that may have to wait.
    fn writing(&self, unbounded: Fault, doing: &'static str) -> Result<Arc<dyn Store>, Error> {
        match self.fault {
            WaitsOn => {
                self.options.begin(doing, self.id().name())?;
                Ok(Arc::clone(&self.plain))
            }
            WaitsWhenCancelled if self.cancelled_only && self.body_runs.load(Ordering::SeqCst) => {
                Ok(Arc::clone(&self.plain))
            }
            LateAfterAPanic if self.body_runs.load(Ordering::SeqCst) && !self.options.is_unbounded() => {
                let call = self.options.begin(doing, self.id().name())?;
                call.sleep(Duration::from_secs(60))?;
                Ok(Arc::clone(&self.bounded))
            }
            AnotherError => {
                let late = self.options.begin(doing, self.id().name());
                late.map_err(|_| Error::engine("it is late"))?;
                Ok(Arc::clone(&self.bounded))
            }
            _ => Ok(self.inner(unbounded)),
        }
    }
}

impl Readable for Broken {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.inner(GetUnbounded).get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        match self.fault {
            ScanCheckedWhenOpened => match self.options.begin("scan", self.id().name()) {
                Ok(_) => self.plain.scan(scan),
                Err(_) => self.bounded.scan(scan),
            },
            ScanGoesOnAfterTheError => Box::new(GoesOn(self.options.clone(), self.plain.scan(scan), false)),
            _ => self.inner(ScanUnbounded).scan(scan),
        }
    }
}

impl Store for Broken {
    fn id(&self) -> &TableId {
        self.plain.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        let options = match self.fault {
            OptionsForgotten => CallOptions::none(),
            OptionsKept if !self.options.is_unbounded() => &self.options,
            _ => options,
        };
        options.clone_into(&mut self.last.lock().unwrap());
        Arc::new(Self {
            fault: self.fault,
            plain: Arc::clone(&self.plain),
            bounded: self.plain.with_options(&without(self.fault, options)),
            options: options.clone(),
            cancelled_only: is_cancelled_only(options),
            body_runs: Arc::clone(&self.body_runs),
            last: Arc::clone(&self.last),
        })
    }

    fn guarantees(&self) -> Guarantees {
        self.plain.guarantees()
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        self.inner(GetManyUnbounded).get_many(keys)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        if self.fault == WrittenAndRefused {
            self.plain.write(batch)?;
        }
        self.writing(WriteUnbounded, "write")?.write(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.writing(IncrementUnbounded, "increment")?.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.writing(CompareUnbounded, "compare-and-write")?.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.writing(DeleteRangesUnbounded, "deletion of ranges")?.delete_ranges(ranges)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let store = match self.fault {
            BodyNotChecked | TransactWaitsOn => {
                self.options.begin("transaction", self.id().name())?;
                Arc::clone(&self.plain)
            }
            _ => self.writing(TransactUnbounded, "transaction")?,
        };
        let call = self.options.clone();
        store.transact(&mut |view| {
            self.body_runs.store(true, Ordering::SeqCst);
            let batch = body(view);
            self.body_runs.store(false, Ordering::SeqCst);
            if matches!(self.fault, WaitsOn | TransactWaitsOn) {
                call.begin("transaction", "")?;
            }
            batch
        })
    }
}

/// A scan that goes on after its error.
struct GoesOn(CallOptions, Box<dyn Rows>, bool);

impl Rows for GoesOn {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        match self.0.begin("scan", "t") {
            Err(error) if !self.2 => {
                self.2 = true;
                Err(error)
            }
            _ => self.1.next_batch(batch),
        }
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.1.skip_to(key);
    }
}

/// A [`Memory`] with one fault.
struct BrokenDatabase {
    fault: Fault,
    plain: Arc<dyn Database>,
    bounded: Arc<dyn Database>,
    options: CallOptions,
}

impl BrokenDatabase {
    fn new(fault: Fault) -> Over<Self> {
        let plain: Arc<dyn Database> = Arc::new(Memory::new());
        Over(Self { fault, bounded: Arc::clone(&plain), plain, options: CallOptions::new() })
    }

    fn handle(&self, unbounded: Fault) -> &Arc<dyn Database> {
        if self.fault == unbounded { &self.plain } else { &self.bounded }
    }
}

impl DatabaseOver for BrokenDatabase {
    fn inner(&self) -> &Arc<dyn Database> {
        &self.plain
    }

    fn over(&self, handle: Arc<dyn Database>) -> Self {
        let options = if self.fault == OptionsForgotten { CallOptions::none() } else { handle.options() };
        Self {
            fault: self.fault,
            plain: Arc::clone(&self.plain),
            bounded: self.plain.with_options(&without(self.fault, options)),
            options: options.clone(),
        }
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        match self.fault {
            TablesUnbounded => {
                self.options.begin("opening", name)?;
                self.plain.table(name)
            }
            OpeningUnbounded => Ok(self.plain.table(name)?.with_options(&self.options)),
            // The law of tables is not the one that is to name it.
            CancelIgnored => Ok(self.bounded.table(name)?.with_options(&self.options)),
            _ => self.bounded.table(name),
        }
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.handle(StrictOpeningUnbounded).open_table(name)
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.handle(CreationUnbounded).create_table(name, new)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.handle(ListUnbounded).tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.handle(DropUnbounded).drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        if self.fault == WriteAcrossWaitsOn {
            self.options.begin("write", "")?;
            return self.plain.write(batches);
        }
        self.handle(WriteAcrossUnbounded).write(batches)
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        if self.fault == BodyNotChecked {
            self.options.begin("transaction", "")?;
            return self.plain.transact(tables, body);
        }
        self.handle(TransactAcrossUnbounded).transact(tables, body)
    }
}
