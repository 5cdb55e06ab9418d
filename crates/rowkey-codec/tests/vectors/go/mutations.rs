//! A mutation of any encoding in the runtime is found by the golden vectors, or by random rows and damaged keys.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;

use rowkey_codec::names::GO;
use rowkey_testkit::every;

use super::Generated;
use crate::golden::Golden;
use crate::random::Crossing;
use crate::{program, typed};

/// The shapes whose vectors are asked for.
const SHAPES: &[&str] = &[
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "f32",
    "f64",
    "bool",
    "char",
    "text",
    "text desc",
    "text raw",
    "bytes",
    "bytes desc",
    "bytes raw",
    "bytes[4]",
    "bytes[4] desc",
    "ipaddr desc",
    "option<i32>",
    "option<i32> nulls_last",
    "char[3], u8",
    "char[3] desc",
    "date['yyyyMMdd']",
    "dec['#']",
    "ordered[text], ordered[text]",
    "decimal",
    "decimal raw",
    "ipaddr",
    "instant",
    "duration",
    "quadkey[3]",
    "quadkey[16]",
    "quadkey[13]",
    "tile",
    "host_path",
    "host_path raw",
    "option<u8>",
    "option<u8> nulls_last",
    "list<text>",
    "list<u8>",
    "list<u16> raw",
    "enum{1: (), 2: (u8)}",
    "salt(16 xxh3) bytes raw",
    "salt(257 xxh3 hex) bytes raw",
    "salt(65536 xxh64) bytes raw",
    "salt(20 md5) bytes raw",
    "salt(20 java) bytes raw",
    "salt(16 xxh3) u8",
    "md5(4) u8",
    "salt(100 java[31]) char[24 zeros], i64 desc",
    "salt(20 hash_code[java] dec[2 '-'] by 0) text['#'], u32",
    "salt(20 murmur3[32] dec[2 '-'] by 0) text['#'], u32",
    "hash(md5 hex[4 '_'] by 0) text['_'], dec[10]",
    "hash(sha1 bytes[3]) text[end]",
    "hash(sha256 bytes[3]) text[end]",
    "hash(hash_code bytes[3]) text[end]",
    "hash(crc32 bytes[3]) text[end]",
    "uint[3]",
    "le[u32]",
    "char[3]",
    "char[3 zeros], u8",
    "dec['#'], u8",
    "dec[end]",
    "dec[39]",
    "text['#'], minus[9223372036854775807 19]",
    "int[end]",
    "hex[4 upper]",
    "hex[end]",
    "hex[16 upper '-']",
    "hexbytes['#'], u8",
    "hexbytes[upper end]",
    "uuid[text], u8",
    "reversed['#'], u8",
    "text[rest-3], u8, u16",
    "text[until '#'], text[end after '#']",
    "text[until '::'], dec[4 after '::']",
    "date['yyyyMMdd' '#'], u8",
    "date['yyyyDDD' '#'], u8",
    "date['yyyyMMddHHmmssSSS']",
    "date['yyyy-MM-dd''T''HH:mm:ss' '#'], u8",
    "ordered[i64]",
    "ordered[text], ordered[i64], ordered[bytes]",
    "ordered[text], ordered[be i64], ordered[text]",
    "ordered[micros], ordered[text]",
    "dec[2 '#']",
    "const['\\x00'], u8",
];

