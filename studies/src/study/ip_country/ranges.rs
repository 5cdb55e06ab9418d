//! Ranges of addresses and their countries: reading them, cutting them where they overlap, and addresses to look up.

use std::cmp::Reverse;
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

use rand_xoshiro::rand_core::RngCore;
use rowkey_studies::{input, sample};

/// First and last address, and the country.
pub(crate) type Range = (IpAddr, IpAddr, String);

/// The ranges of a file; each line is one, but for empty ones and a first one that begins with no address: the titles.
pub(crate) fn load(path: Option<&Path>) -> Result<Vec<Range>, Box<dyn Error>> {
    let (text, name) = input::text(path, sample::IP_COUNTRY)?;
    let mut ranges = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        match parse(line) {
            Some(range) => ranges.push(range),
            None if number == 0 && line.split(',').next().is_some_and(|start| start.parse::<IpAddr>().is_err()) => {}
            None => return Err(format!("{name}:{}: not start,end,country: {line:?}", number + 1).into()),
        }
    }
    Ok(ranges)
}

/// `1.0.0.0,1.0.0.255,AU`
fn parse(line: &str) -> Option<Range> {
    let [start, end, country] = line.split(',').collect::<Vec<_>>()[..] else { return None };
    let (start, end): (IpAddr, IpAddr) = (start.parse().ok()?, end.parse().ok()?);
    (start <= end && start.is_ipv4() == end.is_ipv4()).then(|| (start, end, country.to_owned()))
}

/// The same countries in ranges that do not overlap. Where some do, the one that begins last counts, of these the
/// shortest, of the same the last given; what it leaves of the others is cut to fit.
pub(crate) fn disjoint(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|(start, end, _)| (*start, Reverse(*end)));
    let mut done = Vec::with_capacity(ranges.len());
    // Ranges that began and did not end, each within reach of those above it.
    let mut open: Vec<Range> = Vec::new();
    let close = |open: &mut Vec<Range>, done: &mut Vec<Range>| {
        let Some(range) = open.pop() else { return };
        match (open.last_mut(), step(range.1, true)) {
            // All before what is left of the one above is taken, also where that began after its end.
            (Some(below), Some(next)) => below.0 = below.0.max(next).max(range.0),
            (_, None) => open.clear(),
            (None, _) => {}
        }
        done.extend((range.0 <= range.1).then_some(range));
    };
    for range in ranges {
        while open.last().is_some_and(|(_, end, _)| *end < range.0) {
            close(&mut open, &mut done);
        }
        if let Some((start, _, country)) = open.last().filter(|(start, ..)| *start < range.0) {
            done.extend(step(range.0, false).map(|end| (*start, end, country.clone())));
        }
        open.push(range);
    }
    while !open.is_empty() {
        close(&mut open, &mut done);
    }
    done
}

/// The next address of the family, or the one before.
fn step(address: IpAddr, up: bool) -> Option<IpAddr> {
    match address {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            let next = if up { bits.checked_add(1) } else { bits.checked_sub(1) };
            next.map(|bits| Ipv4Addr::from_bits(bits).into())
        }
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            let next = if up { bits.checked_add(1) } else { bits.checked_sub(1) };
            next.map(|bits| Ipv6Addr::from_bits(bits).into())
        }
    }
}

/// An address: of any bits, or at the edge of a range, or up to 255 from one.
pub(crate) fn any(random: &mut impl RngCore, ranges: &[Range]) -> IpAddr {
    let bits = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
    let edge = match ranges {
        [] => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        ranges => {
            let (start, end, _) = &ranges[(bits >> 64) as usize % ranges.len()];
            if bits & 1 == 0 { *start } else { *end }
        }
    };
    let flip = bits >> 8 & 0xff;
    match (bits >> 1 & 7, edge) {
        (0, _) => Ipv4Addr::from_bits((bits >> 32) as u32).into(),
        (1, _) => Ipv6Addr::from_bits(bits).into(),
        (2 | 3, edge) => edge,
        (up @ (4 | 5), edge) => step(edge, up == 4).unwrap_or(edge),
        (_, IpAddr::V4(edge)) => Ipv4Addr::from_bits(edge.to_bits() ^ flip as u32).into(),
        (_, IpAddr::V6(edge)) => Ipv6Addr::from_bits(edge.to_bits() ^ flip).into(),
    }
}
