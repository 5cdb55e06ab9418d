//! Typed prefixes and ranges: select rows by the leading fields of their keys, as a `WHERE` does.
//!
//! `K::prefix()`, which the derive makes, takes the leading fields by name, in key order, then perhaps a range of the
//! next field. It ends in a [`Selection`], which a table scans. [`ranges`](Select::ranges) turns it into byte ranges,
//! merged and sorted, for the client of any store.
//!
//! Bounds are in the *logical* order of a field, whatever its direction: in `at_range(t0..t1)` of a descending `at`,
//! `t0` is the earlier instant. None is less than every Some; with `nulls_last`, or with `desc, nulls_first`, it is
//! greater.
//!
//! Floats have the order of `total_cmp`: -0.0 is before 0.0, and NaN is at both ends. So `0.0..` leaves out -0.0 and
//! holds NaN; `-0.0..=f64::INFINITY` holds -0.0 and leaves out NaN.
//!
//! ```
//! use rowkey::{KeyRange, RowKey, Select};
//!
//! #[derive(RowKey)]
//! struct Visit {
//!     host: String,
//!     #[rowkey(desc)]
//!     at: u16,
//! }
//!
//! // The visits of one host between two times, without 9. In the bytes the later time comes first.
//! let ranges = Visit::prefix().host("ab").at_range(3..9).ranges();
//! assert_eq!(ranges, [KeyRange::new(*b"ab\0\xff\xf7", Some(*b"ab\0\xff\xfd")).unwrap()]);
//! ```

mod tuple;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::rc::Rc;
use std::sync::Arc;

pub use self::tuple::{TupleField, TuplePrefix, tuple_prefix};
use crate::keys::encode::{Content, Field, FieldRange, FieldSpan, InItem, IntoField, Within, Writer, escape};
use crate::keys::foreign::{Beginning, Foreign, joined};
use crate::keys::key::RowKey;
use crate::keys::lead::Lead;
use crate::keys::range::KeyRange;
use crate::keys::span::{Cut, KeySpan, LeadOver};
use crate::keys::untyped::Value;

/// A set of keys of type `K`, to scan, count or delete: what a prefix selects, or a range at its end.
#[doc(alias = "filter")]
#[doc(alias = "query")]
pub struct Selection<K: ?Sized> {
    spans: Vec<KeySpan>,
    /// The bytes of the one bucket that is selected.
    bucket: Option<Vec<u8>>,
    key: PhantomData<fn() -> Box<K>>,
}

impl<K: ?Sized> Clone for Selection<K> {
    fn clone(&self) -> Self {
        Self { spans: self.spans.clone(), bucket: self.bucket.clone(), key: PhantomData }
    }
}

impl<K: ?Sized> std::fmt::Debug for Selection<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.bucket {
            None => f.debug_list().entries(&self.spans).finish(),
            Some(bucket) => f.debug_struct("Selection").field("spans", &self.spans).field("bucket", bucket).finish(),
        }
    }
}

impl<K: ?Sized> Selection<K> {
    fn new(spans: Vec<KeySpan>) -> Self {
        Self { spans, bucket: None, key: PhantomData }
    }

    /// Selects every key.
    pub fn all() -> Self {
        PrefixBuf::default().select()
    }

    /// Selects the keys in a range of keys. For keys without salt and digest.
    ///
    /// ```
    /// use rowkey::{KeyRange, Select, Selection};
    ///
    /// let ranges = Selection::<(u8, u8)>::between((1, 7)..(3, 0)).ranges();
    /// assert_eq!(ranges, [KeyRange::new([1, 7], Some([3, 0])).unwrap()]);
    /// ```
    pub fn between(range: impl FieldRange<K>) -> Self
    where
        K: Field,
    {
        PrefixBuf::default().range(range, false, false)
    }
}

impl<K: ?Sized> Selection<K> {
    /// Selects the keys whose content a prefix of the content selects: for a key that is a transparent newtype of
    /// another one, or a `Box` of it.
    ///
    /// ```
    /// use rowkey::{KeyRange, RowKey, Select, Selection};
    ///
    /// #[derive(RowKey)]
    /// struct Visit {
    ///     host: u8,
    ///     day: u16,
    /// }
    ///
    /// #[derive(RowKey)]
    /// #[rowkey(transparent)]
    /// struct Archived(Visit);
    ///
    /// let ranges = Selection::<Archived>::nested(Visit::prefix().host(3)).ranges();
    /// assert_eq!(ranges, [KeyRange::prefix([3])]);
    /// ```
    pub fn nested<S>(content: S) -> Self
    where
        K: Nested<S>,
    {
        PrefixBuf::default().nested::<K, S, K>(content, false)
    }
}

