//! The catalog of wide tables over an engine in memory, whose records are in rows or in an attribute of the table: two
//! programs open, create, alter and drop one table, their requests in any order.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_lite::future::{block_on, yield_now};
use rowkey::store::{Call, CallOptions, CommitPoint, NewTable, OpenMode};
use rowkey::wide::catalog::{self, Found, RECORDS, Record, RecordChange, WideAdmin};
use rowkey::wide::{Cells, Columns, FamilySchema, TableSchema, WideStore};
use rowkey::{Error, ErrorKind, Memory, Result};
use rowkey_testkit::{Random, cases};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Rows,
    Attribute,
}

const PLACES: [Place; 2] = [Place::Rows, Place::Attribute];

#[derive(Clone, Debug, PartialEq)]
struct Table {
    families: BTreeMap<String, FamilySchema>,
    attribute: Option<String>,
}

struct Engine {
    place: Place,
    tables: Mutex<BTreeMap<String, Table>>,
    records: Cells,
    /// Counts the writes.
    writes: AtomicU64,
    /// The write whose response is lost.
    lost: u64,
    /// The first write of those that wait in a server: the outcome of each is unknown, and it is not made yet.
    stalled: u64,
    /// Counts the requests.
    requests: AtomicU64,
    /// The request with which the time of its call is over.
    late: u64,
}

impl Engine {
    fn new(place: Place) -> Self {
        let records = Cells::open(&Memory::new(), "records", &Record::schema_of_records()).unwrap();
        let (writes, requests) = (AtomicU64::new(0), AtomicU64::new(0));
        let (lost, stalled, late) = (u64::MAX, u64::MAX, u64::MAX);
        Self { place, tables: Mutex::default(), records, writes, lost, stalled, requests, late }
    }

    /// The beginning of a request, which is not sent if the time is over.
    fn begin(&self) -> Result<()> {
        match self.requests.fetch_add(1, Ordering::Relaxed) >= self.late {
            true => CallOptions::new().timeout(Duration::ZERO).begin("test", "t").and_then(|call| call.check()),
            false => Ok(()),
        }
    }

    /// A request that reads.
    async fn read<T>(&self, read: impl FnOnce(&BTreeMap<String, Table>) -> Result<T>) -> Result<T> {
        self.begin()?;
        yield_now().await;
        read(&self.tables.lock().unwrap())
    }

    /// A request that writes. Its response is a step of its own, or is lost.
    async fn write<T>(&self, write: impl FnOnce(&mut BTreeMap<String, Table>) -> Result<T>) -> Result<T> {
        self.begin()?;
        let unknown = || {
            let source = Box::new(Error::engine("the response is lost"));
            Err(Error::OutcomeUnknown { table: "t".to_owned(), source })
        };
        yield_now().await;
        if self.writes.load(Ordering::Relaxed) >= self.stalled {
            return unknown();
        }
        let written = write(&mut self.tables.lock().unwrap());
        yield_now().await;
        if self.writes.fetch_add(1, Ordering::Relaxed) == self.lost { unknown() } else { written }
    }

    fn described(schema: &TableSchema, attribute: Option<&str>) -> Table {
        Table { families: schema.families.clone(), attribute: attribute.map(str::to_owned) }
    }
}

fn record_of(table: Option<&Table>) -> Record {
    Record::of_attribute(table.and_then(|table| table.attribute.clone()))
}

impl WideAdmin for Engine {
    type Table = Table;

    async fn find(&self, name: &str, call: &Call<'_>) -> Result<Found<Table>> {
        match self.place {
            Place::Rows => {
                let describe = || self.read(|tables| Ok(tables.get(name).cloned()));
                catalog::find_in_rows(name, || self.record(name, call), describe).await
            }
            Place::Attribute => {
                let table = self.read(|tables| Ok(tables.get(name).cloned())).await?;
                Ok(Found { record: record_of(table.as_ref()), table })
            }
        }
    }

    async fn record(&self, name: &str, _: &Call<'_>) -> Result<Record> {
        self.read(|tables| match self.place {
            Place::Rows => Ok(Record::of_row(&self.records.get(name.as_bytes(), &Columns::all())?)),
            Place::Attribute => Ok(record_of(tables.get(name))),
        })
        .await
    }

    async fn create(&self, name: &str, schema: &TableSchema, _: &NewTable, _: &Call<'_>) -> Result<bool> {
        let text = (self.place == Place::Attribute).then(|| schema.to_string());
        let table = Self::described(schema, text.as_deref());
        self.write(|tables| {
            let is_new = !tables.contains_key(name);
            tables.entry(name.to_owned()).or_insert(table);
            Ok(is_new)
        })
        .await
    }

