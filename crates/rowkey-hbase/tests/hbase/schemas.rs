//! Schemas: their place, changes by several programs at once, options.

use std::time::Duration;

use hbase_client::{BlockEncoding, Family};
use rowkey::Error;
use rowkey::nonblocking::AsyncWideDatabase;
use rowkey::store::NewTable;
use rowkey::wide::{FamilySchema, Mutation, TableSchema};

use crate::{Databases, runtime};

fn one() -> TableSchema {
    TableSchema::new().family("a", FamilySchema::new())
}

/// Of programs that alter one table at once each sees what the others have done: no family is lost.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn alterations_at_once_lose_nothing() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        database.table("t", &one()).await.unwrap();
        let alter = |n: u32| {
            // As another process: nothing but the server is shared.
            let (namespace, client) = (database.namespace().to_owned(), crate::client());
            tokio::spawn(async move {
                let database = rowkey_hbase::HBase::connect(client).await.unwrap().in_namespace(&namespace);
                loop {
                    let stored = database.schema("t").await.unwrap().unwrap();
                    let wanted = stored.family(format!("f{n}"), FamilySchema::new().max_versions(n));
                    match database.alter("t", &wanted).await {
                        Ok(_) => return,
                        // Another family is there by now, which the schema does not have.
                        Err(Error::Schema { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            })
        };
        let all: Vec<_> = (1..=4).map(alter).collect();
        for one in all {
            one.await.unwrap();
        }
        let altered =
            (1..=4).fold(one(), |schema, n| schema.family(format!("f{n}"), FamilySchema::new().max_versions(n)));
        assert_eq!(database.schema("t").await.unwrap(), Some(altered));
    });
    databases.end(runtime.handle());
}

/// Options are those that the server has then, and stay when the schema is altered.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn options_are_set_and_stay() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let new = NewTable::new()
            .split_at(["g", "p"])
            .option("MAX_FILESIZE", "1073741824")
            .option("a:DATA_BLOCK_ENCODING", "FAST_DIFF")
            .option("hbase.hstore.blockingStoreFiles", "20")
            .option("a:hbase.store.file-tracker.impl", "DEFAULT");
        let schema =
            one().family("b", FamilySchema::new().max_versions(7).min_versions(2).ttl(Duration::from_secs(90)));
        let table = database.create_table("t", &schema, &new).await.unwrap();
        assert_eq!(table.split_points().await.unwrap(), [b"g", b"p"]);
        let wider = schema.clone().family("c", FamilySchema::new()).family("a", FamilySchema::new().max_versions(2));
        for schema in [schema, wider] {
            database.alter("t", &schema).await.unwrap();
            let name = hbase_client::TableName::new(database.namespace(), "t");
            let described = database.client().admin().describe(name).await.unwrap();
            assert_eq!(described.get("MAX_FILESIZE"), Some("1073741824"));
            assert_eq!(described.get("hbase.hstore.blockingStoreFiles"), Some("20"));
            let families: Vec<_> = described.families().collect();
            assert_eq!(families[0].get("DATA_BLOCK_ENCODING"), Some("FAST_DIFF"));
            assert_eq!(families[0].get("hbase.store.file-tracker.impl"), Some("DEFAULT"));
            let b = (families[1].get_max_versions(), families[1].get_min_versions(), families[1].get_ttl());
            assert_eq!(b, (7, 2, Some(Duration::from_secs(90))));
            assert_eq!(database.schema("t").await.unwrap().as_ref(), Some(&schema));
        }
        let refused = async |option: &str, value: &str| {
            let new = NewTable::new().option(option, value);
            database.create_table("u", &one(), &new).await.err().unwrap()
        };
        for option in ["a:VERSIONS", "b:COMPRESSION", "COLOUR", "a:COLOUR", "ROWKEY_SCHEMA"] {
            let error = refused(option, "1").await;
            assert!(matches!(&error, Error::TableOption { option: told, .. } if told == option), "{option}: {error}");
        }
        assert_eq!(refused("a:COMPRESSION", "FASTEST").await.kind(), rowkey::ErrorKind::InvalidInput);
        assert_eq!(database.tables().await.unwrap(), ["t"]);
    });
    databases.end(runtime.handle());
}

/// A schema that HBase can't keep as given is refused. Changes by another client are read.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn schemas_are_those_of_the_server() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        for wrong in [
            TableSchema::new().family("a", FamilySchema::new().ttl(Duration::from_millis(1500))),
            TableSchema::new().family("f".repeat(128), FamilySchema::new()),
        ] {
            let error = database.table("t", &wrong).await.err().unwrap();
            assert!(matches!(error, Error::Family { .. }), "{error}");
        }
        let table = database.table("t", &one()).await.unwrap();
        table.mutate(b"r", &Mutation::new().put("a:q", "v")).await.unwrap();
        // By another client: three versions, and one family more.
        let (admin, name) = (database.client().admin(), hbase_client::TableName::new(database.namespace(), "t"));
        let described = admin.describe(name).await.unwrap();
        let family = described.families().next().unwrap().clone().max_versions(3).encoding(BlockEncoding::FastDiff);
        admin.alter(&described.family(family).family(Family::new("z"))).await.unwrap();
        let now = TableSchema::new().family("a", FamilySchema::new().max_versions(3)).family("z", FamilySchema::new());
        assert_eq!(database.schema("t").await.unwrap().as_ref(), Some(&now));
        let error = database.open_table("t", &one()).await.err().unwrap();
        assert!(matches!(&error, Error::Schema { differences, .. } if differences.contains("family a")), "{error}");
        database.open_table("t", &now).await.unwrap();
    });
    databases.end(runtime.handle());
}
