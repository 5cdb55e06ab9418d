//! The design file: what is read, and how each mistake is named.

use std::panic::catch_unwind;

use rowkey::{Bucket, Millis, RowKey, Seconds};
use rowkey_design::internal::design::{Date, Meaning};
use rowkey_design::{CheckOptions, Design, File, assert_key};

fn parse(text: &str) -> Result<Design, String> {
    Design::parse([File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() }])
        .map_err(|problems| problems.to_string())
}

#[test]
fn three_designs() {
    let design = parse(include_str!("designs/three.rowkey.toml")).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(design.tables["tsdb"].layout.shape(), "salt(20 xxh3 by 0 2) bytes[3], u32, bytes raw");
    assert_eq!(design.tables["crashes"].secondary[0].shape(), "bytes[16], i64 desc");
}

#[test]
fn all_mistakes_are_named_at_once() {
    let text = r#"format = 1
[cluster.prod]
engine = "hbsae"
region.max = "10 gigs"
[table.t]
key = ["a: u64", "b: i46", "c text"]
salt = { buckets = 4, by = ["z"] }
colour = 3
[[table.t.query]]
name = "q"
rate = 7
"#;
    let problems = parse(text).unwrap_err();
    let expected = [
        "3:10: unknown engine `hbsae`; did you mean `hbase`?",
        "4:14: the text \"10 gigs\" is not a size: a number with a unit of bytes; write it as \"400 B\" or \"10 GB\"",
        "6:18: `i46` is not a type of the format; did you mean `i16`?",
        "6:28: \"c text\" is not a field; write it as \"name: shape\", for example \"at: i64 desc\"",
        "7:29: there is no field \"z\"; known: a, b",
        "8:1: unknown key `colour`; known: about, ",
        "11:8: the number 7 is not a rate: a number of times a second, minute, hour or day; write it as ",
    ];
    assert_eq!(problems.lines().count(), expected.len(), "{problems}");
    for (line, expected) in problems.lines().zip(expected) {
        assert!(line.starts_with(&format!("a.rowkey.toml:{expected}")), "{line}");
    }
}

/// Words of other databases, which people write who know these.
#[test]
fn words_of_others_are_told_what_they_are_here() {
    let help = |text: &str| parse(text).unwrap_err();
    for (shape, due) in [
        ("string", "text"),
        ("long", "i64"),
        ("uuid", "bytes[16]"),
        ("Timestamp", "instant"),
        ("varchar", "text"),
        ("i64 DESC", "i64 desc"),
        ("U64", "u64"),
    ] {
        let problems = help(&format!("format = 1\n[table.t]\nkey = [\"a: {shape}\"]\n"));
        assert!(problems.contains(&format!("did you mean `{due}`?")), "{problems}");
        assert_eq!(problems.lines().count(), 1, "{problems}");
    }
    let problems = help("format = 1\n[cluster.c]\nengine = \"HBase\"\n");
    assert!(problems.contains("did you mean `hbase`?"), "{problems}");
    let problems = help("format = 1\n[cluster]\nengine = \"hbase\"\nservers = 3\n");
    assert!(problems.contains("a name is due here: `[….NAME]`, with `engine` in it"), "{problems}");
    let problems = help("format = 1\n[table.t]\nkey = [\"a: u64\"]\nmeans = { a = 5 }\n");
    assert!(!problems.contains("a name is due"), "{problems}");
}

#[test]
fn two_tables_of_one_name_are_named_with_both_places() {
    let table = |name: &str, secondary: &str| {
        format!(
            "[table.{name}]\nkey = [\"a: u64\"]\n[[table.{name}.secondary]]\nname = \"{secondary}\"\nkey = [\"a: u64\"]\n"
        )
    };
    let said = |files: &[String]| {
        let files = files
            .iter()
            .enumerate()
            .map(|(i, text)| File { name: format!("{i}.rowkey.toml"), text: format!("format = 1\n{text}") });
        Design::parse(files).map_err(|problems| problems.to_string()).err().unwrap_or_default()
    };
    let help = "; remove one, or give it another name, also to see both beside each other";
    assert_eq!(said(&[table("t", "u"), table("v", "w")]), "");
    let own = format!("0.rowkey.toml:5:8: there is already a table \"t\", at 0.rowkey.toml:2:8{help}");
    assert_eq!(said(&[table("t", "t")]), own);
    let other = format!("0.rowkey.toml:5:8: there is already a table \"v\", at 1.rowkey.toml:2:8{help}");
    assert_eq!(said(&[table("t", "v"), table("v", "w")]), other);
    let both = format!("1.rowkey.toml:5:8: there is already a table \"u\", at 0.rowkey.toml:5:8{help}");
    assert_eq!(said(&[table("t", "u"), table("v", "u")]), both);
    let same = format!("1.rowkey.toml:2:8: there is already a table \"t\", at 0.rowkey.toml:2:8{help}");
    assert_eq!(said(&[table("t", "u"), table("t", "w")]), same);
    let twice = table("t", "u") + "[[table.t.secondary]]\nname = \"u\"\nkey = [\"a: u64\"]\n";
    assert_eq!(said(&[twice]).lines().count(), 1);
}

