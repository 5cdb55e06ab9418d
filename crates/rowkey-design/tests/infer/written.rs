//! Random keys of a second kind, to judge by what inference was not built with: schemas as teams write them, put
//! together with `format!` and `to_be_bytes`, and the layout beside them by hand.

use rowkey::LayoutBuf;

use crate::judge::Case;

/// Numbers of a linear congruential generator, as in Knuth's MMIX.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ self.0 >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 11
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// Half of all rolls are among the first tenth.
    pub(crate) fn popular(&mut self, most: u64) -> u64 {
        if self.below(2) == 0 { self.below(most / 10 + 1) } else { self.below(most) }
    }
}

pub(crate) type Write = Box<dyn Fn(&mut Dice, u64) -> Vec<u8>>;

/// A part of a key: its shape, its unit, and the bytes of a row's value.
pub(crate) struct Part {
    pub(crate) shape: String,
    pub(crate) unit: Option<&'static str>,
    pub(crate) write: Write,
}

pub(crate) fn part(shape: &str, write: impl Fn(&mut Dice, u64) -> Vec<u8> + 'static) -> Part {
    Part { shape: shape.to_owned(), unit: None, write: Box::new(write) }
}

pub(crate) fn time(shape: &str, unit: &'static str, write: impl Fn(u64) -> Vec<u8> + 'static, dice: &mut Dice) -> Part {
    let factor = match unit {
        "seconds" => 1,
        "milliseconds" => 1_000,
        "microseconds" => 1_000_000,
        _ => 1_000_000_000,
    };
    let from = 1_300_000_000 + dice.below(420_000_000);
    let days = [2, 30, 200, 900][dice.below(4) as usize];
    let is_sorted = dice.below(2) == 0;
    let mut part = part(shape, move |dice, row| {
        let seconds = if is_sorted { row * 37 + dice.below(37) } else { dice.below(days * 86_400) };
        write((from + seconds) * factor + dice.below(factor))
    });
    part.unit = Some(unit);
    part
}

const CITIES: [&str; 16] = [
    "berlin", "paris", "tokyo", "lima", "oslo", "madrid", "quito", "seoul", "dakar", "perth", "boston", "delhi",
    "cairo", "milan", "prague", "dublin",
];
const TREES: [&str; 12] =
    ["oak", "elm", "ash", "birch", "maple", "cedar", "pine", "willow", "alder", "hazel", "linden", "rowan"];

pub(crate) fn place(number: u64) -> String {
    format!("{}{}", CITIES[(number % 16) as usize], TREES[(number / 16 % 12) as usize])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes that look random, of a number.
pub(crate) fn scattered(number: u64, bytes: usize) -> Vec<u8> {
    let mut dice = Dice(number.wrapping_mul(77) + 5);
    (0..bytes).map(|_| dice.next() as u8).collect()
}

pub(crate) fn uuid4(dice: &mut Dice) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..16).map(|_| dice.next() as u8).collect();
    bytes[6] = 0x40 | bytes[6] & 15;
    bytes[8] = 0x80 | bytes[8] & 63;
    bytes
}

