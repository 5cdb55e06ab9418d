//! Tables that other clients created and write to.

use hbase_client::{Family, Get, Put, Scan, TableName, TableSchema as Descriptor};
use rowkey::nonblocking::{AsyncTable, AsyncWideDatabase, AsyncWideTable};
use rowkey::wide::{Columns, FamilySchema, Mutation, OneColumn, TableSchema};
use rowkey::{Error, RowKey};

use crate::{Databases, runtime};

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 4, by(user)))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64,
}

fn f() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new())
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn tables_of_other_clients() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let (client, name) = (database.client().clone(), TableName::new(database.namespace(), "t"));
        assert!(matches!(database.external_table("t", &f()).await, Err(Error::NoSuchTable(_))));
        let descriptor = Descriptor::new(&name).family(Family::new("f").max_versions(5)).family("other");
        client.admin().create(&descriptor, ["\x01", "\x02"]).await.unwrap();
        let before = client.admin().describe(&name).await.unwrap();
        let raw = client.table(&name);
        let visits: Vec<_> = (0..20).map(|at| Visit { user: format!("user {}", at % 7), at }).collect();
        for visit in &visits {
            raw.put(Put::new(visit.encode()).value("f", "url", visit.at.to_string())).await.unwrap();
        }

        let store = database.external_table("t", &f()).await.unwrap();
        let typed: AsyncWideTable<Visit, _> = AsyncWideTable::external(database.clone(), store.clone());
        let (mut rows, mut found) = (typed.scan(.., Columns::all()), Vec::new());
        while let Some(row) = rows.next().await {
            let (visit, row) = row.unwrap();
            assert_eq!(row.value("f:url"), Some(visit.at.to_string().as_bytes()));
            found.push(visit);
        }
        let mut sorted = visits.clone();
        sorted.sort_by(|a, b| a.user.cmp(&b.user).then(b.at.cmp(&a.at)));
        assert_eq!(found, sorted);
        let new = Visit { user: "new".into(), at: 1 };
        typed.mutate(&new, &Mutation::new().put("f:url", "/")).await.unwrap();
        assert_eq!(raw.get(Get::new(new.encode())).await.unwrap().value("f", "url"), Some(&b"/"[..]));

        // One column as a plain table; an empty cell of others is the empty value.
        raw.put(Put::new(new.encode()).value("f", "note", "")).await.unwrap();
        let notes = std::sync::Arc::new(OneColumn::new(store, "f:note"));
        let plain = OneColumn::database(database.clone());
        let notes: AsyncTable<Visit, String, _> = AsyncTable::external(plain, notes);
        assert_eq!(notes.get(&new).await.unwrap().as_deref(), Some(""));
        assert!(notes.store().compare_and_write(&new.encode(), Some(b""), Some(b"read")).await.unwrap());
        assert_eq!(notes.get(&new).await.unwrap().as_deref(), Some("read"));
        assert_eq!(notes.count(..).await.unwrap(), 1);

        // Nothing else was written.
        assert_eq!(client.admin().describe(&name).await.unwrap(), before);
        assert_eq!(database.tables().await.unwrap(), ["t"]);
        let mut all = raw.scan(Scan::new());
        let mut rows = 0;
        while all.next().await.unwrap().is_some() {
            rows += 1;
        }
        assert_eq!(rows, 21);

        let error = database.external_table("t", &f().family("none", FamilySchema::new())).await.err().unwrap();
        assert!(matches!(&error, Error::NoSuchFamily { family, .. } if family == "none"), "{error}");
    });
    databases.end(runtime.handle());
}

/// A table of `rowkey`'s that is taken for one of others is opened as it was created, or not at all.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn tables_of_ours_are_known() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        AsyncWideTable::<Visit, _>::open(database.clone(), "ours", &f()).await.unwrap();
        let same = database.external_table("ours", &f().row_key::<Visit>()).await;
        assert!(same.is_ok(), "{:?}", same.err());
        for other in [f().row_key::<u64>(), f().family("f", FamilySchema::new().max_versions(9))] {
            let error = database.external_table("ours", &other).await.err().unwrap();
            assert!(matches!(error, Error::Schema { .. }), "{error}");
        }
    });
    databases.end(runtime.handle());
}
