//! Java, by a JDK of version 17 or later.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use rowkey::LayoutBuf;
use rowkey::lead::{Lead, Salt, SaltFormat, SaltHash};
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::JAVA;
use rowkey_codec::{Language, Package, generate};
use rowkey_testkit::every;
use tempfile::TempDir;

use crate::golden::Golden;
use crate::python::tool;
use crate::random::Crossing;
use crate::{bounds, manifest, program, random, typed};

/// The folder of the classes of the runtime.
const RUNTIME: &str = "io/github/rowkey";

/// The files of a folder by their names.
type Files = HashMap<OsString, Vec<u8>>;

/// The sources of the runtime, which is the same for all tables, and its classes: compiled once.
static COMPILED: LazyLock<(Files, Files)> = LazyLock::new(|| {
    let generated = Generated { folder: tempfile::tempdir().unwrap() };
    generated.write(&[]);
    std::fs::create_dir(generated.path().join("classes")).unwrap();
    generated.compile(&generated.path().join("src/main/java"), "classes");
    let mut classes = Vec::new();
    below(&generated.path().join("classes").join(RUNTIME), &mut classes);
    (contents(&generated.sources().0), contents(&classes))
});

fn contents(files: &[PathBuf]) -> Files {
    files.iter().map(|path| (path.file_name().unwrap().to_owned(), std::fs::read(path).unwrap())).collect()
}

/// A project of generated code in a folder, compiled.
pub(crate) struct Generated {
    folder: TempDir,
}

