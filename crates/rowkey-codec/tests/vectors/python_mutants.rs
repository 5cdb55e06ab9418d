//! Faults in Python's runtime, one at a time, each in the file of one encoding: all are found.

use std::fs;

use rowkey_codec::ir::Table;
use rowkey_codec::names::PYTHON;

use rowkey_testkit::every;

use crate::golden::Golden;
use crate::python::{Generated, hashes};
use crate::random::Crossing;
use crate::typed;

/// A fault: the file, what stands there, what is put in its place, and a word of the shapes that are asked about.
type Mutant = (&'static str, &'static str, &'static str, &'static str);

const MUTANTS: [Mutant; 50] = [
    ("addresses", "b\"\\x06\" + value.packed", "b\"\\x05\" + value.packed", "ipaddr"),
    ("addresses", "if family == 4:", "if family in (4, 5):", "ipaddr"),
    ("arrays", "at + self._width", "at + self._width + 1", "bytes["),
    ("arrays", "return value\n", "return bytes(reversed(value))\n", "bytes["),
    ("booleans", "if byte > 1:", "if byte > 2:", "bool"),
    ("booleans", "b\"\\x01\" if value", "b\"\\x00\" if value", "bool"),
    ("byte_strings", ".replace(b\"\\x01\", b\"\\x01\\x02\")", "", "bytes"),
    ("byte_strings", "[\\x01\\x02])*\"", "[\\x01-\\x03])*\"", "text"),
    ("characters", "0xD800 <= number < 0xE000 or number >", "number >", "char"),
    ("constants", "len(self._bytes)", "len(self._bytes) + 1", "const["),
    ("dates", "divmod(instant.seconds, _DAY)", "divmod(instant.seconds + 1, _DAY)", "date["),
    ("dates", "10 ** (9 - len(fraction))", "1", "SSS"),
    ("decimals", "exponent % 2", "exponent % 3", "decimal"),
    ("decimals", " or digits[-1] == 0:", ":", "decimal"),
    ("decimals", "if found[-1] != 0x66:", "if False:", "decimal"),
    ("descending", "return self._of.decode(other, key, at)", "return self._of.decode(key, other, at)", "desc)"),
    ("durations", "\">QI\"", "\"<QI\"", "duration>"),
    ("enums", "bytes([tag]) +", "bytes([tag ^ 1]) +", "enum{"),
    ("floats", "number ^ _ALL_64 if", "number ^ _SIGN_64 if", "f64"),
    ("floats", "number ^ _ALL_32 if", "number ^ _SIGN_32 if", "f32"),
    ("hashes", "[:8], \"big\"", "[:8], \"little\"", "md5"),
    ("hashes", "& 0x7FFFFFFF", "& 0xFFFFFFFF", "java[31]"),
    ("host_paths", "\".\".join(reversed(host.split(\".\")))", "host", "host_path"),
    ("host_paths", "[a-z0-9_-]+(", "[A-Za-z0-9_-]+(", "host_path"),
    ("instants", "nanos < 1_000_000_000", "nanos <= 1_000_000_000", "instant"),
    ("integers", "- self._least)", "- self._least + 1)", "i128"),
    ("integers", "\"little\" if self._little", "\"big\" if self._little", "le["),
    ("java_hashes", "byte - 256 if byte > 127", "byte if byte > 127", "java"),
    ("java_hashes", "units[at] << 8 | units[at + 1]", "units[at + 1]", "hash_code"),
    ("leads", "if found != due:", "if found > due:", "salt("),
    ("leads", "found[: self._taken]", "found[-self._taken :]", "md5("),
    ("lists", "if mark != b\"\\x01\":", "if mark > b\"\\x02\":", "list<"),
    ("lists", "[b\"\\x01\" + encode(element)", "[b\"\\x02\" + encode(element)", "list<"),
    ("murmur3", "0xE6546B64", "0xE6546B65", "murmur3"),
    ("options", "if tag != none:", "if tag > b\"\\x03\":", "option<"),
    ("options", "b\"\\x01\" + self._of.encode(value)", "b\"\\x02\" + self._of.encode(value)", "option<"),
    ("ordered_code", "// 7 + 1", "// 8 + 1", "ordered["),
    ("ordered_code", "and end == len(key)", "and end > len(key)", "ordered["),
    ("padded_texts", "ljust(self._width).encode()", "rjust(self._width).encode()", "char["),
    ("padded_texts", "ljust(self._width, b\"\\x00\")", "rjust(self._width, b\"\\x00\")", "zeros"),
    ("quadkeys", "if number & (1 << self._padding) - 1:", "if False:", "quadkey["),
    ("quadkeys", "<< self._padding)", "<< 0)", "quadkey[13]"),
    ("records", "values.append(value)", "values.insert(0, value)", "("),
    ("text_fields", "return text[::-1]", "return text", "reversed["),
    ("text_fields", "most - _in_range", "most + 1 - _in_range", "minus["),
    ("text_fields", "content + self._delimiter", "content", "text["),
    ("texts", "if b\"\\x00\" in content or b\"\\x01\" in content:", "if b\"\\x00\" in content:", "text"),
    ("tiles", "31 - zoom)", "30 - zoom)", "tile"),
    ("xxh3", "_P32_1 & _ALL", "_P32_2 & _ALL", "xxh3"),
    ("xxh64", "(1, 7, 12, 18)", "(1, 7, 12, 17)", "xxh64"),
];

