//! Keys of real programs.

use rowkey::{LayoutBuf, Value};

use crate::judge::{Case, infer};

fn case(shape: &str, units: &[Option<&'static str>], keys: Vec<Vec<u8>>) -> Case {
    Case { layout: shape.parse().unwrap_or_else(|error| panic!("{shape}: {error}")), units: units.to_vec(), keys }
}

#[track_caller]
fn first(case: &Case) {
    let inferred = infer(&case.keys);
    let place = inferred.candidates.iter().position(|candidate| case.is(candidate));
    let found: Vec<String> =
        inferred.candidates.iter().map(|found| format!("{} {:?}", found.layout, found.means)).collect();
    assert_eq!(place, Some(0), "{}: {found:#?}", case.layout);
}

fn rows(shape: &str, units: &[Option<&'static str>], values: impl Fn(u64, &mut fastrand::Rng) -> Vec<Value>) -> Case {
    let layout: LayoutBuf = shape.parse().unwrap();
    let mut random = fastrand::Rng::with_seed(11);
    let keys: std::collections::BTreeSet<_> =
        (0..1500).map(|row| layout.encode(&values(row, &mut random)).unwrap()).collect();
    case(shape, units, keys.into_iter().collect())
}

const SECONDS: Option<&str> = Some("seconds");
const MILLIS: Option<&str> = Some("milliseconds");

fn number(number: u64) -> Value {
    Value::Unsigned(number.into())
}

/// A metric's id, the hour, pairs of ids of tags.
#[test]
fn opentsdb() {
    let id = |number: u32| Value::Bytes(number.to_be_bytes()[1..].to_vec());
    let case = rows("bytes[3], u32, list<(bytes[3], bytes[3])> raw", &[None, SECONDS, None], |row, random| {
        let hour = 1_356_998_400 + row / 40 * 3600;
        let mut tags = vec![Value::Tuple(vec![id(random.u32(1..4)), id(random.u32(1..90))])];
        if random.u8(..3) > 0 {
            tags.push(Value::Tuple(vec![id(random.u32(4..7)), id(random.u32(1..90))]));
        }
        vec![id(random.u32(1..40)), number(hour), Value::List(tags)]
    });
    // The first pair, which all keys have, may be fields of its own.
    let first = &infer(&case.keys).candidates[0];
    let shape = first.layout.shape();
    assert!(shape.starts_with("bytes[3], u32, ") && shape.ends_with("list<(bytes[3], bytes[3])> raw"), "{shape}");
    assert_eq!((first.means[1], first.share), (SECONDS, 1.0));
}

#[test]
fn phoenix_salted() {
    first(&rows("salt(8 java) text, i64 desc, i32", &[None, MILLIS, None], |row, random| {
        let host = format!("host{}", random.u32(1..30));
        let at = 1_600_000_000_000 + i128::from(row) * 7_919 + i128::from(random.u16(..900));
        vec![Value::Text(host), Value::Signed(at), Value::Signed(random.i32(-20..400).into())]
    }));
}

/// The first digit of a hex id, then the day as `yymmdd`, then the id.
#[test]
fn socorro() {
    let mut random = fastrand::Rng::with_seed(3);
    let keys = (0..1500).map(|_| {
        let mut id: Vec<u8> = random.u128(..).to_be_bytes().to_vec();
        id[6] = 0x40 | id[6] & 15;
        id[8] = 0x80 | id[8] & 63;
        let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let id = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        format!("{}1{}{:02}{:02}{id}", &hex[..1], random.u8(0..4), random.u8(1..=12), random.u8(1..=28)).into_bytes()
    });
    let case = case("text[1], dec[6], uuid[text]", &[None, None, None], keys.collect());
    let inferred = infer(&case.keys);
    let found: Vec<String> = inferred.candidates.iter().map(|found| found.layout.shape()).collect();
    assert!(found[0].ends_with(", uuid[text]"), "{found:#?}");
    let against = inferred.candidates[0].against.join("\n");
    assert!(against.contains("byte 0 is even over 16 values, as a salt is"), "{against}");
}

/// Visits of the case studies: who, when, which line. The first numbers of all addresses have two digits.
#[test]
fn web_logs() {
    first(&rows("text, i64 desc, u64 desc", &[None, SECONDS, None], |row, random| {
        let visitor = format!("{}.{}.{}.{}", random.u8(60..90), random.u8(..), random.u8(..), random.u8(..));
        vec![Value::Text(visitor), Value::Signed(i128::from(1_431_830_000 + row * 29)), number(row)]
    }));
}

/// Reports of crashes of the case studies.
#[test]
fn crash_reports() {
    first(&rows("salt(16 xxh3 hex) i64 desc, bytes[16]", &[MILLIS, None], |row, random| {
        let mut id = random.u128(..).to_be_bytes();
        id[6] = 0x40 | id[6] & 15;
        id[8] = 0x80 | id[8] & 63;
        vec![
            Value::Signed(i128::from(1_500_000_000_000 + row * 61_000 + random.u64(..60_000))),
            Value::Bytes(id.to_vec()),
        ]
    }));
}

/// UUIDs of version 7 as text, under a name.
#[test]
fn uuids_by_time() {
    first(&rows("text['#'], uuid[text]", &[None, None], |row, random| {
        let mut id = (1_700_000_000_000_u64 + row * 4_321).to_be_bytes()[2..].to_vec();
        id.extend(random.u128(..).to_be_bytes()[..10].iter());
        id[6] = 0x70 | id[6] & 15;
        id[8] = 0x80 | id[8] & 63;
        vec![Value::Text(["job", "mail", "bill"][random.usize(..3)].to_owned()), Value::Bytes(id)]
    }));
}

/// Hits of the case studies: salted, by time.
#[test]
fn access_log() {
    first(&rows("salt(8 xxh3) i64, u16, u32", &[SECONDS, None, None], |row, random| {
        let at = 1_431_830_000 + row * 17;
        vec![Value::Signed(at.into()), number(random.u64(1..12)), number(random.u64(..40))]
    }));
}

/// Digits of a hash or of a bucket, as other programs put them before a key.
#[test]
fn hashes_of_other_programs() {
    const NAMES: [&str; 7] = ["ada", "bob", "carol", "dan", "erin", "frank", "zoë"];
    let user = |random: &mut fastrand::Rng| format!("{}{}", NAMES[random.usize(..7)], random.u32(..50));
    for shape in [
        "hash(md5 hex[4 '_'] by 0) text['#'], dec[10]",
        "hash(md5 hex[32 '-'] by 0) text['#'], dec[10]",
        "hash(sha1 bytes[4] by 0) text['#'], dec[10]",
        // Whole ones are no shorter part and a number in hex.
        "hash(sha1 hex[40] by 0) text['#'], dec[10]",
        "hash(sha256 hex[64] by 0) text['#'], dec[10]",
        "hash(sha1 bytes[20] by 0) text['#'], dec[10]",
        "hash(crc32 hex[8 upper ':'] by 0) text['#'], dec[10]",
        "salt(20 hash_code[java] dec[2 '-'] by 0) text['#'], dec[10]",
        "salt(7 murmur3[32] dec[1] by 0) text['#'], dec[10]",
    ] {
        first(&rows(shape, &[None, SECONDS], |row, random| {
            vec![Value::Text(user(random)), number(1_700_000_000 + row * 977 + random.u64(..900))]
        }));
    }
}

#[track_caller]
fn told(shape: &str, keys: Vec<Vec<u8>>, evidence: &[&str], against: &str) {
    let first = &infer(&keys).candidates[0];
    assert_eq!(first.layout.shape(), shape);
    for sentence in evidence {
        assert!(first.evidence.iter().any(|told| told == sentence), "{sentence}: {:#?}", first.evidence);
    }
    assert!(first.against.iter().any(|told| told == against), "{against}: {:#?}", first.against);
    assert!(first.design("keys").is_ok_and(|design| shape.split(", ").all(|field| design.contains(field))));
}

/// `fdb.tuple.pack(("orders", id, millis))`, byte by byte.
#[test]
fn tuples_of_foundationdb() {
    let keys = (1..=900_u32).map(|id| {
        let id = if id < 256 { vec![0x15, id as u8] } else { vec![0x16, (id >> 8) as u8, id as u8] };
        let at = (1_700_000_000_000_u64 + u64::from(id[1]) * 86_400_123 + id.len() as u64).to_be_bytes();
        [b"\x02orders\0", id.as_slice(), &[0x1a], &at[2..]].concat()
    });
    let evidence = [
        "byte 0 is 0x02 in each key: a tuple's text",
        "the byte after field 1 is 0x15 to 0x16 in each key: a tuple's integer of 1 to 2 bytes",
        "the byte after field 2 is 0x1a in each key: a tuple's integer of 6 bytes",
    ];
    let against = "fields of one byte that always have such values look as a tuple's type codes do";
    told("fdb[text], fdb[int], fdb[int]", keys.collect(), &evidence, against);
}

/// The bytes of the comments of Bigtable's `Type`: a name, `00 01`, and a number of one byte or two.
#[test]
fn keys_of_ordered_code() {
    const NAMES: [&str; 6] = ["ada", "bob", "carol", "dan", "erin", "frank"];
    let keys = (0..600_u16).map(|row| {
        let number = row / 6;
        let number = if number < 64 { vec![0x80 | number as u8] } else { vec![0xc0, number as u8] };
        [NAMES[usize::from(row % 6)].as_bytes(), &[0, 1], &number].concat()
    });
    let evidence = ["`\\x00\\x01` is at most once in each key, between fields, as OrderedCode has it"];
    let against = "fields that another program ends with `\\x00\\x01` look the same";
    told("ordered[text], ordered[i64]", keys.collect(), &evidence, against);
}

#[test]
fn constants_are_told_with_what_looks_the_same() {
    let keys = (0..400_u32).map(|row| format!("user#{}#{:08}", ["de", "us", "fr"][row as usize % 3], row * 7));
    let evidence = ["tag: bytes 0–4: `user#`: 400 keys have it"];
    let against = "tag: a sample of one tenant, or of one kind of rows, looks the same";
    told("const['user#'], text['#'], dec[8]", keys.map(String::into_bytes).collect(), &evidence, against);
}

#[test]
fn delimiters_of_two_characters() {
    let keys = (0..400_u32).map(|row| format!("{}::{}", ["ada", "bob", "carol"][row as usize % 3], row + 1));
    let against = "`:` alone may be the delimiter, if each value after it begins with `:`";
    told("text['::'], dec[end]", keys.map(String::into_bytes).collect(), &["`::` is once in each key"], against);
}
