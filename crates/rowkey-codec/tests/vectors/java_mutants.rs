//! One change in any encoding of Java's runtime, and the answers are others.

use std::path::Path;

use rowkey_codec::names::JAVA;
use rowkey_testkit::every;

use crate::golden::Golden;
use crate::java::Generated;
use crate::java_cases::{UUID, hosts, nearly, of_uuid};
use crate::typed;

/// A class of the runtime, what stands there, and what is put in its place.
const MUTANTS: &[(&str, &str, &str)] = &[
    ("Unsigned", "w.putShort(atMost(value, 0xffff))", "w.putShort(atMost(value, 0x7fff))"),
    ("Unsigned", "return r.takeInt() & 0xffff_ffffL", "return r.takeInt()"),
    ("Signed", "w.putByte(value ^ 0x80)", "w.putByte(value)"),
    ("Signed", "return r.takeLong() ^ Long.MIN_VALUE", "return r.takeLong()"),
    ("Wide", "value.shiftRight(64).longValue() ^ Long.MIN_VALUE", "value.shiftRight(64).longValue()"),
    ("Wide", "new BigInteger(1, r.takeBytes(16))", "new BigInteger(r.takeBytes(16))"),
    (
        "Floats",
        "bits >> 31 | Integer.MIN_VALUE));\n  }\n\n  /** Writes an {@code f64}",
        "Integer.MIN_VALUE));\n  }\n\n  /** Writes an {@code f64}",
    ),
    ("Floats", "~bits >> 63 | Long.MIN_VALUE", "bits >> 63 | Long.MIN_VALUE"),
    ("Bool", "if (value > 1)", "if (value > 2)"),
    ("CodePoint", "value > 0xdfff", "value > 0xd7ff"),
    ("Escapes", "if ((next & 0xfe) == 0)", "if (next == 0)"),
    ("Escapes", "if (after != 1 && after != 2)", "if (after == 0)"),
    ("Utf8", "value < least ||", ""),
    ("Utf8", "next >= least && next < 0x80", "next < 0x80"),
    ("Text", "w.putByte(0)", "w.putByte(1)"),
    ("ByteStrings", "w.putByte(0)", "w.putByte(1)"),
    ("ByteArrays", "if (value.length() != count)", "if (count > 4)"),
    ("IpAddresses", "value instanceof Inet4Address ? 4 : 6", "value instanceof Inet4Address ? 6 : 4"),
    ("Instants", "if (nanos >= NANOS)", "if (nanos > NANOS)"),
    ("Durations", "w.putLong(value.seconds())", "Signed.write64(w, value.seconds())"),
    ("Decimals", "0xc1 + (int) exponent", "0xc0 + (int) exponent"),
    ("Decimals", "|| isZero(text, 2 * digits - 2)", ""),
    ("Tiles", "bits << 2 * zoom != 0", "bits << 2 * zoom < 0"),
    ("Tiles", "if (bits < 0)", "if (zoom < 0)"),
    ("Tile", "spread(x) | spread(y) << 1", "spread(y) | spread(x) << 1"),
    ("Hosts", "zeros > Math.max(longest, 1)", "zeros >= Math.max(longest, 1)"),
    ("HostPaths", "if (slash <= 0)", "if (slash < 0)"),
    ("Options", "tag != SOME && tag != none", "tag > 2"),
    ("Lists", "w.putByte(1)", "w.putByte(2)"),
    ("ReadPath", "items[depth - 1]++", "items[depth - 1] += 2"),
    ("Tags", "w.putByte(tag)", "w.putByte(tag + 1)"),
    ("KeyWriter", "bytes[i] = (byte) ~bytes[i]", "bytes[i] = (byte) -bytes[i]"),
    ("KeyReader", "if (at != bytes.length) {", "if (at > bytes.length) {"),
    ("Xxh3", "0x9FB21C651E98DF25L", "0x9FB21C651E98DF27L"),
    ("Xxh64", "0x27D4EB2F165667C5L", "0x27D4EB2F165667C7L"),
    ("HashFunction", "(byte) (hash >> 24), (byte) (hash >> 16)", "(byte) (hash >> 16), (byte) (hash >> 24)"),
    ("Digits", "value < 10 ? '0' + value", "value < 10 ? '1' + value"),
    ("Uuids", "return new UUID(most, r.takeLong())", "return new UUID(r.takeLong(), most)"),
    ("Murmur3", "0xe6546b64", "0xe6546b65"),
    ("JavaHashes", "int hash = 1;", "int hash = 0;"),
    ("JavaHashes", "boolean isText = Utf8.valid(bytes, from, to) == to", "boolean isText = false"),
    ("Digests", "(\"SHA-1\")", "(\"SHA-256\")"),
    ("SaltHash", "Math.abs((long) JavaHashes.ofBytes(bytes, from, to))", "JavaHashes.ofBytes(bytes, from, to)"),
    ("SaltFormat", "rest /= base", "rest /= 10"),
    ("Salt", "Long.remainderUnsigned(hash.of(of, from, to), buckets)", "(hash.of(of, from, to) % buckets)"),
    ("Digest", "of(of, from, to), 0, out", "of(of, from, to), 1, out"),
    ("HashPrefix", "4 * (1 - i % 2)", "4 * (i % 2)"),
    ("Lead", "if (key[i] != due[i])", "if (key[i] > due[i])"),
    ("Ordered", "bytes[--to] = -1", "bytes[--to] = 1"),
    (
        "Ordered",
        "Long.numberOfLeadingZeros(value ^ value >> 63)) / 7",
        "Long.numberOfLeadingZeros(value ^ value >> 63)) / 8",
    ),
    ("Padded", "pad(w, writeStart(w, value, width), width, ' ')", "pad(w, writeStart(w, value, width), width, 0)"),
    ("Padded", "if (r.content()[i] == 0)", "if (r.content()[i] == 1)"),
    ("Binary", "(byte) (value >> 8 * i)", "(byte) (value >> 8 * (width - 1 - i))"),
    ("Constants", "if (!r.isAt(at, constant.array()))", "if (r.isAt(at, constant.array()))"),
    (
        "TextEnds",
        "r.skip(delimiter.length());\n  }\n\n  /** Reads to a delimiter, which",
        "r.skip(1);\n  }\n\n  /** Reads to a delimiter, which",
    ),
    ("PlainText", "new StringBuilder(value).reverse().toString()", "value"),
    ("NumberText", "if (count == 0 || !isPadded", "if (count == 0 || isPadded"),
    ("NumberText", "0|-?[1-9][0-9]*", "-?[0-9]+"),
    ("UuidText", "isHyphen(i) ? next != '-' : digit < 0", "digit < 0 && next != '-'"),
    ("DatePattern", "power(9 - widths[i])", "power(8 - widths[i])"),
];

