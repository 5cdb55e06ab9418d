//! Java 17: a record for each key, and the runtime that they use, as a Maven project.

mod constants;
mod decl;
mod fields;
mod imports;
mod ints;
mod key;
mod lead;
mod limits;
mod prefix;
mod project;
mod refused;
mod runtime;
mod shown;
mod source;
mod statements;
mod text;
mod types;
mod value;

use crate::ir::{Codec, Refusal};
use crate::names::{Case, JAVA};
use crate::{LICENSES, Package, SourceFile};

/// The files of a Maven project with these keys. The package's name may have dots, as in `com.example.visits-keys`,
/// whose Java package is `com.example.visitskeys`.
///
/// # Errors
/// A key, or a package's name, that Java has no room for.
pub fn files(codec: &Codec, package: &Package) -> Result<Vec<SourceFile>, Refusal> {
    let name = package_name(&package.name);
    limits::refused(codec, &name)?;
    let folder = format!("src/main/java/{}", name.replace('.', "/"));
    let mut files = vec![
        ("pom.xml".to_owned(), project::pom(&package.name, &name)),
        ("README.md".to_owned(), project::readme(codec, &name)),
    ];
    files.extend(LICENSES.map(|(name, text)| (name.to_owned(), text.to_owned())));
    for key in &codec.keys {
        let body = key::write(key).into_text();
        let imports = imports::of(&body);
        files.push((format!("{folder}/{}.java", key.ident), format!("package {name};\n\n{imports}{body}")));
    }
    files.extend(runtime::files());
    Ok(files)
}

/// The Java package of a name: one that is not the runtime's.
fn package_name(name: &str) -> String {
    let word = |word: &str| {
        let word = Case::Flat.of(word);
        if JAVA.reserved.contains(&word.as_str()) { word + "_" } else { word }
    };
    let name = name.split('.').map(word).collect::<Vec<_>>().join(".");
    if name == runtime::PACKAGE { name + ".keys" } else { name }
}

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn each_name_is_that_of_a_package() {
        for (name, due) in [
            ("visits-keys", "visitskeys"),
            ("com.example.visits-keys", "com.example.visitskeys"),
            ("com.example.int", "com.example.int_"),
            ("..", "field.field.field"),
            ("io.github.rowkey", "io.github.rowkey.keys"),
        ] {
            assert_eq!(package_name(name), due);
        }
    }
}
