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

const PROJECT: &str = "p";

/// The address of the emulator that runs.
fn emulator() -> String {
    std::env::var("BIGTABLE_EMULATOR_HOST").expect("BIGTABLE_EMULATOR_HOST is the address of an emulator")
}

/// The id of an instance of its own in the emulator, so an empty one.
fn instance() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("i{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn options_of(instance: &str) -> BigtableOptions {
    BigtableOptions::new(PROJECT, instance).emulator(emulator())
}

fn options() -> BigtableOptions {
    options_of(&instance())
}

fn connect(handle: &Handle) -> Bigtable {
    handle.block_on(Bigtable::connect(options())).unwrap()
}

fn runtime() -> Runtime {
    Runtime::new().unwrap()
}
