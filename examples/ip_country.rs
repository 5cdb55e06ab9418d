//! Which country an address belongs to: ranges under their *last* address, so that one seek finds the only one that can
//! hold it.
//!
//!     cargo run --release --example ip_country -- --table ipv4-country.csv.gz 8.8.8.8 2001:4860::8888
//!
//! Ranges that do not overlap sort by their ends as by their starts. The first end at or after an address is that of the
//! range around it, or of one behind a gap; which of the two, the start says, and that is in the value.

mod file;
mod program;

use std::cmp::Reverse;
use std::error::Error;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rowkey::{Memory, Postcard, RowKey, Selection, Table};

/// A range of addresses, by its last one. IPv4 stands before IPv6, so one table holds both.
#[derive(RowKey, Debug, Clone, Copy)]
struct RangeEnd {
    end: IpAddr,
}

/// The range's first address, and its country.
type Found = (IpAddr, String);

/// First and last address, and the country.
type Range = (IpAddr, IpAddr, String);

/// Finds the countries of addresses.
#[derive(Parser)]
struct Args {
    /// Ranges as lines of start,end,country, plain or gzip [default: a sample]
    #[arg(long)]
    table: Option<PathBuf>,
    /// How many random addresses are looked up and compared with a sorted vector
    #[arg(long, default_value_t = 100_000)]
    random: u64,
    /// Addresses of either family [default: a few]
    addresses: Vec<IpAddr>,
}

const SAMPLE: &[u8] = include_bytes!("data/ip-country.csv");
const ADDRESSES: [&str; 7] =
    ["1.1.1.1", "8.8.8.8", "17.253.144.10", "127.0.0.1", "2001:638::1", "2001:db8::1", "2a00:1450:4001::8a"];

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let ranges: Table<RangeEnd, Postcard<Found>, _> = Table::open(Memory::new(), "ranges")?;
    let given = load(args)?;
    let lines = given.len() as u64;
    let sorted = disjoint(given);
    for (start, end, country) in &sorted {
        ranges.put(&RangeEnd { end: *end }, &Postcard((*start, country.clone())))?;
    }
    writeln!(out, "{} ranges, {} where they overlap no more", HumanCount(lines), HumanCount(ranges.count(..)?))?;

    // The one seek: the first row at or after the address, if it begins at or before it.
    let lookup = |address: IpAddr| -> Result<(Option<Range>, u64), rowkey::Error> {
        let mut scan = ranges.scan(Selection::between(RangeEnd { end: address }..)).limit(1);
        let row = scan.next().transpose()?;
        let around = row.and_then(|(RangeEnd { end }, Postcard((start, country)))| {
            (start <= address).then_some((start, end, country))
        });
        Ok((around, scan.rows_read()))
    };

    let addresses = match &args.addresses[..] {
        [] => ADDRESSES.iter().map(|address| address.parse()).collect::<Result<_, _>>()?,
        addresses => addresses.to_vec(),
    };
    let answers = addresses.iter().map(|&address| lookup(address)).collect::<Result<Vec<_>, _>>()?;
    title(out, "Addresses", answers.iter().map(|(_, read)| read).sum(), count(&answers))?;
    for (address, (found, _)) in addresses.iter().zip(&answers) {
        let address = address.to_string();
        match found {
            Some((start, end, country)) => writeln!(out, "  {address:39} {country:4} {start} to {end}")?,
            None => writeln!(out, "  {address:39} none")?,
        }
    }

    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut answers = Vec::new();
    for _ in 0..args.random {
        let address = any(&mut random, &sorted);
        let answer = lookup(address)?;
        let at = sorted.partition_point(|(_, end, _)| *end < address);
        let due = sorted.get(at).filter(|(start, ..)| *start <= address);
        if answer.0.as_ref() != due {
            return Err(format!("{address}: the table says {:?}, the sorted vector {due:?}", answer.0).into());
        }
        answers.push(answer);
    }
    title(out, "Random addresses", answers.iter().map(|(_, read)| read).sum(), count(&answers))?;
    let none = args.random - count(&answers);
    writeln!(
        out,
        "  {} lookups agree with a sorted vector, {} of them none",
        HumanCount(args.random),
        HumanCount(none)
    )?;
    Ok(())
}

/// The same countries in ranges that do not overlap. Where some do, the one that begins last counts, of these the shortest,
/// of the same the last given; what it leaves of the others is cut to fit.
fn disjoint(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|(start, end, _)| (*start, Reverse(*end)));
    let mut done = Vec::with_capacity(ranges.len());
    // Ranges that began and did not end, each within reach of those above it.
    let mut open: Vec<Range> = Vec::new();
    let close = |open: &mut Vec<Range>, done: &mut Vec<Range>| {
        let Some(range) = open.pop() else { return };
        match (open.last_mut(), step(range.1, true)) {
            // All before what is left of the one above is taken, also where that began behind its end.
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

fn count<T, U>(answers: &[(Option<T>, U)]) -> u64 {
    answers.iter().filter(|(found, _)| found.is_some()).count() as u64
}

fn title(out: &mut impl Write, title: &str, read: u64, returned: u64) -> io::Result<()> {
    writeln!(out, "\n{title}\n{} rows read, {} returned", HumanCount(read), HumanCount(returned))
}

/// An address: of any bits, or at the edge of a range, or up to 255 from one.
fn any(random: &mut impl RngCore, ranges: &[Range]) -> IpAddr {
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

/// The ranges of a file; each line is one, but for the header and empty ones.
fn load(args: &Args) -> Result<Vec<Range>, Box<dyn Error>> {
    let (text, name) = file::text(args.table.as_deref(), SAMPLE)?;
    let mut ranges = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        match parse(line) {
            Some(range) => ranges.push(range),
            None if number == 0 => {}
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

fn main() -> ExitCode {
    let mut out = io::BufWriter::new(io::stdout().lock());
    program::exit(run(&Args::parse(), &mut out).and_then(|()| Ok(out.flush()?)))
}
