//! Settings that a cluster can have.

use crate::run::{Key, Settings};

/// The reason why no cluster has such settings, if there is one.
pub(super) fn fault(settings: &Settings) -> Option<&'static str> {
    let Settings { jitter, rows_per_second, .. } = *settings;
    let at_least_one = [
        (settings.servers.into(), "`servers` is 0"),
        (settings.max_filesize, "`max_filesize` is 0"),
        (settings.flush_size, "`flush_size` is 0"),
        (settings.block_size, "`block_size` is 0"),
        (settings.interval_ms, "`interval_ms` is 0"),
        (settings.discharger_ms, "`discharger_ms` is 0"),
        (settings.balancer_ms.unwrap_or(1), "`balancer_ms` is 0: null is a balancer that is off"),
        (settings.rows_per_event.unwrap_or(1), "`rows_per_event` is 0"),
    ];
    let zero = at_least_one.into_iter().find(|(value, _)| *value == 0).map(|(_, reason)| reason);
    let wrong = [
        (!(0.0..=1.0).contains(&jitter), "`jitter` is a part of `max_filesize`: from 0 to 1"),
        (!(rows_per_second >= 0.0 && rows_per_second.is_finite()), "`rows_per_second` is no rate"),
        (
            settings.splits.iter().any(|Key(split)| split.is_empty()),
            "a split point is empty: the first region begins there",
        ),
        (!settings.splits.is_sorted_by(|a, b| a < b), "`splits` are not in the order of keys, each once"),
    ];
    zero.or_else(|| wrong.into_iter().find(|(is_wrong, _)| *is_wrong).map(|(_, reason)| reason))
}
