#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate self as rowkey;

pub mod catalog;
#[cfg(feature = "jiff")]
pub mod civil;
pub mod clock;
pub mod cursor;
pub mod encode;
pub mod error;
mod fingerprint;
pub mod geo;
pub mod guide;
mod host;
pub mod ids;
pub mod jobs;
mod key;
#[cfg(feature = "laws")]
pub mod laws;
pub mod layout;
pub mod lead;
pub mod merge;
pub mod migrate;
pub mod moment;
mod moved;
mod phase;
pub mod prefix;
pub mod range;
mod reader;
pub mod secondary;
pub mod secret;
mod span;
pub mod splits;
pub mod store;
pub mod table;
pub mod untyped;
pub mod value;
pub mod wide;
mod writer;

#[doc(inline)]
pub use cursor::Cursor;
#[cfg(feature = "chrono")]
pub use encode::ChronoUtc;
#[doc(inline)]
pub use encode::{Bucket, Domain, HostPath, HostPathError, List, Micros, Millis, Nanos, Seconds, Site};
#[cfg(feature = "url")]
pub use encode::{UrlKey, UrlKeyError};
#[doc(inline)]
pub use error::{CursorError, DecodeError, Error, ErrorKind, WidthError};
pub use fingerprint::Fingerprint;
#[doc(inline)]
pub use key::{OwnedKey, RowKey};
#[doc(inline)]
pub use layout::Layout;
pub use moment::TimeError;
#[doc(inline)]
pub use prefix::{Select, Selection};
#[doc(inline)]
pub use range::KeyRange;
pub use rowkey_derive::RowKey;
#[doc(inline)]
pub use secret::Secret;
#[cfg(feature = "fjall")]
#[doc(inline)]
pub use store::Fjall;
#[doc(inline)]
pub use store::Memory;
#[cfg(feature = "conformance")]
pub use store::conformance;
#[doc(inline)]
pub use table::{Table, TableScan, WideTable, WriteBatch};
#[doc(inline)]
pub use untyped::{Explanation, LayoutBuf, LayoutError, Value, ValueError};
#[cfg(feature = "json")]
pub use value::Json;
#[cfg(feature = "postcard")]
pub use value::Postcard;
#[doc(inline)]
pub use value::RowValue;

/// What the derive's code names. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::encode::{
        Codec, Content, Field, FieldRange, FieldSpan, InItem, IntoField, Nullable, NullsHere, NullsOther, OwnedField,
        Plain, RawAs, RawField, RawOf, Reader, Sink, StartsWith, With, Within, Writer,
    };
    pub use crate::error::{DecodeError, WidthError};
    pub use crate::key::{Fixed, IsFixed, KeyReader, KeyWriter, RowKey, write_into};
    pub use crate::layout::{FieldLayout, Layout, Nulls, Type, Variant};
    pub use crate::lead::{Lead, Salt, SaltHash};
    pub use crate::prefix::{FirstField, NextField, OrderedField, PrefixBuf, Select, Selection};
    pub use core::clone::Clone;
    pub use core::default::Default;
    pub use core::iter::IntoIterator;
    pub use core::marker::{PhantomData, Sized};
    pub use core::option::Option;
    pub use core::primitive::{bool, str, u8, usize};
    pub use core::result::Result;
    pub use std::vec::Vec;
}

/// The documents that stand beside the code; their code is tested with it.
#[doc(hidden)]
pub mod _documentation {
    #[doc = include_str!("../FORMAT.md")]
    pub mod format {}
}
