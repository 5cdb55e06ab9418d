//! The speed of loads: `cargo run --release -p rowkey-simulate --example load_speed -- 10000000`.
//!
//! Rows are drawn by the statistics of a design; their keys are written as a trace, which is read beside a sample of
//! the same keys.

use std::fmt::Write as _;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::sample;
use rowkey_design::{Design, File};
use rowkey_simulate::load::{Drawn, Load, Options, Trace};

const DESIGN: &str = r#"
format = 1
[table.tall]
key = ["host: text", "id: u64 desc", "at: instant"]
salt = { buckets = 16, by = ["host"] }
means.id = "random"
[table.tall.stats]
host = { distinct = 100_000, skew = "zipf 1", size = "12 B" }
id = { distinct = "5M" }
[[table.tall.write]]
name = "write"
rate = "10k/s"
"#;

fn main() {
    let rows: u64 = std::env::args().nth(1).and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let design =
        Design::parse([File { name: "speed.rowkey.toml".to_owned(), text: DESIGN.to_owned() }]).expect("valid");
    let layout = &design.tables["tall"].layout;
    let drawn = |most| {
        let options = Options { rows: Some(rows), most, ..Options::default() };
        Drawn::new(&design, "tall", None, None, None, &options).expect("a load")
    };
    for (name, most) in [("row by row", u64::MAX), ("a million events", 1_000_000)] {
        let (started, mut events) = (Instant::now(), 0u64);
        let mut all = 0;
        let given = drawn(most).events(&mut |event| {
            (events, all) = (events + 1, all + event.weight);
            black_box(event.key);
            ControlFlow::Continue(())
        });
        given.expect("keys");
        println!("{name}: {all} rows as {events} events in {:.2} s", started.elapsed().as_secs_f64());
    }
    let (mut csv, mut json, mut keys) = ("t_ms,op,key,bytes\n".to_owned(), String::new(), String::new());
    let most = rows.min(2_000_000);
    let mut left = most;
    let given = drawn(u64::MAX).events(&mut |event| {
        let key = data_encoding::HEXLOWER.encode(event.key);
        _ = writeln!(csv, "{},put,{key},100", event.t_ms);
        _ = writeln!(json, "{{\"t_ms\":{},\"op\":\"put\",\"key\":\"{key}\",\"bytes\":100}}", event.t_ms);
        _ = writeln!(keys, "{key}\t100");
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    given.expect("keys");
    let started = Instant::now();
    let profile = sample::read(keys.as_bytes(), KeyForm::Hex, layout, None, |_, _| {}).expect("keys");
    let of_sample = started.elapsed().as_secs_f64();
    println!("a sample of {} keys: {of_sample:.2} s", profile.keys);
    for (name, text) in [("CSV", &csv), ("JSON", &json)] {
        let (started, mut events) = (Instant::now(), 0u64);
        let given = Trace::new(text.as_bytes(), layout, design.times_of("tall")).events(&mut |event| {
            events += 1;
            black_box(event.key);
            ControlFlow::Continue(())
        });
        given.expect("events");
        let seconds = started.elapsed().as_secs_f64();
        println!("a trace of {events} lines of {name}: {seconds:.2} s, {:.2} of the sample's", seconds / of_sample);
    }
}
