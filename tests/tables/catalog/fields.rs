//! Names, units and parameters of fields.

use super::*;

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
    assert!(told.contains(r#"field "to" is where the table has "from": put the fields back"#), "{told}");
    assert!(!told.contains("rename_field"), "{told}");
    let told = opens::<FromTo, SourceTo>().unwrap_err();
    assert!(
        told.contains(
            r#"field "from" of the table is called "source" in the program: if it is the same field, call rename_field("from", "source")"#
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
    assert!(told.contains(r#"field "to" is where the table has "edges.from""#), "{told}");
    opens::<List<Option<FromTo>>, List<Option<ToFrom>>>().unwrap_err();
}

#[test]
fn variants_have_names_too() {
    use events::{Event, FieldsSwapped, Swapped};
    let told = opens::<Event, Swapped>().unwrap_err();
    assert!(told.contains(r#"field "Logout" is where the table has "Login""#), "{told}");
    let told = opens::<Event, FieldsSwapped>().unwrap_err();
    assert!(told.contains(r#"field "host" is where the table has "Login.user""#), "{told}");
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
fn another_width_of_an_encoding_is_refused() {
    #[derive(RowKey, Debug, PartialEq)]
    struct Three(#[rowkey(with = Fixed::<3>)] u8);
    #[derive(RowKey, Debug, PartialEq)]
    struct Four(#[rowkey(with = Fixed::<4>)] u8);
    #[derive(RowKey, Debug, PartialEq)]
    struct Open(#[rowkey(with = Fixed::<0>)] u8);
    let told = opens::<Three, Four>().unwrap_err();
    assert!(told.contains("has width(3) in the table and width(4) in the program"), "{told}");
    opens::<Three, Open>().unwrap_err();
    opens::<Open, Three>().unwrap_err();
    opens::<Three, Three>().unwrap();

    // A table from before widths were stored opens, and is of the first width that opens it.
    let db = Memory::new();
    Table::<Three, (), _>::open(&db, "t").unwrap();
    let catalog = db.table("rowkey.layouts").unwrap();
    assert_eq!(catalog.get(b"ft").unwrap().as_deref(), Some(&b"0 _ width(3)\n"[..]));
    catalog.write(Batch::new().put("ft", "0 _\n")).unwrap();
    Table::<Four, (), _>::open(&db, "t").unwrap();
    assert!(matches!(Table::<Three, (), _>::open(&db, "t"), Err(Error::Fields { .. })));
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
        ("nothing", "x", "there is no field \"nothing\"; the fields are from, to"),
        ("from", "to", "\"to\" is, or was, the name of another field beside \"from\""),
        ("to", "source", "\"source\" is, or was, the name of another field beside \"to\""),
        ("from", "", "a name is not empty"),
        ("from", "a b", "\"a b\" is not a valid name"),
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
4 pad parameters(8) width(any)
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
