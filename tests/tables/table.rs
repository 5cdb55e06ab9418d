//! Tables: typed rows, merged buckets, cursors, layouts that are checked.

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::prefix::tuple_prefix;
use rowkey::store::{Database, Metered, Store};
use rowkey::{Cursor, CursorError, Error, Json, Memory, Postcard, RowKey, Select, Table, TableScan, WriteBatch};
use rowkey_testkit::cases;

#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Plain {
    host: String,
    #[rowkey(desc)]
    at: u8,
    id: u8,
}

#[derive(RowKey, Debug, Clone, PartialEq, Eq)]
#[rowkey(salt(buckets = 5))]
struct Salted {
    host: String,
    #[rowkey(desc)]
    at: u8,
    id: u8,
}

#[derive(RowKey, Debug, Clone, PartialEq, Eq)]
#[rowkey(salt(buckets = 20, by(host), hash = java, format = hex))]
struct SaltedByHost {
    host: String,
    #[rowkey(desc)]
    at: u8,
    id: u8,
}

macro_rules! from_plain {
    ($($key:ident)*) => {$(
        impl From<Plain> for $key {
            fn from(Plain { host, at, id }: Plain) -> Self {
                Self { host, at, id }
            }
        }
        impl From<$key> for Plain {
            fn from($key { host, at, id }: $key) -> Self {
                Self { host, at, id }
            }
        }
    )*};
}
from_plain!(Salted SaltedByHost);

fn key() -> impl Strategy<Value = Plain> {
    let host = prop_oneof![Just(""), Just("a"), Just("a\0"), Just("a\u{1}"), Just("ab"), Just("b")];
    (host, 0u8..4, 0u8..3).prop_map(|(host, at, id)| Plain { host: host.to_owned(), at, id })
}

#[derive(Debug, Clone)]
enum Query {
    All,
    Host(String),
    HostAt(String, u8),
    Range(String, u8, u8),
    Hosts(Vec<String>),
    StartsWith(String),
}

fn query() -> impl Strategy<Value = Query> {
    prop_oneof![
        Just(Query::All),
        key().prop_map(|key| Query::Host(key.host)),
        key().prop_map(|key| Query::HostAt(key.host, key.at)),
        (key(), 0u8..4).prop_map(|(key, to)| Query::Range(key.host, key.at, to)),
        vec(key(), 0..3).prop_map(|keys| Query::Hosts(keys.into_iter().map(|key| key.host).collect())),
        key().prop_map(|key| Query::StartsWith(key.host)),
    ]
}

impl Query {
    fn holds(&self, key: &Plain) -> bool {
        match self {
            Self::All => true,
            Self::Host(host) => key.host == *host,
            Self::HostAt(host, at) => key.host == *host && key.at == *at,
            Self::Range(host, from, to) => key.host == *host && (*from..*to).contains(&key.at),
            Self::Hosts(hosts) => hosts.contains(&key.host),
            Self::StartsWith(start) => key.host.starts_with(start.as_str()),
        }
    }
}

#[derive(Debug, Clone)]
enum From_ {
    Start,
    Cursor(usize),
    Key(Plain),
    AtKey(Plain),
    Fields(String, u8),
}

fn from() -> impl Strategy<Value = From_> {
    prop_oneof![
        Just(From_::Start),
        (0usize..20).prop_map(From_::Cursor),
        key().prop_map(From_::Key),
        key().prop_map(From_::AtKey),
        key().prop_map(|key| From_::Fields(key.host, key.at)),
    ]
}

/// What a scan has to show, by sorting and filtering alone.
fn model(rows: &[Plain], query: &Query, reverse: bool, from: &From_, limit: Option<u64>) -> Vec<Plain> {
    let order =
        |a: &Plain, b: &Plain| (&a.host, std::cmp::Reverse(a.at), a.id).cmp(&(&b.host, std::cmp::Reverse(b.at), b.id));
    let mut found: Vec<_> = rows.iter().filter(|key| query.holds(key)).cloned().collect();
    found.sort_by(order);
    found.dedup();
    if reverse {
        found.reverse();
    }
    let after = |a: &Plain, b: &Plain| if reverse { order(a, b).is_lt() } else { order(a, b).is_gt() };
    match from {
        From_::Start => {}
        From_::Cursor(n) => drop(found.drain(..(n + 1).min(found.len()))),
        From_::Key(key) => found.retain(|row| after(row, key)),
        From_::AtKey(key) => found.retain(|row| row == key || after(row, key)),
        From_::Fields(host, at) => found.retain(|row| {
            let key = Plain { host: host.clone(), at: *at, id: row.id };
            (row.host != *host || row.at != *at) && after(row, &key)
        }),
    }
    found.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
    found
}

