//! MutateRows requests whose entries are encoded as they are gathered: to send some of them again, none is encoded
//! again.

use std::ops::Range;
use std::sync::Arc;

use prost::Message;
use prost::bytes::BufMut;
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

use super::codec::Body;
use super::proto::mutation::{Mutation as Kind, SetCell};
use super::proto::{MutateRowsRequest, Mutation};

/// An edit of a row.
#[derive(Debug)]
pub(crate) enum Change<'a> {
    /// A put. It is not copied before it is encoded.
    SetCell {
        family: &'a str,
        qualifier: &'a [u8],
        timestamp: Timestamp,
        value: &'a [u8],
    },
    Other(Box<Kind>),
}

/// The time of a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timestamp {
    Micros(i64),
    /// The client's, when the request is sent for the first time.
    Now,
}

/// The time of the client's clock in microseconds. A time that Bigtable can't have is the nearest one: -1 would be the
/// server's, and others are refused.
pub(crate) fn micros(now: i64) -> i64 {
    now.clamp(0, i64::MAX / 1000) * 1000
}

// Fields of Google's `bigtable.proto`: the number, and the wire type.
const ENTRIES: u8 = 2 << 3 | 2;
const ROW_KEY: u8 = 1 << 3 | 2;
const MUTATIONS: u8 = 2 << 3 | 2;
const SET_CELL: u8 = 1 << 3 | 2;
const FAMILY_NAME: u8 = 1 << 3 | 2;
const COLUMN_QUALIFIER: u8 = 2 << 3 | 2;
const TIMESTAMP_MICROS: u8 = 3 << 3;
const VALUE: u8 = 4 << 3 | 2;

/// A timestamp that is not known yet is encoded in as many bytes as the largest one takes.
const UNKNOWN: [u8; 9] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0];

/// Bytes of a field with a length.
fn field_len(len: usize) -> usize {
    1 + encoded_len_varint(len as u64) + len
}

fn begin(field: u8, len: usize, bytes: &mut Vec<u8>) {
    bytes.push(field);
    encode_varint(len as u64, bytes);
}

fn write(field: u8, value: &[u8], bytes: &mut Vec<u8>) {
    begin(field, value.len(), bytes);
    bytes.extend_from_slice(value);
}

impl Change<'_> {
    /// The change, to be sent at `now`, in milliseconds.
    pub(crate) fn to_proto(&self, now: i64) -> Mutation {
        let kind = match self {
            Self::SetCell { family, qualifier, timestamp, value } => Kind::SetCell(SetCell {
                family_name: (*family).to_owned(),
                column_qualifier: qualifier.to_vec(),
                timestamp_micros: match timestamp {
                    Timestamp::Micros(at) => *at,
                    Timestamp::Now => micros(now),
                },
                value: value.to_vec(),
            }),
            Self::Other(kind) => Kind::clone(kind),
        };
        Mutation { mutation: Some(kind) }
    }

    /// Bytes of the message `Mutation`, and of the message in it.
    fn lens(&self) -> (usize, usize) {
        let inner = match self {
            Self::SetCell { family, qualifier, timestamp, value } => {
                let of_timestamp = match timestamp {
                    Timestamp::Micros(at) => encoded_len_varint(*at as u64),
                    Timestamp::Now => UNKNOWN.len(),
                };
                field_len(family.len()) + field_len(qualifier.len()) + 1 + of_timestamp + field_len(value.len())
            }
            Self::Other(kind) => return (kind.encoded_len(), 0),
        };
        (field_len(inner), inner)
    }
}

/// A MutateRows request.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// The request without its entries.
    pub(super) head: MutateRowsRequest,
    /// The field of each entry.
    bytes: Vec<u8>,
    /// The end of each entry in `bytes`.
    ends: Vec<usize>,
    /// The positions in `bytes` of the timestamps that are not known yet.
    untimed: Vec<usize>,
}

impl Entries {
    pub(crate) fn new(head: MutateRowsRequest) -> Self {
        Self { head, ..Self::default() }
    }

