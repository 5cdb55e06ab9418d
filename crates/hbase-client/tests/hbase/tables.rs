//! Tables created, changed and dropped.

use std::collections::BTreeMap;
use std::time::Duration;

use hbase_client::{
    BlockEncoding, BloomFilter, Compression, Durability, ErrorKind, Family, KeepDeletedCells, Put, Scan, TableSchema,
};

use crate::{client, create, remove};

#[tokio::test]
#[ignore = "needs a server"]
async fn every_option_is_read_back() {
    let client = client();
    let admin = client.admin();
    let family = Family::new("f")
        .max_versions(7)
        .min_versions(2)
        .ttl(Duration::from_secs(86_400))
        .compression(Compression::Gz)
        .encoding(BlockEncoding::FastDiff)
        .bloom_filter(BloomFilter::RowColumn)
        .block_size(8192)
        .in_memory(true)
        .block_cache(false)
        .keep_deleted_cells(KeepDeletedCells::UntilExpired)
        .replication_scope(1)
        .setting("hbase.hstore.blockingStoreFiles", "20");
    let schema = TableSchema::new("tables_options")
        .family(family)
        .max_file_size(20 << 30)
        .flush_size(64 << 20)
        .durability(Durability::AsyncWal)
        .split_policy("org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy")
        .setting("hbase.hregion.memstore.block.multiplier", "8");
    create(&admin, &schema, &["m"]).await;

    let read = admin.describe("tables_options").await.unwrap();
    let (given, of_family) = (schema.families().next().unwrap(), read.families().next().unwrap());
    let family: BTreeMap<_, _> = of_family.options().collect();
    for (name, value) in given.options() {
        assert!(family.get(name).is_some_and(|read| read.eq_ignore_ascii_case(value)), "{name}: {family:?}");
    }
    assert_eq!(of_family.settings().collect::<Vec<_>>(), given.settings().collect::<Vec<_>>());
    let table: BTreeMap<_, _> = read.options().collect();
    for (name, value) in schema.options() {
        assert_eq!(table.get(name), Some(&value), "{name}");
    }
    let settings: BTreeMap<_, _> = read.settings().collect();
    assert!(schema.settings().all(|(name, value)| settings.get(name) == Some(&value)), "{settings:?}");

    admin.alter(&read.family(Family::new("g").max_versions(2))).await.unwrap();
    let altered = admin.describe("tables_options").await.unwrap();
    assert_eq!(altered.families().map(Family::name).collect::<Vec<_>>(), ["f", "g"]);
    assert!(admin.tables().await.unwrap().contains(schema.name()));
}