fn keys<K: Into<Plain>>(rows: impl Iterator<Item = Result<(K, String), Error>>) -> Vec<Plain> {
    rows.map(|row| row.unwrap().0.into()).collect()
}

macro_rules! scans {
    ($name:ident $key:ident $prefix:ident) => {
        fn $name(rows: &[Plain], query: &Query, reverse: bool, from: &From_, limit: Option<u64>) -> Option<Vec<Plain>> {
            let table: Table<$key, String, _> = Table::open(Memory::new(), "t").unwrap();
            for row in rows {
                table.put(&row.clone().into(), &format!("{row:?}")).unwrap();
            }
            let select = || match query {
                Query::All => $key::prefix().select(),
                Query::Host(host) => $key::prefix().host(host).select(),
                Query::HostAt(host, at) => $key::prefix().host(host).at(at).select(),
                Query::Range(host, low, high) => $key::prefix().host(host).at_range(low..high),
                Query::Hosts(hosts) => $key::prefix().host_in(hosts),
                Query::StartsWith(start) => $key::prefix().host_starts_with(start.as_str()),
            };
            let direct = |scan: TableScan<$key, String>| if reverse { scan.reverse() } else { scan };
            let scan_from = || {
                let scan = direct(table.scan(select())).batch_rows(2);
                Some(match from {
                    From_::Start => scan,
                    From_::Cursor(n) => {
                        let mut first = direct(table.scan(select()));
                        first.by_ref().take(n + 1).for_each(|row| drop(row.unwrap()));
                        let cursor: Option<Cursor> = first.cursor().map(|cursor| cursor.to_string().parse().unwrap());
                        scan.after(cursor?)
                    }
                    From_::Key(key) => scan.after_key(&key.clone().into()),
                    From_::AtKey(key) => scan.from_key(&key.clone().into()),
                    From_::Fields(host, at) => scan.after_prefix($key::prefix().host(host).at(at)),
                })
            };
            let limited = |scan: TableScan<$key, String>| match limit {
                Some(limit) => scan.limit(limit),
                None => scan,
            };
            let scan = limited(scan_from()?);
            let found: Vec<Plain> = scan
                .map(|row| {
                    let (key, value) = row.unwrap();
                    let key = Plain::from(key);
                    assert_eq!(value, format!("{key:?}"));
                    key
                })
                .collect();
            assert_eq!(table.count(select()).unwrap() as usize, model(rows, query, false, &From_::Start, None).len());

            // One of each host; one of each host and time, but for the first two; one row a group, where a group says
            // what is not so: nothing, or what is far from here.
            let firsts = |keep: &dyn Fn(&Plain, &Plain) -> bool, pass: usize| {
                let mut rows = model(rows, query, reverse, from, None);
                rows.dedup_by(|b, a| keep(a, b));
                rows.into_iter().skip(pass).take(limit.map_or(usize::MAX, |limit| limit as usize)).collect::<Vec<_>>()
            };
            let by_host = limited(scan_from()?).first_of_each(|row| $key::prefix().host(&row.host));
            assert_eq!(keys(by_host), firsts(&|a, b| a.host == b.host, 0));
            let by_time =
                limited(scan_from()?).offset(2).first_of_each(|row| $key::prefix().host(&row.host).at(row.at));
            assert_eq!(keys(by_time), firsts(&|a, b| (&a.host, a.at) == (&b.host, b.at), 2));
            let astray = limited(scan_from()?).first_of_each(|row| match row.at {
                0 => $key::prefix().host_in(None::<String>),
                _ => $key::prefix().host(if reverse { "z" } else { "" }).at_range(5..),
            });
            assert_eq!(keys(astray), firsts(&|_, _| false, 0));
            Some(found)
        }
    };
}
scans!(plain Plain PlainPrefix);
scans!(salted Salted SaltedPrefix);
scans!(salted_by_host SaltedByHost SaltedByHostPrefix);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200, 600)))]

    /// Law 6: a salted scan equals the unsalted scan of the same rows, in order, both ways, with every limit and
    /// cursor.
    #[test]
    fn a_salted_scan_equals_the_unsalted(
        rows in vec(key(), 0..40), query in query(), reverse: bool, from in from(), limit in proptest::option::of(0u64..12),
    ) {
        let due = model(&rows, &query, reverse, &from, limit);
        for found in [
            plain(&rows, &query, reverse, &from, limit),
            salted(&rows, &query, reverse, &from, limit),
            salted_by_host(&rows, &query, reverse, &from, limit),
        ]
        .into_iter()
        .flatten()
        {
            prop_assert_eq!(&found, &due);
        }
    }
}

