//! `ddl` and `import` without servers: what is refused and where, and that what was printed comes back.

use std::time::Duration;

use rowkey::wide::{FamilySchema, TableSchema};
use rowkey::{Bucket, LayoutBuf, Millis, RowKey, Seconds};
use rowkey_design::internal::ddl::{Options, Target, ddl};
use rowkey_design::internal::import::{Source, import};
use rowkey_design::{CheckOptions, Date, Design, Engine, File, Problems};

const TARGETS: [Target; 4] = [Target::HBase, Target::Cbt, Target::Phoenix, Target::Terraform];

fn design(text: &str) -> Design {
    let file = File { name: "t.rowkey.toml".to_owned(), text: format!("format = 1\n{text}") };
    Design::parse([file]).expect("a design")
}

fn created(text: &str, target: Target) -> String {
    ddl(&design(text), &Options::new(target)).expect("DDL").text
}

fn refused(text: &str, target: Target) -> String {
    ddl(&design(text), &Options::new(target)).expect_err("no DDL").to_string()
}

/// The first line of each design that is written.
const SCHEMA: &str = "#:schema ./rowkey.schema.json\n";

/// The imported design after the line of its schema.
fn imported(text: &str, source: Source, name: Option<&str>) -> Result<String, Problems> {
    let design = import(File { name: "pasted".to_owned(), text: text.to_owned() }, source, name)?;
    Ok(design.strip_prefix(SCHEMA).expect("the line of the schema").to_owned())
}

#[test]
fn each_target_refuses_what_it_cannot_have_and_says_where() {
    const KEY: &str = "[table.t]\nkey = [\"k: u64\"]\n";
    let t = |more: &str| format!("{KEY}{more}");
    let long = "x".repeat(51);
    for (text, target, expected) in [
        (
            "[table.\"a/b\"]\nkey = [\"k: u64\"]\n[table.\"a/b\".family.f]".into(),
            Target::HBase,
            "2:8: HBase takes no table",
        ),
        (t("[table.t.family.\"a:b\"]"), Target::HBase, "4:17: HBase takes no family named \"a:b\""),
        (t("[table.t.family.f]\nversions = 4294967295"), Target::HBase, "5:12: 4294967295 versions of a cell"),
        (t("[table.t.family.f]\nmin_versions = 2"), Target::HBase, "5:16: `min_versions` is 2, but `versions` is 1"),
        (t("[table.t.family.f]\nttl = \"20 ms\""), Target::HBase, "5:7: a TTL is a whole number of seconds"),
        (t("[table.t.family.f]\nblock = \"100 B\""), Target::HBase, "5:9: a block is a whole number of bytes, 1024"),
        (t("splits = \"buckets\"\n[table.t.family.f]"), Target::HBase, "4:10: the key has no salt"),
        (
            t("splits = { keys = [\"01\", \"01\"] }\n[table.t.family.f]"),
            Target::HBase,
            "4:26: the split point \"01\" is there twice",
        ),
        (
            t("splits = { sample = \"s\", regions = 4 }\n[table.t.family.f]"),
            Target::HBase,
            "4:10: the split points are",
        ),
        (format!("[table.{long}]\nkey = [\"k: u64\"]"), Target::Cbt, "2:8: Bigtable takes no table"),
        (t("[table.t.family.\"a b\"]"), Target::Cbt, "4:17: Bigtable takes no family"),
        (t("[table.t.family.f]\nversions = 70000"), Target::Cbt, "5:12: 70000 versions are too many"),
        (t("splits = { keys = [\"010001\"] }"), Target::Cbt, "4:10: a split point holds a zero byte"),
        (t("splits = { keys = [\"80\"] }"), Target::Terraform, "4:10: a split point holds bytes from 80 on"),
    ] {
        let problems = refused(&text, target);
        assert!(problems.contains(&format!("t.rowkey.toml:{expected}")), "{text}: {problems}");
    }
}