/// A file of the runtime, what stands in it, and what is put there.
const MUTATIONS: &[(&str, &str, &str)] = &[
    ("int.go", "return append(dst, v) }", "return append(dst, v^1) }"),
    ("int.go", "return binary.BigEndian.AppendUint16(dst, v)", "return binary.LittleEndian.AppendUint16(dst, v)"),
    ("int.go", "return binary.BigEndian.AppendUint32(dst, v)", "return binary.LittleEndian.AppendUint32(dst, v)"),
    ("int.go", "uint64(v)^1<<63", "uint64(v)^1<<62"),
    ("int.go", "binary.BigEndian.Uint64(rest) ^ r.ones", "binary.BigEndian.Uint64(rest)"),
    ("wide.go", "AppendU64(AppendI64(dst, v.Hi), v.Lo)", "AppendU64(AppendU64(dst, uint64(v.Hi)), v.Lo)"),
    ("float.go", "(uint64(int64(bits)>>63)|1<<63)", "1<<63"),
    ("float.go", "(uint32(int32(^bits)>>31) | 1<<31)", "1<<31"),
    ("bool.go", "return append(dst, 1)", "return append(dst, 2)"),
    ("char.go", "v > utf8.MaxRune || !utf8.ValidRune(rune(v))", "v > utf8.MaxRune"),
    ("text.go", "1, v[i]+1)", "1, v[i])"),
    ("text.go", "b != 1 && b != 2", "b != 1 && b != 2 && b != 3"),
    ("text.go", "if !utf8.ValidString(text) {", "if false {"),
    ("bytes.go", "b = run[i] ^ r.mask - 1", "b = run[i] ^ r.mask"),
    ("bytes.go", "r.mask != 0 {\n\t\tInvert(v)", "false {\n\t\tInvert(v)"),
    ("ip.go", "append(append(dst, 6)", "append(append(dst, 5)"),
    ("instant.go", "if nanos >= nanosPerSecond {", "if nanos > nanosPerSecond {"),
    ("duration.go", "AppendU32(AppendU64(dst, v.Seconds), v.Nanos)", "AppendU64(AppendU32(dst, v.Nanos), v.Seconds)"),
    ("tile.go", "(1<<padding-1))<<5|", "0)<<5|"),
    ("tile.go", "zoom > maxZoom:", "zoom > 31:"),
    ("tile.go", "bits>>5&ones != ones", "bits>>5&ones > ones"),
    ("tile.go", "64-2*int(zoom)", "64-int(zoom)"),
    ("tile.go", "bits.TrailingZeros64(digits) < padding", "bits.TrailingZeros64(digits) < 0"),
    ("host_path.go", "!isAddress(host) && !isReversedName(host)", "host == \"\""),
    ("host_path.go", "size == 0 || first && digits", "size == 0"),
    ("host_path.go", "if address.Is4In6() {", "if false {"),
    ("decimal.go", "append(dst, 101-v.digits[i])", "append(dst, 100-v.digits[i])"),
    ("decimal.go", "return append(dst, 0x66)", "return dst"),
    ("decimal.go", " || digits[len(body)-1] == 0", ""),
    ("option.go", "noneOther = 2", "noneOther = 3"),
    ("option.go", "r.isOne(noneTag,", "!r.isOne(noneTag,"),
    ("list.go", "return append(dst, 0) }", "return append(dst, 2) }"),
    ("enum.go", "if r.err == nil {", "if false {"),
    ("lead.go", "if !bytes.Equal(found, due) {", "if len(due) > 99 && !bytes.Equal(found, due) {"),
    ("lead.go", "'0'+byte(bucket%10)", "'0'+byte(bucket%9)"),
    ("hash.go", "return XXH3(m)", "return XXH64(m)"),
    ("hash.go", "binary.BigEndian.Uint64(sum[:])", "binary.LittleEndian.Uint64(sum[:])"),
    ("hash.go", "& 0x7fffffff", "& 0x3fffffff"),
    ("hash.go", "return uint64(Murmur3(m))", "return uint64(Murmur3(m)) + 1"),
    ("hash.go", "sum[:], crc32.ChecksumIEEE(m))", "sum[:], crc32.ChecksumIEEE(m)^1<<31)"),
    ("hash.go", "sha1 := sha1.Sum(m)", "sha1 := sha1.Sum(m[len(m)/2:])"),
    ("xxh3.go", "0x165667919E3779F9", "0x165667919E3779FB"),
    ("xxh64.go", "^uint64(b)*prime64x5, 11)", "^uint64(b)*prime64x5, 12)"),
    ("murmur3.go", "h ^= h >> 16\n\th *=", "h ^= h >> 15\n\th *="),
    ("java_hash.go", "int32(int8(b))", "int32(b)"),
    ("java_hash.go", "h = 31*h + char", "h = 33*h + char"),
    ("uint.go", "for i := width - 1; i >= 0; i-- {", "for i := range width {"),
    ("uint.go", "v.Lo |= uint64(b^r.mask) << shift", "v.Lo |= uint64(b^r.mask) << (24 - shift)"),
    ("padded.go", "append(dst, v...), ' '", "append(dst, v...), 0"),
    ("padded.go", "text[i] < ' ' ||", "text[i] < 9 ||"),
    ("text_field.go", "len(dst)-mark != e.Width", "len(dst)-mark != e.Width+1"),
    ("text_field.go", "size := len(r.key) - at - e.Rest", "size := len(r.key) - at - e.Rest + 1"),
    ("text_field.go", "utf8.DecodeLastRune(text)", "utf8.DecodeRune(text)"),
    ("dec.go", "v >= powersOf10[digits]", "v > powersOf10[digits]"),
    ("dec.go", "pairs[pair], pairs[pair+1]", "pairs[pair+1], pairs[pair]"),
    ("dec.go", "len(digits) > 1 && digits[0] == '0'", "len(digits) > 99"),
    ("dec.go", "most.minus(v)\n\tif", "U128{most.Hi, most.Lo - 1}.minus(v)\n\tif"),
    ("dec.go", "content[0] == '-'", "content[0] == '+'"),
    ("hex.go", "v.byte(i/2)>>(i%2*4)&15", "v.byte(i/2)>>((1-i%2)*4)&15"),
    ("hex.go", "a = 'A'", "a = 'a'"),
    ("hex.go", "digits[b>>4], digits[b&15]", "digits[b&15], digits[b>>4]"),
    ("uuid.go", "i == 13 ||", "i == 12 ||"),
    ("date.go", "uint64(t.YearDay())", "uint64(t.Day())"),
    ("date.go", "case 'H':\n\t\t\thour = n", "case 'H':\n\t\t\tminute = n"),
    ("date.go", "return InstantOf(t), isDay && isTime", "return InstantOf(t), (isDay || true) && isTime"),
    ("date.go", "unit /= 10", "unit /= 100"),
    ("ordered.go", "return append(dst, 0, 0)\n", "return append(dst, 0, 2)\n"),
    ("ordered.go", "dst[to] = 0xff\n", "dst[to] = 0xfe\n"),
    ("ordered.go", "low, high := 7*size, 8*size", "low, high := 7*size-1, 8*size"),
    ("ordered.go", "if len(after) == 2 && !first {", "if false {"),
    ("ordered.go", "AppendU64(dst, uint64(v))", "AppendI64(dst, v)"),
    ("ordered.go", "Nanos: uint32(rest) * 1000", "Nanos: uint32(rest) * 100"),
    ("reader.go", "if r.err == nil && r.at < len(r.key) {", "if false {"),
    ("reader.go", "value[i] = ^value[i]", "value[i] = -value[i]"),
];

