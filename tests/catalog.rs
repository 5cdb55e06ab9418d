//! What a database keeps of its tables: a table is not opened as what it is not.

mod failing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use failing::{Failing, How};
use rowkey::ids::{NameIds, Snowflake, TWITTER_EPOCH};
use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{Batch, Database, DatabaseId, RowBatch, Rows, Scan};
use rowkey::wide::{
    CellKey, Cells, CellsDatabase, Change, Columns, FamilySchema, Mutation, OneColumn, TableSchema, WideDatabase,
    WideGuarantees, WideStore,
};
use rowkey::{
    Bucket, CursorError, Error, List, Memory, Micros, Millis, Nanos, RowKey, Seconds, Table, WideTable, catalog,
};

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
}
use pad::Pad;

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

/// Whether a table that was opened with keys `A` opens with keys `B`: the same as a plain and as a wide one. What is refused
/// changes nothing.
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

macro_rules! keys {
    ($($name:ident($field:ident: $ty:ty);)*) => {$(
        #[derive(RowKey, Debug, PartialEq)]
        struct $name {
            $field: $ty,
        }
    )*};
}

#[test]
fn a_permutation_and_another_name_are_refused() {
    let told = opens::<FromTo, ToFrom>().unwrap_err();
    assert!(told.contains(r#""to" stands where the table has "from": put the fields back"#), "{told}");
    assert!(!told.contains("rename_field"), "{told}");
    let told = opens::<FromTo, SourceTo>().unwrap_err();
    assert!(
        told.contains(
            r#""from" of the table is "source" in the program: if it is the same field, rename_field("from", "source")"#
        ),
        "{told}"
    );
    opens::<FromTo, FromTo>().unwrap();
    // Fields without names are taken for any, and get those that come.
    opens::<FromTo, Unnamed>().unwrap();
    opens::<Unnamed, FromTo>().unwrap();
    let db = Memory::new();
    Table::<Unnamed, (), _>::open(&db, "t").unwrap();
    Table::<FromTo, (), _>::open(&db, "t").unwrap();
    Table::<Unnamed, (), _>::open(&db, "t").unwrap();
    assert!(matches!(Table::<ToFrom, (), _>::open(&db, "t"), Err(Error::Fields { .. })));

    keys! {
        Id(id: u64);
        Nested(edge: FromTo);
        NestedOther(edge: ToFrom);
        Listed(edges: List<Option<FromTo>>);
        ListedOther(edges: List<Option<ToFrom>>);
    }
    opens::<u64, Id>().unwrap();
    opens::<Id, u64>().unwrap();
    opens::<Nested, NestedOther>().unwrap_err();
    let told = opens::<Listed, ListedOther>().unwrap_err();
    assert!(told.contains(r#""to" stands where the table has "edges.from""#), "{told}");
    opens::<List<Option<FromTo>>, List<Option<ToFrom>>>().unwrap_err();
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

#[test]
fn variants_have_names_too() {
    use events::{Event, FieldsSwapped, Swapped};
    let told = opens::<Event, Swapped>().unwrap_err();
    assert!(told.contains(r#""Logout" stands where the table has "Login""#), "{told}");
    let told = opens::<Event, FieldsSwapped>().unwrap_err();
    assert!(told.contains(r#""host" stands where the table has "Login.user""#), "{told}");
}

#[test]
fn another_unit_is_refused() {
    keys! {
        InSeconds(at: Seconds);
        InMillis(at: Millis);
        InMicros(at: Micros);
        InNanos(at: Nanos);
        Plain(at: i64);
        Maybe(at: Option<Seconds>);
        MaybeMillis(at: Option<Millis>);
        Pair(at: (u8, Seconds));
        PairMillis(at: (u8, Millis));
        Hours(at: Bucket<Seconds, 3600>);
        Days(at: Bucket<Seconds, 86_400>);
        MilliHours(at: Bucket<Millis, 3600>);
        Id(id: Snowflake);
        OtherId(id: Snowflake<{ TWITTER_EPOCH + 1 }>);
    }
    let told = opens::<InSeconds, InMillis>().unwrap_err();
    assert!(told.contains("field \"at\" has seconds in the table and milliseconds in the program: keep"), "{told}");
    opens::<InMillis, InSeconds>().unwrap_err();
    opens::<InMicros, InNanos>().unwrap_err();
    opens::<Seconds, Millis>().unwrap_err();
    opens::<Maybe, MaybeMillis>().unwrap_err();
    opens::<Pair, PairMillis>().unwrap_err();
    opens::<Hours, Days>().unwrap_err();
    opens::<Hours, InSeconds>().unwrap_err();
    opens::<Hours, MilliHours>().unwrap_err();
    opens::<Id, OtherId>().unwrap_err();
    // A plain number says nothing of a unit; once one is known, it holds.
    opens::<Plain, InMillis>().unwrap();
    opens::<InMillis, Plain>().unwrap();
    let db = Memory::new();
    Table::<Plain, (), _>::open(&db, "t").unwrap();
    Table::<InMillis, (), _>::open(&db, "t").unwrap();
    assert!(matches!(Table::<InSeconds, (), _>::open(&db, "t"), Err(Error::Fields { .. })));
}

#[test]
fn another_parameter_of_an_encoding_is_refused() {
    #[derive(RowKey, Debug, PartialEq)]
    struct Eight(#[rowkey(with = Pad::<8>)] u8);
    #[derive(RowKey, Debug, PartialEq)]
    struct Four(#[rowkey(with = Pad::<4>)] u8);
    let told = opens::<Eight, Four>().unwrap_err();
    assert!(told.contains("has parameters(8) in the table and parameters(4) in the program"), "{told}");
    opens::<Four, Four>().unwrap();
}

#[test]
fn a_rename_is_one_call() {
    let db = Memory::new();
    let edges: Table<FromTo, (), _> = Table::open(&db, "t").unwrap();
    edges.put(&FromTo { from: 1, to: 2 }, &()).unwrap();
    catalog::rename_field(&db, "t", "from", "source").unwrap();
    let renamed: Table<SourceTo, (), _> = Table::open(&db, "t").unwrap();
    assert_eq!(renamed.keys(..).next().unwrap().unwrap(), SourceTo { source: 1, to: 2 });
    // Programs from before go on, and it is still no permutation.
    Table::<FromTo, (), _>::open(&db, "t").unwrap();
    assert!(matches!(Table::<ToFrom, (), _>::open(&db, "t"), Err(Error::Fields { .. })));
    // There and back.
    catalog::rename_field(&db, "t", "source", "from").unwrap();
    Table::<SourceTo, (), _>::open(&db, "t").unwrap();

    for (field, name, told) in [
        ("nothing", "x", "there is no field \"nothing\", there is from, to"),
        ("from", "to", "\"to\" is, or was, the name of another field beside \"from\""),
        ("to", "source", "\"source\" is, or was, the name of another field beside \"to\""),
        ("from", "", "a name is not empty"),
        ("from", "a b", "\"a b\" is not a name"),
    ] {
        let error = catalog::rename_field(&db, "t", field, name).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
    assert!(matches!(catalog::rename_field(&db, "other", "from", "x"), Err(Error::NoSuchTable(_))));

    Table::<events::Event, (), _>::open(&db, "events").unwrap();
    catalog::rename_field(&db, "events", "Login.user", "account").unwrap();
    catalog::rename_field(&db, "events", "Login", "SignIn").unwrap();
    let kept = db.table("rowkey.layouts").unwrap().get(b"fevents").unwrap().unwrap();
    let kept = String::from_utf8(kept).unwrap();
    assert_eq!(kept, "0 _\n0#1 SignIn|Login\n0#1.0 account|user\n0#1.1 host\n0#2 Logout\n0#2.0 user\n0#2.1 host\n");

    let wide = CellsDatabase::new(&db);
    WideTable::<FromTo, _>::open(&wide, "wide", &schema()).unwrap();
    assert!(WideTable::<SourceTo, _>::open(&wide, "wide", &schema()).is_err());
    WideTable::<FromTo, _>::rename_field(&&wide, "wide", "from", "source").unwrap();
    for _ in 0..2 {
        WideTable::<SourceTo, _>::open(&wide, "wide", &schema()).unwrap();
        WideTable::<FromTo, _>::open(&wide, "wide", &schema()).unwrap();
        assert!(WideTable::<ToFrom, _>::open(&wide, "wide", &schema()).is_err());
        // Its families change, and what is known of the names stays.
        WideTable::<SourceTo, _>::alter(&&wide, "wide", &schema().family("b", FamilySchema::new())).unwrap();
        WideTable::<SourceTo, _>::open(&wide, "wide", &schema().family("b", FamilySchema::new())).unwrap();
        assert!(WideTable::<SourceTo, _>::open(&wide, "wide", &schema()).is_err());
        wide.drop_table("wide").unwrap();
        WideTable::<FromTo, _>::open(&wide, "wide", &schema()).unwrap();
        WideTable::<FromTo, _>::rename_field(&&wide, "wide", "from", "source").unwrap();
    }
    assert!(WideTable::<FromTo, _>::rename_field(&&wide, "wide", "nothing", "x").is_err());
}

#[test]
fn a_table_from_before_is_taken_as_it_is_and_completed() {
    let db = Memory::new();
    let kept = db.table("rowkey.layouts").unwrap();
    kept.write(Batch::new().put("tt", "u64, u64")).unwrap();
    db.table("t").unwrap().write(Batch::new().put([0; 16], [0; 8])).unwrap();
    let table: Table<FromTo, i64, _> = Table::open(&db, "t").unwrap();
    assert_eq!(table.get(&FromTo { from: 0, to: 0 }).unwrap(), Some(0));
    assert!(matches!(Table::<ToFrom, i64, _>::open(&db, "t"), Err(Error::Fields { .. })));
    assert!(matches!(Table::<FromTo, String, _>::open(&db, "t"), Err(Error::ValueCodec { .. })));

    let entries = "bytes, (text, enum{1: (i64 desc), 2: (bytes, (i64 desc, enum{1: (), 2: (), 3: ()}))})";
    let of_wide = "row key: u64, u64\nfamily a: max versions 1\n";
    kept.write(Batch::new().put("twide", entries).put("wwide", of_wide)).unwrap();
    let wide = CellsDatabase::new(&db);
    WideTable::<FromTo, _>::open(&wide, "wide", &schema()).unwrap();
    assert!(matches!(WideTable::<ToFrom, _>::open(&wide, "wide", &schema()), Err(Error::Schema { .. })));
    let rows = ["twide", "wwide"].map(|key| String::from_utf8(kept.get(key.as_bytes()).unwrap().unwrap()).unwrap());
    assert_eq!(rows, [entries, of_wide], "what was kept before is as it was");
    // Its entries have keys of their own.
    Table::<CellKey<'_>, Vec<u8>, _>::open(&db, "wide").unwrap();
    assert!(matches!(WideTable::<ToFrom, _>::open(&wide, "wide", &schema()), Err(Error::Schema { .. })));
}

#[test]
fn what_is_kept_is_as_written_down() {
    let db = Memory::new();
    #[derive(RowKey)]
    struct Visit {
        host: String,
        at: Option<Millis>,
        hour: Bucket<Seconds, 3600>,
        event: events::Event,
        #[rowkey(with = Pad::<8>)]
        pad: u8,
        r#type: (u8, Snowflake),
    }
    Table::<Visit, String, _>::open(&db, "visits").unwrap();
    let kept = |key: &str| {
        db.table("rowkey.layouts").unwrap().get(key.as_bytes()).unwrap().map(|row| String::from_utf8(row).unwrap())
    };
    let fields = "\
0 host
1 at milliseconds
2 hour bucket(3600) seconds
3 event
3#1 Login
3#1.0 user
3#1.1 host
3#2 Logout
3#2.0 user
3#2.1 host
4 pad parameters(8)
5 type
5.0 _
5.1 _ snowflake(1288834974657)
";
    assert_eq!(kept("fvisits").as_deref(), Some(fields));
    assert_eq!(kept("vvisits").as_deref(), Some("text"));
    assert_eq!(kept("bvisits"), None);
    Table::<grown::Two, (), _>::open(&db, "grown").unwrap();
    Table::<grown::Three, (), _>::open(&db, "grown").unwrap();
    Table::<grown::Four, (), _>::open(&db, "grown").unwrap();
    assert_eq!(kept("bgrown").as_deref(), Some("u8, enum{1: (), 2: ()}\nu8, enum{1: (), 2: (), 3: (u8)}\n"));
    assert_eq!(kept("vgrown"), None);
    Table::<grown::Four, (), _>::open(&db, "grown").unwrap().drop_table().unwrap();
    assert!(!dump(&db)["rowkey.layouts"].iter().any(|(key, _)| key.ends_with(b"grown")));
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

#[test]
fn cursors_from_before_a_variant_was_added_go_on() {
    let db = Memory::new();
    let two: Table<Two, (), _> = Table::open(&db, "t").unwrap();
    (0..10).try_for_each(|n| two.put(&Two { n, of: OfTwo::B }, &())).unwrap();
    let of_two = two.scan(..).page(3).unwrap().next.unwrap();
    let three: Table<Three, (), _> = Table::open(&db, "t").unwrap();
    let of_three = three.scan(..).page(3).unwrap().next.unwrap();
    let four: Table<Four, (), _> = Table::open(&db, "t").unwrap();
    let of_four = four.scan(..).page(3).unwrap().next.unwrap();
    for cursor in [&of_two, &of_three, &of_four] {
        let page = four.scan(..).after(cursor.clone()).page(3).unwrap();
        assert_eq!(page.rows.iter().map(|(key, ())| key.n).collect::<Vec<_>>(), [3, 4, 5]);
    }
    // A program that began before does not know the later ones, and no other table's are taken.
    assert!(matches!(three.scan(..).after(of_four).page(3), Err(Error::Cursor(CursorError::OtherLayout { .. }))));
    let other: Table<Four, (), _> = Table::open(&db, "other").unwrap();
    assert!(matches!(other.scan(..).after(of_two).page(3), Err(Error::Cursor(CursorError::OtherLayout { .. }))));

    let wide = CellsDatabase::new(Memory::new());
    let two: WideTable<Two, _> = WideTable::open(&wide, "t", &schema()).unwrap();
    (0..10).try_for_each(|n| two.mutate(&Two { n, of: OfTwo::B }, &Mutation::new().put("a:q", ""))).unwrap();
    let of_two = two.scan(.., Columns::all()).page(3).unwrap().next.unwrap();
    WideTable::<Three, _>::open(&wide, "t", &schema()).unwrap();
    for _ in 0..2 {
        let four: WideTable<Four, _> = WideTable::open(&wide, "t", &schema()).unwrap();
        let page = four.scan(.., Columns::all()).after(of_two.clone()).page(3).unwrap();
        assert_eq!(page.rows.iter().map(|(key, _)| key.n).collect::<Vec<_>>(), [3, 4, 5]);
    }
}

#[test]
fn checks_of_a_secondary_table_from_before_a_variant_was_added_go_on() {
    use std::ops::ControlFlow::Break;

    let db = Memory::new();
    let mut two = Primary::<Two, u64, _>::open(&db, "t").unwrap();
    let by_value = two.secondary("t.by_value", |key: &Two, value: &u64| [((*value, key.clone()), ())]).unwrap();
    (0..10).try_for_each(|n| two.put(&Two { n, of: OfTwo::A }, &1)).unwrap();
    let stopped = [0, 1].map(|passes| {
        let mut left = passes;
        let report = by_value.verify().batch_rows(4).run(|progress| {
            if left > 0 && progress.next.as_ref().is_some_and(|next| next.pass() == 1) {
                return std::ops::ControlFlow::Continue(());
            }
            left -= 1;
            Break(())
        });
        report.unwrap().next.unwrap()
    });
    let mut three = Primary::<Three, u64, _>::open(&db, "t").unwrap();
    let by_value = three.secondary("t.by_value", |key: &Three, value: &u64| [((*value, key.clone()), ())]).unwrap();
    for checkpoint in stopped {
        let report = by_value.verify().after(checkpoint).run(|_| std::ops::ControlFlow::Continue(())).unwrap();
        assert!(report.is_clean() && report.next.is_none(), "{report:?}");
    }
}

#[test]
fn jobs_of_a_migration_from_before_a_variant_was_added_go_on() {
    use std::ops::ControlFlow::{Break, Continue};

    type Of<K> = Migration<K, (), (u64, K), (), Memory>;
    fn open<K: rowkey::OwnedKey + rowkey::encode::OwnedField + Clone + 'static>(db: &Memory) -> Of<K> {
        let keys = Conversion::keys(|key: K| (7_u64, key), |(_, key): (u64, K)| key);
        Migration::open(db.clone(), "m", "old", "new", keys).unwrap()
    }

    let db = Memory::new();
    let two: Table<Two, (), _> = Table::open(&db, "old").unwrap();
    (0..10).try_for_each(|n| two.put(&Two { n, of: OfTwo::A }, &())).unwrap();
    let stopped = open::<Two>(&db).backfill().batch_rows(4).run(|_| Break(())).unwrap();
    assert!(!stopped.complete);
    assert!(open::<Three>(&db).backfill().run(|_| Continue(())).unwrap().complete);
    // Both passes of a verification.
    let mut passes = 0;
    open::<Three>(&db)
        .verify()
        .batch_rows(4)
        .run(|_| {
            passes += 1;
            if passes == 5 { Break(()) } else { Continue(()) }
        })
        .unwrap();
    let report = open::<Four>(&db).verify().run(|_| Continue(())).unwrap();
    assert!(report.complete && report.differences == 0, "{report:?}");
}

#[test]
fn values_of_another_codec_are_refused() {
    let db = Memory::new();
    let counts: Table<u8, i64, _> = Table::open(&db, "t").unwrap();
    counts.put(&1, &7).unwrap();
    let error = Table::<u8, String, _>::open(&db, "t").unwrap_err();
    assert!(
        matches!(&error, Error::ValueCodec { table, stored, given } if (&**table, &**stored, &**given) == ("t", "i64", "text")),
        "{error:?}"
    );
    assert!(Table::<u8, u64, _>::open(&db, "t").is_err());
    // As bytes, and for its keys alone, any table opens.
    assert_eq!(Table::<u8, Vec<u8>, _>::open(&db, "t").unwrap().get(&1).unwrap(), Some(vec![0, 0, 0, 0, 0, 0, 0, 7]));
    assert_eq!(Table::<u8, (), _>::open(&db, "t").unwrap().keys(..).count(), 1);
    assert!(matches!(catalog::change_codec::<u64>(&db, "other"), Err(Error::NoSuchTable(_))));
    catalog::change_codec::<u64>(&db, "t").unwrap();
    assert!(Table::<u8, i64, _>::open(&db, "t").is_err());
    assert_eq!(Table::<u8, u64, _>::open(&db, "t").unwrap().get(&1).unwrap(), Some(7));
    catalog::change_codec::<Vec<u8>>(&db, "t").unwrap();
    Table::<u8, i64, _>::open(&db, "t").unwrap();
    // A secondary table's values are its claims.
    let mut primary = Primary::<u8, i64, _>::open(&db, "t").unwrap();
    primary.secondary("t.by_value", |key: &u8, value: &i64| [((*value, *key), ())]).unwrap();
    assert!(matches!(Table::<(i64, u8), String, _>::open(&db, "t.by_value"), Err(Error::ValueCodec { .. })));
}

#[test]
fn reserved_names_are_refused() {
    let reserved = |error: Error| assert!(matches!(error, Error::ReservedName(_)), "{error:?}");
    let memory = Memory::new();
    let over_wide = OneColumn::database(CellsDatabase::new(Memory::new()));
    let dbs: [&dyn Database; 2] = [&memory, &over_wide];
    for name in ["rowkey.layouts", "rowkey.migrations", "rowkey.plain.layouts", "rowkey.plain.migrations", "rowkey."] {
        for db in dbs {
            reserved(Table::<u8, (), _>::open(db, name).unwrap_err());
            reserved(Primary::<u8, (), _>::open(db, name).unwrap_err());
            let mut primary = Primary::<u8, (), _>::open(db, "t").unwrap();
            reserved(primary.secondary(name, |key: &u8, (): &()| [(*key, ())]).unwrap_err());
            reserved(Cells::open(db, name, &schema()).unwrap_err());
            reserved(match NameIds::<3>::open(db, name, "kind").unwrap_err() {
                rowkey::ids::IdError::Store(error) => error,
                other => panic!("{other:?}"),
            });
            let wide = CellsDatabase::new(db);
            reserved(WideTable::<u8, _>::open(&wide, name, &schema()).unwrap_err());
            let same = || Conversion::keys(|key: u8| key, |key: u8| key);
            reserved(Migration::<u8, (), u8, (), _>::open(db, "m", name, "new", same()).unwrap_err());
            reserved(Migration::<u8, (), u8, (), _>::open(db, "n", "old", name, same()).unwrap_err());
        }
    }
    // Over wide tables the engine's own names lead nowhere else: what the crate keeps there stays whole.
    let kept = dump(&over_wide)["rowkey.layouts"].clone();
    let table = over_wide.table("rowkey.plain.layouts").unwrap();
    table.write(Batch::new().put("tt", "stray")).unwrap();
    assert_eq!(dump(&over_wide)["rowkey.layouts"], kept);
    let names = over_wide.tables().unwrap();
    assert!(names.contains(&"rowkey.plain.layouts".to_owned()) && names.contains(&"rowkey.layouts".to_owned()));
}

/// Migrations of plain tables over wide ones stand beside those of a plain database that has the cells.
#[test]
fn what_is_kept_over_wide_tables_stands_beside_what_is_kept_beneath() {
    let memory = Memory::new();
    let over_wide = OneColumn::database(CellsDatabase::new(memory.clone()));
    let same = || Conversion::keys(|key: u8| u16::from(key), |key: u16| key as u8);
    Migration::<u8, (), u16, (), _>::open(&memory, "m", "old", "new", same()).unwrap();
    let kept = dump(&memory)["rowkey.migrations"].clone();
    let migration =
        Migration::<u8, (), u16, (), _>::open(&over_wide, "m", "old of wide", "new of wide", same()).unwrap();
    migration.put(&7, &()).unwrap();
    assert_eq!(dump(&memory)["rowkey.migrations"], kept);
}

/// Killed at any operation, a drop is finished by whoever opens the table next: with another layout, without rows.
#[test]
fn a_drop_that_is_killed_is_finished() {
    for applied in [false, true] {
        for transactions in [false, true] {
            let how = How { reads: false, applied, transactions, compare_and_write: true };
            for second in 0..8 {
                let (mut killed, mut after) = (true, 0);
                while killed {
                    let memory = Memory::new();
                    let table: Table<FromTo, i64, _> = Table::open(memory.clone(), "t").unwrap();
                    table.put(&FromTo { from: 1, to: 2 }, &1).unwrap();
                    Table::<u8, i64, _>::open(&memory, "other").unwrap().put(&1, &1).unwrap();
                    let dying = Failing::new(&memory, how, after);
                    // It may be killed while it is opened, then nothing is dropped.
                    killed = match Table::<FromTo, i64, _>::open(dying, "t") {
                        Ok(table) => table.drop_table().is_err(),
                        Err(_) => true,
                    };
                    let begun = memory.table("rowkey.layouts").unwrap().get(b"xt").unwrap().is_some();
                    let dropped =
                        begun || !killed || memory.table("rowkey.layouts").unwrap().get(b"tt").unwrap().is_none();
                    // Whoever finishes it can be killed, too.
                    drop(Table::<(i8, i8), String, _>::open(Failing::new(&memory, how, second), "t"));
                    let opened = Table::<(i8, i8), String, _>::open(&memory, "t");
                    assert_eq!(opened.is_ok(), dropped, "killed after {after}, {second}: {:?}", dump(&memory));
                    if let Ok(opened) = opened {
                        assert_eq!(opened.count(..).unwrap(), 0);
                    } else {
                        assert_eq!(table.count(..).unwrap(), 1);
                    }
                    assert_eq!(Table::<u8, i64, _>::open(&memory, "other").unwrap().get(&1).unwrap(), Some(1));
                    after += 1;
                }
                assert!(after > 3);
            }
        }
    }
}

#[test]
fn a_drop_of_a_wide_table_that_is_killed_is_finished() {
    let how = How { reads: false, applied: false, transactions: true, compare_and_write: true };
    let (mut killed, mut after) = (true, 0);
    while killed {
        let memory = Memory::new();
        let wide = CellsDatabase::new(memory.clone());
        let table: WideTable<FromTo, _> = WideTable::open(&wide, "t", &schema()).unwrap();
        table.mutate(&FromTo { from: 1, to: 2 }, &Mutation::new().put("a:q", "v")).unwrap();
        killed = CellsDatabase::new(Failing::new(&memory, how, after)).drop_table("t").is_err();
        let other = TableSchema::new().family("b", FamilySchema::new().ttl(Duration::from_secs(9)));
        let dropped = after > 0;
        match WideTable::<u32, _>::open(&wide, "t", &other) {
            Ok(table) => assert_eq!((table.count(..).unwrap(), dropped), (0, true)),
            Err(error) => assert!(!dropped, "killed after {after}: {error}"),
        }
        after += 1;
    }
    assert!(after > 3);
}

/// Whatever stands in the catalog, a table opens or says why it does not.
#[test]
fn rows_of_the_catalog_that_are_not_valid_are_errors() {
    for garbage in [&b""[..], b"\xff", b"\n", b"0", b"0 \xff\n", b"enum{", b"u64, u64\0"] {
        for kind in *b"tfbvwFB" {
            for compare_and_write in [false, true] {
                let memory = Memory::new();
                let kept = memory.table("rowkey.layouts").unwrap();
                kept.write(Batch::new().put([kind, b't'], garbage).put([kind, b'w'], garbage)).unwrap();
                let how = How { reads: false, applied: false, transactions: false, compare_and_write };
                let db = Failing::never(&memory, how);
                let plain = Table::<FromTo, i64, _>::open(db.clone(), "t").map(drop);
                let said = format!("{kind:?} {garbage:?}: {plain:?}");
                assert_eq!(
                    plain.is_err(),
                    matches!(kind, b't' | b'v') || kind == b'f' && !garbage.is_empty(),
                    "{said}"
                );
                let wide = CellsDatabase::new(db);
                let _ = WideTable::<FromTo, _>::open(&wide, "w", &schema());
                let _ = WideTable::<FromTo, _>::rename_field(&&wide, "w", "from", "x");
            }
        }
    }
}

/// Somebody else opens a table at any operation of an opening: programs that disagree are never both accepted, what one that is
/// accepted needs is there, and one of the two is.
#[test]
fn of_two_that_open_a_table_at_once_and_disagree_one_does() {
    type Open = fn(&dyn Database) -> bool;
    let plain: [Open; 2] =
        [|db| Table::<FromTo, (), _>::open(db, "t").is_ok(), |db| Table::<ToFrom, (), _>::open(db, "t").is_ok()];
    let wide: [Open; 2] = [
        |db| WideTable::<FromTo, _>::open(&CellsDatabase::new(db), "t", &schema()).is_ok(),
        |db| WideTable::<ToFrom, _>::open(&CellsDatabase::new(db), "t", &schema()).is_ok(),
    ];
    let raw: [Open; 2] = [
        |db| Cells::open(db, "t", &schema().row_key::<FromTo>()).is_ok(),
        |db| Cells::open(db, "t", &schema().row_key::<ToFrom>()).is_ok(),
    ];
    let untyped: [Open; 2] = [raw[0], |db| Cells::open(db, "t", &schema()).is_ok()];
    let grown: [Open; 2] = [
        |db| Table::<grown::Four, (), _>::open(db, "t").is_ok(),
        |db| Table::<grown::Renamed, (), _>::open(db, "t").is_ok(),
    ];
    for pair in [plain, wide, raw, untyped, grown] {
        for (first, second) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            let mut at = 0;
            loop {
                let memory = Memory::new();
                let how = How { reads: false, applied: false, transactions: false, compare_and_write: true };
                let db = Failing::never(&memory, how);
                let (theirs, beside) = (Arc::new(std::sync::Mutex::new(false)), memory.clone());
                let told = Arc::clone(&theirs);
                db.interrupt(at, move || *told.lock().unwrap() = second(&beside));
                let mine = first(&db);
                if db.take_interrupt() {
                    break;
                }
                let theirs = *theirs.lock().unwrap();
                assert!(mine != theirs, "interrupted at {at}: {mine}, {theirs}: {:?}", dump(&memory));
                assert_eq!((first(&memory), second(&memory)), (mine, theirs), "interrupted at {at}");
                at += 1;
            }
            assert!(at > 5);
        }
    }
}

/// The same with one that knows more variants: both are accepted, and cursors of the other go on.
#[test]
fn cursors_go_on_of_a_table_that_is_opened_meanwhile() {
    for at in 0.. {
        let memory = Memory::new();
        let how = How { reads: false, applied: false, transactions: false, compare_and_write: true };
        let db = Failing::never(&memory, how);
        let beside = memory.clone();
        let (tell, cursor) = std::sync::mpsc::channel();
        db.interrupt(at, move || {
            if let Ok(two) = Table::<Two, (), _>::open(&beside, "t") {
                (0..5).try_for_each(|n| two.put(&Two { n, of: OfTwo::A }, &())).unwrap();
                tell.send(two.scan(..).page(2).unwrap().next.unwrap()).unwrap();
            }
        });
        let four = Table::<Four, (), _>::open(&db, "t");
        if db.take_interrupt() {
            assert!(at > 5);
            return;
        }
        if let Ok(cursor) = cursor.try_recv() {
            let page = Table::<Four, (), _>::open(&memory, "t").unwrap().scan(..).after(cursor).page(9).unwrap();
            assert_eq!(page.rows.len(), 3, "interrupted at {at}");
        }
        four.unwrap();
    }
}

/// A wide database in which somebody else alters a table before each alteration.
#[derive(Debug)]
struct Altered(CellsDatabase<Memory>, TableSchema);

impl WideDatabase for Altered {
    fn id(&self) -> DatabaseId {
        self.0.id()
    }

    fn guarantees(&self) -> WideGuarantees {
        self.0.guarantees()
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        self.0.table(name, schema)
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        self.0.schema(name)
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        self.0.alter(name, &self.1)?;
        self.0.alter(name, schema)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.0.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.0.drop_table(name)
    }
}

#[test]
fn what_changes_row_keys_takes_back_no_change_of_families() {
    let versions = |n| TableSchema::new().family("f", FamilySchema::new().max_versions(n));
    let db = CellsDatabase::new(Memory::new());
    WideTable::<Two, _>::open(&db, "t", &versions(1)).unwrap();
    let beside = Altered(db.clone(), versions(5).family("g", FamilySchema::new()).row_key::<Two>());
    WideTable::<Two, _>::rename_field(&beside, "t", "n", "number").unwrap();
    let kept = |table: &str| db.schema(table).unwrap().unwrap().families;
    assert_eq!((kept("t")["f"].max_versions, kept("t").len()), (5, 2));

    WideTable::<Two, _>::open(&db, "u", &versions(1)).unwrap();
    let opened = WideTable::<Three, _>::open(&beside, "u", &versions(1));
    assert!(matches!(opened, Err(Error::Schema { .. })), "{opened:?}");
    assert_eq!((kept("u")["f"].max_versions, kept("u").len()), (5, 2));
}
