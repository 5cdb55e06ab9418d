//! Databases whose transactions have one fault each.

use std::sync::Arc;

use rowkey::store::{Batch, Database, Guarantees, Memory, NewTable, Readable, Store};
use rowkey::{Error, conformance};
use rowkey_testkit::{DatabaseOver, Over, Restrict};

use crate::broken_stores::refused;
use crate::in_between;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    ViewsInTheOrderOfNames,
    BatchesInTheOrderOfNames,
    TableByTable,
    WrittenOnError,
    AbsentTablesForgotten,
    NamedTwiceOnce,
    FirstOfTwoHolds,
    HalfOnError,
    DeclaredButAbsent,
    NotDeclared,
}
use Fault::*;

refused! { Broken::new, database:
    ViewsInTheOrderOfNames => "transaction-across-tables",
    BatchesInTheOrderOfNames => "transaction-across-tables",
    TableByTable => "transaction-across-tables",
    WrittenOnError => "transaction-across-tables",
    AbsentTablesForgotten => "transaction-across-tables",
    NamedTwiceOnce => "transaction-across-tables",
    FirstOfTwoHolds => "transaction-across-tables",
    HalfOnError => "transaction-across-tables",
    DeclaredButAbsent => "transaction-across-tables",
    NotDeclared => "unsupported",
}

/// A [`Memory`] with one fault.
struct Broken {
    inner: Arc<dyn Database>,
    fault: Fault,
}

impl Broken {
    fn new(fault: Fault) -> Over<Self> {
        Over(Self { inner: Arc::new(Memory::new()), fault })
    }

    fn of(&self, table: Result<Arc<dyn Store>, Error>) -> Result<Arc<dyn Store>, Error> {
        let table = table?;
        Ok(if self.fault == NotDeclared { without_transactions(table) } else { table })
    }
}

type Body<'b> = &'b mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>;

impl DatabaseOver for Broken {
    fn inner(&self) -> &Arc<dyn Database> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Database>) -> Self {
        Self { inner, fault: self.fault }
    }

    fn guarantees(&self) -> Guarantees {
        let mut guarantees = self.inner.guarantees();
        guarantees.transactions = self.fault != NotDeclared;
        guarantees
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.of(self.inner.table(name))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.of(self.inner.open_table(name))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.of(self.inner.create_table(name, new))
    }

    fn transact(&self, tables: &[&str], body: Body<'_>) -> Result<(), Error> {
        let mut names = tables.to_vec();
        match self.fault {
            DeclaredButAbsent => return Err(Error::Unsupported("transactions")),
            ViewsInTheOrderOfNames => names.sort_unstable(),
            AbsentTablesForgotten => {
                let there = self.inner.tables()?;
                return self.inner.transact(tables, &mut |views| {
                    let batches = body(views)?.into_iter().zip(tables);
                    let kept = |(batch, name): (Batch, &&str)| match there.iter().any(|table| table == name) {
                        true => batch,
                        false => Batch::new(),
                    };
                    Ok(batches.map(kept).collect())
                });
            }
            BatchesInTheOrderOfNames => {
                return self.inner.transact(tables, &mut |views| {
                    let mut batches: Vec<_> = tables.iter().zip(body(views)?).collect();
                    batches.sort_by_key(|(name, _)| **name);
                    Ok(batches.into_iter().map(|(_, batch)| batch).collect())
                });
            }
            NamedTwiceOnce => {
                names.sort_unstable();
                names.dedup();
                if names.len() == tables.len() {
                    names = tables.to_vec();
                }
            }
            FirstOfTwoHolds => {
                return self.inner.transact(tables, &mut |views| {
                    let mut batches = body(views)?;
                    for later in (1..batches.len()).filter(|&later| tables[..later].contains(&tables[later])) {
                        batches[later] = Batch::new();
                    }
                    Ok(batches)
                });
            }
            WrittenOnError => {
                let mut failed = None;
                self.inner.transact(tables, &mut |views| {
                    Ok(body(views).unwrap_or_else(|error| {
                        failed = Some(error);
                        vec![std::mem::take(Batch::new().put("trace", ""))]
                    }))
                })?;
                return failed.map_or(Ok(()), Err);
            }
            TableByTable => {
                let mut batches = Vec::new();
                self.inner.transact(tables, &mut |views| {
                    batches = body(views)?;
                    batches.iter().try_for_each(Batch::check_keys)?;
                    Ok(Vec::new())
                })?;
                return tables.iter().zip(&batches).try_for_each(|(name, batch)| {
                    in_between();
                    self.inner.table(name)?.write(batch)
                });
            }
            HalfOnError => {
                let mut batches = Vec::new();
                self.inner.transact(tables, &mut |views| {
                    batches = body(views)?;
                    let fine = batches.iter().take_while(|batch| batch.check_keys().is_ok()).cloned();
                    Ok(fine.collect())
                })?;
                return batches.iter().try_for_each(Batch::check_keys);
            }
            NotDeclared => {}
        }
        self.inner.transact(&names, body)
    }
}

fn without_transactions(table: Arc<dyn Store>) -> Arc<dyn Store> {
    let promised = table.guarantees().transactions(false);
    Arc::new(Restrict::store(table, promised))
}