#[test]
fn numbers_out_of_bounds_are_named_with_what_is_wrong() {
    let table = "format = 1\n[table.t]\nkey = [\"a: u64\"]\n";
    for (line, expected) in [
        (
            "rows = \"12345678901234567\"",
            "4:8: the text \"12345678901234567\": it has more than 15 digits before the point",
        ),
        ("rows = 0", "4:8: the number 0: it has to be a whole number from 1 to 1e24; write it as 2_000 or \"2M\""),
        (
            "family.f.ttl = \"0.0000001 ms\"",
            "4:16: the text \"0.0000001 ms\": it has more than 6 digits after the point",
        ),
        (
            "family.f.ttl = \"0 s\"",
            "4:16: the text \"0 s\": it has to be more than 0; write it as \"20 ms\" or \"13 months\"",
        ),
        ("family.f.versions = 0", "4:21: expected a whole number from 1 to 4294967295, found the number 0"),
        ("family.f.block = \"1.5 B\"", "4:18: the text \"1.5 B\": it has to be a whole number; write it as"),
        ("query = [{ name = \"q\", hit_rate = 2 }]", "4:35: expected a number from 0 to 1, found the number 2"),
        (
            "query = [{ name = \"q\", range.a = \"5 secs\" }]",
            "4:34: \"5 secs\" is neither a length of time nor a count",
        ),
        ("query = [{ name = \"q\", range.a = \"0 s\" }]", "4:34: the text \"0 s\": it has to be more than 0"),
    ] {
        let problems = parse(&format!("{table}{line}\n")).expect_err(line);
        assert!(problems.starts_with(&format!("a.rowkey.toml:{expected}")), "{line}: {problems}");
        assert_eq!(problems.lines().count(), 1, "{problems}");
    }
    assert_eq!(
        parse("format = 2\n").expect_err("another format"),
        "a.rowkey.toml:1:10: expected 1, found the number 2; it is of another version of `rowkey`: use that one"
    );
}

#[test]
fn spreads_grow() {
    let table = "format = 1\n[table.t]\nkey = [\"a: u64\"]\n";
    for line in [
        "family.f.sizes.v = { p50 = \"10 kB\", p99 = \"1 kB\" }",
        "family.f.sizes.v = { p50 = \"10 kB\", max = \"9 kB\" }",
        "stats.a.rows_per = { p99 = 5, max = 4 }",
    ] {
        let problems = parse(&format!("{table}{line}\n")).expect_err(line);
        assert!(
            problems.starts_with("a.rowkey.toml:4:") && problems.contains("`p50` is more than `p99`"),
            "{problems}"
        );
    }
    assert!(parse(&format!("{table}stats.a.rows_per = {{ p50 = 5, p99 = 5, max = 5 }}\n")).is_ok());
}

#[derive(RowKey)]
struct InSeconds {
    user: u64,
    #[rowkey(desc)]
    at: Seconds,
}

#[derive(RowKey)]
struct InMillis {
    user: u64,
    #[rowkey(desc)]
    at: Option<Millis>,
    hour: Bucket<Seconds, 3600>,
}

#[derive(RowKey)]
struct Plain {
    user: u64,
    #[rowkey(desc)]
    at: i64,
}

#[test]
fn a_design_of_a_struct_has_its_units() {
    let means = |design: Design| {
        let table = design.tables.into_iter().next().unwrap().1.table;
        table.means.into_iter().map(|(field, meaning)| (field, meaning.value)).collect::<Vec<_>>()
    };
    assert_eq!(means(Design::of::<InSeconds>().unwrap()), [("at".to_owned(), Meaning::Seconds)]);
    let of_millis = [("at".to_owned(), Meaning::Millis), ("hour".to_owned(), Meaning::TimeBucket)];
    assert_eq!(means(Design::of::<InMillis>().unwrap()), of_millis);
    assert_eq!(means(Design::of::<Plain>().unwrap()), []);
}