#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(hashed(bytes = 4, by(user)))]
struct Hashed {
    user: u32,
    at: u32,
}

#[test]
fn what_is_with_the_first_of_a_group_is_not_read() {
    let table: Table<Salted, (), _> = Table::open(Memory::new(), "t").unwrap();
    for id in 0..200 {
        table.put(&Salted { host: ["a", "b"][usize::from(id % 2)].into(), at: id / 2, id }, &()).unwrap();
    }
    let mut hosts = table.scan(..).first_of_each(|row| Salted::prefix().host(&row.host));
    let first: Vec<_> = hosts.by_ref().map(|row| row.unwrap().0.at).collect();
    assert_eq!((first, hosts.rows_read()), (vec![99, 99], 10), "a row of each host from each of 5 buckets");
    assert!(hosts.next().is_none());
}

#[test]
fn a_hashed_key_reads_a_user_in_order() {
    let table: Table<Hashed, (), _> = Table::open(Memory::new(), "t").unwrap();
    for user in 0..20 {
        for at in 0..5 {
            table.put(&Hashed { user, at }, &()).unwrap();
        }
    }
    let of = |scan: rowkey::table::Keys<Hashed>| scan.map(|key| key.unwrap().at).collect::<Vec<_>>();
    assert_eq!(of(table.keys(Hashed::prefix().user(7))), [0, 1, 2, 3, 4]);
    assert_eq!(of(table.scan(Hashed::prefix().user(7).at_range(1..)).reverse().keys()), [4, 3, 2, 1]);
    assert_eq!(of(table.scan(Hashed::prefix().user(7)).after_prefix(Hashed::prefix().user(7).at(2)).keys()), [3, 4]);
    assert_eq!(of(table.scan(Hashed::prefix().user(7)).after_key(&Hashed { user: 7, at: 1 }).keys()), [2, 3, 4]);
    assert_eq!(table.count(..).unwrap(), 100);
}

#[test]
fn rows_go_in_and_out() {
    let db = Memory::new();
    let table: Table<(u8, String), String, _> = Table::open(&db, "t").unwrap();
    let key = |n: u8, name: &str| (n, name.to_owned());
    for (n, name) in [(1, "a"), (1, "b"), (2, "a"), (3, "c")] {
        table.put(&key(n, name), &format!("{n}{name}")).unwrap();
    }
    assert_eq!(table.get(&key(1, "b")).unwrap().unwrap(), "1b");
    assert_eq!(table.get(&key(1, "c")).unwrap(), None);
    let many = table.get_many([key(3, "c"), key(9, ""), key(1, "a"), key(3, "c")]).unwrap();
    assert_eq!(many, [Some("3c".into()), None, Some("1a".into()), Some("3c".into())]);
    assert_eq!(table.first(..).unwrap().unwrap().0, key(1, "a"));
    assert_eq!(table.last(tuple_prefix()._0(1)).unwrap().unwrap().0, key(1, "b"));
    assert_eq!(table.first_at_or_after(&key(1, "aa")).unwrap().unwrap().0, key(1, "b"));
    assert_eq!(table.first_at_or_after(&key(2, "a")).unwrap().unwrap().0, key(2, "a"));
    assert_eq!(table.first_at_or_after(&key(4, "")).unwrap(), None);
    table.delete(&key(1, "a")).unwrap();
    table.delete_rows(tuple_prefix()._0_range(2..=2)).unwrap();
    let keys: Vec<_> = table.keys(..).map(Result::unwrap).collect();
    assert_eq!(keys, [key(1, "b"), key(3, "c")]);

    assert_eq!(table.update(&key(1, "b"), |was| was.map(|was| was + "!")).unwrap().unwrap(), "1b!");
    assert_eq!(table.update(&key(1, "b"), |_| None).unwrap(), None);
    assert_eq!(table.count(..).unwrap(), 1);
    assert_eq!(table.name(), "t");
}

