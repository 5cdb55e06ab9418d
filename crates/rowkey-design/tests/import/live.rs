//! Tables of a running HBase, beside what its shell prints of them.

use proptest::prelude::*;
use rowkey_design::infer::{Candidate, Sample};
use rowkey_design::internal::ddl::Target;
use rowkey_design::internal::import::{LiveFamily, LiveKey, LiveTable, Source, of_cluster};

use super::model::{Version, table};
use super::{SCHEMA, created, design, imported};

fn live(servers: Option<usize>, tables: &[LiveTable]) -> String {
    let text = of_cluster(servers, tables).unwrap_or_else(|problems| panic!("{problems}\n{tables:?}"));
    text.strip_prefix(SCHEMA).expect("the line of the schema").to_owned()
}

/// The lines of a design, in no order: HBase prints the options of a family in one of its own.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_table_is_the_design_of_its_pasted_description(
        table in table("[a-zé]([a-z0-9_ é]{0,20}[a-z0-9])?"),
        splits in prop::collection::btree_set(prop::collection::vec(any::<u8>(), 1..9), 0..9),
    ) {
        let mut pasted = format!("Table {} is ENABLED\n{}{}\n", table.name, table.name, table.attributes(Version::V2));
        pasted += "COLUMN FAMILIES DESCRIPTION\n";
        pasted.extend(table.families.iter().map(|family| family.printed(Version::V2, true) + "\n"));
        pasted += &format!("Total number of splits = {}\n", splits.len() + 1);
        pasted.extend(splits.iter().map(|key| key.iter().map(|byte| format!("\\x{byte:02X}")).collect::<String>() + "\n"));
        let read = live(None, &[LiveTable { splits: splits.into_iter().collect(), ..table.live() }]);
        let due = imported(&pasted, Source::Describe, None).expect("a description");
        prop_assert_eq!(lines(&read), lines(&due), "{}", pasted);
    }

    /// Whatever a server says: a design, or a refusal.
    #[test]
    fn any_options_make_a_design(
        options in prop::collection::vec((
            prop::sample::select(&["TTL", "VERSIONS", "COMPRESSION", "ENCRYPTION_KEY", "IS_MOB", "MAX_FILESIZE", "x"][..]),
            "\\PC{0,9}|[0-9]{1,20}|\n#|true",
        ), 0..6),
        name in "\\PC{1,9}",
    ) {
        let options: Vec<_> = options.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let family = LiveFamily { name: name.clone(), options: options.clone(), settings: options.clone() };
        let table = LiveTable { name: "t".to_owned(), attributes: options, families: vec![family], ..LiveTable::default() };
        if let Ok(text) = of_cluster(None, &[table]) {
            prop_assert_eq!(design(&text).tables["t"].table.family.len(), 1);
        }
    }
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// As a client read it from HBase 2.6.4; beside it, what its shell printed.
#[test]
fn a_recorded_table_is_the_design_of_its_pasted_description() {
    let of_d = [
        ("BLOCKCACHE", "true"),
        ("BLOCKSIZE", "65536"),
        ("BLOOMFILTER", "ROWCOL"),
        ("COMPRESSION", "GZ"),
        ("DATA_BLOCK_ENCODING", "FAST_DIFF"),
        ("INDEX_BLOCK_ENCODING", "NONE"),
        ("IN_MEMORY", "false"),
        ("KEEP_DELETED_CELLS", "FALSE"),
        ("MIN_VERSIONS", "0"),
        ("REPLICATION_SCOPE", "0"),
        ("TTL", "7776000"),
        ("VERSIONS", "3"),
    ];
    let attributes = [
        ("DURABILITY", "ASYNC_WAL"),
        ("MAX_FILESIZE", "5368709120"),
        ("NORMALIZATION_ENABLED", "true"),
        ("SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy"),
        ("team", "a b"),
        ("hbase.store.file-tracker.impl", "DEFAULT"),
    ];
    let settings = [("hbase.hstore.blockingStoreFiles", "30")];
    let family = LiveFamily { name: "d".to_owned(), options: pairs(&of_d), settings: pairs(&settings) };
    let visits = LiveTable {
        name: "visits".to_owned(),
        attributes: pairs(&attributes),
        families: vec![family],
        splits: (1..4).map(|bucket| vec![bucket]).collect(),
        ..LiveTable::default()
    };
    let pasted = r"Table visits is ENABLED
visits, {TABLE_ATTRIBUTES => {DURABILITY => 'ASYNC_WAL', MAX_FILESIZE => '5368709120', METADATA => {'NORMALIZATION_ENABLED' => 'true', 'SPLIT_POLICY' => 'org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy', 'hbase.store.file-tracker.impl' => 'DEFAULT', 'team' => 'a b'}}}
COLUMN FAMILIES DESCRIPTION
{NAME => 'd', VERSIONS => '3', KEEP_DELETED_CELLS => 'FALSE', DATA_BLOCK_ENCODING => 'FAST_DIFF', TTL => '7776000 SECONDS (90 DAYS)', MIN_VERSIONS => '0', REPLICATION_SCOPE => '0', BLOOMFILTER => 'ROWCOL', IN_MEMORY => 'false', COMPRESSION => 'GZ', BLOCKCACHE => 'true', BLOCKSIZE => '65536', METADATA => {'INDEX_BLOCK_ENCODING' => 'NONE'}, CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '30'}}

