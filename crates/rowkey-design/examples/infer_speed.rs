//! The speed at which a layout is inferred from keys in hex, against the profile of the same keys that
//! `rowkey check --sample` makes, and how much memory it takes.
//!
//! ```sh
//! cargo run --release -p rowkey-design --example infer_speed [KEYS]
//! ```
//!
//! It fails if inference takes more than three times as long, or more than 256 MiB beside the text. KEYS is 1,000,000
//! unless it is given.

use std::process::ExitCode;
use std::time::Instant;

use peak_alloc::PeakAlloc;
use rowkey::{LayoutBuf, Value};
use rowkey_design::infer::{KeyText, Sample};
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::sample;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() -> ExitCode {
    let keys: u64 = std::env::args().nth(1).and_then(|keys| keys.parse().ok()).unwrap_or(1_000_000);
    let layout: LayoutBuf = "salt(16 xxh3 by 0) text, i64 desc, u32".parse().expect("a shape");
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = String::new();
    for row in 0..keys {
        let user = Value::Text(format!("user{}", random.u32(..5000)));
        let at = Value::Signed(1_600_000_000_000 + i128::from(row) * 37);
        let key = layout.encode(&[user, at, Value::Unsigned(random.u32(..900).into())]).expect("a key");
        text += &KeyForm::Hex.write(&key, &layout).expect("hex");
        text.push('\n');
    }
    let start = Instant::now();
    let profile = sample::read(text.as_bytes(), KeyForm::Hex, &layout, None, |_, _| {}).expect("keys");
    let profiled = start.elapsed();
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let start = Instant::now();
    let mut kept = Sample::new();
    kept.read(text.as_bytes(), KeyText::Lines(KeyForm::Hex), |_, _| {}).expect("keys");
    let inferred = kept.infer();
    let taken = start.elapsed();
    let memory = (MEMORY.peak_usage() - before) >> 20;
    assert_eq!((profile.keys, inferred.keys), (keys, keys));
    let first = inferred.candidates.first().map_or(String::new(), |first| first.layout.shape());
    let ratio = taken.as_secs_f64() / profiled.as_secs_f64();
    println!("{keys} keys: profile {profiled:.1?}, inference {taken:.1?}, ratio {ratio:.2}, {memory} MiB: {first}");
    ExitCode::from(u8::from(ratio > 3.0 || memory > 256))
}
