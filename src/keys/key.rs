//! A whole key: its lead (salt or digest) and its fields, to bytes and back.

use crate::keys::encode::{Field, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, DecodeReason, WidthError};
use crate::keys::foreign::joined;
use crate::keys::layout::{Layout, Type};
use crate::keys::lead::MOST_WIDTH;
use crate::keys::prefix::{TupleField, TuplePrefix, tuple_prefix};
use crate::keys::untyped::{Explanation, LayoutBuf};
use crate::keys::writer::Slot;

/// A row key: a type whose bytes sort as its values do.
///
/// `#[derive(RowKey)]` implements it for structs and enums: the fields' bytes, joined in order. Every [`Field`] is also
/// a key of one field.
///
/// ```text
/// Action { user: 42, at: 1307097849000, event: 7 }          #[rowkey(desc)] at: newest first
///
///    user: u64                 at: i64, desc             event: u32
///    00 00 00 00 00 00 00 2a | 7f ff fe cf aa e5 a3 57 | 00 00 00 07
/// ```
///
/// ```
/// use rowkey::RowKey;
///
/// /// Recent actions of a user, newest first.
/// #[derive(RowKey, Debug, Clone, PartialEq)]
/// struct Action {
///     user: u64,
///     #[rowkey(desc)]
///     at: i64, // Unix milliseconds
///     event: u32,
/// }
///
/// let old = Action { user: 42, at: 1_307_097_848_000, event: 7 };
/// let new = Action { at: 1_307_097_849_000, ..old.clone() };
/// assert!(new.encode() < old.encode());
/// assert_eq!(Action::decode(&old.encode())?, old);
/// assert_eq!(Action::LAYOUT.shape(), "u64, i64 desc, u32");
/// assert!(new.encode().starts_with(b"\0\0\0\0\0\0\0\x2a\x7f\xff\xfe\xcf"));
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
///
/// [`encode`](crate::encode) lists what can be a field, and its bytes; [`prefix`](crate::prefix) finds keys by their
/// leading fields.
#[doc(alias = "composite key")]
#[doc(alias = "compound key")]
#[doc(alias = "primary key")]
#[doc(alias = "order-preserving encoding")]
#[doc(alias = "memcomparable")]
pub trait RowKey {
    /// The type that decoding returns: `Self`, with the lifetime of the key's bytes if `Self` borrows from them.
    type Ref<'a>: RowKey;

    /// The key's layout as data: names, types, directions, enum tags, and the salt or digest.
    const LAYOUT: Layout;

    #[doc(hidden)]
    fn write_key<S: Sink>(&self, out: &mut S);

    #[doc(hidden)]
    fn read_key(key: &[u8]) -> Result<Self::Ref<'_>, DecodeError>;

    /// Returns the key's bytes.
    fn encode(&self) -> Vec<u8> {
        let mut key = Vec::with_capacity(const { Self::LAYOUT.width() }.unwrap_or(64));
        self.encode_to(&mut key);
        key
    }

    /// Starts a prefix of a key that is a tuple. A derived key has a `prefix` of its own, whose methods have the names
    /// of its fields.
    ///
    /// ```
    /// use rowkey::{KeyRange, RowKey, Select};
    ///
    /// let ranges = <(u8, String)>::prefix()._0(7)._1_starts_with("ab").ranges();
    /// assert_eq!(ranges, [KeyRange::prefix(*b"\x07ab")]);
    /// ```
    fn prefix() -> TuplePrefix<Self, 0>
    where
        Self: TupleField<0> + Sized,
    {
        tuple_prefix()
    }

    /// Appends the key's bytes to `out`. Use it to reuse one buffer for many keys.
    #[inline]
    fn encode_to(&self, out: &mut Vec<u8>) {
        // A small key is copied to `out` in one piece, instead of field by field.
        if let Some(width @ ..=SMALL) = const { Self::LAYOUT.width() } {
            let mut key = [0; SMALL];
            let mut slot = Slot::new(&mut key[..width]);
            self.write_key(&mut slot);
            // If a user's own encoding states a wrong width, the slot is not full or has overflowed: write field by
            // field.
            if slot.is_full() {
                return out.extend_from_slice(&key[..width]);
            }
        }
        self.write_key(out);
    }

    /// Reads a key from exactly these bytes.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes for some value: the error tells field, byte and
    /// reason.
    #[inline]
    fn decode(key: &[u8]) -> Result<Self::Ref<'_>, DecodeError> {
        // One check of a fixed width here lets the compiler drop the checks of each field.
        if const { Self::LAYOUT.width() }.is_some_and(|width| width != key.len()) {
            return Err(misfit::<Self>(key));
        }
        Self::read_key(key).map_err(|error| error.in_key(Self::LAYOUT.name))
    }

    /// Explains a key's bytes, field by field, to debug or to learn. Bytes that are not a valid key are explained up to
    /// the first error.
    ///
    /// ```
    /// # use rowkey::RowKey;
    /// #[derive(RowKey)]
    /// struct Action {
    ///     user: u64,
    ///     #[rowkey(desc)]
    ///     at: i64,
    /// }
    /// let key = Action { user: 42, at: 1 }.encode();
    /// assert_eq!(Action::explain(&key).to_string(), "\
    /// Action, 16 bytes
    ///    0..8   user  u64       00 00 00 00 00 00 00 2a  42
    ///    8..16  at    i64 desc  7f ff ff ff ff ff ff fe  1
    /// ");
    /// ```
    fn explain(key: &[u8]) -> Explanation {
        LayoutBuf::from(&Self::LAYOUT).explain(key)
    }
}

/// Keys of at most this many bytes are put together on the stack.
const SMALL: usize = 64;

