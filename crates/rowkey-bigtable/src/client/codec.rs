//! Encodes a shared request: to send it again it is not copied. Knows whether it was sent.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use prost::Message;
use prost::bytes::BufMut;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, EncodeBuf, Encoder};
use tonic_prost::ProstDecoder;

use super::LARGEST_MESSAGE;
use super::flight::Flight;

/// The message of a request.
pub(super) trait Body {
    fn bytes(&self) -> usize;
    /// Writes the message: `bytes()` bytes.
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

/// The request of an attempt. It is encoded when a connection has opened a stream for it, and not before.
#[derive(Debug)]
pub(super) struct Outgoing<Q> {
    message: Arc<Q>,
    sent: Sent,
    /// The number of this connection among those that the attempt has waited for.
    place: u32,
    flight: Option<Arc<Flight>>,
}

impl<Q> Outgoing<Q> {
    pub(super) fn new(message: Arc<Q>, sent: &Sent) -> Self {
        Self { message, sent: sent.clone(), place: FIRST, flight: None }
    }

    /// The same for a connection.
    pub(super) fn on(&self, flight: &Arc<Flight>) -> Self {
        let Self { message, sent, place, .. } = self;
        Self { message: Arc::clone(message), sent: sent.clone(), place: *place, flight: Some(Arc::clone(flight)) }
    }

    /// Takes it back from its connection. Returns whether it was not sent there, and never will be.
    pub(super) fn take_back(&mut self) -> bool {
        let next = if self.place == LAST { FIRST } else { self.place + 1 };
        let is_back = self.sent.0.compare_exchange(self.place, next, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if is_back {
            self.place = next;
        }
        is_back
    }

    pub(super) fn is_sent(&self) -> bool {
        self.sent.is_encoded()
    }
}

impl<Q: Body> Outgoing<Q> {
    /// Checks that the request can be sent. (tonic would find out when it is encoded, and break the stream.)
    pub(super) fn check(&self) -> Result<(), Status> {
        match self.message.bytes() {
            ..=LARGEST_MESSAGE => Ok(()),
            bytes => {
                Err(Status::invalid_argument(format!("a request of {bytes} bytes; the most are {LARGEST_MESSAGE}")))
            }
        }
    }
}

/// The state of an attempt's request: the place at which it waits, or the end of the wait.
#[derive(Clone, Debug)]
pub(super) struct Sent(Arc<AtomicU32>);

const ENCODED: u32 = 0;
const GIVEN_UP: u32 = 1;
const FIRST: u32 = 2;
const LAST: u32 = u32::MAX;

impl Default for Sent {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(FIRST)))
    }
}

impl Sent {
    /// Returns whether the request may be sent from this place.
    fn encode(&self, place: u32) -> bool {
        self.0.compare_exchange(place, ENCODED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Returns whether anything of the request may have been sent so far.
    pub(super) fn is_encoded(&self) -> bool {
        self.0.load(Ordering::Acquire) == ENCODED
    }

    /// Gives up the attempt. Returns whether anything of the request may have been sent; if not, it never will be.
    pub(super) fn give_up(&self) -> bool {
        let given_up =
            self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |at| (at != ENCODED).then_some(GIVEN_UP));
        given_up.is_err()
    }
}

/// The bytes of a stream's buffer from its beginning, as there may be thousands of streams. It grows to the largest
/// message.
const LEAST_BUFFER: usize = 256;
/// tonic's default.
const LARGEST_YIELD: usize = 32 << 10;

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
        ProstDecoder::new(BufferSettings::new(LEAST_BUFFER, LARGEST_YIELD))
    }
}

pub(super) struct SharedEncoder<Q>(PhantomData<fn(Q)>);

impl<Q: Body + Send + Sync> Encoder for SharedEncoder<Q> {
    type Item = Outgoing<Q>;
    type Error = Status;

    fn encode(&mut self, request: Outgoing<Q>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        if !request.sent.encode(request.place) {
            return Err(Status::cancelled("the attempt was given up"));
        }
        if let Some(flight) = &request.flight {
            flight.opened();
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
        assert!(!sent.give_up() && !sent.encode(FIRST) && !sent.give_up());
        let sent = Sent::default();
        assert!(sent.encode(FIRST) && sent.give_up() && sent.give_up());
    }

    #[test]
    fn what_is_taken_back_is_sent_from_its_next_place_alone() {
        let sent = Sent::default();
        let mut message = Outgoing::new(Arc::new(()), &sent);
        let first = message.place;
        assert!(message.take_back() && !sent.encode(first) && !message.is_sent());
        assert!(sent.encode(message.place) && message.is_sent());
        assert!(!message.take_back() && sent.give_up(), "it was sent");
        let mut given_up = Outgoing::new(Arc::new(()), &Sent::default());
        assert!(!given_up.sent.give_up() && !given_up.take_back());
        let mut last = Outgoing { place: LAST, sent: Sent(Arc::new(AtomicU32::new(LAST))), ..given_up };
        assert!(last.take_back() && last.place == FIRST);
    }
}