#[tokio::test]
#[ignore = "needs a server"]
async fn hbase_knows_every_name_of_a_value() {
    let client = client();
    let admin = client.admin();
    let encodings = [
        BlockEncoding::None,
        BlockEncoding::Prefix,
        BlockEncoding::Diff,
        BlockEncoding::FastDiff,
        BlockEncoding::RowIndexV1,
    ];
    let filters = [BloomFilter::None, BloomFilter::Row, BloomFilter::RowColumn, BloomFilter::RowPrefix];
    let kept = [KeepDeletedCells::No, KeepDeletedCells::Yes, KeepDeletedCells::UntilExpired];
    let with_length = |family: Family| family.setting("RowPrefixBloomFilter.prefix_length", "1");
    let families = [Family::new("f").compression(Compression::None), Family::new("g").compression(Compression::Gz)]
        .into_iter()
        .chain(encodings.map(|encoding| Family::new(encoding.name()).encoding(encoding)))
        .chain(filters.map(|filter| with_length(Family::new(format!("of {}", filter.name())).bloom_filter(filter))))
        .chain(kept.map(|kept| Family::new(format!("kept {}", kept.name())).keep_deleted_cells(kept)));
    let schema = families.fold(TableSchema::new("tables_names"), TableSchema::family);
    create(&admin, &schema, &[]).await;
    let table = client.table("tables_names");
    for durability in
        [Durability::SkipWal, Durability::AsyncWal, Durability::SyncWal, Durability::FsyncWal, Durability::Default]
    {
        admin.alter(&schema.clone().durability(durability)).await.unwrap();
        for family in schema.families() {
            table.put(Put::new("a").value(family.name(), "x", durability.name())).await.unwrap();
        }
        let read = admin.describe("tables_names").await.unwrap();
        assert!(read.options().any(|option| option == ("DURABILITY", durability.name())), "{read:?}");
    }
    // The servers need not have the codecs of the others. The names are known.
    let others = [
        Compression::Zstd,
        Compression::Lz4,
        Compression::Snappy,
        Compression::Lzo,
        Compression::Bzip2,
        Compression::Lzma,
        Compression::Brotli,
    ];
    for compression in others {
        let schema = TableSchema::new("tables_codec").family(Family::new("f").compression(compression));
        remove(&admin, &schema).await;
        if let Err(error) = admin.create(&schema, [""; 0]).await {
            let said = error.exception().unwrap();
            assert!(said.do_not_retry() && !said.stack_trace().contains("No enum constant"), "{error}");
        }
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn an_altered_table_has_the_schema_and_no_more() {
    let client = client();
    let admin = client.admin();
    let family = |versions| Family::new("f").max_versions(versions);
    let schema = TableSchema::new("tables_altered").family(family(7)).family("g").option("OUR_OWN", "kept");
    let schema = schema.durability(Durability::AsyncWal).family(Family::new("h").option("OUR_OWN", "also"));
    create(&admin, &schema, &[]).await;
    let described = async || admin.describe("tables_altered").await.unwrap();
    let versions = async || {
        let schema = described().await;
        let f = schema.families().next().unwrap();
        f.options().find_map(|(name, value)| (name == "VERSIONS").then(|| value.to_owned())).unwrap()
    };

    let read = described().await;
    admin.alter(&read).await.unwrap();
    assert_eq!(described().await, read);
    assert!(read.options().any(|option| option == ("OUR_OWN", "kept")), "{read:?}");
    assert_eq!(versions().await, "7");
    admin.alter(&read.clone().remove_family("g").option("DURABILITY", "")).await.unwrap();
    let read = described().await;
    assert_eq!(read.families().map(Family::name).collect::<Vec<_>>(), ["f", "h"]);
    let durability = read.options().find(|(name, _)| *name == "DURABILITY");
    assert!(durability.is_none_or(|(_, value)| value == Durability::Default.name()), "{durability:?}");
    admin.alter(&TableSchema::new("tables_altered").family("f").family("h")).await.unwrap();
    assert!(described().await.options().all(|(name, _)| name != "OUR_OWN"));
    assert_eq!(versions().await, "1");

    let began = std::time::Instant::now();
    for wrong in [family(0), family(1).min_versions(2), Family::new("f:x"), family(1).option("IS_MOB", "yes")] {
        let schema = TableSchema::new("tables_wrong").family(wrong);
        assert_eq!(admin.create(&schema, [""; 0]).await.unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(admin.alter(&schema).await.unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert!(admin.exists("tables_altered").await.unwrap());
    assert!(!admin.exists("tables_wrong").await.unwrap());
    assert!(!admin.exists("no_such_namespace:t").await.unwrap());
    assert_eq!(admin.exists("a b").await.unwrap_err().kind(), ErrorKind::Invalid);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let enabled = admin.drop("tables_altered").await.unwrap_err();
    assert_eq!((enabled.kind(), enabled.table()), (ErrorKind::TableEnabled, Some(schema.name())));
    assert!(enabled.to_string().contains("`drop` of table tables_altered"), "{enabled}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_table_is_disabled_truncated_enabled_and_dropped() {
    let client = client();
    let admin = client.admin();
    let schema = TableSchema::new("tables_life").family("f");
    create(&admin, &schema, &["b", "c"]).await;
    let table = client.table("tables_life");
    table.put(Put::new("a").value("f", "x", "1")).await.unwrap();
    let exists = admin.create(&schema, ["x"]).await.unwrap_err();
    assert_eq!(exists.kind(), ErrorKind::TableExists, "{exists}");

    admin.disable("tables_life").await.unwrap();
    assert!(!admin.is_enabled("tables_life").await.unwrap());
    admin.enable("tables_life").await.unwrap();
    assert_eq!(table.get("a").await.unwrap().len(), 1);
    admin.disable("tables_life").await.unwrap();
    admin.truncate_preserve("tables_life").await.unwrap();
    assert!(admin.is_enabled("tables_life").await.unwrap());
    assert!(table.get("a").await.unwrap().is_empty());
    assert_eq!(table.regions().await.unwrap().len(), 3);
    admin.disable("tables_life").await.unwrap();
    admin.truncate("tables_life").await.unwrap();
    assert_eq!(table.regions().await.unwrap().len(), 1);

    remove(&admin, &schema).await;
    assert_eq!(admin.describe("tables_life").await.unwrap_err().kind(), ErrorKind::TableNotFound);
    assert_eq!(admin.drop("tables_life").await.unwrap_err().kind(), ErrorKind::TableNotFound);
    assert_eq!(table.get("a").await.unwrap_err().kind(), ErrorKind::TableNotFound);
    assert_eq!(table.scan(Scan::new()).next().await.unwrap_err().kind(), ErrorKind::TableNotFound);
    assert_eq!(table.regions().await.unwrap_err().kind(), ErrorKind::TableNotFound);
    // Another client creates it: this one does not remember that it was not there.
    create(&crate::client().admin(), &schema, &["b"]).await;
    table.put(Put::new("a").value("f", "x", "1")).await.unwrap();
    assert_eq!(table.get("a").await.unwrap().len(), 1);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn regions_are_split_and_listed() {
    let client = client();
    let admin = client.admin();
    create(&admin, &TableSchema::new("tables_regions").family("f"), &["b,c", "d"]).await;
    let table = client.table("tables_regions");
    let starts = async || {
        let regions = table.regions().await.unwrap();
        assert!(regions.iter().all(|(_, server)| server.is_some()));
        regions.iter().map(|(region, _)| String::from_utf8(region.start().to_vec()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(starts().await, ["", "b,c", "d"]);
    let last = table.regions().await.unwrap().pop().unwrap().0;
    admin.split(&last, "f").await.unwrap();
    assert_eq!(starts().await, ["", "b,c", "d", "f"]);
    let wrong = admin.split(&last, "g").await.unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::Refused, "{wrong}");
    let two: Vec<_> = table.regions().await.unwrap().into_iter().take(2).map(|(region, _)| region).collect();
    admin.merge(&two).await.unwrap();
    assert_eq!(starts().await, ["", "d", "f"]);
    for server in admin.servers().await.unwrap() {
        let first = table.regions().await.unwrap().remove(0);
        admin.move_region(&first.0, Some(&server)).await.unwrap();
        let first = table.regions().await.unwrap().remove(0);
        assert_eq!(first.1.as_ref(), Some(&server));
    }
    for row in ["a", "c", "e", "z"] {
        table.put(Put::new(row).value("f", "x", row)).await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs a server"]
async fn the_balancer_runs_if_it_is_on() {
    let admin = client().admin();
    admin.disable_balancer().await.unwrap();
    assert!(!admin.disable_balancer().await.unwrap());
    assert!(!admin.balance().await.unwrap());
    assert!(!admin.enable_balancer().await.unwrap());
    // It does not run while a region is on its way: other tests move some. A master that is busy responds too late.
    let until = std::time::Instant::now() + Duration::from_secs(180);
    loop {
        match admin.balance().await {
            Ok(true) => break,
            Ok(false) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}"),
        }
        assert!(std::time::Instant::now() < until, "the balancer does not run");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(admin.enable_balancer().await.unwrap());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_lock_is_held_by_one_program() {
    let admin = client().admin();
    let name = "lock.of.no.table";
    let first = admin.lock(name, "the first").await.unwrap();
    assert_eq!(first.table().name(), name);
    let error = admin.with_timeout(Duration::from_millis(500)).lock(name, "too early").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let waiting = tokio::spawn(async move { admin.lock(name, "the second").await });
    assert!(first.release().await);
    let second = waiting.await.unwrap().unwrap();
    // It is released when it is dropped.
    drop(second);
    // One that is not waited for any more is given back: the master would keep it for half a minute.
    let first = client().admin().lock(name, "the first").await.unwrap();
    let left = tokio::time::timeout(Duration::from_millis(500), client().admin().lock(name, "left")).await;
    assert!(left.is_err());
    assert!(first.release().await);
    let third = client().admin().with_timeout(Duration::from_secs(15)).lock(name, "the third").await;
    assert!(third.unwrap().release().await);
    assert_eq!(client().admin().lock("a:b:c", "no name").await.unwrap_err().kind(), ErrorKind::Invalid);
}