#[test]
fn updates_are_not_lost() {
    let table: Table<String, i64, _> = Table::open(Memory::new(), "t").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..250 {
                    table.update(&"n".to_owned(), |n| Some(n.unwrap_or(0) + 1)).unwrap();
                    table.increment(&"m".to_owned(), 2).unwrap();
                }
            });
        }
    });
    assert_eq!(table.get(&"n".to_owned()).unwrap(), Some(1000));
    assert_eq!(table.get(&"m".to_owned()).unwrap(), Some(2000));
}

#[test]
fn values_by_codec() {
    let db = Memory::new();
    let json: Table<u8, Json<Vec<u32>>, _> = Table::open(&db, "json").unwrap();
    json.put(&1, &Json(vec![1, 2])).unwrap();
    assert_eq!(json.store().get(&[1]).unwrap().unwrap(), b"[1,2]");
    let postcard: Table<u8, Postcard<(u8, String)>, _> = Table::open(&db, "postcard").unwrap();
    postcard.put(&1, &Postcard((7, "a".into()))).unwrap();
    assert_eq!(postcard.get(&1).unwrap().unwrap().0, (7, "a".into()));
    let bytes: Table<u8, Vec<u8>, _> = Table::open(&db, "json").unwrap();
    bytes.put(&2, &b"[1,".to_vec()).unwrap();
    let error = json.scan(..).nth(1).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the value of table \"json\" at key 02 can't be read");
}

#[test]
fn a_batch_spans_tables() {
    let db = Memory::new();
    let left: Table<u8, String, _> = Table::open(db.clone(), "left").unwrap();
    let right: Table<String, (), _> = Table::open(db.clone(), "right").unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&left, &1, &"a".into()).unwrap().put(&right, &"a".into(), &()).unwrap();
    batch.put(&left, &2, &"b".into()).unwrap().delete(&left, &2);
    batch.write(&db).unwrap();
    assert_eq!((left.count(..).unwrap(), right.count(..).unwrap()), (1, 1));
}

#[test]
fn another_layout_is_refused_with_both_shapes() {
    let db = Memory::new();
    drop(Table::<(u64, i64), String, _>::open(&db, "t").unwrap());
    let error = Table::<(u64, u64), String, _>::open(&db, "t").unwrap_err();
    assert_eq!(
        error.to_string(),
        "table \"t\" has keys of another layout\n  in the table: (u64, i64)\n  given:        (u64, u64)"
    );
    Table::<(u64, i64), Vec<u8>, _>::open(&db, "t").unwrap().drop_table().unwrap();
    assert!(Table::<(u64, u64), String, _>::open(&db, "t").is_ok());
    for name in ["rowkey.layouts", "rowkey.migrations"] {
        assert!(matches!(Table::<u8, (), _>::open(&db, name), Err(Error::ReservedName(_))));
    }
    assert!(Table::<u8, (), _>::open(&db, "").is_ok());
}

mod grown {
    use rowkey::RowKey;

    #[derive(RowKey, Debug, Clone, PartialEq)]
    pub enum Before {
        Login = 1,
        Click = 4,
    }

    #[derive(RowKey, Debug, Clone, PartialEq)]
    pub enum After {
        Login = 1,
        Seen = 2,
        Click = 4,
    }

    #[derive(RowKey, Debug, Clone, PartialEq)]
    pub enum Renumbered {
        Login = 1,
        Click = 2,
    }
}

#[test]
fn an_enum_may_gain_variants() {
    use grown::{After, Before, Renumbered};
    let db = Memory::new();
    let before: Table<(u8, Before), (), _> = Table::open(&db, "t").unwrap();
    before.put(&(7, Before::Click), &()).unwrap();
    assert!(matches!(Table::<(u8, Renumbered), (), _>::open(&db, "t"), Err(Error::Layout { .. })));
    let after: Table<(u8, After), (), _> = Table::open(&db, "t").unwrap();
    after.put(&(7, After::Seen), &()).unwrap();
    let keys: Vec<_> = after.keys(..).collect::<Result<_, _>>().unwrap();
    assert_eq!(keys, [(7, After::Seen), (7, After::Click)]);
    // What does not know them would stumble over their rows.
    assert!(matches!(Table::<(u8, Before), (), _>::open(&db, "t"), Err(Error::Layout { .. })));
}

