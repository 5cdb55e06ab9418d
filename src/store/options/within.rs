//! Handles for the calls of one operation, which share a deadline.

use std::ops::Deref;
use std::sync::Arc;

use super::CallOptions;
use crate::store::{Database, Store};

/// A handle with options, from which a handle with other options can be made.
pub(crate) trait Handle {
    fn call_options(&self) -> &CallOptions;
    fn with_call_options(&self, options: &CallOptions) -> Arc<Self>;
}

macro_rules! handles {
    ($($of:ident),*) => {$(
        impl<'a> $crate::store::options::Handle for dyn $of + 'a {
            #[inline]
            fn call_options(&self) -> &CallOptions {
                self.options()
            }
            fn with_call_options(&self, options: &CallOptions) -> Arc<Self> {
                self.with_options(options)
            }
        }
    )*};
}
handles!(Store, Database);
pub(crate) use handles;

/// A borrowed handle, or one made from it with other options.
pub(crate) enum Within<'h, H: ?Sized> {
    As(&'h H),
    Made(Arc<H>),
}

impl<'h, H: Handle + ?Sized> Within<'h, H> {
    /// The handle for the calls of one operation, which share one deadline from now on.
    #[inline]
    pub(crate) fn one_call(handle: &'h H) -> Self {
        match handle.call_options().timeout {
            None => Self::As(handle),
            Some(_) => Self::Made(handle.with_call_options(&handle.call_options().from_now())),
        }
    }

    /// As [`one_call`](Self::one_call), of a handle that is owned.
    pub(crate) fn one_call_of(handle: Arc<H>) -> Arc<H> {
        match Within::one_call(&*handle) {
            Within::Made(made) => made,
            Within::As(_) => handle,
        }
    }

    /// The handle with `options`.
    pub(crate) fn options(handle: &'h H, options: &CallOptions) -> Self {
        if handle.call_options() == options { Self::As(handle) } else { Self::Made(handle.with_call_options(options)) }
    }
}

impl Within<'_, dyn Database + '_> {
    /// A table opened inside one operation, for use after it: with the options of the database, not of the operation.
    pub(crate) fn handed_out(&self, table: Arc<dyn Store>, options: &CallOptions) -> Arc<dyn Store> {
        match self {
            Self::As(_) => table,
            Self::Made(_) => table.with_options(options),
        }
    }
}

impl<H: ?Sized> Deref for Within<'_, H> {
    type Target = H;

    #[inline]
    fn deref(&self) -> &H {
        match self {
            Self::As(handle) => handle,
            Self::Made(handle) => handle,
        }
    }
}
