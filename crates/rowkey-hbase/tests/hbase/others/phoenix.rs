//! Phoenix 5.2: tables of its own DDL, read and written by typed keys.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rowkey::nonblocking::AsyncWideTable;
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{RowKey, Select, Selection};
use rowkey_hbase::HBase;
use rowkey_testkit::{Random, cases};

use super::programs;
use crate::{client, runtime};

/// `PRIMARY KEY (HOST, VISITED DESC, N, TAG DESC)` with `SALT_BUCKETS = 4`.
#[derive(RowKey, Clone, Debug, PartialEq, Eq)]
#[rowkey(salt(buckets = 4, hash = java))]
struct Hit {
    host: String,
    #[rowkey(desc)]
    visited: i64,
    n: u64,
    #[rowkey(desc)]
    tag: String,
}

/// The other columns.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Values {
    amount: Option<u64>,
    balance: Option<i64>,
    title: Option<String>,
    paid: Option<bool>,
}

type Hits = AsyncWideTable<Hit, HBase>;

/// A table of Phoenix, and how it names the columns.
struct Table {
    name: &'static str,
    options: &'static str,
    qualifiers: [&'static [u8]; 4],
    /// The cell that each row has.
    marker: (&'static [u8], &'static [u8]),
}

/// The family of columns without one.
const FAMILY: &str = "0";

const TABLES: [Table; 2] = [
    Table {
        name: "HITS_NAMED",
        options: ", COLUMN_ENCODED_BYTES = 0",
        qualifiers: [b"AMOUNT", b"BALANCE", b"TITLE", b"PAID"],
        marker: (b"_0", b"x"),
    },
    Table {
        name: "HITS_NUMBERED",
        options: "",
        qualifiers: [b"\x80\x0b", b"\x80\x0c", b"\x80\x0d", b"\x80\x0e"],
        marker: (b"\0\0\0\0", b"x"),
    },
];

impl Table {
    fn created(&self) -> String {
        format!(
            "DROP TABLE IF EXISTS {name};\n\
             CREATE TABLE {name} (HOST VARCHAR NOT NULL, VISITED BIGINT NOT NULL, N UNSIGNED_LONG NOT NULL, \
             TAG VARCHAR NOT NULL, AMOUNT UNSIGNED_LONG, BALANCE BIGINT, TITLE VARCHAR, PAID BOOLEAN \
             CONSTRAINT PK PRIMARY KEY (HOST, VISITED DESC, N, TAG DESC)) SALT_BUCKETS = 4{options};\n",
            name = self.name,
            options = self.options,
        )
    }

    fn upserted(&self, hit: &Hit, values: &Values) -> String {
        let Hit { host, visited, n, tag } = hit;
        let Values { amount, balance, title, paid } = values;
        let title = title.as_ref().map_or("NULL".to_owned(), |title| format!("'{title}'"));
        let [amount, balance, paid] = [shown(amount), shown(balance), shown(paid)];
        let values = format!("'{host}', {visited}, {n}, '{tag}', {amount}, {balance}, {title}, {paid}");
        format!("UPSERT INTO {} VALUES ({values});\n", self.name)
    }

    /// The rows where this holds, in the order of the key.
    fn selected(&self, holds: &str) -> String {
        format!("SELECT * FROM {} WHERE {holds} ORDER BY HOST, VISITED DESC, N, TAG DESC;\n", self.name)
    }

    /// The values as Phoenix keeps them: numbers and booleans as in keys, text as it is, NULL as no cell.
    fn read(&self, row: &Row) -> Values {
        let [amount, balance, title, paid] = self.qualifiers.map(|qualifier| (FAMILY, qualifier));
        Values {
            amount: row.value(amount).map(|value| u64::decode(value).unwrap()),
            balance: row.value(balance).map(|value| i64::decode(value).unwrap()),
            title: row.read::<String>(title).unwrap(),
            paid: row.value(paid).map(|value| bool::decode(value).unwrap()),
        }
    }

    fn put(&self, values: &Values) -> Mutation {
        let Values { amount, balance, title, paid } = values;
        let cells = [
            amount.map(|amount| amount.encode()),
            balance.map(|balance| balance.encode()),
            title.clone().map(String::into_bytes),
            paid.map(|paid| paid.encode()),
        ];
        let cells = self.qualifiers.into_iter().zip(cells);
        let (marker, x) = self.marker;
        cells.fold(Mutation::new().put((FAMILY, marker), x), |put, (qualifier, value)| match value {
            Some(value) => put.put((FAMILY, qualifier), value),
            None => put,
        })
    }

    async fn open(&self, database: &HBase) -> Hits {
        let schema = TableSchema::new().family(FAMILY, FamilySchema::new());
        let store = database.external_table(self.name, &schema).await.unwrap();
        AsyncWideTable::external(database.clone(), store)
    }

