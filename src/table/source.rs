//! The source of a scan of a table, and its state.

use std::sync::Arc;

use super::progress::Progress;
use crate::keys::cursor::Cursor;
use crate::keys::fingerprint::Fingerprint;
use crate::store::options::{Handle, Within};
use crate::wide::Columns;

/// The store to scan: `S` a plain one, `W` one of wide rows.
pub(crate) enum Source<S: ?Sized, W: ?Sized> {
    Plain(Arc<S>),
    Wide(Arc<W>, Box<Columns>),
}

impl<S: ?Sized, W: ?Sized> Clone for Source<S, W> {
    fn clone(&self) -> Self {
        match self {
            Self::Plain(store) => Self::Plain(Arc::clone(store)),
            Self::Wide(store, columns) => Self::Wide(Arc::clone(store), columns.clone()),
        }
    }
}

impl<S: Handle + ?Sized, W: Handle + ?Sized> Source<S, W> {
    /// The store for one call: all that is asked of it shares one deadline from now on.
    pub(crate) fn in_one_call(self) -> Self {
        match self {
            Self::Plain(store) => Self::Plain(Within::one_call_of(store)),
            Self::Wide(store, columns) => Self::Wide(Within::one_call_of(store), columns),
        }
    }

    pub(crate) fn in_pieces(&self) -> bool {
        matches!(self, Self::Wide(_, columns) if columns.piece.is_some())
    }
}

/// The state of a scan whose merge is fed by `F`.
#[expect(clippy::large_enum_variant, reason = "a scan is opened soon, and few wait for that")]
pub(crate) enum Run<F> {
    Unopened,
    Open(Progress, F),
    /// Opening it failed.
    Failed,
}

impl<F> Run<F> {
    pub(crate) fn feed(&self) -> Option<&F> {
        if let Self::Open(_, feed) = self { Some(feed) } else { None }
    }

    pub(crate) fn progress(&mut self) -> Option<&mut Progress> {
        if let Self::Open(progress, _) = self { Some(progress) } else { None }
    }

    /// The number of rows returned.
    pub(crate) fn returned(&self) -> u64 {
        if let Self::Open(progress, _) = self { progress.returned() } else { 0 }
    }

    /// The cursor after the last row returned, for keys with this fingerprint.
    pub(crate) fn cursor(&self, keys: Fingerprint) -> Option<Cursor> {
        let Self::Open(progress, _) = self else { return None };
        Some(Cursor::new(keys, progress.last_key()?))
    }
}
