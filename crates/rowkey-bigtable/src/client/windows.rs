//! Read-ahead of scans: the window of each stream, and the memory of all together.
//!
//! HTTP/2 gives all streams of a connection the same window. So scans have connections of several windows, and a stream
//! is opened on the one that its scan and the client's memory allow. The smallest window is always to be had: a scan
//! never waits for another one. See docs/bigtable.md.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::Handle;
use tonic::transport::Endpoint;

use super::connections::{Connections, Renewal, WINDOW};

/// The windows, from the largest on.
const WINDOWS: [usize; 4] = [WINDOW, 64 << 10, 16 << 10, 1 << 10];
const SMALLEST: usize = WINDOWS.len() - 1;
/// The window that a stream may have whatever its scan asks for, if there is memory for it: with less, each row waits
/// for the server.
const LEAST: usize = WINDOWS[2];

/// The bytes of memory that a stream takes for each byte of its window if its rows are short: a frame of 60 bytes has
/// an entry of 150 bytes or more in h2. Then there is the batch of its scan.
const COPIES: usize = 5;
/// A stream gets at most this part of what is left, so that those that come later get something too.
const PART: usize = 8;

/// The connections of scans, and the memory of their streams.
#[derive(Debug)]
pub(super) struct Windows {
    left: AtomicUsize,
    connections: [Arc<Connections>; WINDOWS.len()],
}

/// A stream's part of the memory, until it is dropped.
#[derive(Debug)]
pub(super) struct Lease {
    windows: Arc<Windows>,
    index: usize,
    bytes: usize,
}

impl Windows {
    /// For scans that hold `memory` bytes together. Connections with the largest window are those of all other
    /// requests.
    pub(super) fn new(
        memory: usize,
        largest: &Arc<Connections>,
        (runtime, endpoint): (&Handle, &Endpoint),
        count: usize,
        renewal: &Arc<Renewal>,
    ) -> Arc<Self> {
        let connections = WINDOWS.map(|window| match window {
            WINDOW => Arc::clone(largest),
            window => {
                let window = u32::try_from(window).unwrap_or(u32::MAX);
                let endpoint = endpoint.clone().initial_stream_window_size(window);
                Connections::new(runtime.clone(), endpoint, count, Some(Arc::clone(renewal)))
            }
        });
        Arc::new(Self { left: AtomicUsize::new(memory), connections })
    }

    /// The largest window of at most `most` bytes that there is memory for. The smallest needs none.
    pub(super) fn lease(self: &Arc<Self>, most: usize) -> Lease {
        for (index, window) in WINDOWS.iter().enumerate().take(SMALLEST).filter(|(_, window)| fits(**window, most)) {
            if let Some(bytes) = self.take(window * COPIES) {
                return Lease { windows: Arc::clone(self), index, bytes };
            }
        }
        Lease { windows: Arc::clone(self), index: SMALLEST, bytes: 0 }
    }

    fn take(&self, bytes: usize) -> Option<usize> {
        let less = |left: usize| if bytes <= left / PART { Some(left - bytes) } else { None };
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).ok().map(|_| bytes)
    }
}

/// Returns whether a scan that asks for `most` bytes may have this window.
fn fits(window: usize, most: usize) -> bool {
    window <= most.max(LEAST)
}

impl Lease {
    pub(super) fn connections(&self) -> &Arc<Connections> {
        &self.windows.connections[self.index]
    }

    pub(super) fn window(&self) -> usize {
        WINDOWS[self.index]
    }

    /// The approximate number of bytes that a batch may have.
    pub(super) fn batch(&self) -> usize {
        match self.index {
            0 => usize::MAX,
            index if index == SMALLEST => WINDOWS[SMALLEST],
            index => 2 * WINDOWS[index],
        }
    }

    /// A larger window of at most `most` bytes, if there is one now.
    pub(super) fn larger(&self, most: usize) -> Option<Self> {
        let is_smaller = WINDOWS[..self.index].iter().any(|window| fits(*window, most));
        is_smaller.then(|| self.windows.lease(most)).filter(|lease| lease.index < self.index)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.windows.left.fetch_add(self.bytes, Ordering::AcqRel);
    }
}
