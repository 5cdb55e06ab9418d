//! The memory that profiling takes, measured: it does not grow with the number of keys, nor with their length.

use std::sync::Mutex;

use peak_alloc::PeakAlloc;
use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::sample::Profiler;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One test at a time: the memory is that of the process.
static TURN: Mutex<()> = Mutex::new(());

/// The memory of the most demanding keys: a fifth of the program's.
const LIMIT: usize = 48 << 20;

fn peak(shape: &str, keys: u64, values: impl Fn(u64) -> Vec<Value>) -> usize {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let layout: LayoutBuf = shape.parse().unwrap();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut profiler = Profiler::new(&layout, None);
    let mut key = Vec::new();
    for i in 0..keys {
        key.clear();
        layout.encode_to(&values(i), &mut key).unwrap();
        profiler.add(&key);
    }
    let profile = profiler.finish();
    assert_eq!((profile.keys, profile.undecoded), (keys, 0));
    assert!(!profile.sample.is_empty());
    MEMORY.peak_usage() - before
}

#[track_caller]
fn within(what: &str, peak: usize) {
    assert!(peak <= LIMIT, "{what}: {} kB are held", peak >> 10);
}

#[test]
fn keys_as_long_as_hbase_takes_all_different() {
    let text = |i: u64| vec![Value::Text(format!("{i:020}{}", "Ab".repeat(16_000))), Value::Unsigned(i.into())];
    within("long text", peak("text, u64", 2000, text));
    let digits = |i: u64| vec![Value::Bytes([&i.to_le_bytes()[..], &[0xff; 32_000]].concat())];
    within("long bytes", peak("bytes raw", 2000, digits));
    let list = |i: u64| vec![Value::List(vec![Value::Unsigned((i % 251).into()); 8000]), Value::Unsigned(i.into())];
    within("long lists", peak("list<u8>, u64", 200, list));
}

#[test]
fn ten_times_as_many_keys_take_no_more() {
    let mixed = |i: u64| {
        let hash = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        vec![Value::Text(format!("User{hash:x}")), Value::Unsigned(hash.into()), Value::Unsigned(i.into())]
    };
    let few = peak("text, u64, u64", 100_000, mixed);
    let many = peak("text, u64, u64", 400_000, mixed);
    within("many keys", many);
    assert!(many < few + few / 4, "{} kB and {} kB", few >> 10, many >> 10);
}

#[test]
fn very_many_fields() {
    let shape = vec!["u8"; 4000].join(", ");
    let values = |i: u64| (0..4000).map(|field| Value::Unsigned(u128::from(i * field % 251))).collect();
    within("fields", peak(&shape, 300, values));
}