1 row(s)
Quota is disabled
Took 0.6054 seconds
hbase:007:0> get_splits 'visits'
Total number of splits = 4
\x01
\x02
\x03
Took 0.2470 seconds
";
    let due = imported(pasted, Source::Describe, None).expect("a description");
    let read = live(Some(3), &[visits]);
    let mut due = lines(&due);
    due.push("servers = 3");
    due.sort_unstable();
    assert_eq!(lines(&read), due);
}

#[test]
fn a_layout_is_that_of_whole_keys_or_of_their_beginnings() {
    let mut sample = Sample::new();
    (0..400u32).for_each(|row| sample.add(format!("host{}#{}", row % 5, 1_600_000_000 + row * 937).as_bytes()));
    let whole = sample.infer().candidates.remove(0);
    let mut sample = Sample::new();
    (1..16u8).for_each(|bucket| sample.add(&[bucket]));
    let beginning = sample.infer().candidates.remove(0);
    let shape_of_beginning = beginning.layout.shape();
    let of = |Candidate { layout, means, .. }, is_beginning| {
        let (name, key) = ("t".to_owned(), LiveKey { layout, means, is_beginning });
        let table = LiveTable { name, key: Some(key), splits: vec![vec![7]], ..LiveTable::default() };
        live(None, &[table])
    };
    let text = of(whole.clone(), false);
    assert_eq!(design(&text).tables["t"].layout.shape(), "text['#'], dec[10]");
    assert!(text.contains("means = ") && text.contains("splits = { keys = [\"07\"] }\n"), "{text}");
    assert_eq!(design(&of(whole, true)).tables["t"].layout.shape(), "text['#'], dec[10], bytes raw");
    assert_eq!(design(&of(beginning, true)).tables["t"].layout.shape(), format!("{shape_of_beginning}, bytes raw"));
}

#[test]
fn what_no_design_can_say_is_a_comment_and_no_secret_is_shown() {
    let options =
        pairs(&[("COMPRESSION", "FUTURE"), ("TTL", "soon"), ("ENCRYPTION_KEY", "s3cret"), ("NEWER", "x\n[table.y]")]);
    let family = LiveFamily { name: "f".to_owned(), options, settings: Vec::new() };
    let attributes = pairs(&[("MAX_FILESIZE", "much"), ("coprocessor$1", "|org.apache.phoenix.X|1|")]);
    let table = LiveTable { name: "t".to_owned(), attributes, families: vec![family], ..LiveTable::default() };
    let text = live(None, &[table]);
    for due in [
        "# A design has no COMPRESSION => 'FUTURE'\n",
        "# A design has no TTL => 'soon'\n",
        "# It has an ENCRYPTION_KEY\n",
        "# A design has no key for METADATA: NEWER => x\\n[table.y]\n",
        "# A design has no key for MAX_FILESIZE => much\n",
        "# A table of Apache Phoenix",
    ] {
        assert!(text.contains(due), "{due} in {text}");
    }
    assert!(!text.contains("s3cret") && design(&text).tables.len() == 1, "{text}");
    assert!(created(&format!("{text}\n[cluster.c]\nengine = \"hbase\"\n"), Target::HBase).contains("create"));
}
