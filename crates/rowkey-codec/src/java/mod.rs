//! Java 17: a record for each key, and the runtime that they use, as a Maven project.

mod constants;
mod decl;
mod fields;
mod imports;
mod key;
mod pom;
mod prefix;
mod runtime;
mod source;
mod types;
mod value;

use crate::SourceFile;
use crate::ir::Codec;

/// A Java package of generated code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name, as in `com.example.keys`.
    pub name: String,
}

impl Default for Package {
    fn default() -> Self {
        Self { name: "keys".to_owned() }
    }
}

impl Package {
    /// The package of this name; `None` if it is no name of a package.
    ///
    /// ```
    /// use rowkey_codec::java::Package;
    ///
    /// assert!(Package::named("com.example.keys").is_some());
    /// assert!(Package::named("com.example.class").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let is_word = |word: &str| {
            let rest = word.trim_start_matches(|char: char| char.is_ascii_lowercase());
            let is_plain = rest.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_');
            rest.len() < word.len() && is_plain && !crate::names::JAVA.reserved.contains(&word)
        };
        let is_own = name.split('.').all(is_word) && name != runtime::PACKAGE;
        is_own.then(|| Self { name: name.to_owned() })
    }
}

/// The files of a project with these keys, whose names are those of [`JAVA`](crate::names::JAVA).
pub fn files(codec: &Codec, package: &Package) -> Vec<SourceFile> {
    let folder = format!("src/main/java/{}", package.name.replace('.', "/"));
    let mut files = vec![("pom.xml".to_owned(), pom::text(package))];
    files.extend(runtime::files());
    for key in &codec.keys {
        let body = key::write(key).into_text();
        let imports = imports::of(&body, &package.name);
        files.push((format!("{folder}/{}.java", key.ident), format!("package {};\n\n{imports}{body}", package.name)));
    }
    files
}
