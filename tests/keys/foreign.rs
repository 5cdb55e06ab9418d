//! Types of other crates: addresses within a network, where what the ranges hold is what a filter finds; strings in
//! prefixes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use proptest::prelude::*;
use rowkey::{RowKey, Select};

#[derive(RowKey, Clone, Copy, Debug)]
struct V4 {
    address: Ipv4Addr,
    at: u8,
}

#[derive(RowKey, Clone, Copy, Debug)]
struct V6 {
    zone: u8,
    #[rowkey(desc)]
    address: Ipv6Addr,
    at: u8,
}

#[derive(RowKey, Clone, Copy, Debug)]
#[rowkey(salt(buckets = 3))]
struct Either {
    #[rowkey(desc)]
    address: IpAddr,
    at: u8,
}

fn selected<K: RowKey>(selection: impl Select<K>, key: &K) -> bool {
    let key = key.encode();
    selection.ranges().iter().any(|range| range.contains(&key))
}

/// An address, often one step from a network's edge.
fn near(bits: u128, net: u128, mask: u128, kind: u8) -> u128 {
    match kind % 6 {
        0 => net & mask,
        1 => (net & mask).wrapping_sub(1),
        2 => net | !mask,
        3 => (net | !mask).wrapping_add(1),
        4 => net & mask | bits & !mask,
        _ => bits,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ipv4(net: u32, length in 0..=32u8, bits: u32, kind: u8, at: u8) {
        let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
        let address = Ipv4Addr::from_bits(near(bits.into(), net.into(), u128::from(mask) | u128::MAX << 32, kind) as u32);
        let net = Ipv4Net::new(net.into(), length).unwrap();
        let inside = net.contains(&address);
        prop_assert_eq!(selected(V4::prefix().address_within(&net), &V4 { address, at }), inside);
        prop_assert_eq!(selected(V4::prefix().address_within(&IpNet::V4(net)), &V4 { address, at }), inside);
        let either = Either { address: address.into(), at };
        prop_assert_eq!(selected(Either::prefix().address_within(&net), &either), inside);
        prop_assert_eq!(selected(Either::prefix().address_within(&IpNet::V4(net)), &either), inside);
        let mapped = Either { address: address.to_ipv6_mapped().into(), at };
        prop_assert!(!selected(Either::prefix().address_within(&net), &mapped));
    }

    #[test]
    fn ipv6(net: u128, length in 0..=128u8, bits: u128, kind: u8, at: u8, zone in 0..2u8) {
        let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
        let address = Ipv6Addr::from_bits(near(bits, net, mask, kind));
        let net = Ipv6Net::new(net.into(), length).unwrap();
        let (key, inside) = (V6 { zone, address, at }, net.contains(&address));
        prop_assert_eq!(selected(V6::prefix().zone(1).address_within(&net), &key), inside && zone == 1);
        prop_assert_eq!(selected(V6::prefix().zone(1).address_within(&IpNet::V6(net)), &key), inside && zone == 1);
        let either = Either { address: address.into(), at };
        prop_assert_eq!(selected(Either::prefix().address_within(&net), &either), inside);
        prop_assert_eq!(selected(Either::prefix().address_within(&IpNet::V6(net)), &either), inside);
        let v4 = Either { address: Ipv4Addr::from_bits(bits as u32).into(), at };
        prop_assert!(!selected(Either::prefix().address_within(&net), &v4));
    }

    #[test]
    fn the_other_family_is_nowhere(bits: u128) {
        let (v4, v6) = (IpNet::V4(Ipv4Net::default()), IpNet::V6(Ipv6Net::default()));
        prop_assert_eq!(V4::prefix().address_within(&v6).ranges(), []);
        prop_assert_eq!(V6::prefix().zone(1).address_within(&v4).ranges(), []);
        let key = V4 { address: Ipv4Addr::from_bits(bits as u32), at: 0 };
        prop_assert!(selected(V4::prefix().address_within(&v4), &key));
    }
}

#[test]
fn prefixes_of_strings_and_arrays_of_other_crates() {
    #[derive(RowKey)]
    struct Tagged {
        id: bytes::Bytes,
        name: smol_str::SmolStr,
        city: compact_str::CompactString,
        code: arrayvec::ArrayString<4>,
    }
    let to = |code: &str| {
        let prefix = Tagged::prefix().id(b"ab").name("n").city("c").code_starts_with(code);
        prefix.ranges()
    };
    assert_eq!(to("x")[0].start(), b"ab\0n\0c\0x");
    let (name, code) = (smol_str::SmolStr::new("n"), arrayvec::ArrayString::<8>::from("x").unwrap());
    let by_own = Tagged::prefix().id(bytes::Bytes::from("ab")).name(&name).city(&name).code(code).ranges();
    assert_eq!(by_own[0].start(), b"ab\0n\0n\0x\0");
}
