//! Refusals: of all that has no generated code, by its name and place.

use rowkey::LayoutBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::PYTHON;
use rowkey_codec::{Language, Package, generate};

fn refusal(shape: &str) -> String {
    let layout: LayoutBuf = shape.parse().unwrap();
    Codec::of(&[Table::new(layout)], &PYTHON).unwrap_err().to_string()
}

#[test]
fn what_has_no_code_is_named() {
    for (shape, start) in [
        ("u8, url", "._1: `url` has no generated code: its one form needs a parser"),
        ("option<list<url>>", "._0: `url` has"),
        (
            "u8, enum{1: (), 7: (u8, (geohash))}",
            "._1.7._1._0: `geohash` has no generated code: an encoding of a user's",
        ),
        ("fdb[text]", "._0: `fdb[text]` has no generated code: FoundationDB has bindings"),
        ("groups[8]", "._0: `groups[8]` has"),
        ("utf[java]", "._0: `utf[java]` has"),
        ("salt(4 mine) u8", ": `mine` has no generated code: a salt by a hash of a user's own"),
        ("salt(4 md5 minus[9 1]) u8", ": `minus[9 1]` has no generated code: of the formats"),
    ] {
        let refusal = refusal(shape);
        assert!(refusal.starts_with(&format!("key{start}")), "{shape}: {refusal}");
    }
}

fn refused(shape: &str, language: Language, package: &str) -> Option<String> {
    let table = Table::new(shape.parse().unwrap());
    generate(&[table], language, &Package::new(package)).err().map(|refusal| refusal.to_string())
}

fn many(shape: &str, count: usize) -> String {
    vec![shape; count].join(", ")
}

#[test]
fn records_that_java_has_no_room_for_are_named() {
    for (shape, due) in [
        (many("u8", 254), None),
        (
            many("u8", 255),
            Some("key: `a record of 255 slots` has no generated code: a record of Java has room for 254"),
        ),
        (many("u64", 127), None),
        (many("u64", 128), Some("key: `a record of 256 slots`")),
        (many("f64", 127) + ", u8", Some("key: `a record of 255 slots`")),
        (many("u32", 127) + ", option<u64>", Some("key: `a record of 255 slots`")),
        (many("const['a']", 300), None),
        (format!("u8, ({})", many("i64", 128)), Some("key._1: `a record of 256 slots`")),
        (format!("u8, enum{{1: (), 7: ({})}}", many("i64", 128)), Some("key._1.7: `a record of 256 slots`")),
        (format!("({}), ({})", many("u64", 120), many("u64", 120)), None),
    ] {
        let found = refused(&shape, Language::Java, "keys");
        assert_eq!(found.is_some(), due.is_some(), "{shape}: {found:?}");
        assert!(found.unwrap_or_default().starts_with(due.unwrap_or_default()), "{shape}");
        assert_eq!(refused(&shape, Language::Python, "keys"), None);
        assert_eq!(refused(&shape, Language::Go, "keys"), None);
    }
}

#[test]
fn packages_of_a_name_that_is_taken_are_named() {
    for (language, names) in [
        (
            Language::Java,
            &["java", "java.lang", "Java.Util", "javax.x", "jdk.internal", "com.sun.net", "org.w3c.dom"][..],
        ),
        (Language::Python, &["struct", "Struct", "typing", "dataclasses", "enum", "json", "heapq", "collections"]),
    ] {
        for name in names {
            let refusal = refused("u8", language, name).unwrap_or_else(|| panic!("{name}"));
            assert!(refusal.starts_with("the package: `"), "{name}: {refusal}");
        }
    }
    for name in ["javan", "javax-keys", "com.sunny", "org.w3c", "keys", "struct-keys"] {
        for language in [Language::Java, Language::Python] {
            assert_eq!(refused("u8", language, name), None, "{name}");
        }
    }
}

#[test]
fn a_package_is_published_by_the_name_that_it_is_given() {
    let file = |language, package: &str, path: &str| {
        let files = generate(&[Table::new("u8".parse().unwrap())], language, &Package::new(package)).unwrap();
        files.into_iter().find(|(found, _)| found == path).unwrap().1
    };
    let pom = file(Language::Java, "com.example.visits-keys", "pom.xml");
    assert!(pom.contains("<groupId>com.example</groupId>\n  <artifactId>visits-keys</artifactId>"), "{pom}");
    assert!(
        file(Language::Go, "example.com/visits-keys/v2", "go.mod").starts_with("module example.com/visits-keys/v2\n")
    );
    assert!(file(Language::Python, "visits-keys", "pyproject.toml").contains("\nname = \"visits-keys\"\n"));
    for path in ["example.com//keys", "/keys", "example.com/keys/", "example.com/my keys", "example.com/../keys"] {
        let refusal = refused("u8", Language::Go, path).unwrap();
        assert!(
            refusal.starts_with(&format!("the package: `{path}` has no generated code: it is no path")),
            "{refusal}"
        );
    }
}
