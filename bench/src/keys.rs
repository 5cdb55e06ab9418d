//! The keys that are encoded and decoded, and many values of each.

use std::borrow::Cow;

use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rowkey::RowKey;
use serde::{Deserialize, Serialize};

use crate::by_hand::{self, Reader};

/// So many keys are encoded and decoded in turn.
pub const KEYS: usize = 2048;

/// A key that is written and read by hand, too.
pub trait ByHand: RowKey + Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(key: &[u8]) -> Option<Self>;
}

/// Declares a key and its form by hand.
macro_rules! keys {
    ($($(#[$attr:meta])* $name:ident { $($(#[$field_attr:meta])* $field:ident: $ty:ty),* }
        put $this:ident, $out:ident: $put:expr; take $r:ident: $take:expr;)*) => {$(
        #[derive(RowKey, Serialize, Deserialize, storekey::Encode, storekey::Decode, Clone, Debug, PartialEq)]
        $(#[$attr])*
        pub struct $name { $($(#[$field_attr])* pub $field: $ty),* }

        impl ByHand for $name {
            #[inline]
            fn put(&self, $out: &mut Vec<u8>) {
                let $this = self;
                $put;
            }

            #[inline]
            fn take(key: &[u8]) -> Option<Self> {
                let $r = &mut Reader(key);
                let key = $take;
                $r.end()?;
                Some(key)
            }
        }
    )*};
}

keys! {
    Ints { user: u64, at: i64, event: u32 }
        put key, out: out.extend_from_slice(&by_hand::ints(key.user, key.at, key.event));
        take r: Self { user: r.u64()?, at: r.i64()?, event: r.u32()? };

    #[rowkey(salt(buckets = 16))]
    Salted { user: u64, at: i64, event: u32 }
        put key, out: out.extend_from_slice(&by_hand::salted(key.user, key.at, key.event));
        take r: {
            let salt = r.byte()?;
            if salt != by_hand::bucket(r.0) {
                return None;
            }
            Self { user: r.u64()?, at: r.i64()?, event: r.u32()? }
        };

    Words { first: String, at: i64, second: String }
        put key, out: {
            by_hand::put_text(key.first.as_bytes(), out);
            by_hand::put_i64(key.at, out);
            by_hand::put_text(key.second.as_bytes(), out);
        };
        take r: Self { first: r.text()?.into_owned(), at: r.i64()?, second: r.text()?.into_owned() };

    WordsDesc { #[rowkey(desc)] first: String, at: i64, #[rowkey(desc)] second: String }
        put key, out: {
            by_hand::put_text_desc(key.first.as_bytes(), out);
            by_hand::put_i64(key.at, out);
            by_hand::put_text_desc(key.second.as_bytes(), out);
        };
        take r: Self { first: r.text_desc()?, at: r.i64()?, second: r.text_desc()? };

    Text { text: String }
        put key, out: by_hand::put_text(key.text.as_bytes(), out);
        take r: Self { text: r.text()?.into_owned() };

    TextDesc { #[rowkey(desc)] text: String }
        put key, out: by_hand::put_text_desc(key.text.as_bytes(), out);
        take r: Self { text: r.text_desc()? };

    Bytes { #[serde(with = "serde_bytes")] bytes: Vec<u8> }
        put key, out: by_hand::put_text(&key.bytes, out);
        take r: Self { bytes: r.bytes()?.into_owned() };

    BytesDesc { #[rowkey(desc)] bytes: Vec<u8> }
        put key, out: by_hand::put_text_desc(&key.bytes, out);
        take r: Self { bytes: r.bytes_desc()? };
}

/// A key that lends its text, as it stands in the bytes.
#[derive(RowKey, storekey::BorrowDecode)]
pub struct Lent<'a> {
    pub user: u64,
    pub text: Cow<'a, str>,
    pub at: i64,
}

impl<'a> Lent<'a> {
    /// By hand.
    #[inline]
    pub fn take(key: &'a [u8]) -> Option<Self> {
        let r = &mut Reader(key);
        let key = Self { user: r.u64()?, text: r.text()?, at: r.i64()? };
        r.end()?;
        Some(key)
    }
}

/// Seeded values, the same in every run.
pub struct Values(Rng);

impl Values {
    pub fn new() -> Self {
        Self(Rng::seed_from_u64(42))
    }

    pub fn u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Of as many digits as may be: a peer's integers have as many bytes as they need.
    pub fn i64(&mut self) -> i64 {
        let bits = self.u64() % 63;
        self.u64() as i64 >> bits
    }

    pub fn ints(&mut self) -> Ints {
        Ints { user: self.u64() >> (self.u64() % 63), at: self.i64(), event: self.u64() as u32 }
    }

    /// Letters, as words are made of.
    pub fn text(&mut self, len: usize) -> String {
        (0..len).map(|_| char::from(b'a' + (self.u64() % 26) as u8)).collect()
    }

    pub fn words(&mut self) -> Words {
        Words { first: self.text(16), at: self.i64(), second: self.text(38) }
    }

    /// Any bytes, about half of them 00.
    pub fn half_zeros(&mut self, len: usize) -> Vec<u8> {
        let any = |n: u64| if n & 256 == 0 { 0 } else { n as u8 };
        (0..len).map(|_| any(self.u64())).collect()
    }

    pub fn many<T>(&mut self, n: usize, mut value: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..n).map(|_| value(self)).collect()
    }
}