    async fn alter(
        &self,
        name: &str,
        before: &Record,
        stored: &TableSchema,
        altered: &TableSchema,
        call: &Call<'_>,
    ) -> Result<bool> {
        let text = altered.to_string();
        let change = |table: &mut Table| {
            let changed = altered.families.iter().filter(|(name, family)| stored.families.get(*name) != Some(family));
            table.families.extend(changed.map(|(name, family)| (name.clone(), *family)));
        };
        if self.place == Place::Rows {
            let commit = CommitPoint::default();
            let modified = self.write(|tables| Ok(tables.get_mut(name).map(change))).await?;
            commit.pass();
            let recorded = self.change_record(name, before, RecordChange::Schema(&text), call).await;
            let overtaken = || Err(Error::engine("another program has changed the record"));
            let recorded = recorded.and_then(|is_done| if is_done { Ok(true) } else { overtaken() });
            return if modified.is_some() { commit.outcome(name, recorded) } else { Ok(false) };
        }
        self.write(|tables| {
            let table = tables.get_mut(name).filter(|table| record_of(Some(table)) == *before);
            Ok(table.map(|table| (change(table), table.attribute = Some(text))).is_some())
        })
        .await
    }

    async fn change_record(&self, name: &str, before: &Record, change: RecordChange<'_>, _: &Call<'_>) -> Result<bool> {
        match (self.place, change) {
            (Place::Rows, _) => {
                let token = u128::from(self.writes.load(Ordering::Relaxed)).to_be_bytes();
                let (is_before, write) = before.change(change, token);
                self.write(|_| self.records.check_and_mutate(name.as_bytes(), &is_before, &write)).await
            }
            (Place::Attribute, RecordChange::Schema(text)) => {
                self.write(|tables| {
                    let table = tables.get_mut(name).filter(|table| record_of(Some(table)) == *before);
                    Ok(table.map(|table| table.attribute = Some(text.to_owned())).is_some())
                })
                .await
            }
            _ => Ok(true),
        }
    }

    async fn drop_table(&self, name: &str, _: &Call<'_>) -> Result<()> {
        self.write(|tables| Ok(tables.remove(name))).await.map(drop)
    }

    fn families(&self, _: &str, table: &Table) -> Result<TableSchema> {
        Ok(table.families.iter().fold(TableSchema::new(), |schema, (name, family)| schema.family(name, *family)))
    }

    fn is_as_given(&self, given: &TableSchema, table: &Table) -> bool {
        given.families == table.families
    }
}

fn schema(families: &[&str], row_key: &str) -> TableSchema {
    let mut schema = families.iter().fold(TableSchema::new(), |schema, name| schema.family(*name, FamilySchema::new()));
    schema.row_key = Some(row_key.to_owned());
    schema
}

/// Polls two programs in an order: each bit says which is next.
fn both<A, B>(order: u64, one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
    let (mut one, mut other, mut context) = (pin!(one), pin!(other), Context::from_waker(Waker::noop()));
    let (mut first, mut second) = (None, None);
    for step in 0..1000_u32 {
        let is_first = order.rotate_right(step) & 1 == 0;
        if first.is_none() && (is_first || second.is_some()) {
            if let Poll::Ready(result) = one.as_mut().poll(&mut context) {
                first = Some(result);
            }
        } else if second.is_none()
            && let Poll::Ready(result) = other.as_mut().poll(&mut context)
        {
            second = Some(result);
        }
        if let (Some(_), Some(_)) = (&first, &second) {
            break;
        }
    }
    (first.expect("the first ends"), second.expect("the second ends"))
}

fn each(run: impl Fn(&Engine, u64)) {
    for (place, n) in PLACES.into_iter().flat_map(|place| (0..cases(200, 5000)).map(move |n| (place, n))) {
        run(&Engine::new(place), Random(n.into()).below(u64::MAX));
    }
}

fn call() -> Call<'static> {
    CallOptions::none().begin("test", "t").unwrap()
}

fn stored(engine: &Engine) -> Option<TableSchema> {
    block_on(catalog::schema(engine, "t", &call())).unwrap()
}

#[test]
fn programs_that_open_a_table_agree_on_its_schema() {
    let call = call();
    let same = schema(&["a"], "u64");
    for other in [same.clone(), schema(&["a"], "u32"), schema(&["b"], "u64"), schema(&["a", "b"], "text")] {
        each(|engine, order| {
            let open = |schema| catalog::open(engine, "t", schema, &OpenMode::OpenOrCreate, &call);
            let opened = both(order, open(&same), open(&other));
            let wins = match opened {
                (Ok(()), Ok(())) if same == other => &same,
                (Ok(()), Err(Error::Schema { .. })) => &same,
                (Err(Error::Schema { .. }), Ok(())) => &other,
                opened => panic!("{:?}, {order:b}: {opened:?}", engine.place),
            };
            assert_eq!(stored(engine).as_ref(), Some(wins));
            assert_eq!(engine.tables.lock().unwrap()["t"].families, wins.families);
        });
    }
}

