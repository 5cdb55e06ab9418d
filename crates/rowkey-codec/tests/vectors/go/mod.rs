//! Go.

mod codecs;
mod mutations;
mod speed;
mod tools;

use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::GO;
use rowkey_codec::{Language, Package, generate};
use tempfile::TempDir;

use crate::golden::Golden;
use crate::{program, random, typed};

/// A package of generated code in a folder.
pub(crate) struct Generated {
    folder: TempDir,
}

impl Generated {
    pub(crate) fn new(tables: &[Table]) -> Self {
        let generated = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in generate(tables, Language::Go, &Package::new("rowkeys")).unwrap() {
            generated.write(&path, &text);
        }
        generated
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Builds the program of tests, which answers questions about these tables.
    pub(crate) fn program(&self, tables: &[Table]) -> PathBuf {
        self.write("driver/driver.go", include_str!("../../go/driver.go"));
        self.write("driver/codecs.go", &codecs::codecs(&Codec::of(tables, &GO).unwrap()));
        self.build()
    }

    fn build(&self) -> PathBuf {
        // What is asked is soon answered: keys are compiled faster without optimizations.
        let arguments = ["build", "-gcflags=rowkeys=-N -l", "-o", "driver/driver", "./driver"];
        run(go().args(arguments).current_dir(self.path()));
        self.path().join("driver/driver")
    }
}

/// The tool `go`: `ROWKEY_GO`, if that is set.
pub(crate) fn go() -> Command {
    let mut go = Command::new(std::env::var_os("ROWKEY_GO").unwrap_or_else(|| "go".into()));
    go.env("GOFLAGS", "-buildvcs=false -trimpath").env("GOWORK", "off");
    go
}

/// Runs a program that must succeed; returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

#[test]
fn typed_selections_in_go() {
    let typed = typed::selections();
    typed.check(&ask(&typed.tables, &typed.questions));
}

/// The answers to questions about these tables.
pub(crate) fn ask(tables: &[Table], questions: &[String]) -> Vec<String> {
    let generated = Generated::new(tables);
    program::ask(&mut Command::new(generated.program(tables)), questions)
}

#[test]
fn golden_vectors_in_go() {
    let golden = Golden::new(&GO);
    println!("go: {}", golden.check(&ask(&golden.tables, &golden.questions())));
}

#[test]
fn random_layouts_in_go() {
    let tables = random::tables(&GO);
    let generated = Generated::new(&tables);
    println!("go: {}", random::cross(&tables, &GO, &mut Command::new(generated.program(&tables))));
}
