//! A whole key: its bytes, with what stands before the fields, and back.

use crate::keys::encode::{Field, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, DecodeReason, WidthError};
use crate::keys::layout::{Layout, Type};
use crate::keys::lead::hashed_part;
use crate::keys::untyped::{Explanation, LayoutBuf};
use crate::keys::writer::Slot;

/// A row key: a type whose bytes sort as its values do.
///
/// Derived for structs and enums; every [`Field`] is a key of one field, too.
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
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
pub trait RowKey {
    /// The type that decoding gives: `Self`, with the lifetime of the bytes where `Self` borrows.
    type Ref<'a>: RowKey;

    /// Names, types, directions, tags and salt: the key as data.
    const LAYOUT: Layout;

    #[doc(hidden)]
    fn write_key<S: Sink>(&self, out: &mut S);

    #[doc(hidden)]
    fn read_key(key: &[u8]) -> Result<Self::Ref<'_>, DecodeError>;

    /// The key's bytes.
    fn encode(&self) -> Vec<u8> {
        let mut key = Vec::with_capacity(const { Self::LAYOUT.width() }.unwrap_or(64));
        self.encode_to(&mut key);
        key
    }

    /// Writes the key's bytes behind what `out` holds.
    #[inline]
    fn encode_to(&self, out: &mut Vec<u8>) {
        // All of a small key at once, instead of each field by itself.
        if let Some(width @ ..=SMALL) = const { Self::LAYOUT.width() } {
            let mut key = [0; SMALL];
            let mut slot = Slot::new(&mut key[..width]);
            self.write_key(&mut slot);
            // Not so where an encoding of a user's own says a wrong width: no byte of it is lost or added.
            if slot.is_full() {
                return out.extend_from_slice(&key[..width]);
            }
        }
        self.write_key(out);
    }

    /// Reads a key, all of it, and refuses every form but the one that `encode` writes.
    #[inline]
    fn decode(key: &[u8]) -> Result<Self::Ref<'_>, DecodeError> {
        // Of a key that has its one width nothing else is asked of its length, field by field.
        if const { Self::LAYOUT.width() }.is_some_and(|width| width != key.len()) {
            return Err(misfit::<Self>(key));
        }
        Self::read_key(key).map_err(|error| error.in_key(Self::LAYOUT.name))
    }

    /// The annotated bytes of a key, also of a broken one up to where it breaks.
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

/// Keys up to so many bytes are put together on the stack.
const SMALL: usize = 64;

/// What is wrong with a key that has not the one width that it should have.
#[cold]
#[inline(never)]
fn misfit<K: RowKey + ?Sized>(key: &[u8]) -> DecodeError {
    let error = K::read_key(key).err().unwrap_or_else(|| {
        // Only an encoding of a user's own that says a wrong width comes here.
        let found = format!("{} bytes", key.len());
        DecodeError::new(
            key.len(),
            DecodeReason::Value { found, expected: "the key has the width that its fields say" },
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

/// A [`RowKey`] that owns what it decodes to.
pub trait OwnedKey: for<'a> RowKey<Ref<'a> = Self> {}

impl<K: for<'a> RowKey<Ref<'a> = K>> OwnedKey for K {}

/// Writes a key of `N` fields that has something before them.
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
        out.extend_bytes(&[0; 16][..layout.lead.width().min(16)]);
        Self { w: Writer::new(out), start, ends: [0; N], fields: 0 }
    }

    /// Where the next field is written.
    #[inline]
    pub fn writer(&mut self) -> &mut Writer<'s, S> {
        &mut self.w
    }

    /// Notes that a field ends here, if that is asked for.
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

    /// Inlined everywhere, as a constant layout leaves little of it.
    #[inline(always)]
    pub fn finish(mut self, layout: &Layout) {
        let Some(key) = self.w.sink().written().get_mut(self.start..) else { return };
        let (lead, body) = key.split_at_mut(layout.lead.width().min(key.len()));
        let known = layout.lead.write(&hashed_part(body, layout.by, &self.ends), lead);
        debug_assert!(known.is_ok(), "a constant layout has its salt's hash");
    }
}

/// Reads a key of `N` fields that has something before them.
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

    /// Passes over what stands before the fields.
    #[inline]
    pub fn start(&mut self, layout: &Layout) -> Result<(), DecodeError> {
        self.r.skip(layout.lead.width())
    }

    /// Where the next field is read.
    #[inline]
    pub fn reader(&mut self) -> &mut Reader<'a> {
        &mut self.r
    }

    /// Notes that a field ends here, behind its value, if that is asked for.
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

    /// Inlined everywhere, as a constant layout leaves little of it.
    #[inline(always)]
    pub fn finish(&self, layout: &Layout) -> Result<(), DecodeError> {
        self.r.end()?;
        layout.lead.check(self.key, layout.by, &self.ends)
    }
}

/// Writes a fixed-width key into a buffer of its width.
#[doc(hidden)]
#[inline]
pub fn write_into<K: RowKey>(key: &K, width: usize, buf: &mut [u8]) -> Result<(), WidthError> {
    if buf.len() != width {
        return Err(WidthError { width, found: buf.len() });
    }
    key.write_key(&mut Slot::new(buf));
    Ok(())
}

/// Whether a key has a fixed width: what bounds `to_array`.
#[doc(hidden)]
pub struct Fixed<const WIDTH_IS_FIXED: bool>;

/// A key whose keys all have as many bytes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this key has no fixed width: its keys have different lengths",
    note = "`WIDTH`, `encode_into` and `to_array` are for keys of integers, floats, bool, char, byte arrays, instants and the like; use `encode` or `encode_to`"
)]
pub trait IsFixed {}

impl IsFixed for Fixed<true> {}