/// The error for a key of fixed width whose length is another.
#[cold]
#[inline(never)]
fn misfit<K: RowKey + ?Sized>(key: &[u8]) -> DecodeError {
    let error = K::read_key(key).err().unwrap_or_else(|| {
        // Only a user's own encoding that states a wrong width gets here.
        let found = format!("{} bytes", key.len());
        DecodeError::new(
            key.len(),
            DecodeReason::Value { found, expected: "expected the width that the key's fields state" },
        )
    });
    error.in_key(K::LAYOUT.name)
}

impl<T: Field> RowKey for T {
    type Ref<'a> = T::Ref<'a>;

    const LAYOUT: Layout = {
        assert!(
            !matches!(T::TYPE, Type::Tuple([])),
            "a key has at least one field, and `()` has none: give it another type"
        );
        T::AS_KEY.checked()
    };

    #[inline]
    fn write_key<S: Sink>(&self, out: &mut S) {
        if const { T::AS_KEY.is_joined() } {
            let mut fields = Vec::new();
            Field::encode(self, &mut Writer::new(&mut fields));
            return out.extend_bytes(joined::key(&fields));
        }
        Field::encode(self, &mut Writer::new(out));
    }

    #[inline]
    fn read_key(key: &[u8]) -> Result<Self::Ref<'_>, DecodeError> {
        let mut r = Reader::new(key);
        let value = <T as Field>::decode(&mut r)?;
        r.end()?;
        Ok(value)
    }
}

/// A [`RowKey`] that decodes to itself, so it borrows nothing from the bytes.
pub trait OwnedKey: for<'a> RowKey<Ref<'a> = Self> {}

impl<K: for<'a> RowKey<Ref<'a> = K>> OwnedKey for K {}

/// Writes a key of `N` fields under a lead (salt or digest).
#[doc(hidden)]
pub struct KeyWriter<'s, S, const N: usize> {
    w: Writer<'s, S>,
    start: usize,
    ends: [usize; N],
    fields: usize,
}

impl<'s, S: Sink, const N: usize> KeyWriter<'s, S, N> {
    #[inline]
    pub fn new(out: &'s mut S, layout: &Layout) -> Self {
        let start = out.written().len();
        out.extend_bytes(&[0; MOST_WIDTH][..layout.lead.width().min(MOST_WIDTH)]);
        Self { w: Writer::new(out), start, ends: [0; N], fields: 0 }
    }

    /// The writer, at the next field.
    #[inline]
    pub fn writer(&mut self) -> &mut Writer<'s, S> {
        &mut self.w
    }

    /// Notes where a field ends, if the lead is taken over chosen fields.
    #[inline]
    pub fn end_field(&mut self, layout: &Layout) {
        if layout.by.is_empty() {
            return;
        }
        let body = self.start + layout.lead.width();
        if let Some(end) = self.ends.get_mut(self.fields) {
            *end = self.w.position().saturating_sub(body);
        }
        self.fields += 1;
    }

    /// Inlined always, because a constant layout leaves little of it.
    #[inline(always)]
    pub fn finish(mut self, layout: &Layout) {
        let Some(key) = self.w.sink().written().get_mut(self.start..) else { return };
        let (lead, body) = key.split_at_mut(layout.lead.width().min(key.len()));
        let known = layout.lead.write(&layout.hashed().part(body, &self.ends), lead);
        debug_assert!(known.is_ok(), "a constant layout has its salt's hash");
    }
}

/// Reads a key of `N` fields under a lead (salt or digest).
#[doc(hidden)]
pub struct KeyReader<'a, const N: usize> {
    key: &'a [u8],
    r: Reader<'a>,
    ends: [usize; N],
    fields: usize,
}

impl<'a, const N: usize> KeyReader<'a, N> {
    #[inline]
    pub fn new(key: &'a [u8]) -> Self {
        Self { key, r: Reader::new(key), ends: [0; N], fields: 0 }
    }

    /// Skips the lead.
    #[inline]
    pub fn start(&mut self, layout: &Layout) -> Result<(), DecodeError> {
        self.r.skip(layout.lead.width())
    }

    /// The reader, at the next field.
    #[inline]
    pub fn reader(&mut self) -> &mut Reader<'a> {
        &mut self.r
    }

    /// Notes where a field ends, if the lead is taken over chosen fields; returns its value.
    #[inline]
    pub fn end_field<T>(&mut self, value: T, layout: &Layout) -> T {
        if layout.by.is_empty() {
            return value;
        }
        if let Some(end) = self.ends.get_mut(self.fields) {
            *end = self.r.offset() - layout.lead.width();
        }
        self.fields += 1;
        value
    }

    /// Inlined always, because a constant layout leaves little of it.
    #[inline(always)]
    pub fn finish(&self, layout: &Layout) -> Result<(), DecodeError> {
        self.r.end()?;
        layout.lead.check(self.key, layout.hashed(), &self.ends)
    }
}

/// Writes a key of fixed width into a buffer of that width.
#[doc(hidden)]
#[inline]
pub fn write_into<K: RowKey>(key: &K, width: usize, buf: &mut [u8]) -> Result<(), WidthError> {
    if buf.len() != width {
        return Err(WidthError { width, found: buf.len() });
    }
    key.write_key(&mut Slot::new(buf));
    Ok(())
}

/// The type by which `to_array` asks whether a key has a fixed width.
#[doc(hidden)]
pub struct Fixed<const WIDTH_IS_FIXED: bool>;

/// A key type whose keys all have the same length.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this key has no fixed width: its keys have different lengths",
    note = "`WIDTH`, `encode_into` and `to_array` are for keys of integers, floats, bool, char, byte arrays, instants and the like; use `encode` or `encode_to`"
)]
pub trait IsFixed {}

impl IsFixed for Fixed<true> {}