    pub(super) fn of(mut request: MutateRowsRequest) -> Self {
        let entries = std::mem::take(&mut request.entries);
        let mut encoded = Self::new(request);
        for entry in entries {
            begin(ENTRIES, entry.encoded_len(), &mut encoded.bytes);
            entry.encode_raw(&mut encoded.bytes);
            encoded.ends.push(encoded.bytes.len());
        }
        encoded
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of an entry.
    pub(crate) fn entry_len(row_key: &[u8], changes: &[Change<'_>]) -> usize {
        field_len(row_key.len()) + changes.iter().map(|change| field_len(change.lens().0)).sum::<usize>()
    }

    /// Bytes of all entries.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn push(&mut self, row_key: &[u8], changes: &[Change<'_>]) {
        let bytes = &mut self.bytes;
        begin(ENTRIES, Self::entry_len(row_key, changes), bytes);
        write(ROW_KEY, row_key, bytes);
        for change in changes {
            let (len, inner) = change.lens();
            begin(MUTATIONS, len, bytes);
            match change {
                Change::SetCell { family, qualifier, timestamp, value } => {
                    begin(SET_CELL, inner, bytes);
                    write(FAMILY_NAME, family.as_bytes(), bytes);
                    write(COLUMN_QUALIFIER, qualifier, bytes);
                    bytes.push(TIMESTAMP_MICROS);
                    match timestamp {
                        Timestamp::Micros(at) => encode_varint(*at as u64, bytes),
                        Timestamp::Now => {
                            self.untimed.push(bytes.len());
                            bytes.extend_from_slice(&UNKNOWN);
                        }
                    }
                    write(VALUE, value, bytes);
                }
                Change::Other(kind) => kind.encode(bytes),
            }
        }
        self.ends.push(bytes.len());
    }

    /// Sets the time of the puts without one, so that they can be sent twice. `now` is in milliseconds.
    pub(crate) fn stamp(&mut self, now: i64) {
        let mut left = micros(now) as u64;
        let mut encoded = UNKNOWN;
        for byte in &mut encoded {
            *byte |= (left & 0x7f) as u8;
            left >>= 7;
        }
        for at in self.untimed.drain(..) {
            if let Some(place) = self.bytes.get_mut(at..at + encoded.len()) {
                place.copy_from_slice(&encoded);
            }
        }
    }

    fn range(&self, entry: usize) -> Range<usize> {
        let start = entry.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        start..self.ends.get(entry).copied().unwrap_or(start)
    }

    /// The key is an entry's first field.
    pub(crate) fn row_key(&self, entry: usize) -> &[u8] {
        let field = |bytes: &'_ [u8], field: u8| {
            let mut value = bytes.strip_prefix(&[field])?;
            let len = decode_varint(&mut value).ok()?;
            let start = bytes.len() - value.len();
            Some(start..start + usize::try_from(len).ok()?)
        };
        let bytes = &self.bytes[self.range(entry)];
        let key = || {
            let entry = bytes.get(field(bytes, ENTRIES)?)?;
            entry.get(field(entry, ROW_KEY)?)
        };
        key().unwrap_or_default()
    }
}

/// Entries of a request that are sent together.
#[derive(Debug)]
pub(super) enum Selected {
    All(Arc<Entries>),
    Some(Arc<Entries>, Vec<usize>),
}

impl Body for Selected {
    fn bytes(&self) -> usize {
        match self {
            Self::All(entries) => entries.head.encoded_len() + entries.bytes.len(),
            Self::Some(entries, some) => {
                entries.head.encoded_len() + some.iter().map(|entry| entries.range(*entry).len()).sum::<usize>()
            }
        }
    }

    fn write(&self, buffer: &mut impl BufMut) {
        match self {
            Self::All(entries) => {
                entries.head.encode_raw(buffer);
                buffer.put_slice(&entries.bytes);
            }
            Self::Some(entries, some) => {
                entries.head.encode_raw(buffer);
                some.iter().for_each(|entry| buffer.put_slice(&entries.bytes[entries.range(*entry)]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::proto::mutate_rows_request::Entry;
    use crate::client::proto::mutation::DeleteFromRow;

    fn put(timestamp: Timestamp, qualifier: &'static [u8], value: &'static [u8]) -> Change<'static> {
        Change::SetCell { family: "d", qualifier, timestamp, value }
    }

    fn changes() -> Vec<Vec<Change<'static>>> {
        let long: &[u8] = &[7; 300];
        vec![
            vec![put(Timestamp::Now, b"", b""), put(Timestamp::Micros(1_700_000_000_000_000), b"count", long)],
            vec![Change::Other(Box::new(Kind::DeleteFromRow(DeleteFromRow {}))), put(Timestamp::Now, long, b"v")],
            vec![put(Timestamp::Micros(0), b"q", b"v"), put(Timestamp::Micros(i64::MAX), b"q", b"v")],
        ]
    }

    fn keys() -> [&'static [u8]; 3] {
        [b"a", &[0xff; 200], b"c"]
    }

    fn head() -> MutateRowsRequest {
        MutateRowsRequest { table_name: "t".into(), app_profile_id: "p".into(), ..MutateRowsRequest::default() }
    }

    fn as_proto(now: i64) -> MutateRowsRequest {
        let entry = |(row_key, changes): (&[u8], Vec<Change<'_>>)| Entry {
            row_key: row_key.to_vec(),
            mutations: changes.iter().map(|change| change.to_proto(now)).collect(),
            ..Entry::default()
        };
        MutateRowsRequest { entries: keys().into_iter().zip(changes()).map(entry).collect(), ..head() }
    }

    fn sent(selected: &Selected) -> MutateRowsRequest {
        let mut bytes = Vec::new();
        selected.write(&mut bytes);
        assert_eq!(bytes.len(), selected.bytes());
        MutateRowsRequest::decode(bytes.as_slice()).unwrap()
    }

    #[test]
    fn it_is_what_prost_encodes() {
        for now in [i64::MIN, -1, 0, 1, 1_700_000_000_123, i64::MAX / 1000, i64::MAX] {
            let mut entries = Entries::new(head());
            for (row_key, changes) in keys().into_iter().zip(changes()) {
                entries.push(row_key, &changes);
            }
            entries.stamp(now);
            let whole = as_proto(now);
            assert_eq!((0..3).map(|entry| entries.row_key(entry)).collect::<Vec<_>>(), keys());
            assert!(entries.row_key(3).is_empty());
            let entries = Arc::new(entries);
            assert_eq!(sent(&Selected::All(Arc::clone(&entries))), whole);
            let some = [2, 0].map(|entry| whole.entries[entry].clone());
            let selected = Selected::Some(entries, vec![2, 0]);
            assert_eq!(sent(&selected), MutateRowsRequest { entries: some.to_vec(), ..head() });
        }
        let of = Arc::new(Entries::of(as_proto(5)));
        assert_eq!(sent(&Selected::All(of)), as_proto(5));
    }
}
