//! Networks as ranges of addresses, to select rows by (feature `ipnet`).
//!
//! ```text
//! Ipv4Addr within 10.0.0.0/8    0a 00 00 00 to 0a ff ff ff, both included
//! IpAddr within 10.0.0.0/8      04 0a 00 00 00 to 04 0a ff ff ff
//! ```
//!
//! Bits after the network's prefix do not count: 10.1.2.3/8 is 10.0.0.0/8. No IPv4 address is in an IPv6 network, not
//! even in one of mapped IPv4 addresses: in a key the two families are apart.
//!
//! ```
//! use std::net::IpAddr;
//!
//! use ipnet::Ipv4Net;
//! use rowkey::{KeyRange, RowKey, Select};
//!
//! #[derive(RowKey)]
//! struct Visit {
//!     address: IpAddr,
//!     at: u64,
//! }
//!
//! let ranges = Visit::prefix().address_within(&"10.0.0.0/8".parse::<Ipv4Net>()?).ranges();
//! assert_eq!(ranges, [KeyRange::new([4, 10, 0, 0, 0], Some([4, 11])).unwrap()]);
//! # Ok::<(), ipnet::AddrParseError>(())
//! ```

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::keys::encode::{FieldSpan, Within};

macro_rules! within {
    ($($net:ty: $address:ty, $any:ident;)*) => {$(
        impl Within<$net> for $address {
            fn within(net: &$net) -> Vec<FieldSpan> {
                vec![FieldSpan::range::<Self, _>(&(net.network()..=net.broadcast()))]
            }
        }

        impl Within<$net> for IpAddr {
            fn within(net: &$net) -> Vec<FieldSpan> {
                vec![FieldSpan::range::<Self, _>(&(Self::from(net.network())..=Self::from(net.broadcast())))]
            }
        }

        /// No address is in a network of the other family.
        impl Within<IpNet> for $address {
            fn within(net: &IpNet) -> Vec<FieldSpan> {
                match net {
                    IpNet::$any(net) => Self::within(net),
                    _ => Vec::new(),
                }
            }
        }
    )*};
}
within! {
    Ipv4Net: Ipv4Addr, V4;
    Ipv6Net: Ipv6Addr, V6;
}

impl Within<IpNet> for IpAddr {
    fn within(net: &IpNet) -> Vec<FieldSpan> {
        match net {
            IpNet::V4(net) => Self::within(net),
            IpNet::V6(net) => Self::within(net),
        }
    }
}
