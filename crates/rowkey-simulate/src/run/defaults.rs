//! The settings of an HBase whose table and files say nothing.

use super::{Settings, SplitPolicy};
use crate::cluster::{BALANCER_MS, BLOCK_SIZE, DISCHARGER_MS, FLUSH_SIZE, JITTER, MAX_FILESIZE};

impl Default for Settings {
    /// HBase's defaults, simulated: one server, no split points, no load.
    fn default() -> Self {
        Self {
            format: 1,
            engine: "simulated".to_owned(),
            load: String::new(),
            servers: 1,
            max_filesize: MAX_FILESIZE,
            flush_size: FLUSH_SIZE,
            split_policy: SplitPolicy::Stepping,
            jitter: JITTER,
            balancer_ms: Some(BALANCER_MS),
            discharger_ms: DISCHARGER_MS,
            compaction_min_size: FLUSH_SIZE,
            block_size: BLOCK_SIZE,
            splits: Vec::new(),
            rows_per_second: 0.0,
            interval_ms: 0,
            rows_per_event: None,
            server_names: Vec::new(),
            keys: None,
            key_file: None,
        }
    }
}