    /// The rows of a selection, as Phoenix prints them. Each has the marker's cell.
    async fn rows(&self, hits: &Hits, select: impl Select<Hit>) -> Vec<String> {
        let (mut scan, mut lines) = (hits.scan(select, Columns::all()), Vec::new());
        while let Some(row) = scan.next().await {
            let (hit, row) = row.unwrap();
            assert_eq!(row.value((FAMILY, self.marker.0)), Some(self.marker.1), "{hit:?}");
            lines.push(line(&hit, &self.read(&row)));
        }
        lines
    }
}

fn shown<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map_or("null".to_owned(), T::to_string)
}

fn line(hit: &Hit, values: &Values) -> String {
    let Hit { host, visited, n, tag } = hit;
    let Values { amount, balance, title, paid } = values;
    let values = [shown(amount), shown(balance), shown(title), shown(paid)].join("\t");
    format!("{host}\t{visited}\t{n}\t{tag}\t{values}")
}

/// The order of the key.
type Place = (String, Reverse<i64>, u64, Reverse<String>);

/// The rows that a table has to hold.
#[derive(Clone, Default)]
struct Model(BTreeMap<Place, (Hit, Values)>);

impl Model {
    fn put(&mut self, hit: &Hit, values: &Values) {
        self.0.insert(Self::place(hit), (hit.clone(), values.clone()));
    }

    fn place(hit: &Hit) -> Place {
        (hit.host.clone(), Reverse(hit.visited), hit.n, Reverse(hit.tag.clone()))
    }

    fn rows(&self) -> impl DoubleEndedIterator<Item = &(Hit, Values)> {
        self.0.values()
    }

    fn lines(&self, holds: impl Fn(&Hit) -> bool) -> Vec<String> {
        self.rows().filter(|(hit, _)| holds(hit)).map(|(hit, values)| line(hit, values)).collect()
    }
}

/// Random rows, this many different ones.
fn random(random: &mut Random, rows: u32) -> Model {
    let texts = ["a", "a b", "ab", "b", "b!", "é", "z", "~", "日本", "\u{10ffff}"];
    let visits = [-i64::MAX, -1_700_000_000_000, -1, 0, 0, 0, 1, 255, 256, 1_700_000_000_000, i64::MAX];
    let ns = [0, 1, 1, 1, 2, 255, 256, 65_536, 1 << 40, i64::MAX as u64];
    let mut model = Model::default();
    while model.0.len() < rows as usize {
        let hit = Hit {
            host: format!("{}{}", random.one_of(&texts), random.one_of(&["", "", "!", "é"])),
            visited: random.one_of(&visits),
            n: random.one_of(&ns),
            tag: random.one_of(&texts).to_owned(),
        };
        let mut is_some = || !random.chance(8);
        let there = [(); 4].map(|()| is_some());
        let values = Values {
            amount: there[0].then(|| random.one_of(&ns)),
            balance: there[1].then(|| random.one_of(&visits)),
            title: there[2].then(|| random.one_of(&texts).to_owned()),
            paid: there[3].then(|| random.chance(2)),
        };
        model.put(&hit, &values);
    }
    model
}

