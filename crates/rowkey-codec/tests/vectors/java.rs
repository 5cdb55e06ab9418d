//! Java, by a JDK of version 17 or later.

use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::JAVA;
use rowkey_codec::{Language, Package, generate};
use tempfile::TempDir;

use crate::golden::Golden;
use crate::random::Crossing;
use crate::{manifest, program};

/// A compiled project of generated code, with the program of the tests.
struct Generated {
    folder: TempDir,
}

impl Generated {
    fn new(tables: &[Table]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in generate(tables, Language::Java, &Package::new("rowkeys")).unwrap() {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let codec = Codec::of(tables, &JAVA).unwrap();
        std::fs::write(folder.path().join("manifest.json"), manifest::of(&codec).to_string()).unwrap();
        let generated = Self { folder };
        generated.compile();
        generated
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles all: of the generated code every warning is an error.
    fn compile(&self) {
        let mut sources = Vec::new();
        below(&self.path().join("src/main/java"), &mut sources);
        below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java"), &mut sources);
        let list: String = sources.iter().map(|path| format!("\"{}\"\n", path.display())).collect();
        std::fs::write(self.path().join("sources"), list).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["-encoding", "UTF-8", "--release", "17", "-Xlint:all", "-Werror", "-d", "classes", "@sources"]);
        let run = javac.current_dir(self.path()).output().expect("a JDK is installed");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }

    fn ask(&self, questions: &[String]) -> Vec<String> {
        let mut java = Command::new("java");
        java.args(["-cp", "classes", "Driver", "rowkeys", "manifest.json"]);
        program::ask(java.current_dir(self.path()), questions)
    }
}

/// The files below a folder, in the order of their paths.
fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { below(&entry, files) } else { files.push(entry) }
    }
}

#[test]
fn golden_vectors_in_java() {
    let golden = Golden::new(&JAVA);
    let answers = Generated::new(&golden.tables).ask(&golden.questions());
    println!("java: {}", golden.check(&answers));
}

#[test]
fn random_layouts_in_java() {
    let crossing = Crossing::new(&JAVA);
    let answers = Generated::new(&crossing.tables).ask(&crossing.questions);
    println!("java: {}", crossing.check(&answers));
}