impl<K: RowKey + ?Sized> Selection<K> {
    /// The ranges of spans of fields.
    fn ranges_under(lead: &LeadOver<'_, &'static str>, spans: &[KeySpan]) -> Vec<Vec<KeyRange>> {
        let layout = K::LAYOUT;
        let looks_ahead = (0..layout.fields.len()).any(|field| layout.longer(field).is_some());
        let mut spans = Cow::Borrowed(spans);
        if looks_ahead {
            for span in spans.to_mut() {
                let fixed = span.ends.len().checked_sub(1);
                if let Some(longer) = fixed.and_then(|last| layout.longer(last)) {
                    span.narrow(longer);
                }
                if layout.is_joined() {
                    *span = joined::span(span, layout.fields.len());
                }
            }
        }
        // There is no error: a derived salt has its hash's function, and the builder of a hashed key ends only where
        // the digest is known.
        let mut ranges = lead.ranges(&spans).unwrap_or_default();
        if layout.is_joined() {
            joined::narrow(&mut ranges);
        }
        ranges
    }

    /// The ranges of the keys' bytes after the salt, if there is one.
    pub(crate) fn body_ranges(&self) -> Vec<KeyRange> {
        let layout = K::LAYOUT;
        let unsalted = match layout.lead {
            Lead::Salt(_) => Lead::None,
            lead => lead,
        };
        let lead = layout.lead_over(&unsalted);
        Self::ranges_under(&lead, &self.spans).into_iter().flatten().collect()
    }

    /// Restricts the selection to one salt bucket: the one that `key` falls into. Give a key whose salted fields equal
    /// those of the rows you want.
    ///
    /// It helps where the salt is taken over fields after a range: a scan would read all buckets. Other rows of the
    /// bucket that are in the range are selected too. For keys without salt it changes nothing.
    ///
    /// ```
    /// use rowkey::{KeyRange, RowKey, Select};
    ///
    /// #[derive(RowKey)]
    /// #[rowkey(salt(buckets = 16, by(host)))]
    /// struct Reading {
    ///     hour: u16,
    ///     host: String,
    /// }
    ///
    /// let of_host = Reading { hour: 7, host: "ada".into() };
    /// let bucket = of_host.encode()[0];
    /// assert_eq!(Reading::prefix().hour_range(7..9).ranges().len(), 16);
    /// let ranges = Reading::prefix().hour_range(7..9).in_bucket_of(&of_host).ranges();
    /// assert_eq!(ranges, [KeyRange::new([bucket, 0, 7], Some([bucket, 0, 9])).unwrap()]);
    ///
    /// // `select` makes a selection of a prefix that could go on.
    /// let ranges = Reading::prefix().hour(7).select().in_bucket_of(&of_host).ranges();
    /// assert_eq!(ranges, [KeyRange::prefix([bucket, 0, 7])]);
    /// ```
    #[must_use]
    pub fn in_bucket_of(mut self, key: &K::Ref<'_>) -> Self {
        if let (Lead::Salt(_), width) = (K::LAYOUT.lead, K::LAYOUT.lead.width()) {
            let mut key = key.encode();
            key.truncate(width);
            // No key is in two buckets.
            if self.bucket.as_ref().is_some_and(|bucket| *bucket != key) {
                self.spans.clear();
            }
            self.bucket = Some(key);
        }
        self
    }

    /// Returns the byte ranges of each salt bucket, without buckets that can hold none of the rows. For a key without
    /// salt it is one list. If nothing is selected it is empty.
    pub fn ranges_by_bucket(&self) -> Vec<Vec<KeyRange>> {
        let layout = K::LAYOUT;
        let lead = layout.lead_over(&layout.lead);
        let mut buckets = Self::ranges_under(&lead, &self.spans);
        if let Some(bucket) = &self.bucket {
            buckets.retain(|ranges| ranges.iter().all(|range| range.start().starts_with(bucket)));
        }
        buckets
    }
}

/// A selection of keys of type `K`, for scans, counts and deletes: a prefix, a [`Selection`], or `..` for all keys; for
/// keys without salt and digest also a range of keys.
///
/// ```
/// use rowkey::{Memory, Table};
///
/// let names: Table<String, (), _> = Table::open(Memory::new(), "names")?;
/// for name in ["Ada", "Bob", "Eve"] {
///     names.put(&name.into(), &())?;
/// }
/// assert_eq!(names.count("B"..="Eve")?, 2);
/// # Ok::<(), rowkey::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not select keys of type `{K}`",
    note = "write `{K}::prefix()` and the leading fields; for a key that is hashed by its first fields, all of these or none",
    note = "for a tuple write `tuple_prefix()._0(1)`; for a newtype or a `Box` of another key `Selection::nested(Inner::prefix())`",
    note = "one row is read by `get(&key)`; a range of keys is `a..b` of values that are keys; a `KeyRange` of bytes is for the store: `table.store()`"
)]
pub trait Select<K: ?Sized>: Sized {
    /// Returns the selected keys.
    fn select(self) -> Selection<K>;

