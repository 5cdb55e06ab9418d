//! Prefixes and ranges of keys, typed: leading fields by name and in order, then perhaps a range of the next one.
//!
//! `K::prefix()`, which the derive makes, takes each leading field by its name and ends in a [`Selection`]. A selection
//! becomes plain byte ranges, merged and sorted, one set a salt bucket, that a user can hand to any client.
//!
//! Bounds are in the *logical* order of a field, whatever its direction: of `at_range(t0..t1)` on a descending `at` the
//! start is the earlier. None counts where the field's placement puts it: before every Some, after it with
//! `nulls_last` (and with `desc, nulls_first`, which is the same the other way round).
//!
//! Floats are in the order of `total_cmp`, in which -0.0 is before 0.0 and NaN is at both ends: `0.0..` leaves -0.0 out, which
//! `-0.0..` has, and holds NaN, which `0.0..=f64::INFINITY` leaves out.
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
//! // The visits of one host between two times: the later comes first, and 9 is not in it.
//! let ranges = Visit::prefix().host("ab").at_range(3..9).ranges();
//! assert_eq!(ranges, [KeyRange::new(*b"ab\0\xff\xf7", Some(*b"ab\0\xff\xfd")).unwrap()]);
//! ```

mod tuple;

use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

pub use self::tuple::{TupleField, TuplePrefix, tuple_prefix};
use crate::keys::encode::{Content, Field, FieldRange, FieldSpan, InItem, IntoField, Within, Writer, escape};
use crate::keys::key::RowKey;
use crate::keys::lead::Lead;
use crate::keys::range::KeyRange;
use crate::keys::span::{Cut, LeadOver, KeySpan};

/// Some keys of type `K`: what a prefix, or a range at its end, selects.
pub struct Selection<K: ?Sized> {
    spans: Vec<KeySpan>,
    /// The one bucket's bytes.
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

    /// Every key.
    pub fn all() -> Self {
        PrefixBuf::default().select()
    }

    /// The keys between two, in their order; for keys without salt and digest.
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

impl<K: RowKey + ?Sized> Selection<K> {
    /// The ranges of the keys' bytes behind a salt; of a key without one, those of its bytes.
    pub(crate) fn body_ranges(&self) -> Vec<KeyRange> {
        let layout = K::LAYOUT;
        let unsalted = match layout.lead {
            Lead::Salt(_) => Lead::None,
            prefix => prefix,
        };
        let lead = LeadOver { lead: &unsalted, by: layout.by, fields: layout.fields.len() };
        lead.ranges(&self.spans).unwrap_or_default().into_iter().flatten().collect()
    }

    /// Of these keys those in one bucket of a salt: the bucket of a key that has the same salted fields as the rows that are
    /// wanted. Where a salt is taken over fields behind a range, nothing else tells the bucket. Rows with other
    /// fields that share the bucket come too; of a key without salt all.
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
    /// // A prefix that could go on is a selection by `select`.
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

    /// The byte ranges by salt bucket, buckets that can hold none left out; one list for a key without salt, none if
    /// nothing is selected.
    pub fn ranges_by_bucket(&self) -> Vec<Vec<KeyRange>> {
        let layout = K::LAYOUT;
        let lead = LeadOver { lead: &layout.lead, by: layout.by, fields: layout.fields.len() };
        // Neither error can be: a derived salt has its hash, and a hashed key's builder ends only where its digest is
        // fixed.
        let mut buckets = lead.ranges(&self.spans).unwrap_or_default();
        if let Some(bucket) = &self.bucket {
            buckets.retain(|ranges| ranges.iter().all(|range| range.start().starts_with(bucket)));
        }
        buckets
    }
}

/// What selects keys of type `K`: a prefix, a [`Selection`], `..` for all, and of keys without salt and digest a range of
/// keys.
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
    note = "write `{K}::prefix()` and the leading fields; a key that is hashed by its first fields wants all of these, or none"
)]
pub trait Select<K: ?Sized>: Sized {
    /// The keys selected.
    fn select(self) -> Selection<K>;

    /// The byte ranges that hold exactly these keys: merged, sorted, none empty.
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

/// The keys between two, as [`Selection::between`] has them.
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

/// The key's first field, where so many are fixed: none. It and those below are of types that have the fields' names, so that
/// errors tell them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is the first field in a prefix, and fixed once",
    label = "not here",
    note = "fields are fixed in the order of the key, each once"
)]
pub trait FirstField<const DEPTH: usize> {}

