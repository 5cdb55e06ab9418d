//! Names of Java's runtime: a user's type has its own unless generated code, or a program, needs that class.

use std::path::Path;

use rowkey::LayoutBuf;
use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::JAVA;
use rowkey_codec::{Language, Package, generate};

/// The classes of the runtime, and whether other packages see them.
fn classes() -> Vec<(String, bool)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/java/io/github/rowkey");
    let class = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), text.lines().any(|line| line.starts_with("public ")))
    };
    std::fs::read_dir(folder).unwrap().map(|entry| class(&entry.unwrap().path())).collect()
}

fn table(name: &str) -> Table {
    let fields = vec![FieldBuf::new("value", "u8").unwrap()];
    Table::new(LayoutBuf::of_fields(name, Lead::None, Vec::new(), fields).unwrap())
}

#[test]
fn classes_that_no_other_package_sees_take_no_names() {
    for (class, is_public) in classes() {
        let codec = Codec::of(&[table(&class)], &JAVA).unwrap();
        assert_eq!(codec.keys[0].ident == class, !is_public, "{class}: {}", codec.keys[0].ident);
    }
}

#[test]
fn classes_that_no_other_package_sees_are_not_imported() {
    for (class, _) in classes().into_iter().filter(|(_, is_public)| !is_public) {
        let files = generate(&[table(&class)], Language::Java, &Package::new("keys")).unwrap();
        let (_, text) = files.iter().find(|(path, _)| *path == format!("src/main/java/keys/{class}.java")).unwrap();
        assert!(!text.contains(&format!("import io.github.rowkey.{class};")), "{text}");
    }
}
