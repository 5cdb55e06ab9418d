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
fn types_that_go_does_not_compile_are_named() {
    let deep = |depth: usize, inner: &str| format!("{}{inner}{}", "list<".repeat(depth), ">".repeat(depth));
    for (shape, due) in [
        (deep(40, "u8"), None),
        (deep(41, "u8"), Some("key._0: `a type of 41 within one another` has no generated code: Go compiles 40")),
        (format!("u8, (u8, {})", deep(60, "u8")), Some("key._1._1: `a type of 60 within")),
        (format!("enum{{1: (), 7: ({})}}", deep(60, "u8")), Some("key._0.7._0: `a type of 60 within")),
        (format!("option<{}>", deep(40, "u8")), Some("key._0: `a type of 41 within")),
        // A tuple is a type of its own.
        (deep(40, &format!("({})", deep(40, "u8"))), None),
    ] {
        let found = refused(&shape, Language::Go, "keys");
        assert_eq!(found.is_some(), due.is_some(), "{shape}: {found:?}");
        assert!(found.clone().unwrap_or_default().starts_with(due.unwrap_or_default()), "{shape}: {found:?}");
        assert_eq!(refused(&shape, Language::Python, "keys"), None);
        assert_eq!(refused(&shape, Language::Java, "keys"), None);
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
fn packages_of_a_name_that_no_program_can_import_are_named() {
    let python = [
        "and", "as", "assert", "async", "await", "break", "class", "Class", "continue", "def", "del", "elif", "else",
        "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
        "pass", "raise", "return", "try", "while", "with", "yield", "test", "con", "LPT1",
    ];
    let go = [
        "fmt",
        "net/http",
        "net/keys",
        "testing",
        "unsafe",
        "builtin",
        "arena",
        "std",
        "cmd",
        "cmd/keys",
        "C",
        "all",
        "main",
        "tool",
        "work",
        "toolchain",
        "go",
        "vendor",
        "vendor/keys",
        "example.com/vendor/keys",
        "internal",
        "Fmt",
        "CON",
        "aux",
        "example.com/CON",
        "example.com/con.keys",
        "example.com/com9/keys",
        "example.com/a~1",
        "example.com/a~1.b",
        "Example.com/keys",
        "example_a.com/keys",
        "example.com/-x",
        "example.com/.x",
        "example.com/~",
        "example.com/x.",
        "example.com/é",
        "-x/y",
    ];
    for (language, names) in [
        (Language::Python, &python[..]),
        (Language::Go, &go),
        (Language::Java, &["com.example.con", "Prn", "com1.keys"]),
    ] {
        let taken: Vec<_> = names.iter().filter(|name| refused("u8", language, name).is_none()).collect();
        assert!(taken.is_empty(), "{language:?}: {taken:?}");
    }
    for (language, names) in [
        (Language::Python, &["class-keys", "match", "type", "bytes", "tests", "com0", "console"][..]),
        (
            Language::Go,
            &[
                "k",
                "keys",
                "example",
                "test",
                "format",
                "keys/main",
                "example.com/internal/keys",
                "example.com/_x",
                "example.com/a~b",
                "example.com/a~1b",
                "example.com/a.b~1",
                "example.com/com0",
                "example.com/Keys",
                "example.com/x.con",
                "c",
                "my keys",
                "a~1",
            ],
        ),
        (Language::Java, &["com.example.console", "com0.keys"]),
    ] {
        for name in names {
            assert_eq!(refused("u8", language, name), None, "{language:?}");
        }
    }
}

#[test]
fn a_module_of_go_has_the_major_version_of_its_path_in_its_tag() {
    let package = Package::version();
    let (_, minor) = package.split_once('.').unwrap();
    for (path, name, major) in [
        ("example.com/keys", "keys", "1"),
        ("example.com/keys/v2", "keys", "2"),
        ("example.com/keys/v10", "keys", "10"),
        ("example.com/v3", "examplecom", "3"),
        ("example.com/keys.v2", "keysv2", "1"),
        ("example.com/keys/v2x", "v2x", "1"),
        ("example.com/v2/keys", "keys", "1"),
        ("gopkg.in/keys.v0", "keys", "0"),
        ("gopkg.in/keys.v1", "keys", "1"),
        ("gopkg.in/ada/keys.v3", "keys", "3"),
        ("gopkg.in/keys.v3-unstable", "keys", "3"),
        ("v2", "v2", "1"),
    ] {
        let files = generate(&[Table::new("u8".parse().unwrap())], Language::Go, &Package::new(path)).unwrap();
        let text = |file: &str| &files.iter().find(|(path, _)| path == file).unwrap().1;
        assert!(text("README.md").contains(&format!("tag it `v{major}.{minor}`")), "{path}: {}", text("README.md"));
        assert!(text("doc.go").ends_with(&format!("\npackage {name}\n")), "{path}: {}", text("doc.go"));
    }
    for path in [
        "example.com/keys/v1",
        "example.com/keys/v0",
        "example.com/keys/v02",
        "example.com/keys/v2.1",
        "keys/v1",
        "gopkg.in/keys",
        "gopkg.in/keys.v02",
        "gopkg.in/keys/v2",
        "gopkg.in/v2",
    ] {
        let refusal = refused("u8", Language::Go, path).unwrap_or_else(|| panic!("{path}"));
        assert!(refusal.contains("major version"), "{refusal}");
    }
}

/// Words that no package of Go is called, or that its importers cannot call it by.
#[test]
fn a_package_of_go_has_no_name_that_go_takes_otherwise() {
    for (path, due) in [
        ("example.com/main", "mainkeys"),
        ("example.com/init", "initkeys"),
        ("example.com/documentation", "documentationkeys"),
        ("example.com/func", "funckeys"),
    ] {
        let files = generate(&[Table::new("u8".parse().unwrap())], Language::Go, &Package::new(path)).unwrap();
        let (_, text) = files.iter().find(|(file, _)| file == "doc.go").unwrap();
        assert!(text.ends_with(&format!("\npackage {due}\n")), "{text}");
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
