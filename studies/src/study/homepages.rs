//! Home pages by domain, as the web tables of search engines keep them: pages of one domain are neighbours.
//!
//!     cargo run --release -p rowkey-studies -- homepages
//!     cargo run --release -p rowkey-studies -- homepages homepages.txt.gz --under apache.org
//!
//! Without a file it takes the pages of 2,000 Debian packages (`studies/data/`). The key has the host with its
//! labels reversed, so a domain and all its subdomains are one range. Which hosts have most pages is found without
//! reading them all: from the first row of one host the scan skips to the first row of the next.

use std::cmp::Reverse;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use rowkey::{Domain, HostPath, Layout, RowKey, Table, UrlKey};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::reasons;
use rowkey_studies::output::report::{self, Query};
use rowkey_studies::{input, sample};

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

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("homes", Home::LAYOUT), ("found", Found::LAYOUT)];

/// Stores home pages under their reversed hosts and asks what is under a domain, and which hosts have most.
#[derive(Parser)]
struct Args {
    /// URLs, one a line, plain or gzip [default: a sample of 2,000]
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

/// How many lines that are not valid keys are printed one by one.
const TOLD: usize = 3;

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = on.open()?;
    let homes: Table<Home, (), _> = Table::open(db.clone(), "homes")?;
    let found: Table<Found, String, _> = Table::open(db.clone(), "found")?;
    let (mut lines, mut refused) = (0, Vec::new());
    let (text, _) = input::text(args.urls.as_deref(), sample::HOMEPAGES)?;
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
        writeln!(out, "  {}", reasons(error))?;
    }
    tables(out, &homes, &found, &args.under)?;

    let query = Query::of(&db);
    let pages: Vec<_> = homes.scan(Home::prefix().url_under(&args.under)).collect::<Result<_, _>>()?;
    query.returned(out, format_args!("Under {}", args.under), pages.len(), pages.len())?;
    for (home, ()) in pages.iter().take(args.show) {
        writeln!(out, "  {}", home.url)?;
    }

    let query = Query::of(&db);
    let first_pages = found.scan(..).first_of_each(|page| Found::prefix().host(&page.host));
    let mut hosts: Vec<_> = first_pages.map(|row| row.map(|(page, _)| page)).collect::<Result<_, _>>()?;
    let all = HumanCount(hosts.len() as u64);
    hosts.sort_by_key(|host| Reverse(host.nth));
    hosts.truncate(args.top);
    query.returned(out, format_args!("The hosts with most pages, of {all}"), hosts.len(), hosts.len())?;
    for host in &hosts {
        writeln!(out, "  {:>6} {}", host.nth, host.host.host())?;
    }
    Ok(())
}

/// The pictures of the keys, and the first pages under the domain (or of all), as they stand in the tables.
fn tables(
    out: &mut impl Write,
    homes: &Table<Home, (), Db>,
    found: &Table<Found, String, Db>,
    domain: &Domain,
) -> Result<(), Box<dyn Error>> {
    let mut pages: Vec<Found> =
        found.scan(Found::prefix().host_under(domain)).limit(4).keys().collect::<Result<_, _>>()?;
    if pages.is_empty() {
        pages = found.scan(..).limit(4).keys().collect::<Result<_, _>>()?;
    }
    let home = homes.first(Home::prefix().url_under(domain))?.map_or_else(|| homes.first(..), |row| Ok(Some(row)))?;
    let (Some((home, ())), Some(first)) = (home, pages.first()) else { return Ok(()) };
    report::key(out, "The key of \"homes\"", &home)?;
    report::key(out, "The key of \"found\"", first)?;
    let urls = found.get_many(&pages)?;
    let rows = pages
        .iter()
        .zip(urls)
        .map(|(page, url)| [page.host.host().to_owned(), page.nth.to_string(), url.unwrap_or_default()]);
    report::table(out, "The table \"found\", some rows of it", ["row key: host", "nth, desc", "page"], rows)
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

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