    /// Returns the byte ranges that hold exactly these keys, for the client of any store: merged, sorted, none empty.
    fn ranges(self) -> Vec<KeyRange>
    where
        K: RowKey,
    {
        KeyRange::merged(self.select().ranges_by_bucket().into_iter().flatten().collect())
    }
}

impl<K: ?Sized> Select<K> for Selection<K> {
    fn select(self) -> Self {
        self
    }
}

impl<K: ?Sized> Select<K> for &Selection<K> {
    fn select(self) -> Selection<K> {
        self.clone()
    }
}

impl<K: ?Sized> Select<K> for RangeFull {
    fn select(self) -> Selection<K> {
        Selection::all()
    }
}

/// Ranges of keys, as in [`Selection::between`].
macro_rules! ranges_of_keys {
    ($($range:ty),*) => {$(
        impl<K: Field + ?Sized, V: IntoField<K>> Select<K> for $range {
            fn select(self) -> Selection<K> {
                Selection::between(self)
            }
        }
    )*};
}
ranges_of_keys!(Range<V>, RangeFrom<V>, RangeInclusive<V>, RangeTo<V>, RangeToInclusive<V>, (Bound<V>, Bound<V>));

/// A field with `name_prefix` in a prefix, which takes an `S`: a nested key, an enum or a tuple, and what has their
/// bytes: a transparent newtype, a `Box`, an `Rc` or an `Arc` of one.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no prefixes: it is not a nested key, an enum or a tuple",
    label = "not a prefix of `{Self}`",
    note = "`name_prefix` takes a prefix of a nested key, `Inner::prefix().a(1)`, or of a tuple, `tuple_prefix()._0(1)`",
    note = "of text and bytes, `name_starts_with(\"ab\")` takes the beginning; other fields have ranges: `name_range(a..b)`"
)]
pub trait Nested<S> {
    /// The nested key.
    type Key: ?Sized;

    /// Returns the nested keys that are selected.
    fn nested(nested: S) -> Selection<Self::Key>;
}

/// The key's first field, which can be fixed at depth 0 alone. This trait and those below are implemented for types
/// that have the fields' names, so that the compiler's errors name the fields.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is the first field in a prefix, and fixed once",
    label = "not here",
    note = "fix the fields in the order of the key, each once"
)]
pub trait FirstField<const DEPTH: usize> {}

/// The field right after another, which can be fixed once the other one is.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "fix `{Before}` first: `{Self}` comes right after it in a prefix",
    label = "not here",
    note = "fix the fields in the order of the key, each once"
)]
pub trait NextField<const DEPTH: usize, Before> {}

macro_rules! pointers {
    ($($pointer:ident),*) => {$(
        impl<T: Nested<S>, S> Nested<S> for $pointer<T> {
            type Key = T::Key;

            fn nested(nested: S) -> Selection<T::Key> {
                T::nested(nested)
            }
        }
    )*};
}
pointers!(Box, Rc, Arc);

/// A field of an enum's variant, called before the variant is chosen. Never implemented.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "choose the variant first: this is a field of `{Variant}`",
    label = "not before the variant",
    note = "write `prefix().{Variant}()`, then its fields in order"
)]
pub trait VariantFirst<Variant, V> {}

/// A field that has ranges: any field that is not hashed.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is hashed, so rows are not in its order: there are no ranges of it",
    label = "not of a hashed field",
    note = "fix all hashed fields in a prefix; then it may end in a range of the field after them",
    note = "read rows of a key that is hashed whole by `get`, or all rows by `..`; for prefixes, hash its first fields alone: `hashed(by(..))`"
)]
pub trait OrderedField<const DEPTH: usize> {}

/// The bytes of leading fields: what the derive's builders hold.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct PrefixBuf {
    body: Vec<u8>,
    ends: Vec<usize>,
    /// True if these are fields of a variant or a tuple, whose ends are not ends of the key's fields.
    inner: bool,
}

impl PrefixBuf {
    /// The prefix of an enum's variant.
    pub fn variant(tag: u8) -> Self {
        Self { body: vec![tag], inner: true, ..Self::default() }
    }

    /// The prefix of a tuple.
    pub(crate) fn tuple() -> Self {
        Self { inner: true, ..Self::default() }
    }

    /// The prefix of fields that are encoded already, each with where it ends.
    pub(crate) fn encoded(body: Vec<u8>, ends: Vec<usize>) -> Self {
        Self { body, ends, inner: false }
    }

    fn note_end(&mut self) {
        if !self.inner {
            self.ends.push(self.body.len());
        }
    }

    /// Fixes the next field.
    #[must_use]
    pub fn field<C: ?Sized>(mut self, value: impl IntoField<C>, desc: bool) -> Self {
        value.encode_field(&mut Writer::new(&mut self.body).direction(desc));
        self.note_end();
        self
    }

