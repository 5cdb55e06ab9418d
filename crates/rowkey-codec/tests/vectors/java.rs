//! Java, by a JDK of version 17 or later.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rowkey::LayoutBuf;
use rowkey::lead::{Lead, Salt, SaltFormat, SaltHash};
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::JAVA;
use rowkey_codec::{Language, Package, generate};
use tempfile::TempDir;

use crate::golden::Golden;
use crate::python::tool;
use crate::random::{Crossing, hex};
use crate::{manifest, program};

/// A project of generated code in a folder, compiled.
pub(crate) struct Generated {
    folder: TempDir,
}

impl Generated {
    /// Compiles the classes of these tables. Of the generated code every warning is an error.
    pub(crate) fn new(tables: &[Table]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in generate(tables, Language::Java, &Package::new("rowkeys")).unwrap() {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let codec = Codec::of(tables, &JAVA).unwrap();
        std::fs::write(folder.path().join("manifest.json"), manifest::of(&codec).to_string()).unwrap();
        std::fs::create_dir(folder.path().join("classes")).unwrap();
        let generated = Self { folder };
        generated.compile(&generated.path().join("src/main/java"), "classes");
        generated
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

    fn compile(&self, sources: &Path, to: &str) {
        let run = self.javac(sources, to);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }

    /// Compiles a file, or all files below a folder.
    pub(crate) fn javac(&self, sources: &Path, to: &str) -> Output {
        let mut files = Vec::new();
        below(sources, &mut files);
        let list: String = files.iter().map(|path| format!("\"{}\"\n", path.display())).collect();
        std::fs::write(self.path().join("sources"), list).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["-encoding", "UTF-8", "--release", "17", "-Xlint:all", "-Werror", "-cp", "classes"]);
        javac.args(["-d", to, "@sources"]).current_dir(self.path());
        javac.output().expect("a JDK is installed")
    }

    /// The answers of the classes of a path.
    pub(crate) fn ask(&self, classes: &str, questions: &[String]) -> Vec<String> {
        let mut java = Command::new("java");
        java.args(["-XX:TieredStopAtLevel=1", "-cp", classes, "Driver", "rowkeys", "manifest.json"]);
        program::ask(java.current_dir(self.path()), questions)
    }

    /// Runs a program that fails if something does not hold.
    fn run(&self, class: &str) {
        let run = Command::new("java").args(["-cp", "classes", class]).current_dir(self.path()).output().unwrap();
        assert!(run.status.success(), "{class}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

/// A folder of this crate's Java tests.
fn tests(folder: &str) -> PathBuf {
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

/// Hosts that have one form, and texts that are none, as questions to the first key of these tables that is one host
/// path alone, each with the right answer: `!` of those that are refused.
pub(crate) fn hosts(tables: &[Table]) -> Vec<(String, String)> {
    let at = tables.iter().position(|table| table.layout().shape() == "host_path").unwrap();
    let layout = tables[at].layout();
    let texts = "a.b 7 a.b.7 10.0.0.1 10.0.0.01 10.0.0.256 1.2.3 -a_.b- 1.a a..b .a a. A.b a:80 me@a [::] [::0] [::1 \
                 [A::] [1::2:0:0:3:4] [1:0:0:2::3] [1:0:2:3:4:5:6:7] [1::3:4:5:6:7:8] [::ffff:102:304] [::ffff:1.2.3.4] \
                 [1:2] [1:0:0:0:2:0:0:0] [1::2:0:0:0] [0:0:1::] [::1:0:0] [fe80::1%eth0] [1:2:3:4:5:6:7:8] \
                 [1:2:3:4:5:6:7:8:9]";
    let question = |host: &str| {
        let value = rowkey::Value::Text(format!("{host}/x"));
        let due = layout.encode(&[value]).map_or("!".to_owned(), |key| hex(&key));
        (format!("encode\t{at}\t[\"{host}/x\"]"), due)
    };
    let written = texts.split_whitespace().map(question);
    // As they would be in a key, reversed or not.
    let read = |host: &str| {
        let key = [host.as_bytes(), b"/x\0"].concat();
        let hex = hex(&key);
        let values = layout.decode(&key).map(|values| values.iter().map(rowkey::Value::to_json).collect::<Vec<_>>());
        let due = values.map_or("!".to_owned(), |values| serde_json::to_string(&values).unwrap());
        (format!("decode\t{at}\t{hex}"), due)
    };
    written.chain(texts.split_whitespace().map(read)).collect()
}

/// A key of which a design says that it begins with a UUID.
pub(crate) fn of_uuid() -> Table {
    let text = "format = 1\n[table.ids]\nkey = [\"id: bytes[16]\", \"at: u8\"]\nmeans.id = \"uuid7\"\n".to_owned();
    let design = rowkey_design::Design::parse([rowkey_design::File { name: "ids".into(), text }]).unwrap();
    let table = design.tables.values().next().unwrap();
    Table::of_design(table).remove(0)
}

pub(crate) const UUID: &str = "0123456789abcdeffedcba9876543210";

#[test]
fn uuids_in_java() {
    let generated = Generated::with_driver(&[of_uuid()]);
    let source = std::fs::read_to_string(generated.path().join("src/main/java/rowkeys/Ids.java")).unwrap();
    assert!(source.contains("record Ids(UUID id, int at)"), "{source}");
    let questions = [format!("encode\t0\t[\"{UUID}\",\"7\"]"), format!("decode\t0\t{UUID}07")];
    assert_eq!(generated.ask("classes", &questions), [format!("{UUID}07"), format!("[\"{UUID}\",\"7\"]")]);
}

#[test]
fn hosts_in_java() {
    let tables = [Table::new("host_path".parse().unwrap())];
    let (questions, due): (Vec<_>, Vec<_>) = hosts(&tables).into_iter().unzip();
    let answers = Generated::with_driver(&tables).ask("classes", &questions);
    for ((question, due), answer) in questions.iter().zip(&due).zip(&answers) {
        assert_eq!(answer.get(..1) == Some("!"), due == "!", "{question}: {answer}, due is {due}");
        assert!(due == "!" || answer == due, "{question}: {answer}, due is {due}");
    }
    assert!(due.iter().filter(|due| *due == "!").count() > 20 && due.iter().any(|due| due != "!"));
}

#[test]
fn golden_vectors_in_java() {
    let golden = Golden::new(&JAVA);
    let generated = Generated::with_driver(&golden.tables);
    println!("java: {}", golden.check(&generated.ask("classes", &golden.questions())));
}

#[test]
fn random_layouts_in_java() {
    let crossing = Crossing::new(&JAVA);
    let generated = Generated::with_driver(&crossing.tables);
    println!("java: {}", crossing.check(&generated.ask("classes", &crossing.questions)));
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
    let tables: Vec<Table> = HOSTILE.iter().map(|name| Table::new(hostile(name))).collect();
    let crossing = Crossing::of(tables, &JAVA, 1);
    let generated = Generated::with_driver(&crossing.tables);
    println!("java: {}", crossing.check(&generated.ask("classes", &crossing.questions)));
    format(&generated);
}

/// Holds that the formatter changes nothing: `ROWKEY_GOOGLE_JAVA_FORMAT` is a program that takes its arguments.
fn format(generated: &Generated) {
    let mut files = Vec::new();
    below(&generated.path().join("src"), &mut files);
    let arguments = ["--dry-run", "--set-exit-if-changed", "--skip-reflowing-long-strings"];
    let files: Vec<&str> = arguments.into_iter().chain(files.iter().filter_map(|file| file.to_str())).collect();
    tool("ROWKEY_GOOGLE_JAVA_FORMAT", &files, generated.path());
}

#[test]
fn google_java_format_takes_generated_java() {
    format(&Generated::new(&Golden::new(&JAVA).tables));
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