/// A predicate on the key: in SQL, on a row, and as a prefix of the key where there is one.
type Predicate = (&'static str, fn(&Hit) -> bool, Option<Selection<Hit>>);

fn predicates() -> Vec<Predicate> {
    let ab = || Hit::prefix().host("ab");
    vec![
        ("HOST = 'ab'", |hit| hit.host == "ab", Some(ab().select())),
        (
            "HOST >= 'ab' AND HOST < 'é'",
            |hit| ("ab".."é").contains(&&*hit.host),
            Some(Hit::prefix().host_range("ab".."é")),
        ),
        ("HOST LIKE 'b%'", |hit| hit.host.starts_with("b"), Some(Hit::prefix().host_starts_with("b"))),
        (
            "HOST = 'ab' AND VISITED >= -1 AND VISITED < 256",
            |hit| hit.host == "ab" && (-1..256).contains(&hit.visited),
            Some(ab().visited_range(-1..256)),
        ),
        (
            "HOST = 'ab' AND VISITED = 0 AND N > 255",
            |hit| hit.host == "ab" && hit.visited == 0 && hit.n > 255,
            Some(ab().visited(0).n_range(256..)),
        ),
        (
            "HOST = 'ab' AND VISITED = 0 AND N = 1 AND TAG <= 'b!'",
            |hit| hit.host == "ab" && hit.visited == 0 && hit.n == 1 && &*hit.tag <= "b!",
            Some(ab().visited(0).n(1).tag_range(..="b!")),
        ),
        ("TAG = '日本' AND N = 1", |hit| hit.tag == "日本" && hit.n == 1, None),
    ]
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn phoenix() {
    runtime().block_on(async {
        let database = HBase::connect(client()).await.unwrap();
        let mut numbers = Random(7);
        let by_phoenix = random(&mut numbers, cases(1_000, 10_000));
        let mut sql = String::new();
        for table in &TABLES {
            sql += &table.created();
            sql.extend(by_phoenix.rows().map(|(hit, values)| table.upserted(hit, values)));
            sql += &table.selected("TRUE");
        }
        let theirs = programs().phoenix(&sql);
        let theirs: Vec<_> = theirs.lines().collect();
        let all = by_phoenix.lines(|_| true);
        assert_eq!(theirs, [&all[..], &all].concat());

        // Read by typed keys; then rows of ours, of which some have other keys.
        let by_rowkey = random(&mut numbers, cases(300, 3_000));
        let mut model = by_phoenix.clone();
        by_rowkey.rows().for_each(|(hit, values)| model.put(hit, values));
        let unmarked = (
            Hit { host: "zzz".into(), visited: 0, n: 1, tag: "a".into() },
            Values { balance: Some(9), ..Values::default() },
        );
        model.put(&unmarked.0, &unmarked.1);
        let gone = by_phoenix.rows().nth(10).unwrap().0.clone();
        model.0.remove(&Model::place(&gone));
        for table in &TABLES {
            let hits = table.open(&database).await;
            assert_eq!(table.rows(&hits, ..).await, all);
            for (sql, holds, select) in predicates() {
                let Some(select) = select else { continue };
                assert_eq!(table.rows(&hits, select).await, by_phoenix.lines(holds), "{sql}");
            }
            let (hit, values) = by_phoenix.rows().next_back().unwrap();
            let mut last = hits.scan(.., Columns::all()).reverse().limit(1);
            assert_eq!(last.next().await.unwrap().unwrap().0, *hit);
            assert_eq!(table.read(&hits.get(hit, &Columns::all()).await.unwrap()), *values);
            // What a value of NULL was before is deleted.
            let delete = |put, qualifier| Mutation::delete_column(put, (FAMILY, qualifier));
            let emptied =
                by_rowkey.rows().map(|(hit, _)| (hit, table.qualifiers.into_iter().fold(Mutation::new(), delete)));
            hits.mutate_many(emptied).await.unwrap();
            hits.mutate_many(by_rowkey.rows().map(|(hit, values)| (hit, table.put(values)))).await.unwrap();
            hits.delete(&gone).await.unwrap();
            let balance = (FAMILY, table.qualifiers[1]);
            hits.mutate(&unmarked.0, &Mutation::new().put(balance, 9i64.encode())).await.unwrap();
        }

        // Read by Phoenix, which writes to rows of ours, and deletes one.
        let (changed, values) = by_rowkey.rows().next().unwrap();
        let (deleted, _) = by_rowkey.rows().nth(1).unwrap();
        let values = Values { amount: Some(42), ..values.clone() };
        let (mut sql, mut expected) = (String::new(), Vec::new());
        for table in &TABLES {
            sql += &table.selected("TRUE");
            expected.extend(model.lines(|_| true));
            for (holds, is, _) in predicates() {
                let rows = model.lines(is);
                sql += &format!("SELECT COUNT(*) FROM {} WHERE {holds};\n{}", table.name, table.selected(holds));
                assert!(!rows.is_empty(), "{holds}");
                expected.push(rows.len().to_string());
                expected.extend(rows);
            }
            sql += &format!("SELECT COUNT(*) FROM {};\n", table.name);
            expected.push(model.0.len().to_string());
            // A row without the marker is not found by queries of columns that it does not have.
            sql += &format!("SELECT AMOUNT FROM {} WHERE HOST = 'zzz';\n", table.name);
            sql += &format!("SELECT BALANCE FROM {} WHERE HOST = 'zzz';\n", table.name);
            expected.push("9".to_owned());
            sql += &table.upserted(changed, &values);
            let Hit { host, visited, n, tag } = deleted;
            sql += &format!(
                "DELETE FROM {} WHERE HOST = '{host}' AND VISITED = {visited} AND N = {n} AND TAG = '{tag}';\n",
                table.name
            );
        }
        let theirs = programs().phoenix(&sql);
        assert_eq!(theirs.lines().collect::<Vec<_>>(), expected);
        model.put(changed, &values);
        model.0.remove(&Model::place(deleted));
        for table in &TABLES {
            let hits = table.open(&database).await;
            hits.mutate(&unmarked.0, &table.put(&unmarked.1)).await.unwrap();
            assert_eq!(table.rows(&hits, ..).await, model.lines(|_| true));
        }
    });
}