#[test]
fn another_unit_is_another_key() {
    let path = std::env::temp_dir().join(format!("rowkey-units-{}.rowkey.toml", std::process::id()));
    let key = "format = 1\n[table.a]\nkey = [\"user: u64\", \"at: i64 desc\"]\n";
    std::fs::write(&path, format!("{key}means.at = \"milliseconds\"\n")).unwrap();
    let refused = catch_unwind(|| assert_key::<InSeconds>(&path, "a")).unwrap_err();
    let refused = refused.downcast_ref::<String>().unwrap();
    assert!(refused.contains(":4:7: the field \"at\" of \"a\" means milliseconds"), "{refused}");
    assert!(refused.contains("`means.at = \"seconds\"`"), "{refused}");
    // A number without a unit matches any.
    assert_key::<Plain>(&path, "a");
    std::fs::write(&path, key).unwrap();
    assert_key::<InSeconds>(&path, "a");
    std::fs::remove_file(path).unwrap();
}

/// Duplicate and contradictory entries, each with its place.
#[test]
#[expect(clippy::useless_format, reason = "all texts are made alike")]
fn contradictions() {
    let table = "format = 1\n[table.t]\nkey = [\"host: text\", \"at: instant\", \"n: u16\"]\n";
    let query = "[[table.t.query]]\nname = \"q\"\n";
    let family = "[table.t.family.f]\ncolumns = [\"a\", \"lang: text\"]\n";
    let mut wrong = Vec::new();
    for (text, expected) in [
        (format!("{query}fix = [\"host\"]\namong = {{ host = 3 }}"), "7:11: \"host\" is in `fix` and in `among`"),
        (format!("{query}fix = [\"host\", \"host\"]"), "6:16: \"host\" is twice in `fix`"),
        (format!("{query}starts_with = {{ at = 3 }}"), "6:17: values of instant have no beginning"),
        (format!("stats.n = {{ distinct = 65_537 }}"), "4:24: there are no 65.5k values of u16"),
        (format!("stats.n = {{ distinct = 9, per = \"host\", max = 2 }}"), "4:24: `distinct` is 9, but `max` is 2"),
        (format!("stats.n = {{ bucket = \"1 h\" }}"), "4:22: `bucket`, but \"n\" has no time buckets"),
        (format!("stats.n = {{ per = \"n\" }}"), "4:19: \"n\" is counted for each \"n\", which leads back"),
        (
            format!("[[table.t.write]]\nname = \"w\"\nrate = \"10/s\"\npeak = \"1/s\""),
            "7:8: `peak` is 1/s, but `rate` is 10/s",
        ),
        (format!("{family}{query}columns = [\"b\"]"), "8:12: no family has the column \"b\""),
        (format!("{family}{query}columns = [\"g:a\"]"), "8:12: no family has the column \"g:a\""),
        (format!("{family}{query}columns = [\"a\", \"a\"]"), "8:17: there is already a column \"a\""),
        (format!("{family}sizes.b = \"3 B\""), "6:7: `columns` has no \"b\""),
        (format!("[table.t.family.f]\ncolumns = [\"a\", \"a\"]"), "5:17: there is already a column \"a\""),
        (format!("[[table.t.allow]]\nrule = \"X99\"\nwhy = \"so\""), "5:8: there is no rule \"X99\""),
        (format!("[[table.t.allow]]\nrule = \"H01\"\nwhy = \" \""), "6:7: the reason is empty"),
        (format!("rules.H1O = \"note\""), "4:7: there is no rule \"H1O\"; did you mean `H10` (a new table"),
        (format!("rules.H10 = \"warn\""), "4:13: unknown level `warn`; known: allow, note, warning, error"),
        (format!("[rules]\nX99 = \"note\""), "5:1: there is no rule \"X99\""),
        (format!("[rules]\nD01 = \"error\""), "5:1: D01 compares two designs: its differences have no severity"),
    ] {
        let problems = problems(&format!("{table}{text}\n"));
        if problems.len() != 1 || !problems[0].starts_with(expected) {
            wrong.push((expected, problems));
        }
    }
    assert_eq!(wrong, []);
    for good in [
        format!(
            "{family}{query}columns = [\"a\", \"lang\", \"f:lang\", \"f\"]\nfix = [\"host\"]\nrange = {{ at = \"1 day\" }}"
        ),
        format!("stats.n = {{ distinct = 65_536 }}"),
        format!("[table.t.family.f]\n{query}columns = [\"whatever\"]\nstarts_with = {{ host = 3 }}"),
    ] {
        assert_eq!(problems(&format!("{table}{good}\n")), [""; 0], "{good}");
    }
}

