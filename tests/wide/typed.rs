//! Typed keys, typed qualifiers, salted keys: what a scan of a wide table has is what a filter over all rows has.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::wide::{
    Cells, CellsDatabase, Columns, Compare, Condition, FamilySchema, Mutation, Row, TableSchema, WideDatabase,
    WideStore,
};
use rowkey::{Error, Memory, RowKey, Select, Table, WideTable};
use rowkey_testkit::Altering;

#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 5, by(user)))]
struct Action {
    user: u8,
    #[rowkey(desc)]
    at: u8,
}

#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 7))]
struct Event {
    user: u8,
    at: u8,
}

fn schema() -> TableSchema {
    TableSchema::new().family("a", FamilySchema::new().max_versions(3)).family("b", FamilySchema::new())
}

fn table<K: RowKey>() -> WideTable<K, CellsDatabase<Memory>> {
    WideTable::open(CellsDatabase::new(Memory::new()), "t", &schema()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_salted_scan_is_a_filter_and_a_sort(
        keys in vec((0_u8..6, 0_u8..6, 1_usize..6), 0..40),
        user in 0_u8..6,
        low in 0_u8..6,
        limit in 0_u64..12,
        offset in 0_usize..5,
        piece in 1_usize..4,
        reverse: bool,
    ) {
        let (events, actions) = (table::<Event>(), table::<Action>());
        let mut model = BTreeMap::new();
        for &(user, at, columns) in &keys {
            let names: Vec<String> = (0..columns).map(|column| format!("q{column}")).collect();
            let mutation = names.iter().fold(Mutation::new().delete_row(), |m, name| m.put(("a", name.as_str()), "v"));
            events.mutate(&Event { user, at }, &mutation).unwrap();
            actions.mutate(&Action { user, at }, &mutation).unwrap();
            model.insert((user, at), columns);
        }
        let cells = |row: &Row| row.cells().count();

        let mut all: Vec<_> = model.iter().map(|(&(user, at), &columns)| (user, at, columns)).collect();
        if reverse {
            all.reverse();
        }
        all.drain(..offset.min(all.len()));
        all.truncate(limit as usize);
        let scan = |columns: Columns| {
            let scan = events.scan(.., columns).limit(limit).offset(offset as u64);
            if reverse { scan.reverse() } else { scan }
        };
        let found: Vec<_> = scan(Columns::all())
            .map(|row| row.map(|(key, row)| (key.user, key.at, cells(&row))).unwrap())
            .collect();
        prop_assert_eq!(&found, &all);

        // In pieces: as many rows, put together again.
        let mut joined: Vec<(u8, u8, usize)> = Vec::new();
        for item in scan(Columns::all().piece(piece)) {
            let (key, row) = item.unwrap();
            prop_assert!(cells(&row) <= piece);
            match joined.last_mut().filter(|last| (last.0, last.1) == (key.user, key.at)) {
                Some(last) => last.2 += cells(&row),
                None => joined.push((key.user, key.at, cells(&row))),
            }
        }
        prop_assert_eq!(&joined, &all);

        let mut of_user: Vec<_> = model.iter().filter(|((u, at), _)| *u == user && *at >= low).map(|((_, at), _)| *at).collect();
        of_user.reverse();
        let found: Result<Vec<u8>, Error> = actions
            .scan(Action::prefix().user(user).at_range(low..), Columns::all().first_only())
            .map(|row| row.map(|(key, _)| key.at))
            .collect();
        prop_assert_eq!(found.unwrap(), of_user);
        prop_assert_eq!(events.count(..).unwrap(), model.len() as u64);

        // Page by page, by cursor.
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let page = events.scan(.., Columns::of("a:q0")).after(cursor).page(3).unwrap();
            pages.extend(page.rows.into_iter().map(|(key, _)| (key.user, key.at)));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        prop_assert_eq!(pages, model.keys().copied().collect::<Vec<_>>());

        // The same of rows in pieces, which end a page whole; the first page leaves some out.
        let mut all: Vec<_> = model.iter().map(|(&(user, at), &columns)| (user, at, columns)).collect();
        if reverse {
            all.reverse();
        }
        all.drain(..offset.min(all.len()));
        let (mut joined, mut cursor, mut offset) = (Vec::<(u8, u8, usize)>::new(), None, offset as u64);
        loop {
            let scan = events.scan(.., Columns::all().piece(piece)).after(cursor).offset(offset);
            let page = if reverse { scan.reverse() } else { scan }.page(limit as usize + 1).unwrap();
            let before = joined.len();
            for (key, row) in &page.rows {
                match joined[before..].last_mut().filter(|last| (last.0, last.1) == (key.user, key.at)) {
                    Some(last) => last.2 += cells(row),
                    None => joined.push((key.user, key.at, cells(row))),
                }
            }
            (cursor, offset) = (page.next, 0);
            if cursor.is_none() {
                break;
            }
            prop_assert_eq!(joined.len() - before, limit as usize + 1);
        }
        prop_assert_eq!(&joined, &all);
    }
}

#[test]
fn columns_can_be_derived_keys() {
    #[derive(RowKey, Debug, Clone, PartialEq)]
    struct BySubject {
        #[rowkey(desc)]
        subject: String,
        id: u32,
    }
    let inboxes = table::<u64>();
    let subjects = ["", "a", "ab", "b", "a\0", "ä"];
    let names = subjects.iter().zip(0..).map(|(&subject, id)| BySubject { subject: subject.into(), id });
    let mutation = names.fold(Mutation::new(), |m, name| m.put(("a", name.encode()), name.id.to_string()));
    inboxes.mutate(&7, &mutation).unwrap();

    let row = inboxes.get(&7, &Columns::all()).unwrap();
    let found: Vec<BySubject> = row.qualifiers("a").collect::<Result<_, _>>().unwrap();
    let mut sorted = subjects;
    sorted.sort_unstable();
    sorted.reverse();
    assert_eq!(found.iter().map(|name| name.subject.as_str()).collect::<Vec<_>>(), sorted);

    let some = Columns::all().qualifiers_in("a", BySubject::prefix().subject_range("a".."b").ranges()).limit(2);
    let row = inboxes.get(&7, &some).unwrap();
    let found: Vec<BySubject> = row.qualifiers("a").collect::<Result<_, _>>().unwrap();
    assert_eq!(found.iter().map(|name| name.subject.as_str()).collect::<Vec<_>>(), ["ab", "a\0"]);
    assert!(row.qualifiers::<u8>("a").all(|name| name.is_err()));
}

#[test]
fn rows_that_a_condition_chooses() {
    let users = table::<u32>();
    for id in 0..20 {
        users.mutate(&id, &Mutation::new().put("a:age", [id as u8]).put("b:name", id.to_string())).unwrap();
    }
    let adults = Columns::of("b:name").rows_where(Condition::value("a:age", Compare::GreaterOrEqual, [18]));
    let names: Result<Vec<String>, Error> =
        users.scan(.., adults).map(|row| Ok(row?.1.read("b:name")?.unwrap_or_default())).collect();
    assert_eq!(names.unwrap(), ["18", "19"]);
    let unnamed = Columns::all().rows_where(Condition::absent("b:name"));
    assert_eq!(users.scan(.., unnamed).count(), 0);
    assert!(users.check_and_mutate(&3, &Condition::equal("b:name", "3"), &Mutation::new().delete_row()).unwrap());
    assert!(!users.exists(&3).unwrap());
    assert_eq!(users.first_at_or_after(&3, Columns::all()).unwrap().unwrap().0, 4);
}

#[test]
fn a_table_is_opened_as_what_it_is() {
    let db = Memory::new();
    let wide = CellsDatabase::new(db.clone());
    let users: WideTable<u32, _> = WideTable::open(&wide, "users", &schema()).unwrap();
    users.put(&7, "a:name", &"Ada".to_owned()).unwrap();

    let error = WideTable::<u64, _>::open(&wide, "users", &schema()).unwrap_err().to_string();
    assert!(error.contains("the row key u32 becomes u64 (needs a new table)"), "{error}");
    let more = schema().family("c", FamilySchema::new());
    let error = WideTable::<u32, _>::open(&wide, "users", &more).unwrap_err().to_string();
    assert!(error.contains("family c is new (can be altered)"), "{error}");
    assert_eq!(wide.alter("users", &more.clone().row_key::<u32>()).unwrap().len(), 1);
    let users: WideTable<u32, _> = WideTable::open(&wide, "users", &more).unwrap();
    users.put(&7, "c:x", &1_i64).unwrap();
    assert_eq!(users.get(&7, &Columns::all()).unwrap().read::<String>("a:name").unwrap().as_deref(), Some("Ada"));

    assert!(matches!(Table::<u32, (), _>::open(&db, "users").unwrap_err(), Error::Layout { .. }));
    let _plain: Table<u32, (), _> = Table::open(&db, "plain").unwrap();
    assert!(matches!(Cells::open(&db, "plain", &schema()).unwrap_err(), Error::Layout { .. }));
    assert!(matches!(Cells::open(&db, "rowkey.layouts", &schema()).unwrap_err(), Error::ReservedName(_)));
    assert_eq!(wide.tables().unwrap(), ["users"]);
    users.drop_table().unwrap();
    assert_eq!(wide.tables().unwrap(), [""; 0]);
}

#[test]
fn a_page_and_a_cursor_of_rows_in_pieces_lose_nothing() {
    let events = table::<Event>();
    for user in 0..9 {
        let names = (0..user % 4 + 1).map(|n| format!("q{n}"));
        let mutation = names.fold(Mutation::new(), |m, name| m.put(("a", name), "v"));
        events.mutate(&Event { user, at: 0 }, &mutation).unwrap();
    }
    let mut all: Vec<(u8, usize)> = (0..9).map(|user| (user, usize::from(user % 4) + 1)).collect();
    for reverse in [false, true] {
        for (rows, paged) in (1..10).flat_map(|rows| [(rows, true), (rows, false)]) {
            let (mut found, mut cursor) = (Vec::<(u8, usize)>::new(), None);
            loop {
                let scan = events.scan(.., Columns::all().piece(2)).after(cursor.take());
                let mut scan = if reverse { scan.reverse() } else { scan };
                let items: Vec<(Event, Row)>;
                if paged {
                    let page = scan.page(rows).unwrap();
                    (items, cursor) = (page.rows, page.next);
                } else {
                    scan = scan.limit(rows as u64);
                    items = scan.by_ref().collect::<Result<_, _>>().unwrap();
                    cursor = scan.cursor();
                }
                let before = found.len();
                for (key, row) in &items {
                    match found[before..].last_mut().filter(|(user, _)| *user == key.user) {
                        Some((_, cells)) => *cells += row.cells().count(),
                        None => found.push((key.user, row.cells().count())),
                    }
                }
                assert!(found.len() - before <= rows);
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(found, all, "{rows} rows, paged {paged}, reverse {reverse}");
        }
        all.reverse();
    }
}

#[test]
fn the_first_row_at_or_after_a_key_is_whole() {
    let events = table::<Event>();
    events.mutate(&Event { user: 3, at: 1 }, &Mutation::new().put("a:q", "1").put("a:r", "2").put("b:q", "3")).unwrap();
    let columns = Columns::all().piece(1);
    let (event, row) = events.first_at_or_after(&Event { user: 1, at: 0 }, columns.clone()).unwrap().unwrap();
    assert_eq!((event.user, row.cells().count()), (3, 3));
    let (_, row) = events.store().first_at_or_after(b"\0", &columns).unwrap().unwrap();
    assert_eq!(row.cells().count(), 3);
}

#[test]
fn a_key_with_more_variants_opens_a_table_whose_time_to_live_is_no_whole_millisecond() {
    #[derive(RowKey)]
    enum Before {
        #[rowkey(tag = 1)]
        A(u8),
    }
    #[derive(RowKey)]
    enum After {
        #[rowkey(tag = 1)]
        A(u8),
        #[rowkey(tag = 2)]
        B(u16),
    }
    let db = CellsDatabase::new(Memory::new()).with_clock(|| 1_000);
    let schema = TableSchema::new().family("a", FamilySchema::new().ttl(std::time::Duration::from_micros(1500)));
    let before: WideTable<Before, _> = WideTable::open(&db, "t", &schema).unwrap();
    before.put(&Before::A(1), "a:q", &1_i64).unwrap();
    let after: WideTable<After, _> = WideTable::open(&db, "t", &schema).unwrap();
    after.put(&After::A(1), "a:q", &1_i64).unwrap();
    after.put(&After::B(1), "a:q", &1_i64).unwrap();
    assert_eq!(after.count(..).unwrap(), 2);
}

#[test]
fn a_table_that_is_as_it_was_is_not_altered() {
    let db = Altering::over(CellsDatabase::new(Memory::new()), |_, _, _| Err(Error::Unsupported("alter")));
    for _ in 0..2 {
        let events: WideTable<Event, _> = WideTable::open(&db, "t", &schema()).unwrap();
        assert_eq!(events.count(..).unwrap(), 0);
    }
}