    /// Selects every key that begins with these fields.
    pub fn select<K: ?Sized>(self) -> Selection<K> {
        Selection::new(vec![KeySpan::prefix(self.body, self.ends)])
    }

    /// Ends with a range of the next field.
    pub fn range<C: ?Sized, K: ?Sized>(self, range: impl FieldRange<C>, desc: bool, raw: bool) -> Selection<K> {
        Selection::new(vec![self.span(FieldSpan::range(&range), desc, raw)])
    }

    /// Ends with several values or ranges of the next field.
    pub fn any<C: ?Sized, K: ?Sized, How>(
        self,
        items: impl IntoIterator<Item: InItem<C, How>>,
        desc: bool,
        raw: bool,
    ) -> Selection<K> {
        Selection::new(items.into_iter().map(|item| self.clone().span(item.item(), desc, raw)).collect())
    }

    /// Ends with an area that the next field's value is in.
    pub fn within<T: Within<A> + ?Sized, A: ?Sized, K: ?Sized>(self, area: &A, desc: bool, raw: bool) -> Selection<K> {
        let spans = if raw { T::within_raw(area) } else { T::within(area) };
        Selection::new(spans.into_iter().map(|span| self.clone().span(span, desc, raw)).collect())
    }

    /// Ends with what the next field, of text or bytes, begins with.
    pub fn starts_with<C: Content + ?Sized, K: ?Sized>(self, start: &C, desc: bool, raw: bool) -> Selection<K> {
        Selection::new(vec![self.starting(start.content(), desc, raw)])
    }

    pub(crate) fn starting(self, start: &[u8], desc: bool, raw: bool) -> KeySpan {
        let Self { mut body, ends, .. } = self;
        let mut writer = Writer::new(&mut body);
        let w = &mut writer.direction(desc);
        if raw {
            w.bytes(start)
        } else {
            escape(start, w)
        }
        KeySpan::prefix(body, ends)
    }

    /// The values of the next field that begin in one way.
    pub(crate) fn beginning(self, start: Beginning, desc: bool) -> Vec<KeySpan> {
        match start {
            Beginning::With(bytes) => vec![self.starting(&bytes, desc, true)],
            Beginning::In(values) => values.into_iter().map(|values| self.clone().span(values, desc, false)).collect(),
        }
    }

    /// Ends with what the next field, of another program's encoding, begins with; no key has it if there are no bytes.
    pub(crate) fn beginning_of<K: ?Sized>(self, foreign: Foreign, start: &Value, desc: bool) -> Selection<K> {
        let spans = foreign.starting(start).map(|start| self.beginning(start, desc));
        Selection::new(spans.unwrap_or_default())
    }

    /// Ends with a selection of the next field, which is a nested key.
    pub fn nested<N: Nested<S> + ?Sized, S, K: ?Sized>(self, nested: S, desc: bool) -> Selection<K> {
        let span = |inner: KeySpan| {
            let turned = |cut: Cut| if desc { cut.inverted() } else { cut };
            let mut body = self.body.clone();
            Writer::new(&mut body).direction(desc).bytes(&inner.body);
            let (low, high) = (turned(inner.low), turned(inner.high));
            let (low, high) = if desc { (high, low) } else { (low, high) };
            KeySpan { body, ends: self.ends.clone(), low, high }
        };
        Selection::new(N::nested(nested).spans.into_iter().map(span).collect())
    }

    /// Ends with a value, or a range of values, of the next field.
    pub(crate) fn span(mut self, field: FieldSpan, desc: bool, raw: bool) -> KeySpan {
        let (low, high) = match field {
            FieldSpan::Value(value) => {
                Writer::new(&mut self.body).direction(desc).bytes(&value);
                self.note_end();
                return KeySpan::prefix(self.body, self.ends);
            }
            FieldSpan::Between(low, high) => (Bound::Included(low), Bound::Excluded(high)),
            FieldSpan::Range(low, high) => (low, high),
        };
        // A raw value has no terminator: the cut after this value alone is not after all values that begin with it.
        let after = |mut value: Vec<u8>| {
            if raw {
                value.push(0);
                Cut::Before(value)
            } else {
                Cut::After(value)
            }
        };
        let low = match low {
            Bound::Included(value) => Cut::Before(value),
            Bound::Excluded(value) => after(value),
            Bound::Unbounded => Cut::Before(Vec::new()),
        };
        let high = match high {
            Bound::Included(value) => after(value),
            Bound::Excluded(value) => Cut::Before(value),
            Bound::Unbounded => Cut::After(Vec::new()),
        };
        let (low, high) = if desc { (high.inverted(), low.inverted()) } else { (low, high) };
        KeySpan { body: self.body, ends: self.ends, low, high }
    }
}
