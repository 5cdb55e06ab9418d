//! Commands `create` and `alter` of HBase's shell.

use rowkey_design::File;
use rowkey_design::internal::ddl::Target;
use rowkey_design::internal::import::{Source, import_with};

use super::{created, imported};

fn shell(text: &str) -> String {
    imported(text, Source::Shell, None).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn commands_of_all_forms_are_read() {
    let text = "# A script.\ncreate_namespace 'ns'\n\
        t = create 'ns:t', {NAME => 'f', VERSIONS => 5, TTL => 60,\n  COMPRESSION => 'SNAPPY'}, \"g\", # more\n\
          {NAME=>'h', BLOCKSIZE=>'8192', CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}},\n  SPLITS => ['10', \"a\\\\x00\"], MAX_FILESIZE => '10737418240'\n\
        create('u', 'f', {NUMREGIONS => 15, SPLITALGO => 'HexStringSplit', REGION_REPLICATION => 2})\n\
        hbase(main):003:0> create 'v', NAME => 'f', IN_MEMORY => true, METADATA => {'a' => 'b'}\n\
        0 row(s) in 1.2 seconds\n=> Hbase::Table - v\n\
        alter 'v', {NAME => 'f', IN_MEMORY => false, VERSIONS => 3}, {NAME => 'x', BLOOMFILTER => 'ROWCOL'}\n\
        Updating all regions with the new schema...\n1/1 regions updated.\nDone.\n\
        alter 'v', 'delete' => 'x'\nalter 'v', 'y'\nalter 'v', METHOD => 'table_att', DURABILITY => 'SKIP_WAL'\n\
        alter 'u', METHOD => 'table_att_unset', NAME => 'REGION_REPLICATION'\nput 'v', 'r', 'f:q', 'x'\n\
        create 'w', 'f'\ndisable 'w'\ndrop 'w'\nexit\n";
    let expected = "format = 1\n\n[table.\"ns:t\"]\n\
        # A design says region.max of all its tables, and these differ: MAX_FILESIZE => 10737418240\n\
        # The fields of the key are not known: write them here.\nkey = [\"row: bytes raw\"]\nsplits = { keys = [\"3130\", \"6100\"] }\n\n\
        [table.\"ns:t\".family.f]\nversions = 5\nttl = \"1 min\"\ncompression = \"snappy\"\n\n[table.\"ns:t\".family.g]\n\n\
        [table.\"ns:t\".family.h]\n# A design has no key for CONFIGURATION: hbase.hstore.blockingStoreFiles => 10\nblock = \"8192 B\"\n\n\
        [table.u]\n# The fields of the key are not known: write them here.\nkey = [\"row: bytes raw\"]\nsplits = { hex = 15 }\n\n\
        [table.u.family.f]\n\n[table.v]\n# A design has no key for DURABILITY => SKIP_WAL\n\
        # The fields of the key are not known: write them here.\nkey = [\"row: bytes raw\"]\n\n\
        [table.v.family.f]\n# A design has no key for METADATA: a => b\nversions = 3\n\n[table.v.family.y]\n";
    assert_eq!(shell(text), expected);
}

/// A design says of all tables what HBase says of each.
#[test]
fn what_all_tables_say_of_their_regions_is_the_clusters() {
    const CONSTANT: &str = "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy";
    let cluster =
        |region: &str| format!("[cluster.hbase]\nengine = \"hbase\"\n\n[cluster.hbase.region]\n{region}\n[table");
    let text = |more: &str| {
        shell(&format!(
            "create 't', 'f', SPLIT_POLICY => '{CONSTANT}', MAX_FILESIZE => 10000000\n\
             create 'u', 'f', MAX_FILESIZE => '10000000 B (9MB 549KB 640B)', SPLIT_POLICY => '{CONSTANT}'\n{more}"
        ))
    };
    let both = text("");
    assert!(both.contains(&cluster("max = \"10000000 B\"\nsplit = \"constant\"\n")), "{both}");
    let later = text("alter 't', MAX_FILESIZE => '20000000'\nalter 'u', MAX_FILESIZE => 20000000");
    assert!(later.contains(&cluster("max = \"20000000 B\"\nsplit = \"constant\"\n")), "{later}");
    let unset = "METHOD => 'table_att_unset', NAME => ['MAX_FILESIZE', 'SPLIT_POLICY']";
    let unset = text(&format!("alter 't', {unset}\nalter 'u', {unset}"));
    assert!(!unset.contains("cluster") && !unset.contains("differ"), "{unset}");
    let other = text("alter 'u', MEMSTORE_FLUSHSIZE => 5000000");
    assert!(!other.contains("[cluster"), "{other}");
    assert!(other.contains("these differ: MEMSTORE_FLUSHSIZE => 5000000\n"), "{other}");
    let own = text("alter 't', SPLIT_POLICY => 'org.example.Mine'\nalter 'u', SPLIT_POLICY => 'org.example.Mine'");
    assert!(own.contains("# A design has no key for SPLIT_POLICY => org.example.Mine\n"), "{own}");
    assert!(own.contains(&cluster("max = \"10000000 B\"\n")), "{own}");
    // Java's greatest number, by which a region is never split.
    let no_size = text("alter 't', MAX_FILESIZE => 9223372036854775807\nalter 'u', MAX_FILESIZE => '-1'");
    assert!(no_size.contains("# A design has no key for MAX_FILESIZE => 9223372036854775807\n"), "{no_size}");
    assert!(no_size.contains("# A design has no key for MAX_FILESIZE => -1\n"), "{no_size}");
    assert!(no_size.contains(&cluster("split = \"constant\"\n")), "{no_size}");
}

#[test]
fn a_file_of_split_points_is_read() {
    let file = || File { name: "pasted".to_owned(), text: "create 't', 'f', SPLITS_FILE => 'points.txt'".to_owned() };
    let named = |path: &str| if path == "points.txt" { Ok("10\n\\x80a\n".to_owned()) } else { Err("none".to_owned()) };
    let text = import_with(file(), Source::Shell, None, &named).expect("a command");
    assert!(text.contains("splits = { keys = [\"3130\", \"8061\"] }"), "{text}");
    let problems = import_with(file(), Source::Shell, None, &|_| Err("not there".to_owned())).expect_err("no file");
    assert!(
        problems.to_string().starts_with("pasted:1:34: the file of split points cannot be read: not there"),
        "{problems}"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, told) in [
        ("create 't'", "1:1: this table has no family"),
        ("\ncreate 't', 'f' 'g'", "2:16: a comma or the end of the command expected, found ` 'g'`"),
        ("create 't', {NAME => 'f', VERSIONS => }", "1:39: a word or a text in quotes expected, found `}`"),
        ("create 't', \"#{x}\"", "1:14: a string that Ruby does not compute expected"),
        ("create name, 'f'", "1:8: a name in UTF-8, in quotes expected"),
        ("alter 't', 'f'", "1:1: t is altered, and not created in this text"),
        ("create 't', 'f'\nalter 't', METHOD => 'delete', NAME => 'g'", "2:12: the NAME of a family"),
        ("create 't', 'f'\nalter 't', METHOD => 'rename', NAME => 'g'", "2:23: a method of alter"),
        ("create 't', 'f'\ncreate 't', 'g'", "2:1: t is created twice"),
        ("create 't', 'f', {NUMREGIONS => 5}", "1:19: SPLITALGO beside NUMREGIONS expected"),
        ("create 't', 'f', {NUMREGIONS => 5, SPLITALGO => 'Mine'}", "1:48: HexStringSplit"),
        ("create 't', 'f', SPLITS => ['\u{e9}']", "1:27: split points of ASCII"),
        ("create 't', {NAME => 'f', BLOOMFILTER => 'ROWPREFIX'}", "1:27: a design has no BLOOMFILTER => 'ROWPREFIX'"),
        ("clone_table_schema 't', 'u'", "1:1: create or alter expected, found `clone_table_schema 't',"),
        ("", "1:1: there is no command create in this text"),
    ] {
        let problems = imported(text, Source::Shell, None).expect_err(text).to_string();
        assert!(problems.starts_with(&format!("pasted:{told}")), "{text}: {problems}");
    }
    // What a description prints is no script.
    let described = imported("{NAME => 'f', VERSIONS => '1'}", Source::Shell, None).expect_err("no command");
    assert_eq!(
        created(&shell("create 't', {NAME => 'f', VERSIONS => 1}"), Target::HBase),
        "create \"t\",\n  {NAME => \"f\", VERSIONS => 1}\n"
    );
    assert!(described.to_string().contains("expected"), "{described}");
}
