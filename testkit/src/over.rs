//! Stores and databases over another one. They define only the methods in which they differ from it.

use std::sync::Arc;

use rowkey::store::{
    Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, Rows, Scan, Store, TableId,
};
use rowkey::wide::{Change, TableSchema, WideDatabase, WideGuarantees, WideStore};
use rowkey::{Error, KeyRange};

/// An engine made of a [`StoreOver`], a [`DatabaseOver`] or a [`WideDatabaseOver`].
pub struct Over<T>(pub T);

/// The trait `$over`, whose methods call the engine beneath by default, and `$engine` for an [`Over`] of it.
macro_rules! over {
    ($(#[$doc:meta])* $over:ident: $engine:ident;
    $(impl $trait:ident {
        $(with_options -> $handle:ident;)?
        $(fn $method:ident(&$self:ident $(, $argument:ident: $type:ty)* $(,)?) -> $returned:ty;)*
    })*) => {
        $(#[$doc])*
        #[expect(missing_docs, reason = "the methods are the engine's")]
        pub trait $over: Sized + Send + Sync + 'static {
            /// The engine beneath.
            fn inner(&self) -> &Arc<dyn $engine>;

            /// The same over another handle of the engine beneath.
            fn over(&self, inner: Arc<dyn $engine>) -> Self;

            $($(fn $method(&$self $(, $argument: $type)*) -> $returned {
                $trait::$method(&**$self.inner() $(, $argument)*)
            })*)*
        }

        $(impl<T: $over> $trait for Over<T> {
            $(fn with_options(&self, options: &CallOptions) -> Arc<dyn $handle> {
                Arc::new(Self(self.0.over(self.0.inner().with_options(options))))
            })?

            $(fn $method(&$self $(, $argument: $type)*) -> $returned {
                $over::$method(&$self.0 $(, $argument)*)
            })*
        })*
    };
}

over! {
    /// A store over another one. `Store::get_many` calls `get`.
    StoreOver: Store;
    impl Readable {
        fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error>;
        fn scan(&self, scan: &Scan) -> Box<dyn Rows>;
    }
    impl Store {
        with_options -> Store;
        fn id(&self) -> &TableId;
        fn options(&self) -> &CallOptions;
        fn guarantees(&self) -> Guarantees;
        fn write(&self, batch: &Batch) -> Result<(), Error>;
        fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error>;
        fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error>;
        fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error>;
        fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error>;
        fn split_points(&self) -> Result<Vec<Vec<u8>>, Error>;
    }
}

type Body<'b> = &'b mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>;

over! {
    /// A database over another one.
    DatabaseOver: Database;
    impl Database {
        with_options -> Database;
        fn id(&self) -> DatabaseId;
        fn options(&self) -> &CallOptions;
        fn guarantees(&self) -> Guarantees;
        fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;
        fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error>;
        fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error>;
        fn tables(&self) -> Result<Vec<String>, Error>;
        fn drop_table(&self, name: &str) -> Result<(), Error>;
        fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error>;
        fn transact(&self, tables: &[&str], body: Body<'_>) -> Result<(), Error>;
    }
}

over! {
    /// A database of wide tables over another one.
    WideDatabaseOver: WideDatabase;
    impl WideDatabase {
        with_options -> WideDatabase;
        fn id(&self) -> DatabaseId;
        fn options(&self) -> &CallOptions;
        fn guarantees(&self) -> WideGuarantees;
        fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;
        fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error>;
        fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error>;
        fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error>;
        fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error>;
        fn tables(&self) -> Result<Vec<String>, Error>;
        fn drop_table(&self, name: &str) -> Result<(), Error>;
    }
}
