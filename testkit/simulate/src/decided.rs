//! Decisions that the split policy `RecordedSplits` of the region servers wrote down.

use std::fs;
use std::path::Path;

use rowkey_simulate::run::{Key, StoreFile};
use serde::Deserialize;

use crate::Failure;

/// A split point that the policy gave. It gives several for a split: to the flush, then to the request.
#[derive(Clone, Deserialize)]
pub(crate) struct Decision {
    /// The time, in milliseconds since 1970.
    pub(crate) ms: u64,
    pub(crate) table: String,
    pub(crate) start: Key,
    pub(crate) at: Key,
    pub(crate) compaction_min_size: u64,
    pub(crate) files: Vec<StoreFile>,
}

/// The decisions on a table, by time.
pub(crate) fn of_table(folder: &Path, table: &str) -> Result<Vec<Decision>, Failure> {
    let mut decisions = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !(name.starts_with("splits-") && name.ends_with(".jsonl")) {
            continue;
        }
        for line in fs::read_to_string(&path)?.lines() {
            let decision: Decision = serde_json::from_str(line)?;
            if decision.table == table {
                decisions.push(decision);
            }
        }
    }
    decisions.sort_by_key(|decision| decision.ms);
    Ok(decisions)
}