/// What the simulation reads of a cluster: each target has it, or says that it has not.
#[test]
fn the_words_of_a_cluster_are_created_or_noted() {
    const TABLE: &str = "[table.t]\nkey = [\"k: i64\"]\n[table.t.family.f]\ncolumns = [\"c\"]\n";
    let region = "region = { max = \"1 GiB\", flush = \"100 kB\", split = \"disabled\", bytes = \"5 MB/s\" }\n";
    let a = format!("[cluster.a]\nengine = \"hbase\"\nbalancer = \"off\"\n{region}");
    let text = format!("{a}[cluster.b]\nengine = \"hbase\"\n{TABLE}");
    let notes = |target| {
        let notes = ddl(&design(&text), &Options::new(target)).expect("DDL").notes;
        notes.into_iter().map(|note| (note.place.start, note.message)).filter(|(_, note)| !note.contains("_0"))
    };
    const CLASS: &str = "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy";
    let hbase = created(&text, Target::HBase);
    let attributes =
        format!(",\n  MAX_FILESIZE => 1073741824,\n  MEMSTORE_FLUSHSIZE => 100000,\n  SPLIT_POLICY => \"{CLASS}\"\n");
    assert!(hbase.ends_with(&attributes), "{hbase}");
    let phoenix = created(&text, Target::Phoenix);
    let attributes =
        format!(",\n  MAX_FILESIZE=1073741824,\n  MEMSTORE_FLUSHSIZE=100000,\n  SPLIT_POLICY='{CLASS}';\n");
    assert!(phoenix.ends_with(&attributes), "{phoenix}");
    let place = |name: &str| format!("format = 1\n{text}").find(name).expect("a cluster") + "[cluster.".len();
    for target in [Target::HBase, Target::Phoenix] {
        let notes: Vec<_> = notes(target).collect();
        for (at, told) in [
            (
                "[cluster.a]",
                "HBase refuses so small a MEMSTORE_FLUSHSIZE, unless hbase.hregion.memstore.flush.size.limit",
            ),
            ("[cluster.a]", "no option of a table: `balance_switch false` turns it off"),
            ("[cluster.b]", "\"b\" has other regions: the tables are created with those of \"a\""),
        ] {
            assert!(notes.iter().any(|(start, note)| *start == place(at) && note.contains(told)), "{told}: {notes:?}");
        }
        assert_eq!(notes.len(), 3, "{notes:?}");
    }
    for target in [Target::Cbt, Target::Terraform] {
        let notes: Vec<_> = notes(target).collect();
        let told = "Bigtable has no option for region.max, region.flush, region.split, balancer:";
        assert!(notes.iter().any(|(start, note)| *start == place("[cluster.a]") && note.contains(told)), "{notes:?}");
    }
}