#[test]
fn each_mutation_changes_its_file_of_go() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/go");
    for (file, from, to) in MUTATIONS.iter().chain(&OF_SELECTIONS) {
        let text = std::fs::read_to_string(runtime.join(file)).unwrap();
        assert_ne!(text, text.replacen(from, to, 1), "{file}: {from}");
    }
}

/// The same in what selects keys.
const OF_SELECTIONS: [(&str, &str, &str); 5] = [
    ("area.go", "int(area.zoom)))<<5)", "int(area.zoom)))<<5|2)"),
    ("area.go", "(1<<down - 1)", "(1<<down - 2)"),
    ("area.go", "if area.zoom > zoom {", "if area.zoom >= zoom {"),
    ("prefix.go", "!bytes.HasPrefix(text, kept[len(kept)-1])", "true"),
    ("prefix.go", "next := Successor(other)", "next := other"),
];

#[test]
fn mutations_of_selections_in_go_are_found() {
    let typed = typed::selections();
    let generated = Generated::new(&typed.tables);
    generated.program(&typed.tables);
    for (file, from, to) in OF_SELECTIONS {
        let path = format!("rowkey/{file}");
        let text = std::fs::read_to_string(generated.path().join(&path)).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        generated.write(&path, &text.replacen(from, to, 1));
        let answers = program::ask(&mut Command::new(generated.build()), &typed.questions);
        assert!(!typed.wrong(&answers).is_empty(), "not found: {file}: {to}");
        generated.write(&path, &text);
    }
}

#[test]
fn mutations_of_the_go_runtime_are_found() {
    let golden = Golden::of(&GO, &|shape| SHAPES.contains(&shape));
    let generated = Generated::new(&golden.tables);
    let program = generated.program(&golden.tables);
    let crossing = Crossing::of(golden.tables.clone(), &GO, 1);
    let of_golden = golden.questions();
    let questions = [of_golden.as_slice(), &crossing.questions].concat();
    let is_right = |answers: &[String]| {
        let (first, others) = answers.split_at(of_golden.len());
        golden.check(first);
        crossing.check(others);
    };
    let ask = || {
        let answers = catch_unwind(AssertUnwindSafe(|| program::ask(&mut Command::new(&program), &questions)));
        answers.and_then(|answers| catch_unwind(AssertUnwindSafe(|| is_right(&answers)))).is_ok()
    };
    assert!(ask(), "the runtime itself is right");
    let mut missed = Vec::new();
    for (file, from, to) in MUTATIONS.iter().step_by(every(54)) {
        let path = format!("rowkey/{file}");
        let text = std::fs::read_to_string(generated.path().join(&path)).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        generated.write(&path, &text.replacen(from, to, 1));
        generated.build();
        if ask() {
            missed.push(format!("{file}: {from} -> {to}"));
        }
        generated.write(&path, &text);
    }
    assert!(missed.is_empty(), "not found:\n{}", missed.join("\n"));
}