#[test]
fn of_programs_that_create_a_table_one_does() {
    let (call, schema, mode) = (call(), schema(&["a"], "u64"), OpenMode::Create(NewTable::new()));
    each(|engine, order| {
        let create = || catalog::open(engine, "t", &schema, &mode, &call);
        match both(order, create(), create()) {
            (Ok(()), Err(Error::TableExists(_))) | (Err(Error::TableExists(_)), Ok(())) => {}
            created => panic!("{:?}, {order:b}: {created:?}", engine.place),
        }
        assert_eq!(stored(engine).as_ref(), Some(&schema));
    });
}

#[test]
fn alterations_of_two_programs_are_both_made() {
    let call = call();
    each(|engine, order| {
        let (before, c) = (schema(&["a"], "u64"), schema(&["a", "b", "c"], "u64"));
        block_on(catalog::open(engine, "t", &before, &OpenMode::OpenOrCreate, &call)).unwrap();
        let b = schema(&["a", "b"], "u64");
        let (one, other) = both(order, catalog::alter(engine, "t", &b, &call), catalog::alter(engine, "t", &c, &call));
        assert!(other.is_ok_and(|changes| !changes.is_empty()));
        // The one with fewer families may come too late, also between its family and its record.
        assert!(one.is_ok() || matches!(one, Err(Error::Schema { .. } | Error::OutcomeUnknown { .. })));
        assert_eq!(stored(engine), Some(c));
    });
}

#[test]
fn a_table_is_opened_while_another_program_drops_it() {
    let call = call();
    let (before, after) = (schema(&["a"], "u64"), schema(&["b"], "u32"));
    each(|engine, order| {
        let open = |schema| catalog::open(engine, "t", schema, &OpenMode::OpenOrCreate, &call);
        block_on(open(&before)).unwrap();
        let (dropped, opened) = both(order, catalog::drop_table(engine, "t", &call), open(&after));
        dropped.unwrap();
        // Too early it finds the table of before.
        assert!(matches!((opened, stored(engine)), (Ok(()), Some(_)) | (Err(Error::Schema { .. }), None)));
        let open_existing = catalog::open(engine, "t", &after, &OpenMode::Open, &call);
        let is_there = stored(engine).is_some();
        assert!(matches!((is_there, block_on(open_existing)), (true, Ok(())) | (false, Err(Error::NoSuchTable(_)))));
    });
}

#[test]
fn a_response_that_is_lost_is_no_failure() {
    let (call, first, then) = (call(), schema(&["a"], "u64"), schema(&["a", "b"], "u64"));
    for (place, lost) in PLACES.into_iter().flat_map(|place| (0..9).map(move |lost| (place, lost))) {
        let engine = Engine { lost, ..Engine::new(place) };
        block_on(async {
            catalog::open(&engine, "t", &first, &OpenMode::OpenOrCreate, &call).await.unwrap();
            let changes = catalog::alter(&engine, "t", &then, &call).await.unwrap();
            assert_eq!(changes.len(), 1, "{place:?}, {lost}");
            assert_eq!(catalog::schema(&engine, "t", &call).await.unwrap().as_ref(), Some(&then));
        });
    }
}

