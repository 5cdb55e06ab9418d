//! How fast samples are profiled, against only decoding the same keys by their layout.
//!
//! ```sh
//! cargo run --release -p rowkey-design --example sample_speed [KEYS]
//! ```
//!
//! It prints nanoseconds a key and the ratio for several layouts, each with keys in the order of time and with all values
//! distinct, and fails if the ratio is less than a third. KEYS is 10,000,000 unless it is given.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rowkey::{LayoutBuf, Value};
use rowkey_design::sample::Profiler;

/// So many keys are made at once, so that making them is not measured.
const BATCH: u64 = 10_000;

fn main() -> ExitCode {
    let keys: u64 = std::env::args().nth(1).and_then(|keys| keys.parse().ok()).unwrap_or(10_000_000);
    let mut failed = false;
    for (shape, values) in LAYOUTS {
        let layout: LayoutBuf = shape.parse().expect("a shape");
        let (mut decode, mut profile) = (Duration::ZERO, Duration::ZERO);
        let mut profiler = Profiler::new(&layout, None);
        let mut random = fastrand::Rng::with_seed(1);
        for batch in 0..keys.div_ceil(BATCH) {
            let key = |i: u64| layout.encode(&values(batch * BATCH + i, &mut random)).expect("a key");
            let batch: Vec<Vec<u8>> = (0..BATCH).map(key).collect();
            let start = Instant::now();
            batch.iter().for_each(|key| drop(black_box(layout.decode(black_box(key)))));
            decode += start.elapsed();
            let start = Instant::now();
            batch.iter().for_each(|key| profiler.add(black_box(key)));
            profile += start.elapsed();
        }
        let start = Instant::now();
        let found = profiler.finish();
        profile += start.elapsed();
        let each = |all: Duration| all.as_nanos() as f64 / found.keys as f64;
        let ratio = decode.as_secs_f64() / profile.as_secs_f64();
        println!("{shape:40} decode {:6.1} ns  profile {:6.1} ns  ratio {ratio:.2}", each(decode), each(profile));
        failed |= ratio < 1.0 / 3.0;
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
