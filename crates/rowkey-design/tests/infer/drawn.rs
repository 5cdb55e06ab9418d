//! Random layouts of two to four fields with values as tables have them: users, hosts, UUIDs, ids that count, metrics,
//! times in all units and both directions, dates, digests, enums, padded decimals; delimiters or binary fields, salts
//! and digests before them.
//!
//! The same seed gives the same layouts and keys. Keys are skewed as real ones are: few users write most rows.

use std::collections::HashSet;

use fastrand::Rng;
use rowkey::{LayoutBuf, Value};

/// A layout, keys of it, and the unit of each field that is a time.
pub(crate) struct Drawn {
    pub(crate) layout: LayoutBuf,
    /// By field: `seconds`, `milliseconds`, `microseconds` or `nanoseconds` since 1970.
    pub(crate) units: Vec<Option<&'static str>>,
    pub(crate) keys: Vec<Vec<u8>>,
}

/// The layouts of a seed, one after the other.
pub(crate) fn layouts(seed: u64) -> impl Iterator<Item = Drawn> {
    let mut random = Rng::with_seed(seed);
    std::iter::repeat_with(move || drawn(&mut random)).flatten()
}

/// The values of a field, by the number of its row.
type Values = Box<dyn Fn(u64, &mut Rng) -> Value>;

struct Field {
    shape: String,
    unit: Option<&'static str>,
    values: Values,
}

impl Field {
    fn new(shape: impl Into<String>, values: impl Fn(u64, &mut Rng) -> Value + 'static) -> Self {
        Self { shape: shape.into(), unit: None, values: Box::new(values) }
    }
}

const UNITS: [(&str, u64); 4] =
    [("seconds", 1), ("milliseconds", 1000), ("microseconds", 1_000_000), ("nanoseconds", 1_000_000_000)];

/// None if the values that were drawn make too few different keys.
fn drawn(random: &mut Rng) -> Option<Drawn> {
    let fields = if random.bool() { binary_fields(random) } else { text_fields(random) };
    let prefix = prefix(random, fields.len());
    let shapes: Vec<&str> = fields.iter().map(|field| &*field.shape).collect();
    let shape = format!("{prefix}{}", shapes.join(", "));
    let layout: LayoutBuf = shape.parse().unwrap_or_else(|error| panic!("{shape}: {error}"));
    let count = 10f64.powf(2.0 + random.f64() * 1.7) as u64;
    let (mut seen, mut keys) = (HashSet::new(), Vec::new());
    for row in 0..count {
        let values: Vec<Value> = fields.iter().map(|field| (field.values)(row, random)).collect();
        let key = layout.encode(&values).unwrap_or_else(|error| panic!("{shape}: {error}"));
        if seen.insert(key.clone()) {
            keys.push(key);
        }
    }
    if random.bool() {
        keys.sort();
    }
    let units = fields.iter().map(|field| field.unit).collect();
    (keys.len() >= 100).then_some(Drawn { layout, units, keys })
}

/// A salt in three of ten, a digest in one of fifteen.
fn prefix(random: &mut Rng, fields: usize) -> String {
    let by = match random.u8(..4) {
        0 => String::new(),
        1 if fields > 2 => " by 0 1".to_owned(),
        2 => format!(" by {}", random.usize(..fields)),
        _ => " by 0".to_owned(),
    };
    match random.u8(..30) {
        0..9 => {
            let hash = pick(random, &["xxh3", "xxh64", "md5", "java"]);
            let buckets = pick(random, &[4, 8, 10, 16, 20, 32, 64, 100, 256, 1000]);
            let hex = if random.u8(..3) == 0 { " hex" } else { "" };
            format!("salt({buckets} {hash}{hex}{by}) ")
        }
        9 | 10 => {
            let by = if by.ends_with(" 0") { " by 0" } else { "" };
            format!("md5({}{by}) ", pick(random, &[1, 2, 4, 8, 16]))
        }
        _ => String::new(),
    }
}

fn pick<T: Copy>(random: &mut Rng, of: &[T]) -> T {
    of[random.usize(..of.len())]
}

