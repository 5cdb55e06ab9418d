//! Bigtable's emulator, through both faces: `servers/bigtable/test` starts it and runs these.

mod conformance;
mod faults;
mod interop;
mod reads;
mod schema;
mod tools;

use std::sync::atomic::{AtomicU32, Ordering};

use rowkey_bigtable::{Bigtable, BigtableOptions};
use tokio::runtime::{Handle, Runtime};

/// An instance of its own in the emulator that runs, so an empty one.
fn options() -> BigtableOptions {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let host = std::env::var("BIGTABLE_EMULATOR_HOST").expect("BIGTABLE_EMULATOR_HOST is the address of an emulator");
    let instance = format!("i{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    BigtableOptions::new("p", instance).emulator(host)
}

fn connect(handle: &Handle) -> Bigtable {
    handle.block_on(Bigtable::connect(options())).unwrap()
}

fn runtime() -> Runtime {
    Runtime::new().unwrap()
}