#[test]
fn cursors_are_checked() {
    let db = Memory::new();
    let table: Table<Salted, (), _> = Table::open(&db, "t").unwrap();
    for id in 0..9 {
        table.put(&Salted { host: "a".into(), at: 1, id }, &()).unwrap();
        table.put(&Salted { host: "b".into(), at: 1, id }, &()).unwrap();
    }
    let page = table.scan(Salted::prefix().host("a")).page(4).unwrap();
    let cursor = page.next.unwrap();
    let refused = |scan: TableScan<Salted, ()>| {
        let items: Vec<_> = scan.collect();
        assert_eq!(items.len(), 1);
        match items.into_iter().next() {
            Some(Err(Error::Cursor(error))) => error,
            other => panic!("{other:?}"),
        }
    };
    let outside = refused(table.scan(Salted::prefix().host("b")).after(cursor.clone()));
    assert_eq!(outside, CursorError::OutsideScan);
    let other: Table<u8, (), _> = Table::open(&db, "other").unwrap();
    other.put(&1, &()).unwrap();
    other.put(&2, &()).unwrap();
    let foreign = other.scan(..).page(1).unwrap().next.unwrap();
    assert!(matches!(refused(table.scan(..).after(foreign)), CursorError::OtherLayout { .. }));
    let mut text = cursor.to_string();
    text.replace_range(20..22, "ff");
    assert!(matches!(text.parse::<Cursor>(), Err(CursorError::Malformed(_))));

    let mut seen = page.rows.len();
    let mut next = Some(cursor);
    while let Some(cursor) = next {
        let page = table.scan(Salted::prefix().host("a")).after(cursor).page(4).unwrap();
        seen += page.rows.len();
        next = page.next;
    }
    assert_eq!(seen, 9);
}

#[test]
fn a_cursor_stands_behind_the_last_row_at_any_time() {
    let table: Table<Salted, (), _> = Table::open(Memory::new(), "t").unwrap();
    for id in 0..40 {
        table.put(&Salted { host: "a".into(), at: 1, id }, &()).unwrap();
    }
    let scan = || table.scan(..).batch_rows(3);
    for (mut scan, rows) in [(scan(), 40), (scan().reverse(), 40), (scan().limit(7), 7), (scan().limit(0), 0)] {
        let (mut last, mut count) = (None, 0);
        assert_eq!(scan.cursor(), None);
        while let Some(row) = scan.next() {
            last = Some(row.unwrap().0.encode());
            count += 1;
            assert_eq!(scan.cursor().map(|cursor| cursor.key().to_vec()), last);
        }
        assert!(scan.next().is_none());
        assert_eq!((scan.cursor().map(|cursor| cursor.key().to_vec()), count), (last, rows));
    }

    // A row that can't be read counts as returned: to continue after it skips it.
    table.store().write(rowkey::store::Batch::new().put([b"\0b", &[0][..]].concat(), *b"")).unwrap();
    let mut scan = scan();
    assert!(scan.by_ref().last().is_some_and(|row| row.is_err()));
    assert_eq!(scan.cursor().unwrap().key(), b"\0b\0");
}

#[test]
fn a_scan_tells_what_it_read() {
    let table: Table<Salted, (), _> = Table::open(Memory::new(), "t").unwrap();
    for id in 0..100 {
        table.put(&Salted { host: "a".into(), at: 1, id }, &()).unwrap();
    }
    let mut scan = table.scan(..).limit(3).batch_rows(1);
    assert_eq!(scan.rows_read(), 0);
    assert_eq!(scan.by_ref().count(), 3);
    assert_eq!(scan.rows_returned(), 3);
    assert!((3..=8).contains(&scan.rows_read()), "{}", scan.rows_read());

    let page = table.scan(..).batch_rows(1).page(3).unwrap();
    assert!((3..=9).contains(&page.rows_read), "{}", page.rows_read);
    let all = table.scan(..).page(1000).unwrap();
    assert_eq!((all.rows.len(), all.rows_read, all.next), (100, 100, None));
}