/// One of so many, the first ones far more often.
fn skewed(random: &mut Rng, many: u64) -> u64 {
    let uniform = random.f64();
    ((many as f64).powf(uniform) - 1.0) as u64 % many
}

const FIRST: [&str; 24] = [
    "alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "karl", "linda", "mallory",
    "nina", "olivia", "peggy", "quentin", "rupert", "sybil", "trent", "ursula", "victor", "wendy", "yves",
];
const LAST: [&str; 20] = [
    "adams", "baker", "clark", "davis", "evans", "fisher", "garcia", "hughes", "ito", "jones", "keller", "lopez",
    "meyer", "novak", "olsen", "park", "quinn", "rossi", "silva", "tanaka",
];
const METRICS: [&str; 14] = [
    "sys.cpu.user",
    "sys.cpu.system",
    "sys.mem.free",
    "disk.io.read",
    "disk.io.write",
    "net.bytes.in",
    "net.bytes.out",
    "http.requests",
    "http.errors",
    "jvm.gc.time",
    "jvm.heap.used",
    "db.queries",
    "db.latency.p99",
    "queue.depth",
];
const WORDS: [&[&str]; 5] = [
    &["click", "view", "purchase", "login", "logout"],
    &["GET", "POST", "PUT", "DELETE"],
    &["de", "us", "fr", "gb", "jp", "br", "in"],
    &["info", "warn", "error"],
    &["new", "paid", "shipped", "returned"],
];

/// A name of a user: of people, or of a service that numbers them.
fn user(number: u64, style: u8) -> String {
    let mixed = number.wrapping_mul(7919) as usize;
    let (first, last) = (FIRST[mixed % FIRST.len()], LAST[mixed / FIRST.len() % LAST.len()]);
    match style {
        0 => format!("{first}.{last}"),
        1 => format!("user{number}"),
        2 => format!("{first}{}", number / 7),
        _ => format!("{first}.{last}@example.{}", ["com", "org", "net"][mixed % 3]),
    }
}

fn host(number: u64) -> String {
    let role = ["web", "db", "cache", "api", "worker"][(number % 5) as usize];
    format!("{role}{:02}.{}.example.com", number / 5 + 1, ["eu", "us", "ap"][(number % 3) as usize])
}

/// Text as names are: of users, hosts, metrics or words.
fn names(random: &mut Rng) -> impl Fn(&mut Rng) -> String + 'static {
    let (kind, style, set) = (random.u8(..5), random.u8(..4), random.usize(..WORDS.len()));
    let many = 10f64.powf(1.0 + random.f64() * 3.0) as u64;
    move |random| match kind {
        0 | 1 => user(skewed(random, many), style),
        2 => host(skewed(random, many / 4 + 5)),
        3 => pick(random, &METRICS).to_owned(),
        _ => WORDS[set][skewed(random, WORDS[set].len() as u64) as usize].to_owned(),
    }
}

/// Times in a unit: from a start between 2010 and 2024, over a day to two years, in the order of rows or not.
fn times(random: &mut Rng, per_second: u64) -> impl Fn(u64, &mut Rng) -> u64 + 'static {
    let start = 1_262_304_000 + random.u64(..441_763_200);
    let span = pick(random, &[86_400, 604_800, 2_592_000, 31_536_000, 63_072_000]);
    let in_order = random.bool();
    let step = span as f64 / 2000.0;
    let is_rounded = per_second == 1 && random.u8(..6) == 0;
    move |row, random| {
        let after = if in_order { (row as f64 + random.f64()) * step } else { random.f64() * span as f64 };
        // A clock's digits are all there: a float has not as many.
        let at = (start + after as u64) * per_second + random.u64(..per_second);
        if is_rounded { at - at % 3600 } else { at }
    }
}

fn digest(of: u64, bytes: usize) -> Vec<u8> {
    (0..3_u64)
        .flat_map(|part| xxhash_rust::xxh3::xxh3_64_with_seed(&of.to_be_bytes(), part).to_be_bytes())
        .take(bytes)
        .collect()
}

fn uuid(random: &mut Rng, version: u8, millis: u64) -> Vec<u8> {
    let mut bytes = random.u128(..).to_be_bytes();
    if version == 7 {
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
    }
    bytes[6] = bytes[6] & 15 | version << 4;
    bytes[8] = bytes[8] & 63 | 128;
    bytes.to_vec()
}

