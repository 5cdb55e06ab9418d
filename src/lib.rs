//! Typed row keys for sorted stores: HBase, Bigtable, RocksDB, FoundationDB, fjall, redb.
//!
//! [`#[derive(RowKey)]`](derive@RowKey) turns a struct into bytes that sort in the order of its fields:
//!
//! ```text
//! Action { user: 42, at: 1307097848000, event: 7 }          #[rowkey(desc)] at: newest first
//!
//!    user: u64                 at: i64, desc             event: u32
//!    00 00 00 00 00 00 00 2a | 7f ff fe cf aa e5 a7 3f | 00 00 00 07
//! ```
//!
//! Negative numbers sort before positive ones. The prefix "bob" does not select "bobby". A salt spreads keys over
//! buckets, and a scan merges them. A table refuses keys of another layout. The bytes are frozen.
//!
//! ```
//! use rowkey::{RowKey, Select};
//!
//! /// What a user did, newest first.
//! #[derive(RowKey, Debug, PartialEq)]
//! struct Action {
//!     user: u64,
//!     #[rowkey(desc)]
//!     at: i64, // Unix milliseconds
//!     event: u32,
//! }
//!
//! let action = Action { user: 42, at: 1_307_097_848_000, event: 7 };
//! let key = action.encode();
//! assert_eq!(Action::decode(&key)?, action);
//!
//! // A selection is a list of byte ranges, for any client of any store.
//! let recent = Action::prefix().user(42).at_range(1_307_097_000_000..).ranges();
//! assert!(recent[0].contains(&key));
//! # Ok::<(), rowkey::DecodeError>(())
//! ```
//!
//! | item | contents |
//! |---|---|
//! | [`derive@RowKey`] | the derive macro, with all its attributes |
//! | [`trait@RowKey`] | the trait: encode, decode, explain, the layout |
//! | [`encode`] | the types that can be fields, and the bytes of each; encodings of your own |
//! | [`prefix`], [`range`](mod@range), [`cursor`] | what selects rows; byte ranges; where a page ended |
//! | [`untyped`], [`Layout`] | keys without their Rust type, as shapes and as JSON |
//! | [`lead`] | salts and digests |
//! | [`geo`] | map tiles, boxes, the nearest points |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `serde`, on by default | layouts, values and schemas implement serde's traits |
//! | `memory`, on by default | `Memory`; implies `tables` |
//! | `tables` | everything above keys: stores, wide rows, tables and tools |
//! | `json` | layouts and values as JSON, `Json<T>` |
//! | `postcard` | `Postcard<T>` |
//! | `async` | `nonblocking`: asynchronous engines, tables and streams, `Blocking::on` |
//! | `unblock` | `Unblock`: an embedded engine in asynchronous code |
//! | `tokio` | `Blocking` on a tokio runtime of its own |
//! | `conformance`, `laws` | tests for your own engines; tests for your own keys and encodings |
//! | `uuid`, `ulid`, `rust_decimal`, `bytes`, `smol_str`, `compact_str`, `arrayvec`, `url` | types of these crates as fields |
//! | `jiff`, `chrono`, `time` | their instants as fields; with `jiff`, days and months of a time zone |
//! | `ipnet` | networks as ranges of addresses |
//! | `uuid-ids`, `ulid-ids` | generators of UUIDs and ULIDs |
//! | `public-suffix` | the registrable domain of a host |
//!
//! Without default features the crate is keys alone; its errors are [`DecodeError`] and [`CursorError`].
#![cfg_attr(feature = "memory", doc = include_str!("guide/first_table.md"))]
#![forbid(unsafe_code)]

extern crate self as rowkey;

#[cfg(any(feature = "conformance", feature = "laws"))]
pub mod conformance;
pub mod error;
pub mod guide;
#[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "tables use it"))]
mod keys;
#[cfg(feature = "async")]
pub mod nonblocking;
#[cfg(feature = "tables")]
pub mod store;
#[cfg(feature = "tables")]
pub mod table;
#[cfg(feature = "tables")]
mod tools;
#[cfg(feature = "tables")]
pub mod wide;

#[cfg(feature = "laws")]
#[doc(inline)]
pub use conformance::laws;
#[doc(inline)]
pub use error::{CursorError, DecodeError, WidthError};
#[cfg(feature = "tables")]
#[doc(inline)]
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "jiff")]
pub use keys::civil;
#[doc(inline)]
pub use keys::cursor::Cursor;
#[cfg(feature = "chrono")]
pub use keys::encode::ChronoUtc;
#[doc(inline)]
pub use keys::encode::{Bucket, Domain, HostPath, HostPathError, List, Micros, Millis, Nanos, Seconds, Site};
#[cfg(feature = "url")]
pub use keys::encode::{UrlKey, UrlKeyError};
pub use keys::fingerprint::Fingerprint;
#[doc(inline)]
pub use keys::key::{OwnedKey, RowKey};
#[doc(inline)]
pub use keys::layout::Layout;
pub use keys::moment::TimeError;
#[doc(inline)]
pub use keys::prefix::{Select, Selection};
#[doc(inline)]
pub use keys::range::KeyRange;
#[doc(inline)]
pub use keys::untyped::{Explanation, LayoutBuf, LayoutError, Value, ValueError};
pub use keys::{clock, cursor, encode, foreign, geo, layout, lead, moment, prefix, range, untyped};
pub use rowkey_derive::RowKey;
#[cfg(feature = "memory")]
#[doc(inline)]
pub use store::Memory;
#[cfg(all(feature = "json", feature = "tables"))]
pub use store::value::Json;
#[cfg(feature = "postcard")]
pub use store::value::Postcard;
#[cfg(feature = "tables")]
#[doc(inline)]
pub use store::{catalog, merge, secret, secret::Secret, value, value::RowValue};
#[cfg(feature = "tables")]
#[doc(inline)]
pub use table::{Table, TableScan, WideTable, WriteBatch};
#[cfg(feature = "tables")]
pub use tools::{ids, jobs, migrate, secondary, splits};

/// The names that the derive's code uses. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::keys::encode::{
        Codec, Content, Field, FieldRange, FieldSpan, InItem, IntoField, Nullable, NullsHere, NullsOther, OwnedField,
        Plain, RawAs, RawField, RawOf, Reader, Sink, StartsWith, With, Within, Writer,
    };
    pub use crate::keys::error::{DecodeError, WidthError};
    pub use crate::keys::foreign::{Case, Delimiter, HashFunction, HashPrefix, Order};
    pub use crate::keys::key::{Fixed, IsFixed, KeyReader, KeyWriter, RowKey, write_into};
    pub use crate::keys::layout::{FieldLayout, Layout, Nulls, Type, Variant};
    pub use crate::keys::lead::{Lead, Salt, SaltFormat, SaltHash};
    pub use crate::keys::prefix::{
        FirstField, Nested, NextField, OrderedField, PrefixBuf, Select, Selection, VariantFirst,
    };
    pub use core::clone::Clone;
    pub use core::default::Default;
    pub use core::iter::IntoIterator;
    pub use core::marker::{PhantomData, Sized};
    pub use core::option::Option;
    pub use core::primitive::{bool, str, u8, usize};
    pub use core::result::Result;
    pub use std::vec::Vec;
}

/// The code in README.md, compiled and run by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod _readme {}
