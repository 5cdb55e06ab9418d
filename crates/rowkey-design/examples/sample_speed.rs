//! How fast samples in hex are read and profiled, against only decoding the same keys by their layout: from the bytes
//! of keys, and from the same text.
//!
//! ```sh
//! cargo run --release -p rowkey-design --example sample_speed [KEYS]
//! ```
//!
//! It prints nanoseconds a key and both ratios for several layouts, each with keys in the order of time and with all
//! values distinct, and fails if the ratio to the same text is less than a third. KEYS is 3,000,000 unless it is given;
//! they are held in memory.

use std::hint::black_box;
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Instant;

use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::sample;

fn main() -> ExitCode {
    let keys: u64 = std::env::args().nth(1).and_then(|keys| keys.parse().ok()).unwrap_or(3_000_000);
    let mut failed = false;
    for (shape, values) in LAYOUTS {
        let layout: LayoutBuf = shape.parse().expect("a shape");
        let mut random = fastrand::Rng::with_seed(1);
        let keys: Vec<Vec<u8>> = (0..keys).map(|i| layout.encode(&values(i, &mut random)).expect("a key")).collect();
        let text: String = keys.iter().filter_map(|key| Some(KeyForm::Hex.write(key, &layout)? + "\n")).collect();
        let start = Instant::now();
        keys.iter().for_each(|key| drop(black_box(layout.decode(black_box(key)))));
        let decode = start.elapsed();
        let start = Instant::now();
        for line in black_box(text.as_bytes()).lines() {
            let key = data_encoding::HEXLOWER_PERMISSIVE.decode(line.expect("a line").as_bytes()).expect("hex");
            drop(black_box(layout.decode(&key)));
        }
        let read = start.elapsed();
        let start = Instant::now();
        let found = sample::read(black_box(text.as_bytes()), KeyForm::Hex, &layout, None, |_, _| {}).expect("keys");
        let profile = start.elapsed();
        assert_eq!((found.keys, found.undecoded), (keys.len() as u64, 0));
        let [bytes, lines, each] = [decode, read, profile].map(|all| all.as_nanos() as f64 / keys.len().max(1) as f64);
        let ratios = [bytes / each, lines / each];
        println!(
            "{shape:40} decode {bytes:.0} ns, lines {lines:.0} ns, sample {each:.0} ns: ratios {:.2} and {:.2}",
            ratios[0], ratios[1]
        );
        failed |= ratios[1] < 1.0 / 3.0;
    }
    ExitCode::from(u8::from(failed))
}

type Values = fn(u64, &mut fastrand::Rng) -> Vec<Value>;

const LAYOUTS: [(&str, Values); 8] = [
    ("u8, bool, u8, u8, bool, u8, u8, u8", |i, _| {
        let number = |shift: u32| Value::Unsigned((i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift & 0xff).into());
        let truth = |shift: u32| Value::Bool(i >> shift & 1 == 1);
        vec![number(56), truth(0), number(48), number(40), truth(1), number(32), number(24), number(16)]
    }),
    ("u64, i64 desc", |i, random| vec![Value::Unsigned(random.u64(..5000).into()), Value::Signed(i.into())]),
    ("u64, u64", |_, random| vec![Value::Unsigned(random.u64(..).into()), Value::Unsigned(random.u64(..).into())]),
    ("salt(16 xxh3 by 0) u64, instant desc, u32", |i, random| {
        let at = Value::Instant(i as i64 / 1000, (i % 1000) as u32);
        vec![Value::Unsigned(random.u64(..100_000).into()), at, Value::Unsigned(random.u32(..).into())]
    }),
    ("text, i64", |i, random| vec![Value::Text(format!("user{}", random.u32(..1_000_000))), Value::Signed(i.into())]),
    ("bytes raw", |_, random| vec![Value::Bytes(random.u128(..).to_be_bytes().to_vec())]),
    ("u8, u8, u16, u32, u32, u64", |i, random| {
        let number = |most: u64, random: &mut fastrand::Rng| Value::Unsigned(random.u64(..most).into());
        let mut few = vec![number(4, random), number(250, random), number(60_000, random)];
        few.extend([number(1 << 30, random), number(1 << 20, random), Value::Unsigned(i.into())]);
        few
    }),
    ("md5(4 by 0) text, text, u64 desc", |i, random| {
        let path = Value::Text(format!("/a/path/{}/Of/a/page.html", random.u32(..)));
        vec![Value::Text(format!("host{}.example.com", random.u32(..5000))), path, Value::Unsigned(i.into())]
    }),
];
