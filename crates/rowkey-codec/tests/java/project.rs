//! A Maven project of generated classes, compiled by javac alone, and the harness that runs lines against it.

use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey::LayoutBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::java::{Package, files};
use rowkey_codec::names::JAVA;

/// The classes of some layouts, compiled.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    pub(crate) codec: Codec,
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}: is a JDK installed?"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}\n{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

impl Project {
    pub(crate) fn new(layouts: &[LayoutBuf]) -> Self {
        let tables: Vec<Table> = layouts.iter().cloned().map(Table::new).collect();
        Self::of(Codec::of(&tables, &JAVA).unwrap())
    }

    pub(crate) fn of(codec: Codec) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut sources = Vec::new();
        for (path, text) in files(&codec, &Package::default()) {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            sources.extend(Some(path).filter(|path| path.extension().is_some_and(|suffix| suffix == "java")));
        }
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
        sources.extend(["Harness.java", "Json.java"].map(|file| harness.join(file)));
        let list: String = sources.iter().map(|path| format!("\"{}\"\n", path.display())).collect();
        let arguments = folder.path().join("sources");
        std::fs::write(&arguments, list).unwrap();
        let classes = folder.path().join("classes");
        let mut javac = Command::new("javac");
        javac.args(["-encoding", "UTF-8", "--release", "17", "-Xlint:all", "-Werror", "-d"]).arg(&classes);
        run(javac.arg(format!("@{}", arguments.display())));
        Self { folder, codec }
    }

    /// Runs lines; all have to hold.
    pub(crate) fn check(&self, lines: &[String]) {
        let path: PathBuf = self.folder.path().join("lines");
        std::fs::write(&path, lines.concat()).unwrap();
        let mut java = Command::new("java");
        java.arg("-cp").arg(self.folder.path().join("classes")).arg("Harness").arg("keys").arg(path);
        let found = run(&mut java);
        let wrong: Vec<&str> = found.lines().filter(|line| line.starts_with("wrong")).take(20).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(found.trim_end(), format!("passed\t{}", lines.len()));
    }
}
