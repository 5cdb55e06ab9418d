//! From the bytes of fields to key ranges: what a prefix selects, without and with the salt or digest before it.
//!
//! A bound of a selection is not a key but a [`Cut`] between keys: just before, or just after, every key that begins
//! with some bytes. A cut can be inverted for a descending field, and moved after a prefix, without losing a key.

use std::borrow::Cow;

use crate::keys::foreign::Delimiter;
use crate::keys::lead::{Hashed, Lead, UnknownHash};
use crate::keys::range::{KeyRange, successor};

/// A place between keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Before every key that begins with these bytes.
    Before(Vec<u8>),
    /// After every key that begins with these bytes.
    After(Vec<u8>),
}

impl Cut {
    /// The same cut once every byte, and with it the order, is inverted.
    pub(crate) fn inverted(self) -> Self {
        let invert = |bytes: Vec<u8>| bytes.into_iter().map(|byte| !byte).collect();
        match self {
            Self::Before(bytes) => Self::After(invert(bytes)),
            Self::After(bytes) => Self::Before(invert(bytes)),
        }
    }

    /// The same cut among keys that all begin with `prefix`.
    pub(crate) fn prefixed(&self, prefix: &[u8]) -> Self {
        match self {
            Self::Before(bytes) => Self::Before([prefix, bytes].concat()),
            Self::After(bytes) => Self::After([prefix, bytes].concat()),
        }
    }

    /// Returns the first possible key after the cut, or `None` if no key is after it.
    pub(crate) fn key(&self) -> Option<Vec<u8>> {
        match self {
            Self::Before(bytes) => Some(bytes.clone()),
            Self::After(bytes) => successor(bytes),
        }
    }
}

/// The keys between two cuts; `None` if there can be none.
pub(crate) fn between(low: &Cut, high: &Cut) -> Option<KeyRange> {
    KeyRange::new(low.key()?, high.key())
}

/// The keys whose body (the key without its lead) begins with `body` and goes on between two cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySpan {
    pub(crate) body: Vec<u8>,
    /// The end of each field that `body` fixes.
    pub(crate) ends: Vec<usize>,
    pub(crate) low: Cut,
    pub(crate) high: Cut,
}

impl KeySpan {
    /// Every key whose body begins with these fields.
    pub(crate) fn prefix(body: Vec<u8>, ends: Vec<usize>) -> Self {
        Self { body, ends, low: Cut::Before(Vec::new()), high: Cut::After(Vec::new()) }
    }

    /// Takes out the keys whose last fixed field is another value, which begins with this one and goes on with these
    /// bytes or greater ones.
    pub(crate) fn narrow(&mut self, longer: &[u8]) {
        if self.ends.last() == Some(&self.body.len()) && self.high == Cut::After(Vec::new()) {
            self.high = Cut::Before(longer.to_vec());
        }
    }

    /// The same without the keys that have other bytes after the fixed fields than this delimiter: all fields but one,
    /// which is there after the delimiter or missing. `fields` is how many fields a whole key has.
    fn before_optional(self, delimiter: &[u8], fields: usize) -> Vec<Self> {
        if self.ends.len() + 1 != fields || self.ends.last() != Some(&self.body.len()) {
            return vec![self];
        }
        let Self { body, mut ends, low, high } = self;
        let (Some(low), high) = (low.key(), high.key()) else { return Vec::new() };
        let (from, to) = (low.as_slice().max(delimiter), Cut::After(delimiter.to_vec()));
        let high = [high, to.key()].into_iter().flatten().min();
        let mut spans = Vec::new();
        if high.as_ref().is_none_or(|high| *from < **high) {
            let (low, high) = (Cut::Before(from.to_vec()), high.clone().map_or(Cut::After(Vec::new()), Cut::Before));
            spans.push(Self { body: body.clone(), ends: ends.clone(), low, high });
        }
        if low.is_empty() && high.is_none_or(|high| !high.is_empty()) {
            ends.push(body.len());
            spans.push(Self::prefix(body, ends));
        }
        spans
    }

