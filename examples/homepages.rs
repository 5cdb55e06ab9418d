//! Home pages by domain, as the web tables of search engines keep them: what belongs together stands together.
//!
//!     cargo run --release --example homepages
//!     cargo run --release --example homepages -- homepages.txt.gz --under apache.org
//!
//! Without a file it takes the pages of 2,000 Debian packages (`examples/data/`). The host stands in the key with its
//! labels reversed, so a domain and all its subdomains are one range. Which hosts have most pages is found without
//! reading them all: from the first row of one host the scan skips behind its last, to the next.

mod file;
mod program;

use std::cmp::Reverse;
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use rowkey::{Domain, HostPath, Memory, RowKey, Select, Selection, Table, UrlKey};

/// A page, once.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Home {
    url: UrlKey,
}

/// The pages of a host as they were found, the latest first: so the first row of a host has the number of them all.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Found {
    /// The host's own page, `/`.
    host: HostPath,
    #[rowkey(desc)]
    nth: u32,
}

/// Stores home pages under their reversed hosts and asks what is under a domain, and which hosts have most.
#[derive(Parser)]
struct Args {
    /// URLs, one a line, plain or gzip [default: the sample in examples/data]
    urls: Option<PathBuf>,
    /// The domain whose pages are shown, with those of its subdomains
    #[arg(long, default_value = "debian.org")]
    under: Domain,
    /// How many pages are printed
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// How many hosts are printed
    #[arg(long, default_value_t = 10)]
    top: usize,
}

/// How many lines that are no keys are told one by one.
const TOLD: usize = 3;

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let homes: Table<Home, (), _> = Table::open(Memory::new(), "homes")?;
    let found: Table<Found, String, _> = Table::open(Memory::new(), "found")?;
    let (mut lines, mut refused) = (0, Vec::new());
    let (text, _) = file::text(args.urls.as_deref(), include_bytes!("data/homepages.txt.gz"))?;
    for line in text.lines() {
        lines += 1;
        match line.parse::<UrlKey>() {
            Ok(url) => store(&homes, &found, url)?,
            Err(error) => refused.push(error),
        }
    }
    let (lines, none) = (HumanCount(lines), HumanCount(refused.len() as u64));
    writeln!(out, "{lines} lines read, {none} no keys, {} pages stored", HumanCount(homes.count(..)?))?;
    for error in refused.iter().take(TOLD) {
        writeln!(out, "  {}", program::reasons(error))?;
    }

    let mut scan = homes.scan(Home::prefix().url_under(&args.under));
    let pages: Vec<_> = scan.by_ref().collect::<Result<_, _>>()?;
    answer(out, &format!("Under {}", args.under), scan.rows_read(), pages.len())?;
    for (home, ()) in pages.iter().take(args.show) {
        writeln!(out, "  {}", home.url)?;
    }

    let (mut hosts, seeks, rows_read) = hosts(&found)?;
    let all = hosts.len();
    hosts.sort_by_key(|host| Reverse(host.nth));
    hosts.truncate(args.top);
    answer(out, "The hosts with most pages", rows_read, hosts.len())?;
    for host in &hosts {
        writeln!(out, "  {:>6} {}", host.nth, host.host.host())?;
    }
    let (all, seeks) = (HumanCount(all as u64), HumanCount(seeks));
    writeln!(out, "{all} hosts in {seeks} seeks, one row each")?;
    Ok(())
}

fn answer(out: &mut impl Write, title: &str, read: u64, returned: usize) -> io::Result<()> {
    writeln!(out, "\n{title:50} {read:>3} rows read, {returned} returned")
}

/// A page that is there already is left alone.
fn store<D>(homes: &Table<Home, (), D>, found: &Table<Found, String, D>, url: UrlKey) -> Result<(), rowkey::Error> {
    let home = Home { url };
    if homes.get(&home)?.is_some() {
        return Ok(());
    }
    homes.put(&home, &())?;
    let host = site(&home.url.host_path());
    let before = found.first(Found::prefix().host(&host))?.map_or(0, |(last, _)| last.nth);
    found.put(&Found { host, nth: before + 1 }, &home.url.to_string())
}

/// The host's own page.
fn site(page: &HostPath) -> HostPath {
    HostPath::new(page.host(), "/").expect("a page's host is a host")
}

/// The first row of each host; how many seeks, and how many rows, that took.
fn hosts<D>(found: &Table<Found, String, D>) -> Result<(Vec<Found>, u64, u64), rowkey::Error> {
    let (mut hosts, mut seeks, mut rows_read) = (Vec::<Found>::new(), 0, 0);
    loop {
        // Behind all rows of the host before: they are not read.
        let rest = found.scan(Selection::all());
        let rest = match hosts.last() {
            Some(host) => rest.after_prefix(Found::prefix().host(&host.host).select()),
            None => rest,
        };
        let mut next = rest.limit(1).keys();
        let first = next.next().transpose()?;
        seeks += 1;
        rows_read += next.rows_read();
        match first {
            Some(host) => hosts.push(host),
            None => return Ok((hosts, seeks, rows_read)),
        }
    }
}

fn main() -> ExitCode {
    program::exit(run(&Args::parse(), &mut io::stdout().lock()))
}