fn time_in_binary(random: &mut Rng) -> Field {
    let is_short = random.u8(..5) == 0;
    let (unit, per_second) = if is_short { UNITS[0] } else { pick(random, &UNITS) };
    let direction = if random.bool() { " desc" } else { "" };
    let at = times(random, per_second);
    let mut field = match (is_short, random.bool()) {
        (true, _) => Field::new(format!("u32{direction}"), move |row, random| Value::Unsigned(at(row, random).into())),
        (_, true) => Field::new(format!("u64{direction}"), move |row, random| Value::Unsigned(at(row, random).into())),
        _ => Field::new(format!("i64{direction}"), move |row, random| Value::Signed(at(row, random).into())),
    };
    field.unit = Some(unit);
    field
}

/// Ids: of users, skewed; or of rows, counted.
fn number_in_binary(random: &mut Rng) -> Field {
    let width = pick(random, &[32, 64]);
    let direction = if random.u8(..4) == 0 { " desc" } else { "" };
    let start = if random.bool() { 0 } else { 10f64.powf(random.f64() * 8.0) as u64 };
    let many = 10f64.powf(1.0 + random.f64() * 4.0) as u64;
    let counts = random.u8(..3) == 0;
    Field::new(format!("u{width}{direction}"), move |row, random| {
        Value::Unsigned((start + if counts { row } else { skewed(random, many) }).into())
    })
}

/// A field of a binary key that is not its last.
fn binary_field(random: &mut Rng) -> Field {
    match random.u8(..12) {
        0 | 1 => number_in_binary(random),
        2..5 => {
            let name = names(random);
            Field::new("text", move |_, random| Value::Text(name(random)))
        }
        5 => {
            // As where a delimiter ends text before a binary number.
            let name = names(random);
            let delimiter = pick(random, &['#', '|', ':']);
            Field::new(format!("text['{delimiter}']"), move |_, random| Value::Text(name(random)))
        }
        6 => {
            let many = pick(random, &[12, 100, 700]);
            Field::new("bytes[3]", move |_, random| {
                Value::Bytes((skewed(random, many) as u32 + 1).to_be_bytes()[1..].to_vec())
            })
        }
        7 => {
            let width = pick(random, &[4, 8, 16]);
            let many = 10f64.powf(1.5 + random.f64() * 3.0) as u64;
            Field::new(format!("bytes[{width}]"), move |_, random| Value::Bytes(digest(skewed(random, many), width)))
        }
        8 => {
            let version = pick(random, &[4, 7]);
            Field::new("bytes[16]", move |row, random| {
                Value::Bytes(uuid(random, version, 1_600_000_000_000 + row * 977))
            })
        }
        9 | 10 => {
            let many = random.u64(2..8);
            Field::new("u8", move |_, random| Value::Unsigned(skewed(random, many).into()))
        }
        _ => time_in_binary(random),
    }
}

fn binary_fields(random: &mut Rng) -> Vec<Field> {
    let count = random.usize(2..=4);
    let mut fields: Vec<Field> = (1..count).map(|_| binary_field(random)).collect();
    let last = match random.u8(..8) {
        0..4 => time_in_binary(random),
        4 => {
            let name = names(random);
            Field::new("text raw", move |_, random| Value::Text(name(random)))
        }
        5 | 6 => number_in_binary(random),
        _ => Field::new("bytes[16]", |_, random| Value::Bytes(uuid(random, 4, 0))),
    };
    fields.push(last);
    fields
}

/// The end of a field of text: before a delimiter, or with the key.
#[derive(Clone, Copy)]
enum Ends {
    Before(char),
    ByWidth,
    WithKey,
}

