//! A frame is its length in four bytes and, each behind its own length as a varint, a header and a message. Cells
//! follow the message as they are: the header has their length.
//!
//! ```text
//! 00 00 01 2c | 1a RequestHeader | 40 GetRequest | cells
//! ```

use bytes::{Buf, BufMut, Bytes};
use prost::Message;
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

use crate::model::error::{CallFault, Exception};
use crate::pb;

/// The contents of a call.
pub(crate) struct Payload<'a, M> {
    pub(crate) method: &'static str,
    pub(crate) message: &'a M,
    /// Encoded cells, one after the other.
    pub(crate) cells: &'a [&'a [u8]],
    pub(crate) priority: Option<u32>,
}

impl<'a, M> Payload<'a, M> {
    pub(crate) fn new(method: &'static str, message: &'a M) -> Self {
        Self { method, message, cells: &[], priority: None }
    }
}

/// The frame of a call, or `None` if its length does not fit.
pub(crate) fn request<M: Message>(id: u32, timeout_ms: u32, payload: &Payload<'_, M>) -> Option<Vec<u8>> {
    let cells: usize = payload.cells.iter().map(|cells| cells.len()).sum();
    let cell_block = (cells > 0).then_some(u32::try_from(cells).ok()).map(|length| pb::CellBlockMeta { length });
    let header = pb::RequestHeader {
        call_id: Some(id),
        method_name: Some(payload.method.into()),
        request_param: Some(true),
        cell_block_meta: cell_block,
        priority: payload.priority,
        timeout: Some(timeout_ms),
    };
    let delimited = |length: usize| encoded_len_varint(length as u64) + length;
    let (header_length, length) = (header.encoded_len(), payload.message.encoded_len());
    let total = delimited(header_length) + delimited(length) + cells;
    let mut frame = Vec::with_capacity(4 + total);
    frame.put_i32(i32::try_from(total).ok()?);
    encode_varint(header_length as u64, &mut frame);
    header.encode_raw(&mut frame);
    encode_varint(length as u64, &mut frame);
    payload.message.encode_raw(&mut frame);
    payload.cells.iter().for_each(|cells| frame.extend_from_slice(cells));
    Some(frame)
}

/// The response of a call: its message, not decoded yet, and cells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) message: Bytes,
    pub(crate) cells: Bytes,
}

impl Answer {
    pub(crate) fn read<M: Message + Default>(&self) -> Result<M, CallFault> {
        M::decode(self.message.clone())
            .map_err(|_| CallFault::malformed("the message of the response can't be decoded"))
    }
}

/// A response: the id of its call, and the result.
pub(crate) struct Response {
    pub(crate) call_id: u32,
    pub(crate) result: Result<Answer, Exception>,
}

/// Reads a frame without its length. An error says what is wrong with it.
pub(crate) fn response(mut frame: Bytes) -> Result<Response, &'static str> {
    let header = delimited(&mut frame).ok_or("the length of its header is wrong")?;
    let header = pb::ResponseHeader::decode(header).map_err(|_| "its header is no message")?;
    let call_id = header.call_id.ok_or("it has no call id")?;
    if let Some(exception) = header.exception {
        return Ok(Response { call_id, result: Err(Exception::from_response(exception)) });
    }
    let message = delimited(&mut frame).ok_or("the length of its message is wrong")?;
    let length = header.cell_block_meta.and_then(|meta| meta.length).unwrap_or(0);
    if frame.len() != length as usize {
        return Err("the length of its cells is wrong");
    }
    Ok(Response { call_id, result: Ok(Answer { message, cells: frame }) })
}

/// The id of the call whose response begins so; `None` if the beginning is too short, or no frame.
pub(crate) fn call_of(mut beginning: Bytes) -> Option<u32> {
    pb::ResponseHeader::decode(delimited(&mut beginning)?).ok()?.call_id
}

fn delimited(frame: &mut Bytes) -> Option<Bytes> {
    let length = usize::try_from(decode_varint(frame).ok()?).ok()?;
    (length <= frame.remaining()).then(|| frame.split_to(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as a server would write it, without its length.
    fn answered(header: &pb::ResponseHeader, message: &[u8], cells: &[u8]) -> Bytes {
        let mut frame = header.encode_length_delimited_to_vec();
        encode_varint(message.len() as u64, &mut frame);
        frame.extend_from_slice(message);
        frame.extend_from_slice(cells);
        frame.into()
    }

    #[test]
    fn a_request_has_its_lengths() {
        let message = pb::GetTableNamesRequest {};
        let payload = Payload { cells: &[b"abc", b"de"], ..Payload::new("M", &message) };
        let mut frame = Bytes::from(request(9, 70, &payload).unwrap());
        assert_eq!(frame.get_u32() as usize, frame.len());
        let header = pb::RequestHeader::decode(delimited(&mut frame).unwrap()).unwrap();
        assert_eq!((header.call_id(), header.method_name(), header.timeout()), (9, "M", 70));
        assert_eq!(header.cell_block_meta.unwrap().length(), 5);
        assert_eq!(frame, [b"\0".as_slice(), b"abcde"].concat());
    }

    #[test]
    fn no_prefix_and_no_damage_of_an_answer_panics() {
        let cell_block_meta = Some(pb::CellBlockMeta { length: Some(3) });
        let header = pb::ResponseHeader { call_id: Some(7), cell_block_meta, ..Default::default() };
        let whole = answered(&header, b"message", b"abc");
        let read = response(whole.clone()).unwrap();
        let answer = read.result.unwrap();
        assert_eq!((read.call_id, &*answer.message, &*answer.cells), (7, b"message".as_slice(), b"abc".as_slice()));
        for end in 0..whole.len() {
            assert!(response(whole.slice(..end)).is_err(), "{end}");
        }
        for at in 0..whole.len() {
            for byte in 0..=255 {
                let mut damaged = whole.to_vec();
                damaged[at] = byte;
                let _ = response(damaged.into()).map(|response| response.call_id);
            }
        }
    }
}