/// Whichever request is the first that its call has no time for: the table is as it was, or the outcome is unknown.
#[test]
fn what_ends_in_the_middle_has_an_unknown_outcome() {
    type Operation = fn(&Engine, &Call<'_>) -> Result<()>;
    let open: Operation =
        |engine, call| block_on(catalog::open(engine, "t", &schema(&["a"], "u64"), &OpenMode::OpenOrCreate, call));
    let create: Operation = |engine, call| {
        block_on(catalog::open(engine, "new", &schema(&["a"], "u64"), &OpenMode::Create(NewTable::new()), call))
    };
    let alter: Operation =
        |engine, call| block_on(catalog::alter(engine, "t", &schema(&["a", "b"], "u64"), call)).map(drop);
    let drop_table: Operation = |engine, call| block_on(catalog::drop_table(engine, "t", call));
    let call = call();
    let operations = [(false, open), (true, open), (true, create), (true, alter), (true, drop_table)];
    let all = PLACES.into_iter().flat_map(|place| operations.iter().enumerate().map(move |of| (place, of)));
    for (place, (n, &(there, operation))) in all {
        for (late, lost) in (0..12).flat_map(|late| [u64::MAX, 0, 1].map(|lost| (late, lost))) {
            let mut engine = Engine::new(place);
            if there {
                open(&engine, &call).unwrap();
            }
            (engine.late, engine.lost) = (late, lost);
            (engine.requests, engine.writes) = Default::default();
            let before = engine.tables.lock().unwrap().clone();
            let result = operation(&engine, &call);
            let is_same = *engine.tables.lock().unwrap() == before;
            let is_unknown = matches!(result, Err(Error::OutcomeUnknown { .. }));
            assert!(result.is_ok() || is_unknown || is_same, "{place:?}, operation {n}, {late}, {lost}: {result:?}");
        }
    }
}

/// However often the catalog looks, what it has sent may still be made.
#[test]
fn what_no_look_finds_has_an_unknown_outcome() {
    let (call, first, then) = (call(), schema(&["a"], "u64"), schema(&["a", "b"], "u64"));
    let unknown = ErrorKind::OutcomeUnknown;
    // The first write that waits: before the table is created nothing of it is made, but for its claim.
    for (place, stalled, kind) in [
        (Place::Attribute, 0, unknown),
        (Place::Rows, 0, ErrorKind::Busy),
        (Place::Rows, 1, unknown),
        (Place::Rows, 2, unknown),
    ] {
        let engine = Engine { stalled, ..Engine::new(place) };
        let opened = block_on(catalog::open(&engine, "t", &first, &OpenMode::OpenOrCreate, &call));
        assert_eq!(opened.unwrap_err().kind(), kind, "{place:?}, {stalled}");
    }
    for place in PLACES {
        let mut engine = Engine::new(place);
        block_on(catalog::open(&engine, "t", &first, &OpenMode::OpenOrCreate, &call)).unwrap();
        engine.stalled = 0;
        let altered = block_on(catalog::alter(&engine, "t", &then, &call));
        assert_eq!(altered.unwrap_err().kind(), unknown, "{place:?}");
    }
}

/// Each change that was made is told, also one that another program's alteration made necessary.
#[test]
fn an_alteration_after_another_one_tells_all_its_changes() {
    let (call, wide) = (call(), FamilySchema::new().max_versions(5));
    let mine = schema(&["a", "b"], "u64");
    let theirs = schema(&[], "u64").family("a", wide);
    each(|engine, order| {
        block_on(catalog::open(engine, "t", &schema(&["a"], "u64"), &OpenMode::OpenOrCreate, &call)).unwrap();
        let alter = |schema| catalog::alter(engine, "t", schema, &call);
        let (changes, other) = both(order, alter(&mine), alter(&theirs));
        let told: Vec<String> = changes.unwrap().iter().map(ToString::to_string).collect();
        let is_told = |change: &str| told.iter().any(|told| told == change);
        let there = stored(engine).unwrap();
        // Theirs comes before, or too late. If it says that it is not made, nothing of it is.
        let is_right = match other {
            Ok(_) => there == mine && is_told("family a: max versions 5 becomes 1"),
            Err(Error::Schema { .. }) => there == mine,
            Err(error) => error.kind() == ErrorKind::OutcomeUnknown && there.families.len() == 2,
        };
        assert!(is_right && is_told("family b is new"), "{:?}, {order:b}: {told:?}, {there:?}", engine.place);
    });
}

/// Records of other versions and programs, and of none.
#[test]
fn what_is_stored_of_a_table_is_read() {
    let call = call();
    let text = schema(&["a"], "u64").to_string();
    let engine = Engine::new(Place::Rows);
    let put = |name: &str, change| {
        let (is_before, write) = Record::default().change(change, [1; 16]);
        assert!(engine.records.check_and_mutate(name.as_bytes(), &is_before, &write).unwrap());
    };
    let make = |name: &str, families: &[&str]| {
        engine.tables.lock().unwrap().insert(name.to_owned(), Engine::described(&schema(families, ""), None));
    };
    assert_eq!(RECORDS, "rowkey.schemas");
    // The table is what was claimed; it is another; nothing is stored; the text is broken.
    for (name, change, families) in [
        ("claimed", Some(RecordChange::Claim(&text)), ["a"]),
        ("overtaken", Some(RecordChange::Claim(&text)), ["b"]),
        ("unknown", None, ["a"]),
        ("broken", Some(RecordChange::Schema("row ky")), ["a"]),
    ] {
        make(name, &families);
        change.into_iter().for_each(|change| put(name, change));
    }
    let of = |name| block_on(catalog::schema(&engine, name, &call));
    let row_key = |name| of(name).map(|schema| schema.unwrap().row_key);
    assert_eq!(row_key("claimed").unwrap().as_deref(), Some("u64"));
    assert_eq!((row_key("overtaken").unwrap(), row_key("unknown").unwrap()), (None, None));
    assert!(of("broken").unwrap_err().to_string().contains("what is stored of it"));
    assert_eq!(of("absent").unwrap(), None);
    for (name, families) in [("overtaken", ["b"]), ("unknown", ["a"])] {
        let given = schema(&families, "text");
        block_on(catalog::open(&engine, name, &given, &OpenMode::Open, &call)).unwrap();
        assert_eq!(row_key(name).unwrap().as_deref(), Some("text"), "it is stored from now on");
    }
}
