use rowkey::encode::{Encoding, Reader, Sink, Writer};
use rowkey::{DecodeError, RowKey};

struct Flag;

impl Encoding<bool> for Flag {
    const SHAPE: &'static str = "flag";

    fn encode<S: Sink>(value: &bool, w: &mut Writer<'_, S>) {
        w.byte(u8::from(*value));
    }

    fn decode(r: &mut Reader<'_>) -> Result<bool, DecodeError> {
        r.byte().map(|byte| byte == 1)
    }
}

#[derive(RowKey)]
struct Key {
    #[rowkey(with = Flag)]
    at: i64,
}

fn main() {}
