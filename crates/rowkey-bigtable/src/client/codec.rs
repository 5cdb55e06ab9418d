//! Encodes a shared request: to send it again it is not copied. Knows whether it was sent.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use prost::Message;
use prost::bytes::BufMut;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, EncodeBuf, Encoder};
use tonic_prost::ProstDecoder;

use super::LARGEST_MESSAGE;

/// What is sent as a request.
pub(super) trait Body {
    fn bytes(&self) -> usize;
    /// Writes so many bytes.
    fn write(&self, buffer: &mut impl BufMut);
}

impl<M: Message> Body for M {
    fn bytes(&self) -> usize {
        self.encoded_len()
    }

    fn write(&self, buffer: &mut impl BufMut) {
        self.encode_raw(buffer);
    }
}

/// The request of an attempt. It is encoded when there is a connection that takes it, and not before.
#[derive(Debug)]
pub(super) struct Outgoing<Q> {
    message: Arc<Q>,
    sent: Sent,
}

impl<Q> Outgoing<Q> {
    pub(super) fn new(message: Arc<Q>, sent: &Sent) -> Self {
        Self { message, sent: sent.clone() }
    }
}

impl<Q: Body> Outgoing<Q> {
    /// Whether it can be sent. (tonic would find out when it is encoded, and break the stream.)
    pub(super) fn check(&self) -> Result<(), Status> {
        match self.message.bytes() {
            ..=LARGEST_MESSAGE => Ok(()),
            bytes => {
                Err(Status::invalid_argument(format!("a request of {bytes} bytes; the most are {LARGEST_MESSAGE}")))
            }
        }
    }
}

/// Whether the request of an attempt was sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent(Arc<AtomicU8>);

const WAITS: u8 = 0;
const ENCODED: u8 = 1;
const GIVEN_UP: u8 = 2;

impl Sent {
    /// Returns whether the request may be sent.
    fn encode(&self) -> bool {
        self.0.compare_exchange(WAITS, ENCODED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Whether anything of the request may have been sent so far.
    pub(super) fn is_encoded(&self) -> bool {
        self.0.load(Ordering::Acquire) == ENCODED
    }

    /// Gives up the attempt. Returns whether anything of the request may have been sent; if not, it never will be.
    pub(super) fn give_up(&self) -> bool {
        let before = self.0.compare_exchange(WAITS, GIVEN_UP, Ordering::AcqRel, Ordering::Acquire);
        before == Err(ENCODED)
    }
}

pub(super) struct Shared<Q, R>(PhantomData<fn(Q) -> R>);

impl<Q, R> Default for Shared<Q, R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<Q: Body + Send + Sync + 'static, R: Message + Default + 'static> Codec for Shared<Q, R> {
    type Encode = Outgoing<Q>;
    type Decode = R;
    type Encoder = SharedEncoder<Q>;
    type Decoder = ProstDecoder<R>;

    fn encoder(&mut self) -> Self::Encoder {
        SharedEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstDecoder::new(BufferSettings::default())
    }
}

pub(super) struct SharedEncoder<Q>(PhantomData<fn(Q)>);

impl<Q: Body + Send + Sync> Encoder for SharedEncoder<Q> {
    type Item = Outgoing<Q>;
    type Error = Status;

    fn encode(&mut self, request: Outgoing<Q>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        if !request.sent.encode() {
            return Err(Status::cancelled("the attempt was given up"));
        }
        buffer.reserve(request.message.bytes());
        request.message.write(buffer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_up_is_not_sent() {
        let sent = Sent::default();
        assert!(!sent.give_up() && !sent.encode() && !sent.give_up());
        let sent = Sent::default();
        assert!(sent.encode() && sent.give_up() && sent.give_up());
    }
}
