//! Stores that let a closure of a write write, or let it wait for its own end, or do not get over its panic.

mod databases;
pub(crate) mod stores;

use std::sync::Arc;
use std::thread;

use rowkey::Error;
use rowkey::store::{Readable, Rows, Scan, Store};

/// Runs it as an engine would that does not ask whether it may write: in a thread that has entered nothing.
fn unasked<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(run).join().unwrap())
}

/// A table as it is now.
struct Live(Arc<dyn Store>);

impl Readable for Live {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.0.scan(scan)
    }
}
