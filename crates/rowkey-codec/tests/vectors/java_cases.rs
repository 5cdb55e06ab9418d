//! Keys that neither the golden vectors nor random layouts have, in Java, with Rust as the judge.

use rowkey::Value;
use rowkey_codec::ir::Table;
use rowkey_codec::names::JAVA;
use rowkey_testkit::cases;
use serde_json::Value as Json;

use crate::java::{Generated, tests};
use crate::random::{Crossing, hex};

/// Hosts that have one form, and texts that are none, as questions to the first key of these tables that is one host
/// path alone, each with the right answer: `!` of those that are refused.
pub(crate) fn hosts(tables: &[Table]) -> Vec<(String, String)> {
    let at = tables.iter().position(|table| table.layout().shape() == "host_path").unwrap();
    let layout = tables[at].layout();
    let texts = "a.b 7 a.b.7 10.0.0.1 10.0.0.01 10.0.0.256 1.2.3 -a_.b- 1.a a..b .a a. A.b a:80 me@a [::] [::0] [::1 \
                 [A::] [1::2:0:0:3:4] [1:0:0:2::3] [1:0:2:3:4:5:6:7] [1::3:4:5:6:7:8] [::ffff:102:304] \
                 [::ffff:1.2.3.4] [1:2] [1:0:0:0:2:0:0:0] [1::2:0:0:0] [0:0:1::] [::1:0:0] [fe80::1%eth0] \
                 [1:2:3:4:5:6:7:8] [1:2:3:4:5:6:7:8:9]";
    let question = |host: &str| {
        let value = Value::Text(format!("{host}/x"));
        let due = layout.encode(&[value]).map_or("!".to_owned(), |key| hex(&key));
        (format!("encode\t{at}\t[\"{host}/x\"]"), due)
    };
    let written = texts.split_whitespace().map(question);
    // As they would be in a key, reversed or not.
    let read = |host: &str| {
        let key = [host.as_bytes(), b"/x\0"].concat();
        let hex = hex(&key);
        let values = layout.decode(&key).map(|values| values.iter().map(Value::to_json).collect::<Vec<_>>());
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
fn errors_and_explanations_in_java() {
    let shape = "u8, enum{1: (), 9: (u32, text)}, list<text>, (i16, bytes[2]) desc, option<text>, ipaddr, char";
    let generated = Generated::new(&[shape, "u64, u32 desc"].map(|shape| Table::new(shape.parse().unwrap())));
    generated.compile(&tests("event/Errors.java"), "classes");
    generated.run("Errors");
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

/// Layouts of other programs' keys: forms and ends that the golden vectors do not have together.
const OF_OTHERS: [&str; 22] = [
    "text['#'], dec[10], u8",
    "text['::'], text['::'], be[i64]",
    "dec['#'], int['#'], hex['#'], text[end]",
    "minus[99 2 '#'], minus[18446744073709551616 '/'], u8",
    "minus[9223372036854775807 19], hexbytes['#'], hexbytes[4 upper]",
    "hex[4 upper], hex[32], dec[19], dec[39]",
    "date['yyyyMMdd' '_'], dec[end]",
    "date['yyyy-MM-dd''T''HH:mm:ss.SSS''Z''' '|'], date['yyyyDDD'], reversed['.'], text[3]",
    "uuid[text] desc, reversed[end]",
    "text[until '#'], text[end after '#']",
    "u32, text[until '::'], dec[4 after '::']",
    "u8, hexbytes[end after '\\x00']",
    "text[rest-12], u64, u32",
    "const['t'], i64, const['_r'], i64",
    "u8, const['_r'], const['x']",
    "ordered[text], ordered[i64], ordered[bytes]",
    "ordered[be i64], ordered[micros], ordered[be micros], ordered[text]",
    "uint[3], uint[5] desc, uint[9], le[u16], le[i32], le[u128], be[i8], be[i128]",
    "char[5], char[4 zeros] desc, u8",
    "hash(sha256 hex[7 upper '_'] by 0 2) text['_'], u8, text['#'], dec[10]",
    "salt(20 hash_code[java] dec[2 '-'] by 0) text['#'], u32",
    "salt(300 murmur3[32] hex[3 upper] by 0 2) char[8 zeros], i64 desc, u16",
];

#[test]
fn layouts_of_others_in_java() {
    let tables = OF_OTHERS.iter().map(|shape| Table::new(shape.parse().unwrap())).collect();
    let crossing = Crossing::of(tables, &JAVA, cases(8, 60));
    let generated = Generated::with_driver(&crossing.tables);
    println!("java: {}", crossing.check(&generated.ask("classes", &crossing.questions)));
}

/// Keys and what is nearly one, which the golden vectors do not have: shapes, and bytes as text with `\x` of others.
const NEARLY: [(&str, &[u8]); 15] = [
    ("text", b"\xc0\xaf\0"),
    ("text", b"\xe0\x80\xaf\0"),
    ("text", b"\xf0\x80\x80\xaf\0"),
    ("text", b"\xed\xa0\x80\0"),
    ("text", b"\xf4\x90\x80\x80\0"),
    ("text", b"\xc3\0"),
    ("list<text>", b"\x01a\0\x01\xc3\0\0"),
    ("text", "ü€😀\0".as_bytes()),
    ("text['::'], u8", b"a::\x07"),
    ("int[end]", b"00"),
    ("int[end]", b"-0"),
    ("int[end]", b"-10"),
    ("uuid[text]", b"01234567-89ab-cdef-fedc-ba9876543210"),
    ("uuid[text]", b"01234567-89ab-cdef-fedc-ba987654321-"),
    ("uuid[text]", b"01234567089ab-cdef-fedc-ba9876543210"),
];

/// The tables of these shapes, and for each key, from a place of tables on, the question and the right answer.
pub(crate) fn nearly(from: usize) -> (Vec<Table>, Vec<(String, String)>) {
    let mut tables: Vec<Table> = Vec::new();
    let mut questions = Vec::new();
    for (shape, bytes) in NEARLY {
        let known = tables.iter().position(|table| table.layout().shape() == shape);
        let at = known.unwrap_or_else(|| {
            tables.push(Table::new(shape.parse().unwrap()));
            tables.len() - 1
        });
        let values =
            tables[at].layout().decode(bytes).map(|values| values.iter().map(Value::to_json).collect::<Json>());
        let due = values.map_or("!".to_owned(), |values| values.to_string());
        questions.push((format!("decode\t{}\t{}", from + at, hex(bytes)), due));
    }
    (tables, questions)
}

#[test]
fn what_is_nearly_a_key_is_refused_in_java() {
    let (tables, nearly) = nearly(0);
    let questions: Vec<String> = nearly.iter().map(|(question, _)| question.clone()).collect();
    let answers = Generated::with_driver(&tables).ask("classes", &questions);
    for ((question, due), answer) in nearly.iter().zip(&answers) {
        let is_same = serde_json::from_str::<Json>(answer).ok() == serde_json::from_str(due).ok();
        assert!(if due == "!" { answer.starts_with('!') } else { is_same }, "{question}: {answer}, due is {due}");
    }
    assert!(nearly.iter().filter(|(_, due)| due == "!").count() == 11);
}
