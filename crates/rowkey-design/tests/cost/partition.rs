//! Partition keys: an engine that hashes them serves what a digest of the same fields before them serves, and no more.

use proptest::prelude::*;
use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::{CheckOptions, Date, Design, File};

use crate::list;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn design(engine: &str, lead: &str, conditions: &[u8]) -> Design {
    let asked = |condition: u8| {
        let names = NAMES.iter().zip(conditions).filter(move |(_, is)| **is == condition).map(|(name, _)| *name);
        names.collect::<Vec<_>>()
    };
    let fix = list(asked(1).iter().map(|name| format!("\"{name}\"")));
    let counts = |condition| list(asked(condition).iter().map(|name| format!("{name} = 3")));
    let text = format!(
        "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"a: u32\", \"b: text\", \"c: u32\", \
         \"d: u32 desc\"]\n{lead}\nrows = \"1M\"\nmeans.d = \"sequence\"\n\
         stats = {{ a = {{ distinct = 10 }}, b = {{ distinct = 7 }}, c = {{ distinct = 50 }} }}\n\
         [[table.t.query]]\nname = \"q\"\nfix = [{fix}]\nrange = {{ {} }}\namong = {{ {} }}\norder = \"newest\"\nlimit = 5\n",
        counts(2),
        counts(3)
    );
    Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether it reads the whole table, its ranges, the rows that it reads, and the fit of its order.
fn cost(design: &Design) -> (bool, usize, Option<f64>, String) {
    let cluster = Some(&design.clusters["c"].value);
    let table = &design.tables["t"];
    let keys = [KeyFacts::of(table, None).on(cluster)];
    let cost = QueryCost::of(&table.table.query[0], table, &keys, cluster, None);
    (cost.full_scan, cost.range_count(), cost.rows_read, format!("{:?}", cost.order))
}

proptest! {
    #[test]
    fn a_partition_key_is_a_digest_of_its_fields(conditions in prop::collection::vec(0u8..4, 4), first in 1usize..4) {
        let names = list(NAMES[..first].iter().map(|name| format!("\"{name}\"")));
        let digest = cost(&design("hbase", &format!("hashed = {{ by = [{names}] }}"), &conditions));
        for engine in ["dynamodb", "cassandra"] {
            let partition = cost(&design(engine, &format!("partition = [{names}]"), &conditions));
            prop_assert_eq!((partition.0, partition.1), (digest.0, digest.1));
            if !partition.0 {
                prop_assert_eq!((partition.2, &partition.3), (digest.2, &digest.3));
            } else {
                prop_assert_eq!(&partition.3, "Sort");
            }
        }
        // An engine that sorts all keys has no partition key.
        let sorted = cost(&design("hbase", &format!("partition = [{names}]"), &conditions));
        prop_assert_eq!(sorted, cost(&design("hbase", "", &conditions)));
    }
}

/// The rules of where writes land that a design has, with this key.
fn of_writes(key: &str) -> Vec<&'static str> {
    let stats = [("shard", 200), ("tenant", 3)].into_iter().filter(|(name, _)| key.contains(&format!("\"{name}: ")));
    let stats = list(stats.map(|(name, distinct)| format!("{name} = {{ distinct = {distinct} }}")));
    let text = format!(
        "format = 1\n[cluster.c]\nengine = \"dynamodb\"\n[table.t]\n{key}\nstats = {{ {stats} }}\n\
         [[table.t.write]]\nname = \"w\"\nrate = \"20k/s\"\norder = \"time\"\n"
    );
    let design =
        Design::parse([File { name: "a".into(), text: text.clone() }]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    let hot = ["H01", "H02", "H03", "H04", "H05"];
    report.findings.iter().map(|finding| finding.rule.id).filter(|id| hot.contains(id)).collect()
}

#[test]
fn writes_land_in_partitions_by_the_values_of_the_whole_partition_key() {
    let day = "means = { day = \"time bucket\", id = \"sequence\" }";
    // All rows of a day are one partition, until something else is in the partition key.
    assert_eq!(of_writes(&format!("key = [\"day: u32\", \"shard: u8\", \"id: u64\"]\n{day}")), ["H01"]);
    let sharded = "key = [\"day: u32\", \"shard: u8\", \"id: u64\"]\npartition = [\"day\", \"shard\"]";
    assert_eq!(of_writes(&format!("{sharded}\n{day}")), [] as [&str; 0]);
    assert_eq!(
        of_writes(&format!("key = [\"day: u32\", \"id: u64\"]\nsalt = {{ buckets = 64 }}\n{day}")),
        [] as [&str; 0]
    );
    // The partition key is hashed: one that grows with each row is spread.
    assert_eq!(of_writes(&format!("key = [\"id: u64\", \"day: u32\"]\n{day}")), [] as [&str; 0]);
    assert_eq!(of_writes("key = [\"at: instant\"]"), [] as [&str; 0]);
    // What is behind the partition key spreads nothing.
    assert_eq!(of_writes("key = [\"tenant: u32\", \"shard: u8\", \"at: instant\"]"), ["H05"]);
    let both = "key = [\"tenant: u32\", \"shard: u8\", \"at: instant\"]\npartition = [\"tenant\", \"shard\"]";
    assert_eq!(of_writes(both), [] as [&str; 0]);
}

#[test]
fn a_partition_key_is_of_the_first_fields() {
    let problems = |partition: &str| {
        let text = format!("format = 1\n[table.t]\nkey = [\"a: u8\", \"b: u8\", \"c: u8\"]\n{partition}");
        let design = Design::parse([File { name: "a".into(), text }]);
        design.err().map_or(Vec::new(), |problems| problems.list.into_iter().map(|problem| problem.message).collect())
    };
    for good in ["", "partition = [\"a\"]", "partition = [\"b\", \"a\"]", "salt = { buckets = 4 }\npartition = []"] {
        assert_eq!(problems(good), [] as [&str; 0], "{good}");
    }
    for bad in ["partition = [\"b\"]", "partition = [\"a\", \"c\"]", "partition = [\"a\", \"a\"]", "partition = []"] {
        assert_eq!(problems(bad).len(), 1, "{bad}: {:?}", problems(bad));
    }
}