fn dashed(bytes: &[u8]) -> String {
    let text = hex(bytes);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// A date of a day since 1970, by counting.
fn day(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

pub(crate) fn binary(dice: &mut Dice) -> Part {
    let many = [20, 300, 5_000, 90_000][dice.below(4) as usize];
    match dice.below(9) {
        0 => part("u64", move |dice, _| dice.popular(many).to_be_bytes().to_vec()),
        1 => part("u32", move |dice, _| (dice.popular(many) as u32).to_be_bytes().to_vec()),
        2 => part("text", move |dice, _| [place(dice.popular(many)).as_bytes(), b"\0"].concat()),
        3 => part("text", move |dice, _| format!("sensor-{}\0", dice.popular(many)).into_bytes()),
        4 => part("bytes[16]", move |dice, _| scattered(dice.popular(many), 16)),
        5 => part("bytes[4]", move |dice, _| scattered(dice.popular(many), 4)),
        6 => part("u8", move |dice, _| vec![dice.popular(6) as u8]),
        7 => part("bytes[3]", move |dice, _| (dice.popular(many.min(2_000)) as u32 + 1).to_be_bytes()[1..].to_vec()),
        _ => part("text['|']", move |dice, _| format!("{}|", place(dice.popular(many))).into_bytes()),
    }
}

pub(crate) fn binary_time(dice: &mut Dice) -> Part {
    let unit = ["seconds", "milliseconds", "microseconds", "nanoseconds"][dice.below(4) as usize];
    match dice.below(6) {
        0 => time("u64", unit, |at| at.to_be_bytes().to_vec(), dice),
        1 => time("u64 desc", unit, |at| (u64::MAX - at).to_be_bytes().to_vec(), dice),
        2 => time("i64 desc", unit, |at| (i64::MAX as u64 - at).to_be_bytes().to_vec(), dice),
        3 => time("i64", unit, |at| (at | 1 << 63).to_be_bytes().to_vec(), dice),
        4 => time("u32", "seconds", |at| (at as u32).to_be_bytes().to_vec(), dice),
        _ => time("u32 desc", "seconds", |at| (u32::MAX - at as u32).to_be_bytes().to_vec(), dice),
    }
}

/// `end` is the delimiter, or empty at the end of the key.
pub(crate) fn textual(dice: &mut Dice, end: &'static str) -> Part {
    let many = [12, 200, 3_000, 60_000][dice.below(4) as usize];
    let (quoted, only, to_end) = match end {
        "" => (String::new(), "end".to_owned(), String::new()),
        end => (format!(" '{end}'"), format!("'{end}'"), end.to_owned()),
    };
    let ended = move |text: String| (text + &to_end).into_bytes();
    let span = 1_200 + dice.below(500);
    match dice.below(11) {
        0 | 1 => part(&format!("text[{only}]"), move |dice, _| ended(place(dice.popular(many)))),
        2 => part(&format!("text[{only}]"), move |dice, _| ended(TREES[dice.popular(12) as usize].to_owned())),
        3 => part(&format!("dec[{only}]"), move |dice, _| ended((dice.popular(many) + 1).to_string())),
        4 => part(&format!("dec[9{quoted}]"), move |dice, _| ended(format!("{:09}", dice.popular(many)))),
        5 => part(&format!("date['yyyyMMdd'{quoted}]"), move |dice, _| {
            let (year, month, day) = day(16_000 + dice.below(span));
            ended(format!("{year}{month:02}{day:02}"))
        }),
        6 => part(&format!("date['yyyy-MM-dd'{quoted}]"), move |dice, _| {
            let (year, month, day) = day(16_500 + dice.popular(span));
            ended(format!("{year}-{month:02}-{day:02}"))
        }),
        7 => part(&format!("hexbytes[16{quoted}]"), move |dice, _| ended(hex(&scattered(dice.popular(many), 8)))),
        8 => part(&format!("uuid[text{quoted}]"), move |dice, _| ended(dashed(&uuid4(dice)))),
        9 => time(&format!("dec[13{quoted}]"), "milliseconds", move |at| ended(at.to_string()), dice),
        _ => time(
            &format!("minus[9223372036854775807 19{quoted}]"),
            "milliseconds",
            move |at| ended((i64::MAX as u64 - at).to_string()),
            dice,
        ),
    }
}

/// The salt that Phoenix writes: Java's hash of the rest.
fn java(of: &[u8]) -> u64 {
    let hash = of.iter().fold(1_i32, |hash, byte| hash.wrapping_mul(31).wrapping_add(i32::from(*byte as i8)));
    u64::from(hash.unsigned_abs())
}

fn xxh3(of: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(of)
}

/// Keys of one more schema; none if too few of them differ.
fn case(dice: &mut Dice) -> Option<Case> {
    let count = 2 + dice.below(3) as usize;
    let end = ["#", ":", "|", "_", "~"][dice.below(5) as usize];
    let mut parts = Vec::new();
    if dice.below(2) == 0 {
        (1..count).for_each(|_| parts.push(binary(dice)));
        let at = dice.below(count as u64) as usize;
        parts.insert(at, binary_time(dice));
    } else {
        (1..count).for_each(|_| parts.push(textual(dice, end)));
        parts.push(textual(dice, ""));
    }
    let (salt, buckets, hash): (_, _, fn(&[u8]) -> u64) = match dice.below(8) {
        0 => ("salt(16 java) ", 16, java),
        1 => ("salt(24 xxh3 by 0) ", 24, xxh3),
        _ => ("", 0, java),
    };
    let shapes: Vec<&str> = parts.iter().map(|part| part.shape.as_str()).collect();
    let layout: LayoutBuf = format!("{salt}{}", shapes.join(", ")).parse().expect("a shape by hand");
    let mut keys = std::collections::BTreeSet::new();
    for row in 0..120 + dice.below(3_000) {
        let fields: Vec<Vec<u8>> = parts.iter().map(|part| (part.write)(dice, row)).collect();
        let mut key = fields.concat();
        if buckets > 0 {
            // Without the delimiter after it.
            let first = fields[0].strip_suffix(end.as_bytes()).unwrap_or(&fields[0]);
            let hashed =
                if salt.contains("by 0") { if shapes[0].contains('\'') { first } else { &fields[0] } } else { &key };
            key.insert(0, (hash(hashed) % buckets) as u8);
        }
        assert!(layout.decode(&key).is_ok(), "{layout}: {key:02x?}");
        keys.insert(key);
    }
    let units = parts.iter().map(|part| part.unit).collect();
    (keys.len() >= 100).then(|| Case { layout, units, keys: keys.into_iter().collect() })
}

pub(crate) fn cases(seed: u64) -> impl Iterator<Item = Case> {
    let mut dice = Dice(seed);
    std::iter::repeat_with(move || case(&mut dice)).flatten()
}