/// A field after another, where that is the last that is fixed.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "fix `{Before}` first: `{Self}` comes right after it in a prefix",
    label = "not here",
    note = "fields are fixed in the order of the key, each once"
)]
pub trait NextField<const DEPTH: usize, Before> {}

/// A field that has ranges: nowhere, if it is hashed.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is hashed, which leaves it no order: there are no ranges of it",
    label = "not of a hashed field",
    note = "a prefix fixes all fields that are hashed, and may end in a range of what follows them",
    note = "a key that is hashed whole is read by `get`, or with the whole table by `..`; for prefixes, hash its first fields alone: `hashed(by(..))`"
)]
pub trait OrderedField<const DEPTH: usize> {}

/// Leading fields' bytes: what the derive's builders hold.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct PrefixBuf {
    body: Vec<u8>,
    ends: Vec<usize>,
    /// Whether these are fields of a variant or a tuple, not of the key itself: their ends are not the key's.
    inner: bool,
}

impl PrefixBuf {
    /// An enum's variant.
    pub fn variant(tag: u8) -> Self {
        Self { body: vec![tag], inner: true, ..Self::default() }
    }

    /// A tuple.
    pub(crate) fn tuple() -> Self {
        Self { inner: true, ..Self::default() }
    }

    fn note_end(&mut self) {
        if !self.inner {
            self.ends.push(self.body.len());
        }
    }

    /// A field's value.
    #[must_use]
    pub fn field<C: ?Sized>(mut self, value: impl IntoField<C>, desc: bool) -> Self {
        value.encode_field(&mut Writer::new(&mut self.body).direction(desc));
        self.note_end();
        self
    }

    /// Every key that begins so.
    pub fn select<K: ?Sized>(self) -> Selection<K> {
        Selection::new(vec![KeySpan::prefix(self.body, self.ends)])
    }

    /// The next field between two bounds.
    pub fn range<C: ?Sized, K: ?Sized>(self, range: impl FieldRange<C>, desc: bool, raw: bool) -> Selection<K> {
        Selection::new(vec![self.span(FieldSpan::range(&range), desc, raw)])
    }

    /// The next field one of several values or ranges.
    pub fn any<C: ?Sized, K: ?Sized, How>(
        self,
        items: impl IntoIterator<Item: InItem<C, How>>,
        desc: bool,
        raw: bool,
    ) -> Selection<K> {
        Selection::new(items.into_iter().map(|item| self.clone().span(item.item(), desc, raw)).collect())
    }

    /// The next field within an area.
    pub fn within<T: Within<A> + ?Sized, A: ?Sized, K: ?Sized>(self, area: &A, desc: bool, raw: bool) -> Selection<K> {
        let spans = if raw { T::within_raw(area) } else { T::within(area) };
        Selection::new(spans.into_iter().map(|span| self.clone().span(span, desc, raw)).collect())
    }

    /// The next field, of text or bytes, beginning so.
    pub fn starts_with<C: Content + ?Sized, K: ?Sized>(self, start: &C, desc: bool, raw: bool) -> Selection<K> {
        let Self { mut body, ends, .. } = self;
        let mut writer = Writer::new(&mut body);
        let w = &mut writer.direction(desc);
        if raw {
            w.bytes(start.content())
        } else {
            escape(start.content(), w)
        }
        Selection::new(vec![KeySpan::prefix(body, ends)])
    }

    /// The next field, a nested key, one of those selected.
    pub fn nested<N: ?Sized, K: ?Sized>(self, nested: impl Select<N>, desc: bool) -> Selection<K> {
        let span = |inner: KeySpan| {
            let turned = |cut: Cut| if desc { cut.inverted() } else { cut };
            let mut body = self.body.clone();
            Writer::new(&mut body).direction(desc).bytes(&inner.body);
            let (low, high) = (turned(inner.low), turned(inner.high));
            let (low, high) = if desc { (high, low) } else { (low, high) };
            KeySpan { body, ends: self.ends.clone(), low, high }
        };
        Selection::new(nested.select().spans.into_iter().map(span).collect())
    }

    fn span(mut self, field: FieldSpan, desc: bool, raw: bool) -> KeySpan {
        let (low, high) = match field {
            FieldSpan::Value(value) => {
                Writer::new(&mut self.body).direction(desc).bytes(&value);
                self.note_end();
                return KeySpan::prefix(self.body, self.ends);
            }
            FieldSpan::Between(low, high) => (Bound::Included(low), Bound::Excluded(high)),
            FieldSpan::Range(low, high) => (low, high),
        };
        // A raw value has no end of its own: after it alone is not after all that begins with it.
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
