//! What a database keeps of its tables: a table is not opened as what it is not.

mod at_once;
mod drops;
mod fields;
mod making;
mod names;
mod variants;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rowkey::ids::{NameIds, Snowflake, TWITTER_EPOCH};
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{Batch, Database, NewTable, RowBatch, Rows, Scan};
use rowkey::wide::{
    CellKey, Cells, CellsDatabase, Columns, FamilySchema, Mutation, OneColumn, TableSchema, WideDatabase,
};
use rowkey::{
    Bucket, CursorError, Error, List, Memory, Micros, Millis, Nanos, RowKey, Seconds, Table, WideTable, WriteBatch,
    catalog,
};
use rowkey_testkit::{Altering, Failing, How};

/// Keys of one shape, `(u64, u64)` or the like, which differ in what the shape leaves out.
mod edges {
    use rowkey::RowKey;

    #[derive(RowKey, Debug, PartialEq)]
    pub struct FromTo {
        pub from: u64,
        pub to: u64,
    }
    #[derive(RowKey, Debug, PartialEq)]
    pub struct ToFrom {
        pub to: u64,
        pub from: u64,
    }
    #[derive(RowKey, Debug, PartialEq)]
    pub struct SourceTo {
        pub source: u64,
        pub to: u64,
    }
    #[derive(RowKey, Debug, PartialEq)]
    pub struct Unnamed(pub u64, pub u64);
}
use edges::{FromTo, SourceTo, ToFrom, Unnamed};

mod pad {
    use rowkey::DecodeError;
    use rowkey::encode::{Encoding, Reader, Sink, Writer};

    /// Padded to `N` bytes. Values are no longer than that.
    pub(crate) struct Pad<const N: usize>;

    impl<const N: usize> Encoding<u8> for Pad<N> {
        const SHAPE: &'static str = "pad";
        const PARAMETERS: &'static [u64] = &[N as u64];

        fn encode<S: Sink>(value: &u8, w: &mut Writer<'_, S>) {
            (0..N.saturating_sub(1)).for_each(|_| w.byte(0));
            w.byte(*value);
        }

        fn decode(r: &mut Reader<'_>) -> Result<u8, DecodeError> {
            (0..N.saturating_sub(1)).try_for_each(|_| r.byte().map(drop))?;
            r.byte()
        }
    }

    /// In `N` bytes; 0: in one, which is not stated.
    pub(crate) struct Fixed<const N: usize>;

    impl<const N: usize> Encoding<u8> for Fixed<N> {
        const SHAPE: &'static str = "fixed";
        const WIDTH: Option<usize> = if N > 0 { Some(N) } else { None };

        fn encode<S: Sink>(value: &u8, w: &mut Writer<'_, S>) {
            Pad::<N>::encode(value, w);
        }

        fn decode(r: &mut Reader<'_>) -> Result<u8, DecodeError> {
            Pad::<N>::decode(r)
        }
    }
}
use pad::{Fixed, Pad};

type Row = (Vec<u8>, Vec<u8>);

/// All rows of all tables.
fn dump(db: &dyn Database) -> BTreeMap<String, Vec<Row>> {
    let rows = |name: &String| {
        let (mut scan, mut batch, mut all) = (db.table(name).unwrap().scan(&Scan::all()), RowBatch::new(), Vec::new());
        loop {
            scan.next_batch(&mut batch).unwrap();
            if batch.is_empty() {
                return all;
            }
            all.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        }
    };
    db.tables().unwrap().iter().map(|name| (name.clone(), rows(name))).collect()
}

fn schema() -> TableSchema {
    TableSchema::new().family("a", FamilySchema::new())
}

/// Whether a table that was opened with keys `A` opens with keys `B`: the same as a plain and as a wide one. What is
/// refused changes nothing.
#[track_caller]
fn opens<A: RowKey, B: RowKey>() -> Result<(), String> {
    assert_eq!(A::LAYOUT.shape(), B::LAYOUT.shape());
    let plain = {
        let db = Memory::new();
        Table::<A, (), _>::open(&db, "t").unwrap();
        let before = dump(&db);
        let opened = Table::<B, (), _>::open(&db, "t").map(drop);
        if opened.is_err() {
            assert_eq!(dump(&db), before);
        }
        opened.map_err(|error| {
            assert!(matches!(&error, Error::Fields { table, .. } if table == "t"), "{error:?}");
            error.to_string()
        })
    };
    let db = Memory::new();
    let wide = CellsDatabase::new(&db);
    WideTable::<A, _>::open(&wide, "t", &schema()).unwrap();
    let before = dump(&db);
    match WideTable::<B, _>::open(&wide, "t", &schema()) {
        Ok(_) => assert_eq!(plain, Ok(())),
        Err(error) => {
            assert!(plain.is_err(), "{error}");
            assert!(matches!(error, Error::Schema { .. }), "{error:?}");
            assert_eq!(dump(&db), before);
        }
    }
    plain
}

mod events {
    use rowkey::RowKey;

    #[derive(RowKey, Debug, PartialEq)]
    pub enum Event {
        #[rowkey(tag = 1)]
        Login { user: u32, host: u32 },
        #[rowkey(tag = 2)]
        Logout { user: u32, host: u32 },
    }
    #[derive(RowKey, Debug, PartialEq)]
    pub enum Swapped {
        #[rowkey(tag = 2)]
        Login { user: u32, host: u32 },
        #[rowkey(tag = 1)]
        Logout { user: u32, host: u32 },
    }
    #[derive(RowKey, Debug, PartialEq)]
    pub enum FieldsSwapped {
        #[rowkey(tag = 1)]
        Login { host: u32, user: u32 },
        #[rowkey(tag = 2)]
        Logout { user: u32, host: u32 },
    }
}

mod grown {
    use rowkey::RowKey;

    macro_rules! grown {
        ($key:ident $of:ident { $($variants:tt)* }) => {
            #[derive(RowKey, Debug, Clone, PartialEq)]
            pub struct $key {
                pub n: u8,
                pub of: $of,
            }
            #[derive(RowKey, Debug, Clone, PartialEq)]
            pub enum $of {
                $($variants)*
            }
        };
    }
    grown!(Two OfTwo { #[rowkey(tag = 1)] A, #[rowkey(tag = 2)] B });
    grown!(Three OfThree { #[rowkey(tag = 1)] A, #[rowkey(tag = 2)] B, #[rowkey(tag = 3)] C(u8) });
    #[derive(RowKey, Debug, Clone, PartialEq)]
    pub struct Renamed {
        pub m: u8,
        pub of: OfThree,
    }
    grown!(Four OfFour { #[rowkey(tag = 1)] A, #[rowkey(tag = 2)] B, #[rowkey(tag = 3)] C(u8), #[rowkey(tag = 4)] D });
}
use grown::{Four, OfTwo, Three, Two};
