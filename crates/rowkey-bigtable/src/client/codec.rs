//! Encodes a shared request: to send it again it is not copied.

use std::marker::PhantomData;
use std::sync::Arc;

use prost::Message;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, EncodeBuf, Encoder};
use tonic_prost::ProstDecoder;

pub(super) struct Shared<Q, R>(PhantomData<fn(Q) -> R>);

impl<Q, R> Default for Shared<Q, R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<Q: Message + 'static, R: Message + Default + 'static> Codec for Shared<Q, R> {
    type Encode = Arc<Q>;
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

impl<Q: Message> Encoder for SharedEncoder<Q> {
    type Item = Arc<Q>;
    type Error = Status;

    fn encode(&mut self, request: Arc<Q>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        request.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}