/// All at once, and none that only follows from another.
#[test]
fn every_mistake_is_named_at_once() {
    let text = r#"format = 1
[table.t]
key = ["a: u32"]
salt = { buckets = 4, by = ["b"] }
[[table.t.query]]
name = "q"
fix = ["zz"]
[[table.t.allow]]
rule = "X99"
why = ""
[[table.t.secondary]]
name = "t"
key = ["a: u32"]
[table.u]
kye = ["a: u32"]
[table.v]
key = ["a: u32"]
salt = { buckets = 4 }
hashed = { bytes = 2 }
"#;
    let problems = problems(text);
    let messages: Vec<&str> = problems.iter().map(|problem| problem.split(';').next().unwrap()).collect();
    assert_eq!(
        messages,
        [
            "4:29: there is no field \"b\"",
            "7:8: there is no field \"zz\"",
            "9:8: there is no rule \"X99\"",
            "10:7: the reason is empty",
            "12:8: there is already a table \"t\", at a.rowkey.toml:2:8",
            "14:8: \"u\" has no `key`",
            "15:1: unknown key `kye`",
            "19:10: a key has a salt or a digest, not both",
        ]
    );
}

fn problems(text: &str) -> Vec<String> {
    let file = File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() };
    let problems = Design::parse([file]).err().map(|problems| problems.to_string()).unwrap_or_default();
    problems.lines().map(|line| line.strip_prefix("a.rowkey.toml:").unwrap_or(line).to_owned()).collect()
}

/// A rule has one level in all files of a design.
#[test]
fn a_level_may_be_said_twice_if_it_is_the_same() {
    let file = |name: &str, level: &str| {
        let text = format!("format = 1\nrules.H10 = \"{level}\"\n[table.{name}]\nkey = [\"a: u64\"]\n");
        File { name: format!("{name}.rowkey.toml"), text }
    };
    assert!(Design::parse([file("a", "note"), file("b", "note")]).is_ok());
    let problems = Design::parse([file("a", "note"), file("b", "error")]).unwrap_err().to_string();
    assert!(
        problems.starts_with("b.rowkey.toml:2:7: H10 has the level \"note\" already, at a.rowkey.toml:2:7"),
        "{problems}"
    );
}

/// A word of another database, or in another place, is one problem, with what to write instead.
#[test]
fn what_people_write_first_is_told_what_it_is_here() {
    let table = "[table.t]\nkey = [\"a: u64\"]\n";
    for (text, told) in [
        (format!("engine = \"hbase\"\n{table}"), "it is of a cluster"),
        (format!("{table}salt = 16"), "write `{ buckets = … }`"),
        (format!("{table}[[table.t.query]]\nname = \"q\"\nfix = \"a\""), "write it in brackets: `[\"a\"]`"),
        (format!("{table}[[table.t.query]]\nname = \"q\"\nrange = [\"a\"]"), "write the name of each: `{ a = … }`"),
        (format!("{table}[table.t.write]\nname = \"w\""), "two pairs of brackets"),
        (format!("{table}[[table.t.query]]\nname = \"q\"\nfix = [\"customer\"]"), "write it in `where`"),
        (format!("{table}keep = \"30 days\""), "a time to live is of a column family"),
        (format!("{table}ttl = \"30 days\""), "it is of a column family"),
        (format!("{table}unique = true"), "write one of: upsert"),
        (format!("{table}means = \"uuid\""), "write the name of each: `{ NAME = \"uuid\" }`"),
        (format!("{table}means.a = \"uuid\""), "write `uuid4` of random ones"),
        (format!("{table}means.a = \"hash\""), "write `digest`"),
        (format!("{table}queries = []"), "write `[[table.NAME.query]]`"),
        (format!("{table}families = [\"f\"]"), "write `[table.NAME.family.NAME]`"),
        ("[[table]]\nname = \"t\"\nkey = [\"a: u64\"]".to_owned(), "write `[….NAME]`, in one pair"),
        (format!("[cluster.c]\nengine = \"scylladb\"\n{table}"), "write `cassandra`"),
        (format!("[cluster.c]\nengine = \"hbase\"\nservers = \"10\"\n{table}"), "write it without quotes: 10"),
        ("[table.t]\nkey = [\"a\"]".to_owned(), "write it as \"name: shape\""),
        ("[table.t]\nkey = [\"a u64\", \"b: u8\"]".to_owned(), "write it as \"name: shape\""),
        ("[table.t]\nkey = [\"a: varchar(10)\"]".to_owned(), "did you mean `text`?"),
    ] {
        let problems = problems(&format!("format = 1\n{text}\n"));
        assert!(problems.len() == 1 && problems[0].contains(told), "{text}\n{problems:?}");
    }
}

