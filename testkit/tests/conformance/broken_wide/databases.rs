//! Databases of wide tables with one fault each.

use std::sync::Arc;

use rowkey::store::NewTable;
use rowkey::wide::{CellsDatabase, Change, TableSchema, WideDatabase, WideStore};
use rowkey::{Error, Memory, conformance};
use rowkey_testkit::{Over, WideDatabaseOver};

use crate::broken_wide::refused;
use crate::in_between;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    OtherSchemaTaken,
    SchemaForgotten,
    AlterTellsNothing,
    AlterOfAbsentMakesIt,
    EachOpeningAnotherTable,
    ListUnsorted,
    DropKeepsRows,
    OpenMakesIt,
    OpenTakesOtherSchema,
    CreateOpensExisting,
    CreateTwice,
    SplitPointsUnchecked,
}
use Fault::*;

refused! { |fault: Fault| conformance::wide_database(move || Over(Broken(Arc::new(CellsDatabase::new(Memory::new())), fault)));
    OtherSchemaTaken => "other-schema",
    SchemaForgotten => "schema-kept",
    AlterTellsNothing => "alter",
    AlterOfAbsentMakesIt => "alter-refused",
    EachOpeningAnotherTable => "one-table",
    ListUnsorted => "tables",
    DropKeepsRows => "drop-table",
    OpenMakesIt => "open-absent",
    OpenTakesOtherSchema => "other-schema",
    CreateOpensExisting => "create-existing",
    CreateTwice => "create-once",
    SplitPointsUnchecked => "create-refused",
}

/// A [`CellsDatabase`] with one fault.
struct Broken(Arc<dyn WideDatabase>, Fault);

impl WideDatabaseOver for Broken {
    fn inner(&self) -> &Arc<dyn WideDatabase> {
        &self.0
    }

    fn over(&self, inner: Arc<dyn WideDatabase>) -> Self {
        Self(inner, self.1)
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        match self.1 {
            EachOpeningAnotherTable if self.0.schema(name)?.is_some() => {
                CellsDatabase::new(Memory::new()).table(name, schema)
            }
            OtherSchemaTaken => match self.0.schema(name)? {
                Some(stored) => self.0.table(name, &stored),
                None => self.0.table(name, schema),
            },
            _ => self.0.table(name, schema),
        }
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        match self.1 {
            OpenMakesIt => self.0.table(name, schema),
            OpenTakesOtherSchema => match self.0.schema(name)? {
                Some(stored) => self.0.open_table(name, &stored),
                None => self.0.open_table(name, schema),
            },
            _ => self.0.open_table(name, schema),
        }
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        let absent = self.0.schema(name)?.is_none();
        match self.1 {
            CreateOpensExisting if !absent => self.0.table(name, schema),
            CreateTwice if absent => {
                new.check(name, &[])?;
                in_between();
                self.0.table(name, schema)
            }
            SplitPointsUnchecked => self.0.create_table(name, schema, &new.clone().split_at([""; 0])),
            _ => self.0.create_table(name, schema, new),
        }
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        if self.1 == SchemaForgotten { Ok(None) } else { self.0.schema(name) }
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        if self.1 == AlterOfAbsentMakesIt && self.0.schema(name)?.is_none() {
            self.0.table(name, schema)?;
        }
        let changes = self.0.alter(name, schema)?;
        Ok(if self.1 == AlterTellsNothing { Vec::new() } else { changes })
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let mut names = self.0.tables()?;
        if self.1 == ListUnsorted {
            names.reverse();
        }
        Ok(names)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        if self.1 == DropKeepsRows { Ok(()) } else { self.0.drop_table(name) }
    }
}
