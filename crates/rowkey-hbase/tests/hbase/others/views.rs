//! Phoenix's views of tables of ours, the types of its columns, and a row of it that no typed key has.

use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideTable};
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, LayoutBuf, RowKey, Value};
use rowkey_hbase::HBase;

use super::programs;
use crate::{client, runtime};

/// `PRIMARY KEY (HOST, N)`, without a salt: views have none.
#[derive(RowKey, Clone, Debug, PartialEq)]
struct Page {
    host: String,
    n: i64,
}

/// `PRIMARY KEY (A, B)`, of two `VARCHAR`. Phoenix has no separators before a NULL at a key's end.
#[derive(RowKey, Clone, Debug, PartialEq)]
struct Texts {
    a: String,
    #[rowkey(raw)]
    b: String,
}

/// A type of Phoenix, a value in SQL, the shape of its cell, and the value.
fn types() -> [(&'static str, &'static str, &'static str, Value); 9] {
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    [
        ("DATE", "TO_DATE('1970-01-01 00:00:05')", "i64", Value::Signed(5000)),
        ("UNSIGNED_DATE", "TO_DATE('1970-01-01 00:00:05')", "u64", Value::Unsigned(5000)),
        ("TINYINT", "-1", "i8", Value::Signed(-1)),
        ("INTEGER", "-70000", "i32", Value::Signed(-70_000)),
        ("UNSIGNED_INT", "7", "u32", Value::Unsigned(7)),
        ("DECIMAL", "-12.5", "decimal raw", Value::Decimal("-12.5".to_owned())),
        ("BOOLEAN", "TRUE", "bool", Value::Bool(true)),
        ("VARBINARY", "X'0001FF'", "bytes raw", bytes(b"\0\x01\xff")),
        ("CHAR(3)", "'ab'", "bytes[3]", bytes(b"ab ")),
    ]
}

fn of(family: &str) -> TableSchema {
    TableSchema::new().family(family, FamilySchema::new())
}

async fn external<K: RowKey>(database: &HBase, name: &str) -> AsyncWideTable<K, HBase> {
    let store = database.external_table(name, &of("0")).await.unwrap();
    AsyncWideTable::external(database.clone(), store)
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn phoenix_views_and_types() {
    runtime().block_on(async {
        let database = HBase::connect(client()).await.unwrap();
        database.drop_table("pages").await.unwrap();
        let pages: AsyncWideTable<Page, _> =
            AsyncWideTable::open(database.clone(), "pages", &of("page")).await.unwrap();
        for (host, n) in [("a", -1), ("a", 1), ("a b", 0), ("é", i64::MAX)] {
            let put = Mutation::new().put("page:URL", format!("/{n}")).put("page:TOTAL", n.encode());
            pages.mutate(&Page { host: host.into(), n }, &put).await.unwrap();
        }

        let types = types();
        let columns: Vec<_> = types.iter().enumerate().map(|(i, (ty, ..))| format!("C{i} {ty}")).collect();
        let values: Vec<_> = types.iter().map(|(_, sql, ..)| *sql).collect();
        let sql = format!(
            "DROP VIEW IF EXISTS \"pages\";\n\
             CREATE VIEW \"pages\" (HOST VARCHAR NOT NULL, N BIGINT NOT NULL, \"page\".URL VARCHAR, \
             \"page\".TOTAL BIGINT CONSTRAINT PK PRIMARY KEY (HOST, N));\n\
             SELECT COUNT(*) FROM \"pages\";\n\
             SELECT HOST, N, URL, TOTAL FROM \"pages\" WHERE HOST = 'a' AND N < 1;\n\
             DROP VIEW \"pages\";\n\
             DROP TABLE IF EXISTS TYPES;\n\
             CREATE TABLE TYPES (ID BIGINT PRIMARY KEY, {}) COLUMN_ENCODED_BYTES = 0;\n\
             UPSERT INTO TYPES VALUES (-7, {});\n\
             DROP TABLE IF EXISTS TEXTS;\n\
             CREATE TABLE TEXTS (A VARCHAR, B VARCHAR, V BIGINT, W BIGINT CONSTRAINT PK PRIMARY KEY (A, B)) \
             COLUMN_ENCODED_BYTES = 0;\n\
             UPSERT INTO TEXTS VALUES ('x', NULL, 1, 1);\n\
             UPSERT INTO TEXTS VALUES ('y', 'b', 2, NULL);\n",
            columns.join(", "),
            values.join(", ")
        );
        assert_eq!(programs().phoenix(&sql), "4\na\t-1\t/-1\t-1\n");

        let row = external::<i64>(&database, "TYPES").await.get(&-7, &Columns::all()).await.unwrap();
        for (i, (ty, _, shape, value)) in types.into_iter().enumerate() {
            let cell = row.value(("0", format!("C{i}").as_str())).unwrap();
            let layout: LayoutBuf = shape.parse().unwrap();
            let values = [value];
            assert_eq!(layout.decode(cell).unwrap(), values, "{ty}");
            assert_eq!(layout.encode(&values).unwrap(), cell, "{ty}");
        }

        let texts: AsyncWideTable<Texts, _> = external(&database, "TEXTS").await;
        let mut scan = texts.scan(.., Columns::all());
        let error = scan.next().await.unwrap().unwrap_err();
        assert!(matches!(&error, Error::Key { table, key, .. } if table == "TEXTS" && key == b"x"), "{error}");
        let whole = texts.get(&Texts { a: "y".into(), b: "b".into() }, &Columns::all()).await.unwrap();
        assert_eq!(whole.value("0:V").map(i64::decode), Some(Ok(2)));
        assert_eq!((whole.value("0:W"), whole.value("0:_0")), (None, Some(&b"x"[..])));
        database.drop_table("pages").await.unwrap();
    });
}
