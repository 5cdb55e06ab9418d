//! Python. `ROWKEY_PYTHON` is the interpreter, if it is not `python3`.

use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::PYTHON;
use rowkey_codec::{Language, Package, generate};
use tempfile::TempDir;

use crate::golden::Golden;
use crate::random::Crossing;
use crate::{manifest, program};

/// A package of generated code in a folder, and its manifest.
pub(crate) struct Generated {
    folder: TempDir,
}

impl Generated {
    pub(crate) fn new(tables: &[Table]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in generate(tables, Language::Python, &Package::new("rowkeys")).unwrap() {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let codec = Codec::of(tables, &PYTHON).unwrap();
        std::fs::write(folder.path().join("manifest.json"), manifest::of(&codec).to_string()).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn ask(&self, questions: &[String]) -> Vec<String> {
        program::ask(python("driver.py").arg("manifest.json").current_dir(self.path()), questions)
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python")
}

/// A program of the tests, which finds the generated package in its folder.
pub(crate) fn python(program: &str) -> Command {
    let interpreter = std::env::var_os("ROWKEY_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(interpreter);
    command.arg("-B").arg(sources().join(program)).env("PYTHONPATH", ".").env("PYTHONIOENCODING", "utf-8");
    command
}

#[test]
fn golden_vectors_in_python() {
    let golden = Golden::new(&PYTHON);
    let answers = Generated::new(&golden.tables).ask(&golden.questions());
    println!("python: {}", golden.check(&answers));
}

#[test]
fn random_layouts_in_python() {
    let crossing = Crossing::new(&PYTHON);
    let answers = Generated::new(&crossing.tables).ask(&crossing.questions);
    println!("python: {}", crossing.check(&answers));
}

#[test]
fn hashes_in_python() {
    let generated = Generated::new(&[]);
    let run = python("test_hashes.py").current_dir(generated.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// A tool on generated code: the program that a variable names. Without it nothing is checked, unless `ROWKEY_TOOLS` is
/// `required`.
fn tool(variable: &str, arguments: &[&str], folder: &Path) {
    let Some(program) = std::env::var_os(variable) else {
        let required = std::env::var_os("ROWKEY_TOOLS").is_some_and(|value| value == "required");
        assert!(!required, "{variable} does not name a program");
        return println!("{variable} is not set: not checked");
    };
    let run = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(run.status.success(), "{arguments:?}:\n{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn mypy_and_ruff_take_generated_python() {
    let generated = Generated::new(&Golden::new(&PYTHON).tables);
    tool("ROWKEY_MYPY", &["--strict", "--no-incremental", "rowkeys"], generated.path());
    tool("ROWKEY_RUFF", &["check", "--no-cache", "--output-format=concise", "rowkeys"], generated.path());
    tool("ROWKEY_RUFF", &["format", "--no-cache", "--diff", "rowkeys"], generated.path());
}
