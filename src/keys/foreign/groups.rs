//! Bytes in groups of eight, as TiDB and TiKV write them after MyRocks' record format. By `EncodeBytes` of TiDB's
//! `util/codec`:
//!
//! ```text
//! (none)             00 00 00 00 00 00 00 00 f7
//! 01 02 03           01 02 03 00 00 00 00 00 fa
//! 01 02 … 08         01 02 03 04 05 06 07 08 ff | 00 00 00 00 00 00 00 00 f7
//! ```
//!
//! The last group has from none to seven bytes, and zeros. Behind it is `ff` less the number of zeros; behind every
//! other group is `ff`.

use std::ops::Bound;

use super::Beginning;
use crate::keys::encode::{FieldSpan, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, Hex};
use crate::keys::range::successor;

const GROUP: usize = 8;
const FULL: u8 = 0xff;

pub(super) fn encode(bytes: &[u8], w: &mut Writer<'_, impl Sink>) {
    let groups = bytes.chunks_exact(GROUP);
    let last = groups.remainder();
    for group in groups {
        w.bytes(group);
        w.byte(FULL);
    }
    let zeros = GROUP - last.len();
    w.bytes(last);
    w.bytes(&[0; GROUP][..zeros]);
    w.byte(FULL - zeros as u8);
}

/// The values with this beginning: those from it on, up to the bytes after all that begin with it.
pub(super) fn starting(start: &[u8]) -> Beginning {
    let written = |bytes: &[u8]| {
        let mut written = Vec::new();
        encode(bytes, &mut Writer::new(&mut written));
        written
    };
    let high = successor(start).map_or(Bound::Unbounded, |after| Bound::Excluded(written(&after)));
    Beginning::In(vec![FieldSpan::Range(Bound::Included(written(start)), high)])
}

pub(super) fn decode(r: &mut Reader<'_>) -> Result<Vec<u8>, DecodeError> {
    let mut bytes = Vec::new();
    loop {
        let at = r.offset();
        let (group, mark) = (r.array::<GROUP>()?, r.byte()?);
        let zeros = usize::from(FULL - mark);
        if zeros > GROUP || group[GROUP - zeros..].iter().any(|byte| *byte != 0) {
            let found = Hex(&[&group[..], &[mark]].concat()).to_string();
            return Err(r.bad_value(at, found, "a group is eight bytes, zeros at its end, and ff less their number"));
        }
        bytes.extend_from_slice(&group[..GROUP - zeros]);
        if mark != FULL {
            return Ok(bytes);
        }
    }
}
