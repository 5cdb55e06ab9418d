//! `TableScan` and `TableStream` return the same on the same cases: rows, errors, cursors, pages, counts.

use std::ops::Bound;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use rowkey::nonblocking::{AsyncDatabase, AsyncTable, AsyncWideDatabase, AsyncWideTable, Unblock};
use rowkey::store::Batch;
use rowkey::wide::{CellsDatabase, Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Cursor, Error, Memory, OwnedKey, RowKey, Select, Selection, Table, WideTable};
use rowkey_testkit::{Slow, cases};

#[derive(RowKey, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 5))]
struct Event {
    group: u8,
    #[rowkey(desc)]
    at: u8,
}

#[derive(Clone, Debug)]
enum Selected {
    All,
    Group(u8),
    Ats(u8, Bound<u8>, Bound<u8>),
    Nothing,
}

impl Selected {
    fn select(&self) -> Selection<Event> {
        match self {
            Self::All => (..).select(),
            Self::Group(group) => Event::prefix().group(*group).select(),
            Self::Ats(group, first, last) => Event::prefix().group(*group).at_range((*first, *last)).select(),
            Self::Nothing => Event::prefix().group(3).at_range(9..9).select(),
        }
    }
}

#[derive(Clone, Debug)]
enum Start {
    First,
    Cursor(Event),
    /// Of another key type.
    OtherCursor,
    After(Event),
    From(Event),
    AfterGroup(u8),
}

#[derive(Clone, Debug)]
struct Case {
    selected: Selected,
    reverse: bool,
    limit: Option<u64>,
    offset: u64,
    start: Start,
    batch_rows: usize,
    batch_bytes: usize,
    page: Option<usize>,
    keys: bool,
}

fn event() -> impl Strategy<Value = Event> {
    (0..4_u8, 0..12_u8).prop_map(|(group, at)| Event { group, at })
}

fn bound() -> impl Strategy<Value = Bound<u8>> {
    prop_oneof![Just(Bound::Unbounded), (0..12_u8).prop_map(Bound::Included), (0..12_u8).prop_map(Bound::Excluded)]
}

fn case() -> impl Strategy<Value = Case> {
    let selected = prop_oneof![
        4 => Just(Selected::All),
        2 => (0..4_u8).prop_map(Selected::Group),
        2 => (0..4_u8, bound(), bound()).prop_map(|(group, first, last)| Selected::Ats(group, first, last)),
        1 => Just(Selected::Nothing),
    ];
    let start = prop_oneof![
        4 => Just(Start::First),
        2 => event().prop_map(Start::Cursor),
        1 => Just(Start::OtherCursor),
        1 => event().prop_map(Start::After),
        1 => event().prop_map(Start::From),
        1 => (0..4_u8).prop_map(Start::AfterGroup),
    ];
    let limit = option::of(prop_oneof![0..4_u64, 0..60_u64, Just(u64::MAX)]);
    let offset = prop_oneof![2 => Just(0), 1 => 0..9_u64, 1 => Just(u64::MAX)];
    let sizes = (1..6_usize, prop_oneof![1..40_usize, Just(4 << 20)]);
    (selected, any::<bool>(), limit, offset, start, sizes, option::of(0..9_usize), any::<bool>()).prop_map(
        |(selected, reverse, limit, offset, start, (batch_rows, batch_bytes), page, keys)| Case {
            selected,
            reverse,
            limit,
            offset,
            start,
            batch_rows,
            batch_bytes,
            page,
            keys,
        },
    )
}

fn cursor_after<K: OwnedKey + for<'k> RowKey<Ref<'k> = K>>(key: &K) -> Cursor {
    let table: Table<K, (), _> = Table::open(Memory::new(), "keys").unwrap();
    table.put(key, &()).unwrap();
    let mut scan = table.scan(..);
    scan.next().unwrap().unwrap();
    scan.cursor().unwrap()
}

/// The settings of a case, on either kind of scan.
macro_rules! set {
    ($scan:expr, $case:expr) => {{
        let (case, scan): (&Case, _) = (&$case, $scan);
        let scan = scan.batch_rows(case.batch_rows).batch_bytes(case.batch_bytes).offset(case.offset);
        let scan = if case.reverse { scan.reverse() } else { scan };
        let scan = case.limit.into_iter().fold(scan, |scan, limit| scan.limit(limit));
        match &case.start {
            Start::First => scan,
            Start::Cursor(key) => scan.after(cursor_after(key)),
            Start::OtherCursor => scan.after(cursor_after(&7_u8)),
            Start::After(key) => scan.after_key(key),
            Start::From(key) => scan.from_key(key),
            Start::AfterGroup(group) => scan.after_prefix(Event::prefix().group(*group)),
        }
    }};
}

/// An item, or the message of its error; and the scan's cursor after it.
type Item<T> = (Result<T, String>, Option<Cursor>);

