//! IP addresses.
//!
//! ```text
//! Ipv4Addr 10.0.0.1     0a 00 00 01
//! Ipv6Addr ::1          00 × 15, 01
//! IpAddr 10.0.0.1       04 0a 00 00 01        every IPv4 address before every IPv6 address
//! IpAddr ::1            06 00 × 15, 01
//! ```

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::keys::encode::{Field, Reader, Sink, Writer, scalar};
use crate::keys::error::DecodeError;
use crate::keys::layout::{Scalar, Type};

scalar!(Ipv4Addr, Scalar::ByteArray(4), self, w => w.array(self.octets()), r => r.array::<4>().map(Self::from));

scalar!(Ipv6Addr, Scalar::ByteArray(16), self, w => w.array(self.octets()), r => r.array::<16>().map(Self::from));

impl Field for IpAddr {
    type Ref<'a> = Self;
    const TYPE: &'static Type = &Type::Scalar(Scalar::IpAddr);

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        match self {
            Self::V4(address) => {
                w.byte(4);
                address.encode(w);
            }
            Self::V6(address) => {
                w.byte(6);
                address.encode(w);
            }
        }
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let at = r.offset();
        match r.byte()? {
            4 => Ipv4Addr::decode(r).map(Self::V4),
            6 => Ipv6Addr::decode(r).map(Self::V6),
            _ => Err(r.unknown_byte(at, "an address family", &[4, 6])),
        }
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        Self::decode(r).map(drop)
    }
}
crate::keys::encode::into_field!(IpAddr);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::refused;

    #[test]
    fn no_fifth_family() {
        refused::<IpAddr>("0501020304");
        refused::<IpAddr>("04010203");
    }
}