    /// The range of the span's keys under this lead; `fields` is how many fields a whole key has.
    fn range(&self, lead: &[u8], fields: usize) -> Option<KeyRange> {
        let prefix = [lead, &self.body].concat();
        if self.ends.len() == fields {
            return Some(KeyRange::point(prefix));
        }
        between(&self.low.prefixed(&prefix), &self.high.prefixed(&prefix))
    }

    fn is_everything(&self) -> bool {
        *self == Self::prefix(Vec::new(), Vec::new())
    }
}

/// Why a selection has no ranges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unselectable {
    /// Without all hashed fields the digest is not known, and rows may be anywhere.
    #[error("the key begins with a digest of fields that the prefix does not fix")]
    Hashed,
    /// The layout names a user's own salt hash, whose function is not known.
    #[error(transparent)]
    Hash(#[from] UnknownHash),
}

/// A key's lead and the fields that it is hashed from: what turns spans of bodies into ranges of keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeadOver<'l, N> {
    pub(crate) lead: &'l Lead<N>,
    pub(crate) hashed: Hashed<'l>,
    /// The number of fields of a key.
    pub(crate) fields: usize,
    /// The delimiter before the last field, if keys have it only with that field.
    pub(crate) until: Option<Delimiter>,
}

impl<N: AsRef<str>> LeadOver<'_, N> {
    /// The bytes that the salt or digest is taken over ("m" in FORMAT.md), if this span fixes all the fields involved.
    fn m<'s>(&self, span: &'s KeySpan) -> Option<Cow<'s, [u8]>> {
        let due = self.hashed.by.last().map_or(self.fields, |last| last + 1);
        (span.ends.len() >= due).then(|| self.hashed.part(&span.body, &span.ends))
    }

    /// The ranges of the spans: one list for each salt bucket that can hold rows of them; a single list for a key
    /// without a salt.
    pub(crate) fn ranges(&self, spans: &[KeySpan]) -> Result<Vec<Vec<KeyRange>>, Unselectable> {
        let lists = match self.lead {
            Lead::Salt(salt) => salt.buckets as usize,
            _ => 1,
        };
        let mut by_bucket = vec![Vec::new(); lists];
        let mut lead = vec![0; self.lead.width()];
        let spans: Cow<'_, [KeySpan]> = match self.until {
            Some(delimiter) => {
                let narrowed = |span: &KeySpan| span.clone().before_optional(delimiter.as_bytes(), self.fields);
                spans.iter().flat_map(narrowed).collect()
            }
            None => spans.into(),
        };
        for span in &*spans {
            match (self.lead, self.m(span)) {
                (Lead::None, _) => by_bucket[0].extend(span.range(&[], self.fields)),
                (Lead::Digest(_) | Lead::Hash(_), Some(m)) => {
                    self.lead.write(&m, &mut lead)?;
                    by_bucket[0].extend(span.range(&lead, self.fields));
                }
                (Lead::Digest(_) | Lead::Hash(_), None) if span.is_everything() => by_bucket[0].push(KeyRange::all()),
                (Lead::Digest(_) | Lead::Hash(_), None) => return Err(Unselectable::Hashed),
                (Lead::Salt(salt), Some(m)) => {
                    let bucket = salt.bucket(&m)?;
                    salt.write(bucket, &mut lead);
                    by_bucket[bucket as usize].extend(span.range(&lead, self.fields));
                }
                (Lead::Salt(salt), None) => {
                    for (bucket, ranges) in (0..).zip(&mut by_bucket) {
                        salt.write(bucket, &mut lead);
                        ranges.extend(span.range(&lead, self.fields));
                    }
                }
            }
        }
        by_bucket.retain(|ranges| !ranges.is_empty());
        Ok(by_bucket.into_iter().map(KeyRange::merged).collect())
    }
}