/// A field with a width of its own, which may need no delimiter.
fn text_of_one_width(random: &mut Rng, ends: Ends) -> Field {
    let end = if let Ends::Before(delimiter) = ends { format!(" '{delimiter}'") } else { String::new() };
    match random.u8(..7) {
        0 => {
            let (unit, per_second, digits) = pick(random, &[("seconds", 1, 10), ("milliseconds", 1000, 13)]);
            let at = times(random, per_second);
            let shape = format!("dec[{digits}{end}]");
            let field = Field::new(shape, move |row, random| Value::Unsigned(at(row, random).into()));
            Field { unit: Some(unit), ..field }
        }
        1 => {
            let (unit, per_second, max, digits) = pick(
                random,
                &[
                    ("milliseconds", 1000, i64::MAX as u64, 19),
                    ("seconds", 1, 9_999_999_999, 10),
                    ("milliseconds", 1000, 9_999_999_999_999, 13),
                ],
            );
            let at = times(random, per_second);
            let shape = format!("minus[{max} {digits}{end}]");
            let field = Field::new(shape, move |row, random| Value::Unsigned(at(row, random).into()));
            Field { unit: Some(unit), ..field }
        }
        2 | 3 => {
            let (pattern, unit) = pick(
                random,
                &[
                    ("yyyyMMdd", 86_400),
                    ("yyyyMMddHH", 3600),
                    ("yyyyMMddHHmmss", 1),
                    ("yyyy-MM-dd", 86_400),
                    ("yyyy/MM/dd", 86_400),
                    ("yyyy-MM-dd''T''HH:mm:ss", 1),
                ],
            );
            let pattern = match ends {
                Ends::Before(delimiter) if pattern.contains(delimiter) => "yyyyMMddHH",
                _ => pattern,
            };
            let unit = if pattern == "yyyyMMddHH" { 3600 } else { unit };
            let at = times(random, 1);
            Field::new(format!("date['{pattern}'{end}]"), move |row, random| {
                let at = at(row, random);
                Value::Instant((at - at % unit) as i64, 0)
            })
        }
        4 => {
            let digits = pick(random, &[6, 8, 10]);
            let counts = random.bool();
            let many = 10f64.powf(1.0 + random.f64() * 4.0) as u64;
            Field::new(format!("dec[{digits}{end}]"), move |row, random| {
                Value::Unsigned(if counts { row + 1 } else { skewed(random, many) }.into())
            })
        }
        5 => {
            let digits = pick(random, &[8, 32, 40]);
            let many = 10f64.powf(1.5 + random.f64() * 3.0) as u64;
            Field::new(format!("hexbytes[{digits}{end}]"), move |_, random| {
                Value::Bytes(digest(skewed(random, many), digits / 2))
            })
        }
        _ => match ends {
            Ends::Before('-') => text_of_one_width(random, ends),
            _ => Field::new(format!("uuid[text{end}]"), |_, random| Value::Bytes(uuid(random, 4, 0))),
        },
    }
}

fn text_field(random: &mut Rng, ends: Ends) -> Field {
    let end = match ends {
        Ends::Before(delimiter) => format!("'{delimiter}'"),
        Ends::WithKey => "end".to_owned(),
        Ends::ByWidth => return text_of_one_width(random, ends),
    };
    match random.u8(..8) {
        0..3 => {
            let name = names(random);
            Field::new(format!("text[{end}]"), move |_, random| Value::Text(name(random)))
        }
        3 => {
            let many = 10f64.powf(1.0 + random.f64() * 4.0) as u64;
            let counts = random.bool();
            Field::new(format!("dec[{end}]"), move |row, random| {
                Value::Unsigned(if counts { row + 1 } else { skewed(random, many) + 1 }.into())
            })
        }
        _ => text_of_one_width(random, if matches!(ends, Ends::WithKey) { Ends::ByWidth } else { ends }),
    }
}

fn text_fields(random: &mut Rng) -> Vec<Field> {
    let count = random.usize(2..=4);
    let delimiters = ['#', ':', '|', '_', '/', '-'];
    let usual = pick(random, &delimiters);
    let mut fields: Vec<Field> = (1..count)
        .map(|_| match random.u8(..10) {
            0 => text_field(random, Ends::ByWidth),
            1 => {
                let other = pick(random, &delimiters);
                text_field(random, Ends::Before(other))
            }
            _ => text_field(random, Ends::Before(usual)),
        })
        .collect();
    fields.push(text_field(random, Ends::WithKey));
    fields
}