#[test]
fn foreign_rows_are_told_once_and_end_the_scan() {
    let table: Table<Plain, (), _> = Table::open(Memory::new(), "t").unwrap();
    table.put(&Plain { host: "a".into(), at: 1, id: 1 }, &()).unwrap();
    table.store().write(rowkey::store::Batch::new().put(*b"b", *b"")).unwrap();
    table.put(&Plain { host: "c".into(), at: 1, id: 1 }, &()).unwrap();
    let rows: Vec<_> = table.scan(..).collect();
    assert!(matches!(rows.as_slice(), [Ok(_), Err(Error::Key { .. })]), "{rows:?}");
    let mut scan = table.scan(..);
    assert!(scan.next_row().unwrap().is_some());
    assert!(scan.next_row().is_err());
    assert!(scan.next_row().unwrap().is_none());
}

#[test]
fn scans_can_move_to_a_thread() {
    fn is_send<T: Send + 'static>(_: &T) {}
    let table: Table<Plain, String, _> = Table::open(Memory::new(), "t").unwrap();
    is_send(&table.scan(..));
    is_send(&table.keys(..));
    let dynamic: Box<dyn Database> = Box::new(Memory::new());
    let table: Table<Plain, String, _> = Table::open(dynamic, "t").unwrap();
    assert_eq!(table.store().guarantees(), Memory::new().guarantees());
}

#[derive(RowKey, Debug, Clone, PartialEq, Eq)]
#[rowkey(salt(buckets = 3, by(host), format = hex))]
struct HourOfHost {
    #[rowkey(desc)]
    hour: u8,
    host: String,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn one_bucket_of_a_window(rows in vec((0..8_u8, "[a-e]"), 0..60), low in 0..8_u8, hours in 0..8_u8, host in "[a-e]") {
        let db = Metered::new(Memory::new());
        let table: Table<HourOfHost, (), _> = Table::open(db.clone(), "hours").unwrap();
        for (hour, host) in &rows {
            table.put(&HourOfHost { hour: *hour, host: host.clone() }, &()).unwrap();
        }
        let window = || HourOfHost::prefix().hour_range(low..low + hours);
        let wanted = HourOfHost { hour: 99, host: host.clone() };
        let of_host = |keys: Vec<HourOfHost>| keys.into_iter().filter(|key| key.host == host).collect::<Vec<_>>();
        let all = table.keys(window()).collect::<Result<Vec<_>, _>>().unwrap();

        let before = db.costs();
        let found = table.keys(window().in_bucket_of(&wanted)).collect::<Result<Vec<_>, _>>().unwrap();
        let costs = db.costs() - before;
        prop_assert_eq!((costs.seeks, costs.rows_read), (u64::from(hours > 0), found.len() as u64));
        prop_assert!(found.iter().all(|key| key.encode()[..1] == wanted.encode()[..1] && all.contains(key)));
        prop_assert_eq!(of_host(found.clone()), of_host(all));

        // Of two buckets: none, unless they are one.
        let other = HourOfHost { hour: 0, host: "a".into() };
        let of_both = table.count(window().in_bucket_of(&other).in_bucket_of(&wanted)).unwrap();
        let one = other.encode()[..1] == wanted.encode()[..1];
        prop_assert_eq!(of_both, if one { found.len() as u64 } else { 0 });

        // Pages, backward too, and counts.
        let bucket = window().in_bucket_of(&wanted);
        prop_assert_eq!(table.count(&bucket).unwrap(), found.len() as u64);
        let mut backward = table.scan(&bucket).reverse().keys().collect::<Result<Vec<_>, _>>().unwrap();
        backward.reverse();
        prop_assert_eq!(&backward, &found);
        if let Some(first) = found.first() {
            let rest = table.scan(&bucket).after_key(first).keys().collect::<Result<Vec<_>, _>>().unwrap();
            prop_assert_eq!(&rest, &found[1..]);
        }
        table.delete_rows(bucket).unwrap();
        prop_assert_eq!(table.count(window().in_bucket_of(&wanted)).unwrap(), 0);
        prop_assert!(table.keys(window()).all(|key| key.unwrap().encode()[..1] != wanted.encode()[..1]));
    }
}