/// What `check` takes, `ddl` creates: HBase wants a family, and a design may have none yet.
#[test]
fn a_table_without_families_gets_one_and_a_note() {
    let text = "[cluster.c]\nengine = \"hbase\"\n[table.t]\nkey = [\"k: u64\"]\n";
    let report = design(text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    assert_eq!(report.problems, []);
    let created = ddl(&design(text), &Options::new(Target::HBase)).expect("DDL");
    assert_eq!(created.text, "create \"t\",\n  {NAME => \"d\", VERSIONS => 1}\n");
    assert_eq!(created.notes.len(), 1);
    let with_family = format!("{text}[table.t.family.d]\n");
    let same = ddl(&design(&with_family), &Options::new(Target::HBase)).expect("DDL");
    assert_eq!((same.text, same.notes), (created.text, vec![]));
}

#[test]
fn a_table_of_another_engine_is_not_created_for_hbase() {
    let table = "[table.t]\nkey = [\"k: u64\"]\nfamily.f.columns = [\"v: u8\"]\n";
    let of = |engines: &[&str]| {
        let clusters = engines.iter().map(|engine| format!("[cluster.{engine}]\nengine = \"{engine}\"\n"));
        design(&format!("{}{table}", clusters.collect::<String>()))
    };
    for &engine in Engine::ALL {
        for target in TARGETS {
            let made = ddl(&of(&[engine.word()]), &Options::new(target));
            assert_eq!(made.is_ok(), matches!(engine, Engine::HBase | Engine::Bigtable), "{engine} {target:?}");
            // The same tables may be on a cluster of each.
            assert!(
                ddl(
                    &of(&[engine.word(), if engine == Engine::HBase { "bigtable" } else { "hbase" }]),
                    &Options::new(target)
                )
                .is_ok()
            );
        }
    }
}

#[test]
fn the_field_that_prevents_phoenixs_layout_is_named() {
    for (key, more, expected) in [
        ("\"a: text\"", "", "field \"a\" ends with a terminator"),
        ("\"a: bytes\", \"b: u8\"", "", "field \"a\" is `bytes` before the end"),
        ("\"a: bytes desc\"", "", "field \"a\" is `bytes desc`"),
        ("\"b: u8\", \"a: f64\"", "", "field \"a\" is a float"),
        ("\"a: option<u8>\"", "", "field \"a\" may be none"),
        ("\"a: (u8, u8)\"", "", "field \"a\" has parts"),
        ("\"a: u128\"", "", "field \"a\" has a type"),
        ("\"a: u8\"", "salt = { buckets = 4 }", "its salt is taken by xxh3"),
        ("\"a: u8\"", "salt = { buckets = 4, hash = \"java\", format = \"hex\" }", "hex digits"),
        ("\"a: u8\"", "salt = { buckets = 257, hash = \"java\" }", "257 buckets"),
        ("\"a: u8\", \"b: u8\"", "salt = { buckets = 4, hash = \"java\", by = [\"a\"] }", "some of its fields"),
        ("\"a: u8\"", "hashed = { bytes = 4 }", "begins with a digest"),
    ] {
        let text = format!("[table.t]\nkey = [{key}]\n{more}\n[table.t.family.f]\ncolumns = [\"c\"]");
        let file = File { name: "t".to_owned(), text: format!("format = 1\n{text}") };
        let Ok(design) = Design::parse([file]) else { panic!("{text} is a design") };
        let problems = ddl(&design, &Options::new(Target::Phoenix)).expect_err("another layout").to_string();
        assert!(problems.contains("the layout is not Phoenix's") && problems.contains(expected), "{key}: {problems}");
    }
    let float = "[table.t]\nkey = [\"a: u8\"]\n[table.t.family.f]\ncolumns = { name = \"n: u8\" }";
    assert!(refused(float, Target::Phoenix).contains("5:11: family \"f\" has columns whose names are data"));
    let ttls = "[table.t]\nkey = [\"a: u8\"]\n[table.t.family]\nf = { ttl = \"1 h\", columns = [\"c\"] }\ng = { columns = [\"c\"] }";
    assert!(refused(ttls, Target::Phoenix).contains("have other TTLs"));
}

#[test]
fn a_row_key_schema_comes_back() {
    for (key, encoding) in [
        (r#"["user: ordered[text]", "raw: ordered[bytes]", "n: ordered[i64]"]"#, "orderedCodeBytes"),
        (r#"["n: ordered[be i64]", "at: ordered[micros]", "to: ordered[be micros]"]"#, "orderedCodeBytes"),
        (r##"["id: text['#']", "date: text['#']", "code: be[i64]"]"##, "delimitedBytes"),
        (r#"["a: text['::']", "b: text[end]"]"#, "delimitedBytes"),
        (r#"["a: text['\\x00']", "b: bytes raw"]"#, "delimitedBytes"),
        (r#"["a: text raw"]"#, "singleton"),
        (r#"["a: be[i64]"]"#, "singleton"),
    ] {
        let text = format!("[table.t]\nkey = {key}\n[table.t.family.f]\ncolumns = [\"c\"]\n");
        let written = created(&text, Target::Terraform);
        assert!(written.contains(encoding), "{written}");
        let back = imported(&written, Source::Terraform, None).unwrap_or_else(|problems| panic!("{problems}"));
        let again = Design::parse([File { name: "again".to_owned(), text: back.clone() }]).expect("a design");
        assert_eq!(again.tables["t"].layout.shape(), design(&text).tables["t"].layout.shape(), "{back}");
        assert!(back.contains(&format!("key = {key}")), "{back}");
        assert!(created(&text, Target::Cbt).contains(encoding), "{text}");
    }
    let written = created("[table.t]\nkey = [\"a: text['#']\", \"b: text[end]\"]\n", Target::Cbt);
    let (_, schema) = written.split_once("--row-key-schema-pre-encoded-bytes: ").expect("a schema");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(schema).expect("JSON"),
        serde_json::json!({
            "fields": [
                { "fieldName": "a", "type": { "stringType": { "encoding": { "utf8Bytes": {} } } } },
                { "fieldName": "b", "type": { "stringType": { "encoding": { "utf8Bytes": {} } } } },
            ],
            "encoding": { "delimitedBytes": { "delimiter": "Iw==" } },
        })
    );
    assert!(!created("[table.t]\nkey = [\"a: bytes raw\"]\n", Target::Terraform).contains("row_key_schema"));
}

#[test]
fn the_field_that_prevents_a_row_key_schema_is_noted() {
    for (key, more, expected) in [
        ("\"a: u64\", \"b: u64\"", "", "field \"a\" has nothing between it and the next field"),
        ("\"a: i64\"", "", "field \"a\" has its sign flipped"),
        ("\"a: text\", \"b: u64\"", "", "field \"a\" ends with 00"),
        ("\"a: text['#']\", \"b: text[end]\"", "salt = { buckets = 4 }", "the key has a salt or a hash"),
        ("\"a: text['#']\", \"b: text['#']\"", "", "field \"b\" ends with a delimiter"),
        ("\"a: text['#']\", \"b: text[':']\", \"c: text[end]\"", "", "field \"b\" ends with another delimiter"),
        ("\"a: text desc\"", "", "field \"a\" is descending"),
        ("\"a: option<text>\"", "", "field \"a\" has parts, or may be none"),
        ("\"a: uuid[text]\", \"b: text[end]\"", "", "field \"a\" has nothing between"),
        ("\"f: text raw\"", "", "field \"f\" has a name that GoogleSQL gives to another column"),
        ("\"a: decimal\"", "", "field \"a\" has a type whose bytes no encoding"),
        ("\"a: bytes\"", "", "field \"a\" ends with 00"),
        ("\"a: uuid[text '-']\", \"b: text[end]\"", "", "field \"a\" always holds the delimiter"),
        ("\"a: text['-']\", \"b: uuid[text]\"", "", "field \"b\" always holds the delimiter"),
        ("\"a: text['-']\", \"b: date['yyyy-MM-dd']\"", "", "field \"b\" always holds the delimiter"),
    ] {
        let text = format!("[table.t]\nkey = [{key}]\n{more}\n[table.t.family.f]\n");
        for target in [Target::Terraform, Target::Cbt] {
            let written = ddl(&design(&text), &Options::new(target)).expect("DDL");
            assert!(!written.text.contains("structType"), "{}", written.text);
            let [note] = written.notes.as_slice() else { panic!("{text}: {:?}", written.notes) };
            assert!(note.message.contains(expected), "{key}: {}", note.message);
        }
    }
}

/// A few of all combinations of options, by number.
fn family(i: usize) -> String {
    let pick = |options: &[&'static str], weight: usize| options[(i / weight) % options.len()];
    [
        pick(&["", "ttl = \"90 s\"", "ttl = \"13 months\""], 1),
        pick(&["", "versions = 5", "versions = 3\nmin_versions = 2", "versions = 2147483647"], 3),
    ]
    .join("\n")
}

#[test]
fn sql_of_phoenix_and_lists_of_cbt_come_back() {
    for i in 0..12 {
        let family = family(i);
        let text = format!(
            "[table.\"a.B\"]\nkey = [\"n: i64 desc\", \"b: bytes[3]\", \"t: text raw\"]\nsalt = {{ buckets = 9, hash = \"java\" }}\n\
             splits = \"buckets\"\n[table.\"a.B\".family.\"f g\"]\ncolumns = [\"c'--\", \"/* d */;\"]\n{family}\n\
             [table.u]\nkey = [\"n: u16\"]\nsplits = {{ keys = [\"0a\", \"ff00\"] }}\n[table.u.family.f]\ncolumns = [\"c\"]\n{family}"
        );
        let sql = created(&text, Target::Phoenix);
        let back = imported(&sql, Source::Phoenix, None).expect("SQL");
        let again = Design::parse([File { name: "again".to_owned(), text: back }]).expect("a design");
        assert_eq!(ddl(&again, &Options::new(Target::Phoenix)).expect("DDL").text, sql);
        assert_eq!(again.tables["a.B"].layout.shape(), design(&text).tables["a.B"].layout.shape());
    }
    // As `cbt ls` prints what `created` sets.
    for (policy, list) in [
        ("ttl = \"390 days\"\nversions = 1", "(age() > 390d || versions() > 1)"),
        ("versions = 5", "versions() > 5"),
        ("ttl = \"61 s\"\nversions = 2147483647", "age() > 61000000"),
        ("ttl = \"1 day\"\nversions = 5\nmin_versions = 2", "((age() > 1d && versions() > 2) || versions() > 5)"),
        ("ttl = \"90 min\"\nversions = 2147483647\nmin_versions = 2", "(age() > 90m && versions() > 2)"),
        ("versions = 2147483647", ""),
    ] {
        let list = format!(
            "Family Name\tGC Policy\t\tValue Type\n-----------\t---------\t\t----------\nf\t\t{list}\t\t{{}}\n"
        );
        let back = imported(&list, Source::Cbt, Some("t")).expect("a list");
        let text = format!("[table.t]\nkey = [\"k: u8\"]\n[table.t.family.f]\n{policy}");
        let back = back.trim_start_matches("format = 1\n");
        assert_eq!(created(back, Target::Cbt), created(&text, Target::Cbt));
    }
    let odd = "Family Name\tGC Policy\n-----------\t---------\nf\t(age() > 1d || age() > 2d)\n";
    let problems = imported(odd, Source::Cbt, Some("t")).expect_err("two ages").to_string();
    assert!(problems.starts_with("pasted:3:1: a design cannot say this policy: it has two ages"), "{problems}");
}

#[test]
fn descriptions_of_families_come_back_whatever_their_names() {
    let described = "Table a is ENABLED\na\nCOLUMN FAMILIES DESCRIPTION\n\
        {NAME => 'é', TTL => '7', VERSIONS => '3', KEEP_DELETED_CELLS => 'TRUE', TTL => '5400 SECONDS (1 HOUR 30 MINUTES)', \
        MIN_VERSIONS => '2', BLOOMFILTER => 'ROWCOL', BLOCKSIZE => '32768 B (32KB)', METADATA => {'A' => 'B'}}\n\
        Total number of splits = 3\n\\x00 \\x5Cx41\n ~\nTook 0.1 seconds\n";
    let back = imported(described, Source::Describe, None).expect("a description");
    assert!(back.contains("# A design has no key for KEEP_DELETED_CELLS => TRUE"), "{back}");
    let text = created(back.trim_start_matches("format = 1\n"), Target::HBase);
    let expected = "create \"a\",\n  {NAME => \"\\xC3\\xA9', TTL => '7\", VERSIONS => 3, MIN_VERSIONS => 2, TTL => 5400, \
        BLOOMFILTER => \"ROWCOL\", BLOCKSIZE => 32768},\n  SPLITS => [\"\\\\x00 \\\\x5Cx41\", \" ~\"]\n";
    assert_eq!(text, expected);

    let unknown = "Table a is ENABLED\n{NAME => 'f', VERSIONS => '1', BLOOMFILTER => 'ROWPREFIX_FIXED_LENGTH'}\n";
    let problems = imported(unknown, Source::Describe, None).expect_err("another filter").to_string();
    assert!(problems.starts_with("pasted:2:32: a design has no BLOOMFILTER => 'ROWPREFIX_FIXED_LENGTH'"), "{problems}");
}

/// Output of the shell after the split points is no split point. Fewer lines than the number of regions are an error.
#[test]
fn split_points_that_are_missing_are_said() {
    let described = "Table a is ENABLED\n{NAME => 'f', VERSIONS => '1'}\nTotal number of splits = 3\nb\n";
    let whole = imported(&format!("{described}Took me 0.1\nTook 0.1 seconds\n"), Source::Describe, None).expect("both");
    assert!(whole.contains("splits = { keys = [\"62\", \"546f6f6b206d6520302e31\"] }"), "{whole}");
    for after in [
        "",
        "Took 0.1 seconds\n",
        "hbase:003:0> exit\n",
        "hbase(main):003:0> \n",
        "=> [\"b\"]\n",
        "Table c is ENABLED\n",
    ] {
        let problems = imported(&format!("{described}{after}"), Source::Describe, None).expect_err(after).to_string();
        assert!(problems.starts_with("pasted:3:1: the last line is missing after this"), "{after}: {problems}");
    }
    let none = imported(&described.replace("b\n", ""), Source::Describe, None).expect_err("none").to_string();
    assert!(none.starts_with("pasted:3:1: 2 lines are missing after this"), "{none}");
}

/// A date of Phoenix is a number of milliseconds: without `means` a design has no time in its key.
#[test]
fn dates_of_phoenix_are_milliseconds() {
    let sql = "CREATE TABLE t (a DATE NOT NULL, \"b\" UNSIGNED_TIME NOT NULL, d TIME NOT NULL, e UNSIGNED_DATE NOT NULL, n BIGINT NOT NULL, \
               f.v VARBINARY CONSTRAINT pk PRIMARY KEY (a DESC, \"b\", d, e, n));";
    let text = imported(sql, Source::Phoenix, None).unwrap_or_else(|problems| panic!("{problems}"));
    let expected =
        "means = { A = \"milliseconds\", b = \"milliseconds\", D = \"milliseconds\", E = \"milliseconds\" }\n";
    assert!(text.contains(expected) && text.contains("# Phoenix's type of A is DATE\n"), "{text}");
    let read = Design::parse([File { name: "read".to_owned(), text }]).expect("a design");
    assert_eq!(read.tables["T"].layout.shape(), "i64 desc, u64, i64, u64, i64");
    let list = "TABLE_NAME,COLUMN_NAME,DATA_TYPE,KEY_SEQ,SORT_ORDER\nt,a,12,1,2\nt,at,91,2,1\n";
    let text = imported(list, Source::Phoenix, None).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(text.contains("means = { at = \"milliseconds\" }\n"), "{text}");
    // Milliseconds and nanoseconds: no field has these bytes.
    let problems =
        imported("CREATE TABLE t (a TIMESTAMP NOT NULL PRIMARY KEY);", Source::Phoenix, None).expect_err("none");
    assert!(problems.to_string().contains("no field has the bytes of TIMESTAMP"), "{problems}");
}

#[test]
fn layouts_come_back_from_json() {
    for shape in [
        "u64, i64 desc, text raw",
        "salt(16 xxh3 by 0) text, bytes[16]",
        "salt(300 java hex) option<u8>, list<u16> raw",
        "md5(4 by 0) text, (u8, bool desc)",
        "enum{1: (), 7: (u16, text)}, instant",
    ] {
        let Ok(layout) = shape.parse::<LayoutBuf>() else { panic!("{shape} is a shape") };
        let named: Vec<_> = layout
            .fields()
            .iter()
            .enumerate()
            .map(|(i, field)| {
                let mut field = field.clone();
                field.name = format!("f{i}");
                field
            })
            .collect();
        let layout = LayoutBuf::of_fields("Row", layout.lead().clone(), layout.by().to_vec(), named).expect("a layout");
        let text = imported(&layout.to_json(), Source::Layout, None).expect("a layout");
        let design = Design::parse([File { name: "again".to_owned(), text }]).expect("a design");
        assert_eq!(design.tables["Row"].layout.shape(), layout.shape());
    }
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, by(user)))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: Millis,
    hour: Bucket<Seconds, 3600>,
    action: Action,
    id: u32,
}

#[derive(RowKey)]
enum Action {
    #[rowkey(tag = 1)]
    Login,
    #[rowkey(tag = 7)]
    Bought { item: u16 },
}

#[test]
fn schemas_of_wide_tables_come_back() {
    let family = FamilySchema::new;
    let schema = TableSchema::new()
        .family("a", family())
        .family("b.2", family().max_versions(5).min_versions(2).ttl(Duration::from_secs(86_400)))
        .family("c", family().max_versions(u32::MAX).ttl(Duration::from_millis(1500)))
        .row_key::<Visit>()
        .rename_row_field("id", "number")
        .expect("a field");
    let text = imported(&schema.to_string(), Source::Schema, Some("visits")).expect("a schema");
    let expected = "format = 1\n\n[table.visits]\n# A schema has no split points\n\
        # The field hour is rounded down to 3600 seconds\n\
        # A design has no key for row key field: 3#1 Login\n\
        # A design has no key for row key field: 3#7 Bought\n\
        # A design has no key for row key field: 3#7.0 item\n\
        # The field number was id before\n\
        key = [\"user: text\", \"at: i64 desc\", \"hour: i64\", \"action: enum{1: (), 7: (u16)}\", \"number: u32\"]\n\
        salt = { buckets = 16, by = [\"user\"] }\n\
        means = { at = \"milliseconds\", hour = \"seconds\" }\n\n\
        [table.visits.family.a]\nversions = 1\n\n\
        [table.visits.family.\"b.2\"]\nttl = \"1 days\"\nversions = 5\nmin_versions = 2\n\n\
        [table.visits.family.c]\nttl = \"1500 ms\"\nversions = 2147483647\n";
    assert_eq!(text, expected);
    let again = Design::parse([File { name: "again".to_owned(), text: text.clone() }]).expect("a design");
    assert_eq!(again.tables["visits"].layout.shape(), Visit::LAYOUT.shape());
    let cbt = created(text.trim_start_matches("format = 1\n"), Target::Cbt);
    for policy in ["a maxversions=1\n", "b.2 '(maxage=1d and maxversions=2) or maxversions=5'\n"] {
        assert!(cbt.contains(policy), "{cbt}");
    }
    // What another program made has no types of keys.
    let families = imported("family f: max versions 2\r\n\r\n", Source::Schema, Some("t")).expect("a family");
    assert!(families.contains("key = [\"row: bytes raw\"]"), "{families}");
    let hbase = created(families.trim_start_matches("format = 1\n"), Target::HBase);
    assert_eq!(hbase, "create \"t\",\n  {NAME => \"f\", VERSIONS => 2}\n");
}

#[test]
fn what_is_wrong_in_a_schema_is_said_with_its_line() {
    for (text, expected) in [
        ("", "pasted:1:1: there is no line of a schema in this text"),
        ("family f: max versions x", "pasted:1:1: this is not a line of a schema"),
        ("family f: max versions 1\nrows: u8", "pasted:2:1: this is not a line of a schema"),
        ("family f: max versions 1\nfamily f: max versions 2", "pasted:2:1: family \"f\" is there twice"),
        ("family f: max versions 0", "pasted:1:1: "),
        ("\nfamily a b: max versions 1", "pasted:2:1: "),
        ("family f: max versions 1, ttl 99999999999999999999 ms", "pasted:1:1: a design cannot say a TTL this long"),
        ("row key: u8\nrow key: u8", "pasted:2:1: the row key is there twice"),
        ("family f: max versions 1\nrow key: u7 desk", "pasted:2:1: \"u7 desk\" is not the shape of a key"),
        ("row key: u8, mine\nrow key field: 1 name", "pasted:1:1: `mine` is not a type of the format"),
        ("row key field: 0 a", "pasted:1:1: a field of a row key whose shape is not there"),
        ("row key: u8\nrow key field: 1 a", "pasted:2:1: this is not a field of the row key"),
        ("row key: u8\nrow key field: 0 a:b", "pasted:1:1: a design takes no field named \"a:b\""),
    ] {
        let problems = imported(text, Source::Schema, Some("t")).expect_err(text).to_string();
        assert!(problems.starts_with(expected), "{text:?}: {problems}");
    }
    let problems = imported("rows\ncolumns", Source::Schema, Some("t")).expect_err("two lines");
    assert_eq!(problems.list.len(), 2);
    let problems = imported("family f: max versions 1", Source::Schema, None).expect_err("no name").to_string();
    assert!(problems.starts_with("pasted:1:1: a schema does not have its table's name"), "{problems}");
}

#[test]
fn texts_that_are_cut_or_changed_make_no_panic() {
    let sources = [
        (Source::Phoenix, created("[table.t]\nkey = [\"n: i64\", \"t: text raw\"]\n[table.t.family.f]\ncolumns = [\"c\"]\nttl = \"1 h\"", Target::Phoenix)),
        (Source::Phoenix, "| TABLE_NAME | COLUMN_NAME | TYPE_NAME | COLUMN_SIZE | KEY_SEQ |\n| t | a | BINARY | 4 | 1 |\n".to_owned()),
        (Source::Phoenix, "'TABLE_NAME','COLUMN_NAME','DATA_TYPE','KEY_SEQ','SORT_ORDER'\n't','a','12','1','1'\n".to_owned()),
        (Source::Describe, "Table a is ENABLED\n{NAME => 'f', VERSIONS => '1', METADATA => {'a' => 'b'}}\nTotal number of splits = 2\n\\x00é\n".to_owned()),
        (Source::Cbt, "Family Name\tGC Policy\n---\t---\nf\t((age() > 1d && versions() > 2) || versions() > 5)\n".to_owned()),
        (Source::Schema, "row key: salt(16 xxh3 by 0) text, i64 desc\nrow key field: 0 user\nrow key field: 1 at|when milliseconds\nfamily f: max versions 3, min versions 2, ttl 1000 ms\n".to_owned()),
        (Source::Layout, "u64, text raw".parse::<LayoutBuf>().expect("a shape").to_json()),
    ];
    for (source, text) in sources {
        for (i, _) in text.char_indices() {
            for inserted in ["", "(", ")", "'", "\"", "\\", "\\x", "é", "}", "\n", "99999999999999999999"] {
                let changed = [&text[..i], inserted, &text[i..]].concat();
                for text in [&changed, &text[..i]] {
                    if let Ok(back) = imported(text, source, Some("n")) {
                        let design = Design::parse([File { name: "again".to_owned(), text: back }])
                            .expect("what is printed parses");
                        for target in TARGETS {
                            _ = ddl(&design, &Options::new(target));
                        }
                    }
                }
            }
        }
    }
    let deep = "(".repeat(100_000);
    _ = imported(&format!("Family Name\n---\nf\t{deep}"), Source::Cbt, Some("t"));
    _ = imported(&format!("CREATE TABLE t {deep}"), Source::Phoenix, None);
    _ = imported(&format!("{{NAME => '{}", "', A => '".repeat(50_000)), Source::Describe, Some("t"));
}

/// As sqlline prints them, 1.9 as a table and as CSV.
#[test]
fn lists_of_phoenixs_columns_are_read() {
    let columns = "0: jdbc:phoenix:localhost> !columns VISITS\n\
        +------------+--------------+-------------+--------------+------------+------------+--------------+-----------+----------------+----------+\n\
        | TABLE_CAT  | TABLE_SCHEM  | TABLE_NAME  | COLUMN_NAME  | DATA_TYPE  | TYPE_NAME  | COLUMN_SIZE  | NULLABLE  | COLUMN_FAMILY  | KEY_SEQ  |\n\
        +------------+--------------+-------------+--------------+------------+------------+--------------+-----------+----------------+----------+\n\
        |            | S            | VISITS      | HOST         | 12         | VARCHAR    | null         | 1         |                | 3        |\n\
        |            | S            | VISITS      | AT           | -5         | UNSIGNED_LONG | null      | 0         |                | 1        |\n\
        |            | S            | VISITS      | ID           | -2         | BINARY     | 16           | 0         |                | 2        |\n\
        |            | S            | VISITS      | V            | 3          | DECIMAL    | 10           | 1         | d              | null     |\n\
        +------------+--------------+-------------+--------------+------------+------------+--------------+-----------+----------------+----------+\n\
        0: jdbc:phoenix:localhost>\n";
    let text = imported(columns, Source::Phoenix, None).unwrap_or_else(|problems| panic!("{problems}"));
    let read = Design::parse([File { name: "read".to_owned(), text: text.clone() }]).expect("a design");
    assert_eq!(read.tables["S.VISITS"].layout.shape(), "u64, bytes[16], text raw");
    assert!(text.contains("The list has no SORT_ORDER") && text.contains("has no SALT_BUCKETS"), "{text}");
    assert!(
        text.contains("[table.\"S.VISITS\".family.d]\n# Phoenix's type of V is DECIMAL\ncolumns = [\"V\"]"),
        "{text}"
    );

    for catalog in [
        "'TABLE_SCHEM','TABLE_NAME','COLUMN_NAME','COLUMN_FAMILY','DATA_TYPE','COLUMN_SIZE','KEY_SEQ','SORT_ORDER','SALT_BUCKETS'\n\
         '','t','','','null','null','null','null','8'\n\
         '','t','','f','null','null','null','null','null'\n\
         '','t','b','','12','null','2','1','null'\n\
         '','t','a','','-5','null','1','2','null'\n\
         '','t','it''s, b','f','12','null','null','2','null'\n\
         5 rows selected (0.04 seconds)\n",
        "| table_name | column_name | column_family | data_type | column_size | key_seq | sort_order | salt_buckets |\n\
         | t | | | | | | | 8 |\n\
         | t | a | | -5 | null | 1 | 2 | null |\n\
         | t | b | | 12 | null | 2 | 1 | null |\n\
         | table_name | column_name | column_family | data_type | column_size | key_seq | sort_order | salt_buckets |\n\
         | t | it's, b | f | 12 | null | | | |\n",
    ] {
        let text = imported(catalog, Source::Phoenix, None).unwrap_or_else(|problems| panic!("{problems}"));
        let read = Design::parse([File { name: "read".to_owned(), text: text.clone() }]).expect("a design");
        assert_eq!(read.tables["t"].layout.shape(), "salt(8 java) i64, text desc", "{text}");
        assert!(text.contains("columns = [\"it's, b\"]") && text.contains("The type of a is read as BIGINT"), "{text}");
    }

    let named = "TABLE_NAME,COLUMN_NAME,SqlTypeName(DATA_TYPE),KEY_SEQ,ASC_OR_DESC\nt,a,UNSIGNED_INT,1,D\n";
    let text = imported(named, Source::Phoenix, None).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(text.contains("key = [\"a: u32 desc\"]") && !text.contains("SORT_ORDER"), "{text}");

    for (list, told) in [
        ("| TABLE_NAME | COLUMN_NAME | DATA_TYPE | K |\n| t | a | 12 | 1 |\n", "pasted:1:1: there is no KEY_SEQ"),
        ("COLUMN_NAME,TYPE_NAME,KEY_SEQ\na,VARCHAR,1\n", "pasted:2:1: the list does not say the table's name"),
        ("TABLE_NAME,COLUMN_NAME,KEY_SEQ\n", "pasted:1:1: there is no TYPE_NAME or DATA_TYPE"),
        ("TABLE_NAME,COLUMN_NAME,TYPE_NAME,KEY_SEQ\nt,a,VARCHAR,x\n", "pasted:2:1: KEY_SEQ is no whole number"),
        (
            "TABLE_NAME,COLUMN_NAME,TYPE_NAME,KEY_SEQ\nt,a,VARCHAR\n",
            "pasted:2:1: the header has 4 cells, and this line 3",
        ),
        (
            "TABLE_NAME,COLUMN_NAME,TYPE_NAME,COLUMN_FAMILY\nt,a,VARCHAR,\nt,b,VARCHAR,\n",
            "pasted:1:1: the list does not say the order",
        ),
        ("TABLE_NAME,COLUMN_NAME,TYPE_NAME,KEY_SEQ\nt,a,VARCHAR,\n", "pasted:1:1: no column of \"t\" is in the key"),
        (
            "TABLE_NAME,COLUMN_NAME,TYPE_NAME,KEY_SEQ\nt,a,GEOMETRY,1\n",
            "pasted:2:1: no field has the bytes of GEOMETRY",
        ),
    ] {
        let problems = imported(list, Source::Phoenix, None).expect_err("no list").to_string();
        assert!(problems.starts_with(told), "{list}: {problems}");
    }
}