impl Generated {
    /// Compiles the classes of these tables. Of the generated code every warning is an error.
    pub(crate) fn new(tables: &[Table]) -> Self {
        let generated = Self { folder: tempfile::tempdir().unwrap() };
        generated.write(tables);
        let codec = Codec::of(tables, &JAVA).unwrap();
        std::fs::write(generated.path().join("manifest.json"), manifest::of(&codec).to_string()).unwrap();
        let runtime = generated.path().join("classes").join(RUNTIME);
        std::fs::create_dir_all(&runtime).unwrap();
        let (sources, classes) = &*COMPILED;
        for (path, class) in classes {
            std::fs::write(runtime.join(path), class).unwrap();
        }
        let (of_runtime, own) = generated.sources();
        assert_eq!(of_runtime.len(), sources.len());
        for path in of_runtime {
            assert_eq!(
                std::fs::read(&path).ok().as_ref(),
                sources.get(path.file_name().unwrap()),
                "{}",
                path.display()
            );
        }
        let run = generated.javac_files(&own, "classes");
        assert!(own.is_empty() || run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        generated
    }

    fn write(&self, tables: &[Table]) {
        for (path, text) in generate(tables, Language::Java, &Package::new("rowkeys")).unwrap() {
            let path = self.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    /// The sources of the runtime, and those of the tables.
    fn sources(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let mut files = Vec::new();
        below(&self.path().join("src/main/java"), &mut files);
        files.into_iter().partition(|path| path.parent().is_some_and(|folder| folder.ends_with(RUNTIME)))
    }

    /// The same with the program that answers questions.
    pub(crate) fn with_driver(tables: &[Table]) -> Self {
        let generated = Self::new(tables);
        generated.compile(&tests("driver"), "classes");
        generated
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn compile(&self, sources: &Path, to: &str) {
        let run = self.javac(sources, to);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }

    /// Compiles a file, or all files below a folder.
    pub(crate) fn javac(&self, sources: &Path, to: &str) -> Output {
        let mut files = Vec::new();
        below(sources, &mut files);
        self.javac_files(&files, to)
    }

    fn javac_files(&self, files: &[PathBuf], to: &str) -> Output {
        let list: String = files.iter().map(|path| format!("\"{}\"\n", path.display())).collect();
        std::fs::write(self.path().join("sources"), list).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["-encoding", "UTF-8", "--release", "17", "-Xlint:all", "-Werror", "-cp", "classes"]);
        javac.args(["-d", to, "@sources"]).current_dir(self.path());
        javac.output().expect("a JDK is installed")
    }

    /// The answers of the classes of a path.
    pub(crate) fn ask(&self, classes: &str, questions: &[String]) -> Vec<String> {
        program::ask(&mut self.driver(classes), questions)
    }

    fn driver(&self, classes: &str) -> Command {
        let mut java = Command::new("java");
        java.args(["-XX:TieredStopAtLevel=1", "-cp", classes, "Driver", "rowkeys", "manifest.json"]);
        java.current_dir(self.path());
        java
    }

    /// Runs a program that fails if something does not hold.
    pub(crate) fn run(&self, class: &str) {
        let run = Command::new("java").args(["-cp", "classes", class]).current_dir(self.path()).output().unwrap();
        assert!(run.status.success(), "{class}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

/// A folder of this crate's Java tests.
pub(crate) fn tests(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java").join(folder)
}

/// The files below a folder, in the order of their paths.
fn below(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        return files.push(path.to_owned());
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.iter().for_each(|entry| below(entry, files));
}

#[test]
fn golden_vectors_in_java() {
    let golden = Golden::new(&JAVA);
    let generated = Generated::with_driver(&golden.tables);
    println!("java: {}", golden.check(&generated.ask("classes", &golden.questions())));
}

#[test]
fn random_layouts_in_java() {
    let tables = random::tables(&JAVA);
    let generated = Generated::with_driver(&tables);
    println!("java: {}", random::cross(&tables, &JAVA, &mut generated.driver("classes")));
}

#[test]
fn typed_selections_in_java() {
    let typed = typed::selections();
    typed.check(&Generated::with_driver(&typed.tables).ask("classes", &typed.questions));
}

/// Names of tables and fields that generated code could take for its own, or that end a comment or a literal.
const HOSTILE: [&str; 40] = [
    "r",
    "w",
    "key",
    "told",
    "start",
    "lead",
    "joined",
    "value",
    "values",
    "bounds",
    "host",
    "fields",
    "at0",
    "item1",
    "some0",
    "from1",
    "end0",
    "write",
    "read",
    "select",
    "ranges",
    "layout",
    "LEAD",
    "NEXT",
    "tag",
    "scans",
    "Prefix",
    "Prefix1",
    "String",
    "Text",
    "KeyWriter",
    "Optional",
    "class",
    "record",
    "*/ \\u000a",
    "\" + x() + \"",
    "{@code}",
    "Größe",
    "都市",
    "hash code",
];

#[test]
fn hostile_names_in_java() {
    let shapes =
        ["u8", "list<option<text>>", "enum{1: (u8, text), 2: ()} desc", "(u8, (text desc)) desc", "enum{7: ()}"];
    let hostile = |name: &str| {
        let names = HOSTILE.iter().filter(|field| **field != name).copied();
        let names: Vec<&str> = std::iter::once(name).chain(names).take(12).collect();
        let fields = names.iter().zip(shapes.iter().cycle()).map(|(name, shape)| FieldBuf::new(*name, shape).unwrap());
        let salt = Salt { buckets: 3, hash: SaltHash::named("xxh64"), format: SaltFormat::Binary };
        LayoutBuf::of_fields(name, Lead::Salt(salt), vec![0, 2, 3], fields.collect()).unwrap()
    };
    let tables: Vec<Table> = HOSTILE.iter().step_by(every(2)).map(|name| Table::new(hostile(name))).collect();
    let crossing = Crossing::of(tables, &JAVA, 1);
    let generated = Generated::with_driver(&crossing.tables);
    println!("java: {}", crossing.check(&generated.ask("classes", &crossing.questions)));
    format(&generated, &generated.sources().1);
}

/// Holds that the formatter changes none of these files: `ROWKEY_GOOGLE_JAVA_FORMAT` is a program that takes its
/// arguments.
fn format(generated: &Generated, files: &[PathBuf]) {
    assert!(!files.is_empty());
    let arguments = ["--dry-run", "--set-exit-if-changed"];
    let files: Vec<&str> = arguments.into_iter().chain(files.iter().filter_map(|file| file.to_str())).collect();
    tool("ROWKEY_GOOGLE_JAVA_FORMAT", &files, generated.path());
}

#[test]
fn google_java_format_takes_generated_java() {
    let generated = Generated::new(&Golden::new(&JAVA).tables);
    let mut files = Vec::new();
    below(&generated.path().join("src"), &mut files);
    format(&generated, &files);
}

#[test]
fn google_java_format_takes_long_layouts() {
    let shapes = ["text, bytes, decimal", "u8", "instant desc", "enum{1: (), 2: (u8)}, option<i128> nulls_last"];
    let of = |shape: &str, count: usize| Table::new(vec![shape; count].join(", ").parse().unwrap());
    let tables: Vec<Table> =
        shapes.iter().flat_map(|shape| [1, 5, 7, 12, 20, 21, 22, 40].map(|n| of(shape, n))).step_by(every(3)).collect();
    let generated = Generated::new(&tables);
    format(&generated, &generated.sources().1);
}

/// A shape of options of one type, one within another.
fn options(depth: usize, inner: &str) -> String {
    format!("{}{inner}{}", "option<".repeat(depth), ">".repeat(depth))
}

#[test]
fn google_java_format_takes_deep_options_and_as_many_fields_as_a_record_has() {
    let of = |shape: String| Table::new(shape.parse().unwrap());
    let types =
        ["u8", "bytes", "list<option<text>>", "instant", "(u8, option<option<option<u64>>>)", "enum{1: (), 2: (u8)}"];
    let mut tables: Vec<Table> = types.iter().flat_map(|inner| (2..4).map(|depth| of(options(depth, inner)))).collect();
    tables.push(of(vec!["u8"; 254].join(", ")));
    tables.push(of(vec!["i64 desc"; 127].join(", ")));
    let generated = Generated::new(&tables);
    format(&generated, &generated.sources().1);
}

#[test]
fn google_java_format_takes_long_names_and_deep_types() {
    let generated = Generated::new(&bounds::tables());
    format(&generated, &generated.sources().1);
}

#[test]
fn hashes_in_java() {
    let generated = Generated::new(&[]);
    generated.compile(&tests("runtime"), "classes");
    generated.run("io.github.rowkey.Hashes");
}

fn event() -> Table {
    let layout = r#"{"version": 1, "name": "event", "prefix": {"salt": {"buckets": 16, "hash": "xxh3", "by": [0]}},
        "fields": [{"name": "user", "type": "text"}, {"name": "at", "type": "i64", "desc": true},
        {"name": "level", "type": {"option": "u8"}}, {"name": "tags", "type": {"list": "text"}}]}"#;
    Table::new(LayoutBuf::from_json(layout).unwrap())
}

#[test]
fn merged_scans_ranges_and_layouts_in_java() {
    let generated = Generated::new(&[event()]);
    generated.compile(&tests("event/Laws.java"), "classes");
    generated.run("Laws");
    generated.compile(&tests("event/MergeLaws.java"), "classes");
    generated.run("MergeLaws");
}

#[test]
fn prefixes_in_a_wrong_order_do_not_compile_in_java() {
    let generated = Generated::new(&[event()]);
    let run = generated.javac(&tests("event/WrongOrder.java"), "wrong");
    let errors = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(errors.matches("error: cannot find symbol").count(), 3, "{errors}");
    for due in ["symbol:   method at(int)", "location: class Prefix", "symbol:   method user(String)"] {
        assert!(errors.contains(due), "{due}: {errors}");
    }
}
