//! Python. `ROWKEY_PYTHON` is the interpreter, if it is not `python3`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rowkey::LayoutBuf;
use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::PYTHON;
use rowkey_codec::{Language, Package, generate};
use rowkey_design::{Design, File};
use tempfile::TempDir;

use crate::golden::Golden;
use crate::{benches, bounds, manifest, program, random, typed};

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
        program::ask(&mut self.driver(), questions)
    }

    fn driver(&self) -> Command {
        let mut driver = python("driver.py");
        driver.arg("manifest.json").current_dir(self.path());
        driver
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python")
}

/// A program of the tests, which finds the generated package in its folder.
pub(crate) fn python(program: impl AsRef<Path>) -> Command {
    let interpreter = std::env::var_os("ROWKEY_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(interpreter);
    command.arg("-B").arg(sources().join(program)).env("PYTHONPATH", ".").env("PYTHONIOENCODING", "utf-8");
    command
}

/// A run of the tests of hashes.
pub(crate) fn hashes(generated: &Generated) -> Output {
    python("test_hashes.py").current_dir(generated.path()).output().unwrap()
}

#[test]
fn golden_vectors_in_python() {
    let golden = Golden::new(&PYTHON);
    let answers = Generated::new(&golden.tables).ask(&golden.questions());
    println!("python: {}", golden.check(&answers));
}

#[test]
fn random_layouts_in_python() {
    let tables = random::tables(&PYTHON);
    println!("python: {}", random::cross(&tables, &PYTHON, &mut Generated::new(&tables).driver()));
}

#[test]
fn typed_selections_in_python() {
    let typed = typed::selections();
    typed.check(&Generated::new(&typed.tables).ask(&typed.questions));
}

#[test]
fn hashes_in_python() {
    let generated = Generated::new(&[]);
    let run = hashes(&generated);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// A tool on generated code: the program that a variable names. Without it nothing is checked, unless `ROWKEY_TOOLS` is
/// `required`.
pub(crate) fn tool(variable: &str, arguments: &[&str], folder: &Path) {
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

/// Keys of one encoding alone, from none to more than lines have room for.
fn of_bytes() -> Vec<Table> {
    let shape = |count: usize| vec!["u8"; count].join(", ");
    [1, 18, 19, 20, 21, 22, 23, 24, 25, 30, 60, 130, 254, 300]
        .map(|count| Table::new(shape(count).parse().unwrap()))
        .to_vec()
}

#[test]
fn ruff_takes_keys_of_many_numbers_and_of_deep_options() {
    let mut tables = of_bytes();
    let options = |depth: usize, inner: &str| format!("{}{inner}{}", "option<".repeat(depth), ">".repeat(depth));
    let types = ["u8", "bytes", "instant", "list<option<text>>", "(u8, option<option<option<u64>>>)"];
    let shapes = types.iter().flat_map(|inner| (1..4).map(|depth| options(depth, inner)));
    tables.extend(shapes.map(|shape| Table::new(shape.parse().unwrap())));
    for tables in [Vec::new(), tables] {
        let generated = Generated::new(&tables);
        tool("ROWKEY_RUFF", &["format", "--no-cache", "--diff", "rowkeys"], generated.path());
    }
}

#[test]
fn imports_are_in_the_order_of_ruff() {
    let numbers = ["v0", "v", "v1", "a1", "a01", "a001", "a10", "a2", "a1_b", "a1b", "a_b", "day0", "day", "day00_x"];
    let long = (1..80).map(|len| "n".repeat(len));
    let layout = |name| LayoutBuf::of_fields(name, Lead::None, Vec::new(), vec![FieldBuf::new("a", "u8").unwrap()]);
    let tables = numbers.map(str::to_owned).into_iter().chain(long).map(|name| Table::new(layout(name).unwrap()));
    let generated = Generated::new(&Vec::from_iter(tables));
    tool("ROWKEY_RUFF", &["check", "--no-cache", "--select=I", "rowkeys"], generated.path());
    tool("ROWKEY_RUFF", &["format", "--no-cache", "--diff", "rowkeys/__init__.py"], generated.path());
}

#[test]
fn ruff_takes_long_names_and_deep_types() {
    let generated = Generated::new(&bounds::tables());
    tool("ROWKEY_RUFF", &["check", "--no-cache", "--output-format=concise", "rowkeys"], generated.path());
    tool("ROWKEY_RUFF", &["format", "--no-cache", "--diff", "rowkeys"], generated.path());
}

/// `bench/python/run` measures how long they take.
#[test]
fn keys_by_hand_in_python_are_the_same() {
    let generated = Generated::new(&benches::tables("python"));
    let run = python(benches::path("python/by_hand.py")).current_dir(generated.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// A key of fields within others.
const OF_PARTS: &str = "u8, enum{1: (), 9: (u32, text)}, list<text>, (i16, bytes[2]) desc, option<text>";

/// A key of fields whose types take no other values.
const OF_TYPES: &str =
    "dec['#'], int['#'], hexbytes['#'], enum{1: (), 2: ()}, bool, char, decimal, bytes, (u8, bytes[2])";

#[test]
fn a_package_of_python_has_what_it_says() {
    let shapes = ["salt(4 xxh3 by 0) text, i64 desc", "instant, duration", "option<option<u8>>", OF_PARTS, OF_TYPES];
    let generated = Generated::new(&shapes.map(|shape| Table::new(shape.parse().unwrap())));
    let run = python("test_package.py").current_dir(generated.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// The fields of a prefix in their order, and not.
const PREFIXES: [(&str, bool); 4] = [
    ("Key.prefix().f0('a').f1_range(rt.Included(1)).ranges()", true),
    ("Key.prefix().f1(1)", false),
    ("Key.prefix().f0('a').f0('b')", false),
    ("Key.prefix().f0(1)", false),
];

#[test]
fn fields_out_of_order_are_errors_of_types() {
    let generated = Generated::new(&["text, i64 desc"].map(|shape| Table::new(shape.parse().unwrap())));
    let Some(mypy) = std::env::var_os("ROWKEY_MYPY") else { return tool("ROWKEY_MYPY", &[], generated.path()) };
    for (expression, is_right) in PREFIXES {
        let program = format!("import rowkeys.runtime as rt\nfrom rowkeys import Key\n\nprint(rt, {expression})\n");
        std::fs::write(generated.path().join("use.py"), program).unwrap();
        let run = Command::new(&mypy).args(["--strict", "use.py"]).current_dir(generated.path()).output().unwrap();
        assert_eq!(run.status.success(), is_right, "{expression}: {}", String::from_utf8_lossy(&run.stdout));
    }
}

/// Texts of a design that end a comment, or look like code.
const HOSTILE: &str = r#"
format = 1

[table.class]
about = "\"\"\" + exit() # \\\" \\N{BULLET} \u202e \u2028 \n\n x"
key = ["bytes: u8", "int: text", "self: (u8, u16 desc)", "rt: enum{1: (), 2: (u8)}", "Größe: bytes", "encode: i64 desc",
       "_: u8", "__: u8", "\"\"\": u8", "\\: u8", "import: u8", "prefix: u8"]

[table."x\"; import os #"]
key = ["a-b: u8", "a_b: u8", "aB: u8", "A_B: enum{1: (), 7: ()}"]

[table.None]
key = ["def: u8"]

[table.Iterable]
key = ["str: list<option<text>>"]
"#;

#[test]
fn a_hostile_design_is_a_package_of_python() {
    let file = File { name: "hostile.rowkey.toml".into(), text: HOSTILE.into() };
    let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}"));
    let tables: Vec<Table> = design.tables.values().flat_map(Table::of_design).collect();
    let generated = Generated::new(&tables);
    let keys = ["0001", ""].map(|hex| format!("decode\t2\t{hex}"));
    let answers = generated.ask(&keys);
    assert!(answers.iter().all(|answer| answer.starts_with('!')), "{answers:?}");
    assert_eq!(generated.ask(&["decode\t2\t07".to_owned()]), ["[\"7\"]"]);
    tool("ROWKEY_MYPY", &["--strict", "--no-incremental", "rowkeys"], generated.path());
    tool("ROWKEY_RUFF", &["check", "--no-cache", "--output-format=concise", "rowkeys"], generated.path());
    tool("ROWKEY_RUFF", &["format", "--no-cache", "--diff", "rowkeys"], generated.path());
}