/// Each file of a folder may say the cluster.
#[test]
fn a_cluster_may_be_said_twice_if_it_is_the_same() {
    let file = |name: &str, servers: u32| {
        let cluster = format!("[cluster.prod]\nengine = \"hbase\"\nservers = {servers}\n");
        File { name: name.to_owned(), text: format!("format = 1\n{cluster}[table.{name}]\nkey = [\"a: u32\"]\n") }
    };
    let design = Design::parse([file("a", 3), file("b", 3)]).unwrap();
    assert_eq!((design.clusters.len(), design.tables.len()), (1, 2));
    let error = Design::parse([file("a", 3), file("b", 4)]).unwrap_err().to_string();
    assert!(error.starts_with("b:2:10: there is already a cluster \"prod\", at a:2:10"), "{error}");
}

/// A check reports what the DDL of the cluster's engine refuses.
#[test]
fn a_check_says_what_ddl_would_refuse() {
    let check = |engine: &str, table: &str| -> Vec<String> {
        let text = format!("format = 1\n[cluster.c]\nengine = \"{engine}\"\n{table}");
        let file = File { name: "a.rowkey.toml".to_owned(), text };
        let design = Design::parse([file]).unwrap();
        let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        report.problems.into_iter().map(|problem| problem.message).collect()
    };
    let split = "[table.t]\nkey = [\"a: u32\"]\nsplits = { keys = [\"zz\", \"05\", \"6\", \"05\", \"\", \"04\"] }";
    let refused = [
        "\"zz\" is no key in hex",
        "\"6\" is no key in hex",
        "the split point \"05\" is there twice",
        "a split point is empty",
    ];
    assert_eq!(check("rocksdb", split), refused);
    assert_eq!(check("hbase", &format!("{split}\n[table.t.family.f]\n")), refused);
    let named = "[table.\"bad name/!\"]\nkey = [\"a: u8\"]\n[table.\"bad name/!\".family.\"f:g\"]\n";
    assert_eq!(
        check("hbase", named),
        ["HBase takes no table named \"bad name/!\"", "HBase takes no family named \"f:g\""]
    );
    assert_eq!(check("bigtable", named).len(), 2);
    assert_eq!(check("rocksdb", named), [""; 0]);
    // A sample that is not read, and a table that has only its key so far.
    assert_eq!(check("hbase", "[table.t]\nkey = [\"a: u8\"]\nsplits = { sample = \"x\", regions = 3 }"), [""; 0]);
}

/// Words of other databases' queries are told what to do in place of them, each where it stands.
#[test]
fn words_of_other_databases_are_told_what_a_sorted_store_does() {
    let help = |key: &str| {
        let text = format!("format = 1\n[table.t]\nkey = [\"a: u8\"]\n[[table.t.query]]\nname = \"q\"\n{key} = 3\n");
        let problems = Design::parse([File { name: "a".into(), text }]).unwrap_err();
        let [problem] = &problems.list[..] else { panic!("{problems}") };
        assert_eq!(problems.files.text(problem.place), key);
        problem.help.clone().unwrap()
    };
    for (key, due) in [
        ("rank", "by score"),
        ("order_by", "secondary table"),
        ("count", "increment"),
        ("any_of", "among"),
        ("prefix", "starts_with"),
        ("colour", "known: name"),
        ("limits", "`limit`"),
    ] {
        assert!(help(key).contains(due), "{key}: {}", help(key));
    }
    // Elsewhere they are words as any other.
    let text = "format = 1\n[table.t]\nkey = [\"a: u8\"]\nstats.a = { count = 3 }\n";
    let problems = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap_err();
    assert!(problems.list[0].help.as_ref().unwrap().starts_with("known: distinct"), "{problems}");
}