/// What a scan returned.
#[derive(Debug, PartialEq)]
struct Seen<K, V> {
    items: Vec<Item<(K, V)>>,
    rows: u64,
    page: Option<Item<Vec<(K, V)>>>,
    keys: Option<Vec<Item<K>>>,
}

fn told<T>(result: Result<T, Error>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

macro_rules! seen {
    ($table:expr, $case:expr $(, $columns:expr)?; $($await:tt)*) => {{
        let (table, case) = (&$table, &$case);
        let mut scan = set!(table.scan(case.selected.select() $(, $columns)?), case);
        let mut items = Vec::new();
        while let Some(item) = scan.next()$($await)* {
            items.push((told(item), scan.cursor()));
        }
        assert!(scan.next()$($await)*.is_none(), "an item after the end");
        let rows = scan.rows_returned();
        let page = match case.page {
            None => None,
            Some(rows) => {
                let page = set!(table.scan(case.selected.select() $(, $columns)?), case).page(rows)$($await)*;
                let next = page.as_ref().ok().and_then(|page| page.next.clone());
                Some((told(page).map(|page| page.rows), next))
            }
        };
        let mut keys = None;
        if case.keys {
            let mut scan = set!(table.scan(case.selected.select() $(, $columns)?), case).keys();
            let seen = keys.insert(Vec::new());
            while let Some(key) = scan.next()$($await)* {
                seen.push((told(key), scan.cursor()));
            }
        }
        Seen { items, rows, page, keys }
    }};
}

/// How long a stream may take, on a loaded machine.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Rows, some with values or keys that do not decode.
fn plain(rows: &[(Event, u32)], damaged: &Option<(Event, bool)>) -> Memory {
    let db = Memory::new();
    let table: Table<Event, u32, _> = Table::open(&db, "events").unwrap();
    for (key, value) in rows {
        table.put(key, value).unwrap();
    }
    if let Some((key, in_key)) = damaged {
        let (mut key, mut batch) = (key.encode(), Batch::new());
        if *in_key {
            key.push(0);
        }
        table.store().write(batch.put(key, "short")).unwrap();
    }
    db
}

async fn same_as_sync<D: AsyncDatabase>(sync: &Seen<Event, u32>, db: D, case: &Case) {
    let table: AsyncTable<Event, u32, _> = AsyncTable::open(db, "events").await.unwrap();
    let seen = tokio::time::timeout(PATIENCE, async { seen!(table, *case; .await) });
    assert_eq!(&seen.await.expect("the stream goes on"), sync);
}

fn wide_schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new().max_versions(3))
}

async fn same_as_sync_wide<D: AsyncWideDatabase>(sync: &Seen<Event, Row>, db: D, columns: &Columns, case: &Case) {
    let table: AsyncWideTable<Event, _> = AsyncWideTable::open(db, "events", &wide_schema()).await.unwrap();
    let seen = tokio::time::timeout(PATIENCE, async { seen!(table, *case, columns.clone(); .await) });
    assert_eq!(&seen.await.expect("the stream goes on"), sync);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200, 4000)))]

    #[test]
    fn of_a_plain_table(
        rows in btree_map(event(), any::<u32>(), 0..40),
        damaged in option::weighted(0.3, (event(), any::<bool>())),
        cases in vec(case(), 1..4),
        seed: u64,
    ) {
        let rows: Vec<_> = rows.into_iter().collect();
        let db = plain(&rows, &damaged);
        let table: Table<Event, u32, _> = Table::open(&db, "events").unwrap();
        for case in cases {
            let sync = seen!(table, case; );
            runtime().block_on(async {
                same_as_sync(&sync, Unblock::in_place(db.clone()), &case).await;
                same_as_sync(&sync, Unblock::new(db.clone()), &case).await;
                same_as_sync(&sync, Slow::new(db.clone(), seed), &case).await;
            });
        }
    }

    #[test]
    fn of_a_wide_table(
        rows in btree_map(event(), 0..9_usize, 0..20),
        piece in option::of(1..4_usize),
        cases in vec(case(), 1..3),
        seed: u64,
    ) {
        let db = CellsDatabase::new(Memory::new());
        let table: WideTable<Event, _> = WideTable::open(&db, "events", &wide_schema()).unwrap();
        for (key, cells) in &rows {
            let cells = (0..*cells).fold(Mutation::new(), |mutation, n| mutation.put_at(format!("f:{}", n % 5), 1 + n as i64, "v"));
            table.mutate(key, &cells).unwrap();
        }
        let columns = piece.into_iter().fold(Columns::all().versions(2), |columns, cells| columns.piece(cells));
        for case in cases {
            let sync = seen!(table, case, columns.clone(); );
            runtime().block_on(async {
                same_as_sync_wide(&sync, Unblock::in_place(db.clone()), &columns, &case).await;
                same_as_sync_wide(&sync, Unblock::new(db.clone()), &columns, &case).await;
                same_as_sync_wide(&sync, Slow::new(db.clone(), seed), &columns, &case).await;
            });
        }
    }
}
