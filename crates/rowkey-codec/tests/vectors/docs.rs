//! The examples of docs/codec.md, compiled and run beside a client that keeps its rows in memory.

use std::path::Path;
use std::process::Command;

use rowkey_codec::ir::Table;
use rowkey_codec::{Language, Package, generate};
use rowkey_design::{Design, File};
use tempfile::TempDir;

/// The rows of all buckets, in the order of their keys: the last that each example prints.
const MERGED: [&str; 6] = ["ada 1307097000000", "ada 1", "bob 1307097000000", "bob 1", "cyd 1307097000000", "cyd 1"];

/// The one block of code in this language.
fn block(language: &str) -> &'static str {
    block_of(include_str!("../../../../docs/codec.md"), language)
}

fn block_of<'t>(text: &'t str, language: &str) -> &'t str {
    let fence = format!("```{language}\n");
    let blocks: Vec<&str> = text.split(&fence).skip(1).map(|block| block.split("```").next().unwrap()).collect();
    let [block] = blocks[..] else { panic!("{} blocks of {language}", blocks.len()) };
    block
}

/// The one block of code of the README in a package.
fn readme(folder: &TempDir, language: &str) -> String {
    block_of(&std::fs::read_to_string(folder.path().join("README.md")).unwrap(), language).to_owned()
}

/// A folder with a package of the design's tables, and files beside it.
fn folder(language: Language, package: &str, beside: &[(&str, String)]) -> TempDir {
    let design = Design::parse([File { name: "events.rowkey.toml".into(), text: block("toml").into() }]);
    let tables: Vec<Table> = design.unwrap().tables.values().flat_map(Table::of_design).collect();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in generate(&tables, language, &Package::new(package)).unwrap() {
        write(&folder, &path, &text);
    }
    beside.iter().for_each(|(path, text)| write(&folder, path, text));
    folder
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn run(command: &mut Command, folder: &Path) -> String {
    let run = command.current_dir(folder).output().unwrap();
    assert!(run.status.success(), "{command:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn prints_the_merged_rows(command: &mut Command, folder: &Path) {
    let printed = run(command, folder);
    let lines: Vec<&str> = printed.lines().collect();
    let last = lines.iter().rev().zip(MERGED.iter().rev());
    assert!(lines.len() > MERGED.len() && last.clone().all(|(line, due)| line.ends_with(due)), "{printed}");
}

#[test]
fn the_example_in_python_runs() {
    let program = include_str!("../docs/use.py").replace("# EXAMPLE\n", block("python"));
    let folder = folder(Language::Python, "event-keys", &[("use.py", program)]);
    let python = || Command::new(std::env::var_os("ROWKEY_PYTHON").unwrap_or_else(|| "python3".into()));
    prints_the_merged_rows(python().args(["-B", "use.py"]), folder.path());
    let given = "from event_keys import Event\nvalue = Event('ada', 1)\n";
    let holds = "assert read == value and ranges == Event.prefix().user('ada').ranges()\n";
    write(&folder, "readme.py", &format!("{given}{}{holds}", readme(&folder, "python")));
    run(python().args(["-B", "readme.py"]), folder.path());
}

#[test]
fn the_example_in_go_runs() {
    let program = format!("package main\n\n{}", block("go"));
    let client = include_str!("../docs/scan.go").to_owned();
    let folder = folder(Language::Go, "example.com/keys", &[("use/use.go", program), ("use/scan.go", client)]);
    run(crate::go::go().args(["vet", "./use"]), folder.path());
    prints_the_merged_rows(crate::go::go().args(["run", "./use"]), folder.path());
    let main = include_str!("../docs/readme.go").replace("// EXAMPLE\n", &readme(&folder, "go"));
    write(&folder, "readme/readme.go", &main);
    run(crate::go::go().args(["run", "./readme"]), folder.path());
}

#[test]
fn the_example_in_java_runs() {
    let program = include_str!("../docs/Use.java").replace("// EXAMPLE\n", block("java"));
    let folder = folder(Language::Java, "com.example.keys", &[("Use.java", program)]);
    let javac = ["-encoding", "UTF-8", "--release", "17", "-Xlint:all", "-Werror", "-d", "classes"];
    run(Command::new("javac").args(javac).args(["-sourcepath", "src/main/java", "Use.java"]), folder.path());
    prints_the_merged_rows(Command::new("java").args(["-cp", "classes", "Use"]), folder.path());
    let main = include_str!("../docs/Readme.java").replace("// EXAMPLE\n", &readme(&folder, "java"));
    write(&folder, "Readme.java", &main);
    run(Command::new("javac").args(javac).args(["-cp", "classes", "Readme.java"]), folder.path());
    run(Command::new("java").args(["-cp", "classes", "Readme"]), folder.path());
}
