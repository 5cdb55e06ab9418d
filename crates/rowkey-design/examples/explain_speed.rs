//! How fast a stream of keys in hex is told as values, against only decoding the same keys by their layout: from the
//! bytes of keys, and from the same text.
//!
//! ```sh
//! cargo run --release -p rowkey-design --example explain_speed [KEYS]
//! ```
//!
//! It prints nanoseconds a key and both ratios for several layouts, and fails if the ratio to the same text is less
//! than a half. KEYS is 1,000,000 unless it is given. The output is discarded.

use std::hint::black_box;
use std::io::BufRead;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::explain::stream;
use rowkey_design::internal::forms::KeyForm;

fn main() -> ExitCode {
    let keys: usize = std::env::args().nth(1).and_then(|keys| keys.parse().ok()).unwrap_or(1_000_000);
    let mut failed = false;
    for (shape, values) in LAYOUTS {
        let layout: LayoutBuf = shape.parse().expect("a shape");
        let mut random = fastrand::Rng::with_seed(1);
        let keys: Vec<Vec<u8>> =
            (0..keys as u64).map(|i| layout.encode(&values(i, &mut random)).expect("a key")).collect();
        let text: String = keys.iter().filter_map(|key| Some(KeyForm::Hex.write(key, &layout)? + "\n")).collect();
        let (mut decode, mut read, mut tell) = (Duration::MAX, Duration::MAX, Duration::MAX);
        for _ in 0..3 {
            let start = Instant::now();
            keys.iter().for_each(|key| drop(black_box(layout.decode(black_box(key)))));
            decode = decode.min(start.elapsed());
            let start = Instant::now();
            for line in black_box(text.as_bytes()).lines() {
                let key = data_encoding::HEXLOWER_PERMISSIVE.decode(line.expect("a line").as_bytes()).expect("hex");
                drop(black_box(layout.decode(&key)));
            }
            read = read.min(start.elapsed());
            let start = Instant::now();
            let told = stream(black_box(text.as_bytes()), std::io::sink(), Ok(KeyForm::Hex), &layout).expect("keys");
            tell = tell.min(start.elapsed());
            assert_eq!((told.keys, told.bad), (keys.len() as u64, 0));
        }
        let each = |all: Duration| all.as_nanos() as f64 / keys.len().max(1) as f64;
        let ratio = |all: Duration| all.as_secs_f64() / tell.as_secs_f64();
        let (bytes, lines, told) = (each(decode), each(read), each(tell));
        let ratios = format!("ratios {:.2} and {:.2}", ratio(decode), ratio(read));
        println!("{shape:40} decode {bytes:.0} ns, lines {lines:.0} ns, explain {told:.0} ns: {ratios}");
        failed |= ratio(read) < 0.5;
    }
    ExitCode::from(u8::from(failed))
}

type Values = fn(u64, &mut fastrand::Rng) -> Vec<Value>;

const LAYOUTS: [(&str, Values); 5] = [
    ("u64, i64 desc", |i, random| vec![Value::Unsigned(random.u64(..5000).into()), Value::Signed(i.into())]),
    ("u8, u8, u16, u32, u32, u64", |i, random| {
        let number = |most: u64, random: &mut fastrand::Rng| Value::Unsigned(random.u64(..most).into());
        let mut few = vec![number(4, random), number(250, random), number(60_000, random)];
        few.extend([number(1 << 30, random), number(1 << 20, random), Value::Unsigned(i.into())]);
        few
    }),
    ("salt(16 xxh3 by 0) u64, instant desc, u32", |i, random| {
        let at = Value::Instant(i as i64 / 1000, (i % 1000) as u32);
        vec![Value::Unsigned(random.u64(..100_000).into()), at, Value::Unsigned(random.u32(..).into())]
    }),
    ("text, i64", |i, random| vec![Value::Text(format!("user{}", random.u32(..1_000_000))), Value::Signed(i.into())]),
    ("md5(4 by 0) text, text, u64 desc", |i, random| {
        let path = Value::Text(format!("/a/path/{}/Of/a/page.html", random.u32(..)));
        vec![Value::Text(format!("host{}.example.com", random.u32(..5000))), path, Value::Unsigned(i.into())]
    }),
];