#[test]
fn a_fault_in_any_encoding_of_python_is_found() {
    let missed: Vec<String> = MUTANTS
        .iter()
        .step_by(every(12))
        .filter(|mutant| !is_found(mutant))
        .map(|mutant| format!("{mutant:?}"))
        .collect();
    assert!(missed.is_empty(), "not found:\n{}", missed.join("\n"));
}

fn is_found(&(file, from, to, word): &Mutant) -> bool {
    let golden = Golden::of(&PYTHON, &|shape| shape.contains(word));
    let generated = Generated::new(&golden.tables);
    let path = generated.path().join(format!("rowkeys/runtime/{file}.py"));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file}.py has no {from}");
    fs::write(&path, text.replace(from, to)).unwrap();
    if !golden.wrong(&generated.ask(&golden.questions())).is_empty() {
        return true;
    }
    if !hashes(&generated).status.success() {
        return true;
    }
    // Ranges in thousands of buckets take long.
    let is_small = |table: &Table| {
        !["salt(257", "salt(300", "salt(65536"].iter().any(|salt| table.layout().shape().starts_with(salt))
    };
    let crossing = Crossing::of(golden.tables.into_iter().filter(is_small).collect(), &PYTHON, 2);
    let generated = Generated::new(&crossing.tables);
    fs::write(generated.path().join(format!("rowkeys/runtime/{file}.py")), text.replace(from, to)).unwrap();
    !crossing.wrong(&generated.ask(&crossing.questions)).is_empty()
}

/// Faults in what selects keys.
const OF_SELECTIONS: [(&str, &str, &str); 5] = [
    ("tiles", "len(area)) + 5)", "len(area)) + 6)"),
    ("quadkeys", "area + \"3\" * down", "area + \"2\" * down"),
    ("quadkeys", "if down >= 0", "if down > 0"),
    ("text_fields", "low = successor(other)", "low = other"),
    ("text_fields", "not text.startswith(found[-1])", "True"),
];

#[test]
fn faults_of_selections_in_python_are_found() {
    let typed = typed::selections();
    let generated = Generated::new(&typed.tables);
    for (file, from, to) in OF_SELECTIONS {
        let path = generated.path().join(format!("rowkeys/runtime/{file}.py"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}.py has no {from}");
        fs::write(&path, text.replace(from, to)).unwrap();
        assert!(!typed.wrong(&generated.ask(&typed.questions)).is_empty(), "not found: {file}: {to}");
        fs::write(&path, text).unwrap();
    }
}

/// The files of the runtime that have no encoding of their own: ranges, and what is around a codec.
const NO_ENCODING: [&str; 12] = [
    "__init__",
    "encoding",
    "errors",
    "explanations",
    "faults",
    "fields",
    "key_ranges",
    "layouts",
    "merges",
    "prefixes",
    "spans",
    "uuids",
];

#[test]
fn each_encoding_of_python_has_a_fault() {
    let generated = Generated::new(&[]);
    for file in fs::read_dir(generated.path().join("rowkeys/runtime")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".py").unwrap();
        let has_fault = MUTANTS.iter().any(|(file, ..)| *file == name);
        assert!(has_fault != NO_ENCODING.contains(&name), "{name}.py");
    }
}