#[test]
fn each_mutant_of_java_s_runtime_is_caught() {
    let golden = Golden::new(&JAVA);
    let mut tables = golden.tables.clone();
    tables.push(of_uuid());
    let (more, nearly) = nearly(tables.len());
    tables.extend(more);
    let generated = Generated::with_driver(&tables);
    let mut questions = golden.questions();
    questions.extend(hosts(&golden.tables).into_iter().map(|(question, _)| question));
    questions.push(format!("decode\t{}\t{UUID}07", golden.tables.len()));
    questions.extend(nearly.into_iter().map(|(question, _)| question));
    let right = generated.ask("classes", &questions);
    let mut alive = Vec::new();
    for (i, (class, from, to)) in MUTANTS.iter().enumerate().step_by(every(54)) {
        let folder = mutant(&generated, i, class, from, to);
        let found = generated.ask(&format!("{folder}:classes"), &questions);
        match found.iter().zip(&right).filter(|(found, right)| found != right).count() {
            0 => alive.push(format!("{class}: {to}")),
            wrong => println!("{class}: {to:?}: {wrong} answers are wrong"),
        }
    }
    assert!(alive.is_empty(), "not caught: {alive:#?}");
}

/// The same in what selects keys.
const OF_SELECTIONS: [(&str, &str, &str); 5] = [
    ("Tiles", "- 2 * area.zoom() << 5", "- 2 * area.zoom() << 4"),
    ("LeadingFields", "area.x() << down | side", "area.x() << down"),
    ("LeadingFields", "if (down < 0)", "if (down <= 0)"),
    ("LeadingFields", "low = KeyRange.successor(other);", "low = other;"),
    ("TextEnds", "Arrays.mismatch(last, text) < last.length", "last.length > 0"),
];

#[test]
fn mutants_of_selections_in_java_are_caught() {
    let typed = typed::selections();
    let generated = Generated::with_driver(&typed.tables);
    for (i, (class, from, to)) in OF_SELECTIONS.into_iter().enumerate().step_by(every(3)) {
        let folder = mutant(&generated, i, class, from, to);
        let found = generated.ask(&format!("{folder}:classes"), &typed.questions);
        assert!(!typed.wrong(&found).is_empty(), "not caught: {class}: {to}");
    }
}

/// Compiles a class of the runtime with one change, into a folder of its own.
fn mutant(generated: &Generated, i: usize, class: &str, from: &str, to: &str) -> String {
    let source = generated.path().join("src/main/java/io/github/rowkey").join(class).with_extension("java");
    let text = std::fs::read_to_string(source).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{class}: {from:?} is there once");
    let folder = format!("mutant{i}");
    let mutant = generated.path().join(&folder).join(class).with_extension("java");
    std::fs::create_dir(mutant.parent().unwrap()).unwrap();
    std::fs::write(&mutant, text.replace(from, to)).unwrap();
    let run = generated.javac(&mutant, &folder);
    assert!(run.status.success(), "{class}: {}", String::from_utf8_lossy(&run.stderr));
    folder
}

/// The classes that are no encoding: values, ranges, and what is around a codec.
const NO_ENCODING: &[&str] = &[
    "Bounds",
    "Cut",
    "DecodeException",
    "EncodeException",
    "Explanation",
    "HostPath",
    "KeyBytes",
    "KeyDuration",
    "KeyField",
    "KeyInstant",
    "KeyRange",
    "KeySpan",
    "Layout",
    "LayoutException",
    "LeadingFields",
    "Merge",
    "Selection",
    "Splits",
    "ValueWriter",
];

#[test]
fn each_encoding_of_java_has_a_mutant() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/java/io/github/rowkey");
    for file in std::fs::read_dir(sources).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".java").unwrap();
        let mutants: Vec<_> = MUTANTS.iter().filter(|(class, ..)| *class == name).collect();
        assert!(mutants.is_empty() == NO_ENCODING.contains(&name), "{name}");
        let text = std::fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("runtime/java/io/github/rowkey/{name}.java")),
        )
        .unwrap();
        for (_, from, _) in mutants {
            assert_eq!(text.matches(from).count(), 1, "{name}: {from:?} is there once");
        }
    }
}
